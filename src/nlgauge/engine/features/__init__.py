"""The features of texts that metrics use. Each file has a request, its result, and the reader that computes it."""

"""What metrics ask of texts: one file a feature, with the request, what comes back, and the reader that makes it."""

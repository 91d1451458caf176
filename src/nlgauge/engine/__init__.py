"""The engine, which computes features of texts. Only this package runs models."""

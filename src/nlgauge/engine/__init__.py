"""Computes features of texts. This is the only room that runs models."""

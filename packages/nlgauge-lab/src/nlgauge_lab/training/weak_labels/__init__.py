"""Texts of which each word is known to be supported by a context or not, made from texts without labels."""

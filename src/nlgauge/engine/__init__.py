"""Texts to features: the only room with models."""

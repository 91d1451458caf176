"""Texts in which support and copying differ: supported texts with a small edit, and supported texts in other words."""

"""Texts in which support and copying come apart: small edits of what is supported, and support in other words."""

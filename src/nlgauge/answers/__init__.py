"""Answers to questions about scores. They are computed from statistics and ratings, and are shown in the same way."""

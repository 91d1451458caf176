"""Answers to questions about scores. Each is made of statistics and ratings, and all are shown in the same way."""

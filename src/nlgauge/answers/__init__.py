"""Answers to questions about scores: each is made of statistics and ratings, and shown in one way everywhere."""

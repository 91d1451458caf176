"""The page of a run: what the scores of a saved table say, in one HTML file. Reads a table and texts, never a model."""

"""The page of a run: the scores of a saved table in one HTML file. It is made of a table and texts, without a model."""

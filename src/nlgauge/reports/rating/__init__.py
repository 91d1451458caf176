"""The page of a board of scorers."""

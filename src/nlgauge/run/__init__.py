"""A run: prepare, score blocks of rows, finish."""

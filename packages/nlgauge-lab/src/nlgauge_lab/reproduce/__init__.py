"""The public tables and figures of five papers: what they print, how each number came about, and ours beside it."""

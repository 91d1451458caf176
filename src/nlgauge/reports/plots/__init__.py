"""Figures of a saved table, for papers.

Every function returns a frozen dataclass. Its `tables()` returns the numbers as cells, and its `draw(path)` writes the
figure as PNG, SVG or PDF (extra `plots`).
"""

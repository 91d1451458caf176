"""Figures of a saved table, for papers.

Every function returns a frozen dataclass with `tables()`, its numbers as cells, and `draw(path)` for PNG, SVG or PDF
(extra `plots`).
"""

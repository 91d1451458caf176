"""Rendering: cells to a terminal, LaTeX, Markdown and CSV, safe HTML, and evidence drawn on texts."""

"""Rendering: tables for a terminal, LaTeX, Markdown and CSV; safe HTML; and evidence drawn on texts."""

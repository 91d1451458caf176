"""Tables of cells, and every form that they are printed in: a terminal, LaTeX, Markdown and CSV."""

from __future__ import annotations

from nlgauge.render.tables.cell import Cell, Cells, Number, harmless, harmless_json, words
from nlgauge.render.tables.formats import FORMATS, formatted, inert

__all__ = ["FORMATS", "Cell", "Cells", "Number", "formatted", "harmless", "harmless_json", "inert", "words"]

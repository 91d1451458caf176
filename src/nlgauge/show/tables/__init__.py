"""Tables of cells, and every form that they are printed in: a terminal, LaTeX, Markdown and CSV."""

from __future__ import annotations

from nlgauge.show.tables.cell import Cell, Cells, Number, words
from nlgauge.show.tables.formats import FORMATS, formatted, inert
from nlgauge.show.tables.harmless import harmless, harmless_json

__all__ = ["FORMATS", "Cell", "Cells", "Number", "formatted", "harmless", "harmless_json", "inert", "words"]

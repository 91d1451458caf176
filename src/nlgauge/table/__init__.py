"""The one hand-over after scoring: a table of scores, and the file that it is written to and read from."""

from __future__ import annotations

from nlgauge.table.column import Column, Sums
from nlgauge.table.intervals import SystemScore
from nlgauge.table.table import ScoreTable

__all__ = ["Column", "ScoreTable", "Sums", "SystemScore"]

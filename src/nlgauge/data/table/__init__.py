"""The one hand-over after scoring: a table of scores, and the file that it is written to and read from."""

from __future__ import annotations

from nlgauge.data.table.column import Column, Sums
from nlgauge.data.table.intervals import SystemScore, SystemScores
from nlgauge.data.table.table import ScoreTable

__all__ = ["Column", "ScoreTable", "Sums", "SystemScore", "SystemScores"]

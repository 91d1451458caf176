"""The table of scores, from which everything after scoring is computed, and the files that it is saved to."""

from __future__ import annotations

from nlgauge.data.table.column import Column, Sums
from nlgauge.data.table.intervals import SystemScore, SystemScores
from nlgauge.data.table.table import ScoreTable

__all__ = ["Column", "ScoreTable", "Sums", "SystemScore", "SystemScores"]

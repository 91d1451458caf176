"""What the tests of string metrics share."""

from __future__ import annotations

from collections.abc import Sequence

from nlgauge.contract.base import RowMetric
from nlgauge.data.corpus import Row
from tests.metrics.pieces import scored

LINES = [
    ("The ferry left at nine, and nobody saw it go.", ("At nine the ferry left; nobody saw it.", "It left at nine.")),
    ("Snow fell on the hills.", ("On the hills snow fell.",)),
    ("He mended the net the whole day long.", ("The whole day he was mending nets.", "He mended it.", "All day long.")),
    ("Prices rose by 3.5 % in May.", ("In May, prices rose by 3.5 %.",)),
    ("A dog.", ("Three owls sat on the roof of the old mill.", "Dogs?")),
    ("the the the the", ("The cat is on the mat.",)),
    ("Zürich grüßt naïve Gäste – herzlich!", ("Zürich grüßt herzlich naïve Gäste.",)),
]
"""Candidates and references: shifts, repetitions, stems, numbers, other letters"""


def rows(lines: Sequence[tuple[str, Sequence[str]]] = LINES, source: str | None = None) -> list[Row]:
    return [Row(text, tuple(references), source, item=str(n)) for n, (text, references) in enumerate(lines)]


def value(metric: RowMetric, candidate: str, *references: str, source: str | None = None, part: int = 0) -> float:
    return scored(metric, [Row(candidate, references, source)])[0].parts[part]

"""Which system is best by a score, and which ones do not differ significantly from it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple, TypeAlias

from nlgauge.data.table import ScoreTable, SystemScore
from nlgauge.errors import InputError
from nlgauge.meta.comparison import compare
from nlgauge.meta.corrections import holm
from nlgauge.meta.selection import label

Chance: TypeAlias = "Callable[[str, str, str, str], float]"
"""p of two systems by a metric and its part; NaN where there is no test"""


class Best(NamedTuple):
    """The best by one part of a metric."""

    systems: tuple[str, ...]
    """One; several where their numbers are equal"""
    alike: tuple[str, ...]
    """Those that are no better, and not worse beyond chance"""
    tested: bool
    """Whether there is a test that tells systems apart"""

    def mark(self, system: str) -> Mark:
        """What a system is called beside the others."""
        return "best" if system in self.systems else "alike" if system in self.alike else ""


Mark: TypeAlias = Literal["", "best", "alike"]


def by_part(
    table: ScoreTable, scores: Iterable[SystemScore], *, test: bool = True, seed: int = 0, known: Chance | None = None
) -> dict[tuple[str, str], Best]:
    """The best by each metric and part of the scores of all systems; none by a detail."""
    groups: dict[tuple[str, str], list[SystemScore]] = {}
    for score in scores:
        groups.setdefault((score.metric, score.part), []).append(score)
    found = {key: best(table, own, test=test, seed=seed, known=known) for key, own in groups.items()}
    return {key: one for key, one in found.items() if one is not None}


def best(
    table: ScoreTable, scores: Iterable[SystemScore], *, test: bool = True, significance: float = 0.05, seed: int = 0,
    known: Chance | None = None,
) -> Best | None:  # fmt: skip
    """The best of the scores of all systems by one part of a metric; None for a detail, and for fewer than two systems.

    Every other system is compared with the first of the best as `nlgauge.compare` does, and is alike where p, corrected
    by Holm for all of them, is not below `significance`. test: without it none is called alike.
    known: gives p of two systems where it was computed before.
    """
    there = [score for score in scores if not math.isnan(score.mean)]
    if len(there) < 2 or there[0].part in table.columns[there[0].metric].details:
        return None
    top = (max if table.columns[there[0].metric].higher_is_better else min)(score.mean for score in there)
    first, *equal = [score for score in there if score.mean == top]
    others = [score.system for score in there if score.mean != top]
    chance: Chance = known or (lambda a, b, metric, part: _p(table, first, b, seed))
    p = [chance(first.system, other, first.metric, first.part) if test else math.nan for other in others]
    adjusted = holm(p).tolist()
    alike = tuple(other for other, chance in zip(others, adjusted, strict=True) if chance >= significance)
    return Best((first.system, *(score.system for score in equal)), alike, not all(map(math.isnan, p)))


def _p(table: ScoreTable, first: SystemScore, other: str, seed: int) -> float:
    """That two systems are alike; NaN where there is no test."""
    try:
        (found,) = compare(table, first.system, other, label(table, first.metric, first.part), seed=seed)
    except InputError:  # no item in common, or rows that cannot be told apart
        return math.nan
    return found.p

"""Systems by metrics: values with intervals, the best, and those that do not differ significantly from it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from nlgauge.data.table import Column, ScoreTable, SystemScore
from nlgauge.meta.best import Best, Chance, by_part
from nlgauge.show.page.scored import first_part


@dataclass(frozen=True)
class Standing:
    """One system by one part of a metric."""

    score: SystemScore
    number: int
    """The number of the system, by which it has its colour"""
    rank: str
    """'best', 'alike' (does not differ significantly from the best), 'behind', or '' where nothing can be said"""


@dataclass(frozen=True)
class Part:
    """All systems by one part of a metric."""

    name: str
    standings: list[Standing]
    ends: tuple[float, float]
    """What the bar begins and ends at"""
    detail: bool
    tested: bool
    """Whether there is a test that tells systems apart"""


@dataclass(frozen=True)
class Card:
    """One metric."""

    spec: str
    column: Column
    part: Part
    others: list[Part] = field(default_factory=list)
    missing: list[tuple[str, int, int]] = field(default_factory=list)
    """(why, how many, of how many) rows or systems have no value"""
    note: str = ""
    """What else is to be said of the numbers"""

    @property
    def name(self) -> str:
        """The metric's name, without its parameters."""
        return self.spec.partition("(")[0]

    @property
    def parameters(self) -> str:
        """What the spec says besides the name."""
        return self.spec[len(self.name) :].strip("()")


def cards(table: ScoreTable, scores: Sequence[SystemScore], p: Chance) -> list[Card]:
    """A card for each metric, in the table's order. p: that two systems are alike."""
    found = {(score.metric, score.part, score.system): score for score in scores}
    leaders = by_part(table, scores, known=p)
    made = []
    for spec, column in table.columns.items():
        parts = {
            part: _part(
                table,
                spec,
                part,
                [found[spec, part, system] for system in table.systems],
                leaders.get((spec, part)),
                p,
            )
            for part in column.parts
        }
        first = parts.pop(first_part(column))
        size = len(table.rows) if column.level == "item" else len(table.systems)
        missing = [(why, count, size) for why, count in Counter(column.reasons.values()).most_common()]
        made.append(Card(spec, column, first, list(parts.values()), missing))
    return made


def best_of(part: Part) -> list[str]:
    """The system that a part calls best; several where their numbers are equal, none where nothing can be said."""
    return [one.score.system for one in part.standings if one.rank == "best"]


def wins(made: Sequence[Card]) -> Counter[str]:
    """How many metrics call each system best."""
    return Counter(system for card in made for system in best_of(card.part))


def _part(
    table: ScoreTable, spec: str, part: str, scores: Sequence[SystemScore], found: Best | None, p: Chance
) -> Part:
    standings = [Standing(score, number, _rank(score, found, p)) for number, score in enumerate(scores)]
    return Part(part, standings, _ends(scores), part in table.columns[spec].details, found is not None and found.tested)


def _rank(score: SystemScore, found: Best | None, p: Chance) -> str:
    if found is None or math.isnan(score.mean):
        return ""
    if mark := found.mark(score.system):
        return mark
    return "" if math.isnan(p(found.systems[0], score.system, score.metric, score.part)) else "behind"


def _ends(scores: Sequence[SystemScore]) -> tuple[float, float]:
    values = [value for score in scores for value in (score.mean, score.low, score.high) if math.isfinite(value)]
    if not values:
        return math.nan, math.nan
    low, high = min(values), max(values)
    return (low, high) if high > low else (low - 0.5, high + 0.5)

"""What people say of the systems: of all their outputs, estimated from all scores and the ratings that there are."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from nlgauge.data.corpus import Corpus
from nlgauge.data.table import Column, ScoreTable, SystemScore
from nlgauge.errors import InputError
from nlgauge.stats.best import PairTest
from nlgauge.stats.estimate import Estimate, estimate
from nlgauge.stats.join import Source, ratings

LED = "people: "
"""What the name of an aspect begins with where it stands among metrics"""


@dataclass(frozen=True)
class People:
    """The ratings of a table's rows, and what they say of all rows."""

    table: ScoreTable
    """The rows, and a column for each aspect: a row that nobody rated has no number"""
    estimates: Mapping[str, Mapping[str, Estimate]]
    """By aspect, where some rows have no rating and an interval would be valid: of each system, and of each two
    systems' difference, "A - B\""""
    notes: Mapping[str, str]
    """By aspect: what the estimates are made of, or why there are none; nothing where every row is rated"""

    def by_system(self, replicates: int = 1000, seed: int = 0) -> list[SystemScore]:
        """The estimate of each system with its interval; where there is none, what the ratings alone say."""
        scores = self.table.by_system(replicates=replicates, seed=seed)
        found = [self.estimates.get(one.metric, {}).get(one.system) for one in scores]
        return [
            score if one is None else replace(score, mean=one.estimate, low=one.low, high=one.high)
            for score, one in zip(scores, found, strict=True)
        ]

    def test(self, a: str, b: str, aspect: str, part: str) -> PairTest:
        """Return whether people would rate two systems alike; NaN where nothing is estimated."""
        found = self.estimates.get(aspect, {})
        for name, sign in ((f"{a} - {b}", 1), (f"{b} - {a}", -1)):
            if name in found:
                return PairTest(sign * found[name].estimate, found[name].p)
        return PairTest(math.nan, math.nan, "not estimated")


def people(table: ScoreTable, source: Source, led: str = "", seed: int = 0) -> People:
    """Return what a headline is made of where ratings are at hand. led: what the aspects' names begin with.

    The scores are those of all metrics together, cross-fitted; of the first that has a better direction where this is
    refused. It is not the one that gives the shortest interval: such an interval would hold the truth too seldom.
    Raises InputError as `nlgauge.stats.join.ratings`.
    """
    table = table.per_item()
    columns, estimates, notes = {}, {}, {}
    for aspect, values in ratings(table, source).values.items():
        missing = np.flatnonzero(np.isnan(values)).tolist()
        name = f"{led}{aspect}"
        columns[name] = Column(("score",), values[:, None], dict.fromkeys(missing, "unrated"))
        if missing:
            found, notes[name] = _estimated(table, source, aspect, seed)
            estimates.update({name: found} if found else {})
    return People(ScoreTable(table.rows, columns, {}, clusters=table.clusters), estimates, notes)


def _estimated(table: ScoreTable, source: Source, aspect: str, seed: int) -> tuple[dict[str, Estimate], str]:
    """By system and difference, and what is to be said of it; nothing where a system has no estimate."""
    metrics = [spec for spec, column in table.columns.items() if column.level == "item"]
    first = [spec for spec in metrics if table.columns[spec].scores] or metrics
    why = "there is no score of single rows"
    for chosen in (metrics, first[:1]) if len(metrics) > 1 else (metrics,) if metrics else ():
        try:
            every = estimate(table, source, metrics=chosen, aspects=[aspect], seed=seed)
        except InputError as error:
            why = str(error)
            continue
        found = {one.system: one for one in every if one.metric == every[-1].metric}
        of = [found[system] for system in table.systems]
        if not (reasons := [one.reason for one in of if one.reason]):
            return found, "; ".join([_made(of), *every.notes])
        why = reasons[0]
    return {}, f"ratings alone, and no estimate for all rows: {why}"


def _made(of: list[Estimate]) -> str:
    rated, rows = sum(one.ratings for one in of), sum(one.rows for one in of)
    alone = ", ".join(f"{one.system} {one.alone:.4f} [{one.alone_low:.4f}, {one.alone_high:.4f}]" for one in of)
    made = f"estimated for all {rows:,} rows from {rated:,} ratings and the scores by {of[0].metric}"
    return f"{made}; the ratings alone: {alone}"


def of_outputs(table: ScoreTable, outputs: Corpus) -> People | None:
    """Return what people say of outputs that hold ratings, to stand before the metrics; None where none is rated."""
    return people(table, outputs, LED) if any(row.scores for row in outputs) else None

"""A bar that ratings chose, held to a table: only to numbers that mean the same, and with what was promised of it."""

from __future__ import annotations

import math
from typing import NamedTuple

from nlgauge.data.signature import Signature
from nlgauge.data.table import ScoreTable
from nlgauge.errors import InputError
from nlgauge.meta.bar import RatedBar
from nlgauge.meta.gate.baseline import told_apart
from nlgauge.meta.refusing import CHOSEN


class Held(NamedTuple):
    """What a bar asks of a table."""

    of: tuple[str, str]
    """Metric and part"""
    at_least: float | None
    at_most: float | None
    notes: tuple[str, ...]


def of_ratings(table: ScoreTable, bar: RatedBar) -> Held:
    """Raises InputError where the table lacks the bar's metric, or has other numbers than the bar was made of."""
    if bar.metric not in table.columns or bar.part not in table.columns[bar.metric].parts:
        problem = f"the table has no {bar.metric} {bar.part}, of which the bar was made"
        raise InputError(problem, remedy=f"it has {', '.join(table.columns) or 'no metric'}")
    made = {bar.metric: Signature(bar.metric, bar.facts)} if bar.facts else {}
    notes = told_apart(table, ScoreTable([], {}, made), bar.metric, "bar", "run nlgauge calibrate again, on new scores")
    p, effective = bar.mix(table.values(bar.metric, bar.part))
    rated = f"{bar.n} rated rows"
    if bar.risk is None:
        notes.append(f"the bar was chosen by {bar.by} on {rated}: it promises nothing")
    else:
        share = f"at most {bar.risk:.0%} are rated below {bar.below:g} for {bar.aspect}"
        notes.append(
            f"of rows like those that it was made of and that pass, {share}: {bar.confidence:.0%} sure, {rated}"
        )
    if not math.isnan(p) and p < CHOSEN:
        unlike = "these rows' scores are not like those of the rated rows, so nothing is promised of them"
        notes.append(f"{unlike}: for these rows the {rated} count as {effective:.0f}; rate some of these rows too")
    high = bar.direction == "at_least"
    return Held((bar.metric, bar.part), bar.threshold if high else None, None if high else bar.threshold, tuple(notes))

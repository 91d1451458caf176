"""The limits of a check: a threshold that the user names or that ratings chose, with its promise."""

from __future__ import annotations

import math
from dataclasses import dataclass

from nlgauge.data.signature import Signature
from nlgauge.data.table import Column, ScoreTable
from nlgauge.errors import InputError, SpecError
from nlgauge.stats.gate.baseline import told_apart
from nlgauge.stats.rated_threshold import RatedThreshold
from nlgauge.stats.refusing import CHOSEN


@dataclass(frozen=True)
class Limits:
    """What a part of a metric has to reach, and what it may not exceed."""

    spec: str
    part: str
    column: Column
    at_least: float | None = None
    at_most: float | None = None
    sure: float | None = None
    """What a value that is not below `at_least` has to reach for a row to pass"""
    notes: tuple[str, ...] = ()
    second: Limits | None = None
    """The limits of rows that a second model decided; None if they are the same"""

    @property
    def upwards(self) -> bool | None:
        """Whether higher is better; None of a part that has no better direction."""
        return None if self.part in self.column.details else self.column.higher_is_better

    def refuse_wrong(self, compared: bool) -> None:
        """Raises SpecError for a threshold that cannot be meant, or for none where nothing else is asked."""
        label = self.column.label(self.spec, self.part)
        named = {"at_least": self.at_least, "at_most": self.at_most}
        given = {name: value for name, value in named.items() if value is not None}
        if not given and not compared:
            raise SpecError("there is nothing to check: give at_least, at_most, or an earlier run (against)")
        for name, value in given.items():
            if not math.isfinite(value):
                raise SpecError(f"{name.replace('_', ' ')} {value!r} is no threshold: give a finite number")
        wrong = {None: None, True: "at_most", False: "at_least"}[self.upwards]
        if wrong in given:
            way, right = ("higher", "at_least") if self.upwards else ("lower", "at_most")
            raise SpecError(f"{way} is better for {label}: give {right}, --{right.replace('_', '-')} in the command")
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise SpecError(f"nothing is at least {self.at_least:g} and at most {self.at_most:g}")
        if compared and self.upwards is None and len(given) != 1:
            problem = f"{label} has no better direction: give either a least or a most value beside the earlier run"
            raise SpecError(f"{problem}, to say which way is worse")

    def problem(self, value: float) -> str | None:
        """How a value misses the threshold; None where it does not."""
        if self.at_least is not None and value < self.at_least:
            return f"{shown(value, self.at_least)} is below {self.at_least:g}"
        if self.at_most is not None and value > self.at_most:
            return f"{shown(value, self.at_most)} is above {self.at_most:g}"
        return None


def shown(value: float, threshold: float) -> str:
    """A value with as many digits as tell it from a threshold."""
    for digits in (4, 6, 9):
        if f"{value:.{digits}f}" != f"{threshold:.{digits}f}":
            return f"{value:.{digits}f}"
    return repr(value)


def of_ratings(table: ScoreTable, made: RatedThreshold) -> Limits:
    """A threshold that ratings chose, held to a table: only to numbers that mean the same.

    Raises InputError where the table lacks the threshold's metric, or has other numbers than the threshold was made of.
    """
    if made.metric not in table.columns or made.part not in table.columns[made.metric].parts:
        problem = f"the table has no {made.metric} {made.part}, of which the threshold was made"
        raise InputError(problem, remedy=f"it has {', '.join(table.columns) or 'no metric'}")
    of = {made.metric: Signature(made.metric, made.facts)} if made.facts else {}
    notes = told_apart(
        table, ScoreTable([], {}, of), made.metric, "threshold", "run nlgauge calibrate again, on new scores"
    )
    p, effective = made.mix(table.values(made.metric, made.part))
    rated = f"{made.n} rated rows"
    if made.recall is not None:
        share = f"at least {made.recall:.0%} of those rated below {made.below:g} for {made.aspect} are stopped"
        notes.append(f"of rows like those that the threshold was made of, {share}: {made.confidence:.0%} sure, {rated}")
    elif made.risk is None:
        notes.append(f"the threshold was chosen by {made.by} on {rated}: it promises nothing")
    else:
        share = f"at most {made.risk:.0%} are rated below {made.below:g} for {made.aspect}"
        notes.append(
            f"of rows like those that it was made of and that pass, {share}: {made.confidence:.0%} sure, {rated}"
        )
    if not math.isnan(p) and p < CHOSEN:
        unlike = "these rows' scores are not like those of the rated rows, so nothing is promised of them"
        notes.append(f"{unlike}: for these rows the {rated} count as {effective:.0f}; rate some of these rows too")
    upwards = made.direction == "at_least"
    return Limits(
        made.metric, made.part, table.columns[made.metric], at_least=made.threshold if upwards else None,
        at_most=None if upwards else made.threshold, notes=tuple(notes),
    )  # fmt: skip

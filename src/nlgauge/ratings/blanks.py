"""Rows that raters left blank: the worst case of an estimate, and how many bad ones among them would change it.

The method is that of clinical trials with missing outcomes. The worst case is the estimate if all blank rows were bad.
The tipping point is the least number of bad blank rows that changes the conclusion. For a single mean, the conclusion
is changed if the mean leaves its interval. For a difference, the blank rows of one system are taken as bad and those of
the other as good. The conclusion is changed if the interval begins or ceases to hold 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from nlgauge.maths.inference import Measured
from nlgauge.stats.arrays import Float, Integers, Mask

Again: TypeAlias = Callable[[Float], Measured]
"""A function from ratings [rows], in which NaN is a missing one, to an estimate with its interval"""


@dataclass(frozen=True, kw_only=True)
class WorstCase:
    """An estimate under the assumption that the rows that raters left blank are bad."""

    blank: int
    """The number of blank rows: rows that are not rated, and stand before the last rated row of the sheet"""
    worst: Measured
    """The estimate if all blank rows were bad; for a difference, bad for the system that is ahead and good for the
    other"""
    best: Measured
    """The estimate if all blank rows were good; for a difference, good for the system that is ahead and bad for the
    other"""
    tipping: int | None
    """The least number of blank rows with the ratings of `worst` that moves a mean out of its interval, or that makes a
    difference significant or no longer significant. None if this does not happen even with all blank rows"""

    def sentence(self, estimate: Measured, unit: float, difference: bool) -> str:
        """Return a sentence that compares the worst case with the estimate.

        Args:
            estimate: the estimate with its interval; NaN if it is refused.
            unit: 100 for shares, which are written as numbers out of 100 outputs; else 1.
            difference: whether the estimate is a difference of two systems.

        Returns:
            A sentence, without a capital letter and without a full stop.
        """
        rows = "blank row" if self.blank == 1 else f"{self.blank} blank rows"
        bad = "bad for the one system and good for the other" if difference else "bad"
        value, low, high = (f"{unit * number:.3g}" for number in self.worst)
        said = f"if the {rows} were {bad}: about {value}{' of 100' * (unit == 100)} ({low} to {high})"
        if math.isnan(estimate.value):
            return said
        ends = [unit * end for of in (self.worst, self.best, estimate) for end in of[1:]]
        said += f", so the truth is anywhere from {min(ends):.3g} to {max(ends):.3g}"
        shown = not estimate.low <= 0 <= estimate.high
        if self.tipping is None:
            same = "the estimate stays within its interval above"
            if difference:
                same = f"the difference {'is still' if shown else 'is not'} shown"
            return f"{said}; even then {same}"
        changed = "the estimate leaves its interval above"
        if difference:
            changed = f"the difference {'is no longer' if shown else 'would be'} shown"
        return f"{said}; from {self.tipping} such rows on {changed}"


@dataclass(frozen=True, kw_only=True)
class Blanks:
    """The blank rows of an aspect, with the ratings that they may have."""

    rows: Mask
    """Which rows are blank [rows]"""
    values: Float
    """The ratings: [rows]; NaN for a row without one"""
    bad: float
    good: float
    """The rating of a good row, as `bad` is that of a bad row"""

    @classmethod
    def of(cls, rows: Mask, values: Float, scale: tuple[float, float] | None, below: float | None) -> Blanks:
        """Return the blank rows of an aspect, with the ratings of a bad and of a good row.

        A bad and a good row have the ends of the scale or, if no scale is known, the least and the greatest rating.

        Args:
            rows: which rows raters left blank: [rows].
            values: the ratings: [rows]; NaN for a row without one.
            scale: the least and the greatest possible rating; None where they are not known.
            below: the limit, if `values` are 1 for rows that are rated below a limit and 0 for others; else None.

        Returns:
            The record, in which a row with a rating is not blank.
        """
        low, high = scale or (float(np.nanmin(values)), float(np.nanmax(values)))
        bad, good = (low, high) if below is None else (high, low)
        return cls(rows=rows & np.isnan(values), values=values, bad=bad, good=good)

    def worst_case(self, estimate: Measured, again: Again, systems: Sequence[Integers]) -> WorstCase | None:
        """Return what an estimate would be if all blank rows were bad.

        In a difference of two systems, the blank rows are bad for the system that is ahead, and good for the other one.

        Args:
            estimate: the estimate with its interval. Its numbers are NaN if no estimate could be made.
            again: a function that makes the same estimate from other ratings.
            systems: the row numbers of each system: of one system for a mean, and of two for a difference.

        Returns:
            The worst case, with the best case and the number of blank rows that change the conclusion; None if these
            systems have no blank rows.
        """
        places = [rows[self.rows[rows]] for rows in systems]
        # Rows of the system with fewer rows weigh more in a difference, and come first.
        order = np.concatenate(sorted(places, key=len)) if len(places) > 1 else places[0]
        if not len(order):
            return None

        def filled(count: int, bad_first: bool) -> Measured:
            """Return the estimate with `count` blank rows filled: bad or good for the first system.

            For a second system they are filled the opposite way.
            """
            values = self.values.copy()
            values[order[:count]] = np.where(np.isin(order[:count], places[0]) == bad_first, self.bad, self.good)
            return again(values)

        ahead = len(systems) == 1 or not estimate.value < 0
        worst, best = (filled(len(order), of) for of in (ahead, not ahead))
        shown = not estimate.low <= 0 <= estimate.high

        def changes(bad_first: bool) -> int | None:
            """Return the least number of filled rows that changes the conclusion; None if no number does."""

            def changed(count: int) -> bool:
                other = filled(count, bad_first)
                if len(systems) == 1:
                    return not estimate.low <= other.value <= estimate.high
                return (not other.low <= 0 <= other.high) != shown

            return _least(changed, len(order))

        tipping = None
        if not math.isnan(estimate.value):
            ways = [ahead] if len(systems) == 1 or shown else [True, False]
            tipping = min((count for way in ways if (count := changes(way)) is not None), default=None)
        return WorstCase(blank=len(order), worst=worst, best=best, tipping=tipping)


def _least(holds: Callable[[int], bool], most: int) -> int | None:
    """Return the least number up to `most` for which a condition holds; None if it does not hold for `most`."""
    if not holds(most):
        return None
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high

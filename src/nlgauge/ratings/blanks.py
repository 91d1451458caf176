"""Rows that raters passed by: the worst case of an estimate, and how many bad ones among them would change it.

As in trials with missing outcomes: what the ratings say if all these rows were bad, and from how many bad ones on the
conclusion is another (the tipping point). For a single mean the conclusion is its interval; for a difference it is
whether the interval holds 0, and the rows of the one system are then taken for bad and those of the other for good.
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
"""An estimate with its interval, of ratings [rows]; NaN where there is none"""


@dataclass(frozen=True, kw_only=True)
class WorstCase:
    """What an estimate is worth if raters passed the bad rows by."""

    blank: int
    """How many rows were passed by: drawn, before the last rated row of the sheet, and not rated"""
    worst: Measured
    """The estimate if all these were bad; for a difference, bad for the system that is ahead and good for the other"""
    best: Measured
    """The same the other way round"""
    tipping: int | None
    """How many of them have to be as in `worst` until the estimate leaves its interval, or until a difference is no
    longer shown, or is shown; None where all of them do not change this"""

    def sentence(self, estimate: Measured, unit: float, difference: bool) -> str:
        """Return a sentence that compares the worst case with the estimate.

        Args:
            estimate: the estimate with its interval, NaN where it is refused.
            unit: 100 for shares, which are written as numbers of 100 outputs, else 1.
            difference: whether the estimate is a difference of two systems.

        Returns:
            A sentence, without capital and full stop.
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
    """The blank rows of an aspect."""

    rows: Mask
    """Which rows are blank [rows]"""
    values: Float
    """The ratings, NaN where there is none [rows]"""
    bad: float
    good: float
    """The ratings that a bad and a good row have"""

    @classmethod
    def of(cls, rows: Mask, values: Float, scale: tuple[float, float] | None, below: float | None) -> Blanks:
        """Return the blank rows of an aspect, with the ratings of a bad and of a good row.

        These are the ends of the scale, or of the ratings where no scale is known.

        Args:
            rows: which rows raters passed by: [rows].
            values: the ratings, NaN where there is none: [rows].
            scale: the least and the greatest rating that there can be; None where they are not known.
            below: where the ratings are 1 for a row that is rated below this, else None.

        Returns:
            The blank rows: those of `rows` that have no rating.
        """
        low, high = scale or (float(np.nanmin(values)), float(np.nanmax(values)))
        bad, good = (low, high) if below is None else (high, low)
        return cls(rows=rows & np.isnan(values), values=values, bad=bad, good=good)

    def worst_case(self, estimate: Measured, again: Again, systems: Sequence[Integers]) -> WorstCase | None:
        """Return the worst case of an estimate.

        Args:
            estimate: the estimate with its interval, NaN where it is refused.
            again: the same of other ratings.
            systems: the rows of each of its systems: one, or two for a difference.

        Returns:
            The worst case; None without blank rows.
        """
        places = [rows[self.rows[rows]] for rows in systems]
        # Rows of the system with fewer rows weigh more in a difference, and come first.
        order = np.concatenate(sorted(places, key=len)) if len(places) > 1 else places[0]
        if not len(order):
            return None

        def filled(count: int, bad_first: bool) -> Measured:
            """Return the estimate with so many blank rows bad for the first system, or good.

            For another system they are the other way.
            """
            values = self.values.copy()
            values[order[:count]] = np.where(np.isin(order[:count], places[0]) == bad_first, self.bad, self.good)
            return again(values)

        ahead = len(systems) == 1 or not estimate.value < 0
        worst, best = (filled(len(order), of) for of in (ahead, not ahead))
        shown = not estimate.low <= 0 <= estimate.high

        def changes(bad_first: bool) -> int | None:
            """Return the least number of rows that change the conclusion."""

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
    """Return the least number up to `most` from which on a condition holds; None where it does not hold for `most`."""
    if not holds(most):
        return None
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high

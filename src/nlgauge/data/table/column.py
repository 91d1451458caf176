"""Column: the numbers of one metric, and the reason for each missing number."""

from __future__ import annotations

import math
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.maths.totals import MOST, total

PROBABILITY = "probability"
"""The deciding sub-score of a metric that has one of this name"""
UNSEEN_PROBABILITY = "unseen"
"""The sub-score of a panel of scorers that is its probability by weights that were fitted without the row's rating. For
a row that has no such rating, it is the same as the probability"""
DECIDED = "decided"
"""The sub-score that is 1 where the first of two models decided, and 2 where the second did"""
MIDDLE = 0.5
"""The threshold of a scorer from 0 to 1 whose false alarms nobody has measured"""
WORDING = "wording"
CLAIMS = "claims"
"""The sub-score that is the share of an answer's longer words that are in its source"""


def shown_parts(parts: Sequence[str], details: Sequence[str]) -> tuple[str, ...]:
    """Return the sub-scores that a table shows, of which the first is the deciding one.

    The deciding sub-score is the probability where the metric gives one, else the first sub-score that has a better
    direction. Every command and adapter uses it where no sub-score is named. So a threshold, an estimate and a
    comparison are of the same number.

    Args:
        parts: the names of all sub-scores.
        details: the sub-scores that have no better direction. A table shows them if a metric has no other sub-scores.

    Returns:
        The names of sub-scores, the deciding one first.
    """
    scores = [part for part in parts if part not in details] or list(parts)
    return tuple(sorted(scores, key=lambda part: part != PROBABILITY))


@dataclass(eq=False)
class Sums:
    """The counts of each row, for a metric that sums the counts over a system's rows and applies a formula."""

    formula: dict[str, object]
    """Name and settings of a formula of `nlgauge.maths.totals`"""
    counts: NDArray[np.float64]
    """Counts of each row, [rows, counts]; NaN for a row that adds nothing"""

    def of(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the counts [n, counts] of the given rows, without rows that add nothing."""
        counts: NDArray[np.float64] = self.counts[rows]
        return counts[~np.isnan(counts).any(axis=1)]

    def value(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sub-scores [..., parts] that the formula gives for the counts [..., n, counts] of n >= 1 rows."""
        return total(self.formula, counts.sum(axis=-2))

    @property
    def most(self) -> float:
        """The greatest value that the formula can have; the least is 0."""
        return float(MOST.get(str(self.formula["name"]), 100.0))

    def makes(self, parts: int) -> bool:
        """Return whether the formula accepts these counts and computes this number of sub-scores from them."""
        try:
            return self.value(np.ones((1, self.counts.shape[1]))).shape == (parts,)
        except (TypeError, ValueError, IndexError, ArithmeticError):
            return False

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sums):
            return NotImplemented
        return self.formula == other.formula and np.array_equal(self.counts, other.counts, equal_nan=True)


@dataclass(eq=False)
class Column:
    """The numbers of one metric: for each row of the corpus, or, for a corpus-level metric, for each system.

    Two columns are equal if everything in them is equal except the evidence. NaN equals NaN.
    """

    parts: tuple[str, ...]
    values: NDArray[np.float64]
    """[rows, parts], or [systems, parts] in the order of `ScoreTable.systems`; NaN for a missing value"""
    reasons: dict[int, str] = field(default_factory=dict)
    """Why values are missing, by index of the row (or system), for every row with a NaN"""
    evidence: MutableMapping[int, Any] = field(default_factory=dict)
    """Evidence for the scores by index of the row (or system); empty unless evidence was asked for"""
    higher_is_better: bool = True
    level: str = "item"
    """'item', or 'system' for a corpus-level metric"""
    sums: Sums | None = None
    """The counts and the formula of a metric whose value for a system is not the mean over rows; else None"""
    details: tuple[str, ...] = ()
    """The sub-scores that have no better direction, such as counts. They inform, and nothing is decided by them"""
    limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """The least and the greatest value of each sub-score, as the metric declares them; see `range`"""

    @property
    def scores(self) -> tuple[str, ...]:
        """The sub-scores that have a better direction."""
        return tuple(part for part in self.parts if part not in self.details)

    @property
    def shown(self) -> tuple[str, ...]:
        """The sub-scores that a table shows, the deciding one first (`shown_parts`)."""
        return shown_parts(self.parts, self.details)

    def arrow(self, part: str) -> str:
        """Return the arrow to write after the name of a sub-score: " ↑", " ↓", or "" without a better direction."""
        return "" if part in self.details else " ↑" if self.higher_is_better else " ↓"

    def range(self, part: str) -> tuple[float, float]:
        """Return the least and the greatest value that a sub-score can have; infinite where there is no limit.

        The first of these rules that fits is used. Missing values are ignored.

        1. The metric declares limits: these, widened where a value exceeds them, as rounding may do.
        2. The metric sums counts (`sums`): 0, and the greatest value of its formula.
        3. All values are from 0 to 1: 0 and 1.
        4. Lower is better, and no value is negative: 0 and infinity.
        5. Otherwise: minus infinity and infinity.

        Args:
            part: the sub-score, one of `parts`.

        Returns:
            The least and the greatest value, both in the unit of the sub-score.
        """
        values = self.values[:, self.parts.index(part)]
        least, most = np.fmin.reduce(values, initial=math.inf), np.fmax.reduce(values, initial=-math.inf)
        if part in self.limits:
            low, high = self.limits[part]
            return min(low, float(least)), max(high, float(most))
        if self.sums is not None:
            return 0.0, self.sums.most
        if 0 <= least <= most <= 1:
            return 0.0, 1.0
        is_distance = not self.higher_is_better and part not in self.details
        return (0.0 if is_distance and 0 <= least <= most else -math.inf), math.inf

    def cut(self, parts: Sequence[str]) -> Column:
        """Return the column with only the named sub-scores, in the column's order, without evidence and counts."""
        taken = tuple(part for part in self.parts if part in parts)
        return replace(
            self,
            parts=taken,
            values=self.values[:, [self.parts.index(part) for part in taken]],
            evidence={},
            sums=None,
            details=tuple(part for part in self.details if part in taken),
            limits={part: limits for part, limits in self.limits.items() if part in taken},
        )

    def per_item(self, of: NDArray[np.intp], items: int) -> Column:
        """Return the column with one value for each item: the mean over the item's rows.

        Args:
            of: the index of each row's item, [rows].
            items: the number of items.

        Returns:
            The column with a row for each item; a column of a corpus-level metric unchanged.
        """
        if self.level != "item":
            return self
        reasons: dict[int, str] = {}
        values = _means(self.values, of, items)
        for row, reason in sorted(self.reasons.items()):
            if np.isnan(values[of[row]]).any():
                reasons.setdefault(int(of[row]), reason)
        sums = None if self.sums is None else Sums(self.sums.formula, _means(self.sums.counts, of, items))
        return replace(self, values=values, reasons=dict(sorted(reasons.items())), evidence={}, sums=sums)

    def label(self, spec: str, part: str) -> str:
        """Return the name of a sub-score as tables show it.

        Args:
            spec: the spec of the metric.
            part: the sub-score.

        Returns:
            The spec, followed by the sub-score where the metric has several.
        """
        return f"{spec} {part}" if len(self.parts) > 1 else spec

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Column):
            return NotImplemented
        names = ("parts", "details", "limits", "level", "higher_is_better", "reasons", "sums")
        alike = all(getattr(self, name) == getattr(other, name) for name in names)
        return alike and np.array_equal(self.values, other.values, equal_nan=True)


def _means(values: NDArray[np.float64], of: NDArray[np.intp], items: int) -> NDArray[np.float64]:
    """Return the mean over the rows of each item, [rows, n] -> [items, n]; NaN for an item without a value."""
    valued = ~np.isnan(values)
    sums, counts = np.zeros((items, values.shape[1])), np.zeros((items, values.shape[1]))
    np.add.at(sums, of, np.where(valued, values, 0.0))
    np.add.at(counts, of, valued)
    return np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)

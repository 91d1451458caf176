"""Outliers: values so far above all others that the tool that gave them must have made an error.

A judge that writes 9.2e+124 for 0.92 makes a mean of 130 digits. Values with long tails are no such error: perplexities
from 20 to 50,000 differ by a factor of thousands, and those of single rare words by a factor of millions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

import numpy as np

from nlgauge.show.numbers import fixed

if TYPE_CHECKING:
    from nlgauge.data.table.table import ScoreTable

FAR = 1e9
"""Factor by which an outlier exceeds every other value, and 1"""
_NAMED = 3
"""Number of outliers of a sub-score that are named"""


def outliers(table: ScoreTable, systems: Collection[str] | None = None) -> Iterator[str]:
    """Yield a sentence for each outlier, which names its row; then one that counts further outliers of the sub-score.

    If more than half of the values of a sub-score are so far above the others, none of them counts as an outlier.

    Args:
        table: the scores.
        systems: the systems whose rows are named; all by default.

    Returns:
        An iterator over the sentences.
    """
    for spec, column in table.columns.items():
        places = table.places(column.level)
        for at, part in enumerate(column.parts):
            values = column.values[:, at]
            finite = np.flatnonzero(np.isfinite(values))
            order = finite[np.argsort(np.abs(values[finite]), kind="stable")]
            sizes = np.abs(values[order])
            gaps = np.flatnonzero(sizes[1:] > FAR * np.maximum(sizes[:-1], 1.0)) + 1
            if not len(gaps) or 2 * (len(sizes) - gaps[0]) > len(sizes):
                continue
            most = float(sizes[gaps[0] - 1])
            above = sorted(row for row in order[gaps[0] :].tolist() if systems is None or places[row][0] in systems)
            for row in above[:_NAMED]:
                system, item = places[row]
                where = f"system {system}" if item is None else f"row {row + 1}, system {system}, item {item}"
                value = float(values[row])
                times = f"{abs(value) / most:.2g} times the others" if most else "far from the others, which are 0"
                yield (
                    f"{where}: the value {fixed(value)} of {column.label(spec, part)} is {times}, as an error of its "
                    "tool would be: correct it, or leave it out"
                )
            if len(above) > _NAMED:
                yield f"{column.label(spec, part)}: so are {len(above) - _NAMED} more values"

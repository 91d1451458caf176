"""A threshold that ratings chose, as a file: `nlgauge calibrate` writes it, `nlgauge check --threshold` reads it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from nlgauge.data.atomic_write import atomic_write
from nlgauge.data.jsonable import read_record
from nlgauge.data.seal import sealed
from nlgauge.errors import InputError
from nlgauge.maths.prediction_powered import selection_p
from nlgauge.maths.wording import Band
from nlgauge.stats.arrays import Float

_BINS = 10


@dataclass(frozen=True)
class RatedThreshold:
    """A threshold of one sub-score of a metric, and the rated rows that it was made of."""

    metric: str
    part: str
    direction: str
    """'at_least' or 'at_most'"""
    threshold: float
    by: str
    """'risk' and 'recall': certified; 'f1', 'cost' or 'precision': best on the rated rows, without a promise"""
    risk: float | None
    """At most this share of the rows that pass is bad, ..."""
    confidence: float | None
    """... unless the drawing of the rated rows was one of the unlucky 1 - confidence"""
    n: int
    """Rated rows"""
    passing: float
    """The share of all scored rows that passed"""
    aspect: str
    below: float
    """A row is bad that is rated below this"""
    signature: str
    """That of the metric, as it is printed"""
    facts: Mapping[str, Any]
    """The same as data: what the numbers depend on, empty where that is not known"""
    scores: tuple[float, ...] = field(default=(), repr=False)
    """Those of the rated rows"""
    recall: float | None = None
    """At least this share of the bad rows is stopped, with that confidence; `by` is 'recall'"""
    bands: tuple[Band, ...] | None = None
    """The answers that are not judged, by the share of their longer words that the source has: empty where all are
    judged, None where nobody asked, or no rated row has a source"""

    def passes(self, values: Float) -> Float:
        """Return 1 where a value passes the threshold, 0 elsewhere and where there is none: [rows]."""
        with np.errstate(invalid="ignore"):
            return np.asarray(
                values >= self.threshold if self.direction == "at_least" else values <= self.threshold, float
            )

    def mix(self, values: Float) -> tuple[float, float]:
        """Return how much the rated rows say of other rows.

        The effective size is that of weights which give each tenth of the scores the share that the rows have there
        (Kish 1965): rated rows of a kind that has become rare say little.

        Args:
            values: the scores of the other rows: [rows].

        Returns:
            The p that the scores of the other rows are like those of the rated rows, and how many rated rows count for
            the other rows. NaN where the rated rows or the other rows have no scores.
        """
        rated, others = np.array(self.scores), values[np.isfinite(values)]
        if not len(rated) or not len(others):
            return math.nan, math.nan
        p = selection_p(np.concatenate([rated, others]), np.arange(len(rated) + len(others)) < len(rated))
        edges = np.unique(np.quantile(rated, np.linspace(0, 1, _BINS + 1)[1:-1]))
        here, there = (np.bincount(np.digitize(x, edges), minlength=len(edges) + 1) / len(x) for x in (rated, others))
        weights = (there / np.where(here > 0, here, 1))[np.digitize(rated, edges)]
        return p, float(weights.sum() ** 2 / (weights @ weights)) if weights.any() else 0.0

    def save(self, path: str | Path) -> None:
        """Write JSON, sealed, complete or not at all. Raises InputError where it cannot be written."""
        with atomic_write(path) as file:
            file.write(json.dumps(sealed(vars(self)), ensure_ascii=False, indent=2, allow_nan=False) + "\n")

    @classmethod
    def load(cls, path: str | Path) -> RatedThreshold:
        """Read what `save` wrote. Raises InputError for anything else, and for a file that was changed."""
        what, remedy = "a threshold", "give what nlgauge calibrate -o wrote"
        made = read_record(cls, path, what, remedy)
        if made.direction not in ("at_least", "at_most") or not math.isfinite(made.threshold):
            raise InputError(f"is not {what}", file=path, remedy=remedy)
        return made

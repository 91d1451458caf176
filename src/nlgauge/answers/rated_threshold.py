"""A threshold that ratings chose, as a file. `nlgauge calibrate` writes it, `nlgauge check --threshold` reads it."""

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
    """A threshold of one sub-score of a metric, with facts about the rated rows that chose it."""

    metric: str
    part: str
    direction: str
    """'at_least' if larger values pass, 'at_most' if smaller values pass"""
    threshold: float
    by: str
    """The way it was chosen: 'risk' and 'recall' are certified for a promise; 'f1', 'cost' and 'precision' are best on
    the rated rows, without a promise"""
    risk: float | None
    """For a threshold by 'risk': the promised largest share of bad rows among those that pass; else None"""
    confidence: float | None
    """For a certified threshold: the probability, over the random choice of the rated rows, that the promise holds;
    else None"""
    n: int
    """The number of rated rows"""
    passing: float
    """The share of all scored rows that passed"""
    aspect: str
    below: float
    """A row rated below this is bad"""
    signature: str
    """The signature of the metric, as text"""
    facts: Mapping[str, Any]
    """The facts of the signature, which say what the scores depend on; empty where they are not known"""
    scores: tuple[float, ...] = field(default=(), repr=False)
    """The scores of the rated rows, without missing and infinite ones"""
    recall: float | None = None
    """For a threshold by 'recall': the promised least share of the bad rows that is stopped; else None"""
    bands: tuple[Band, ...] | None = None
    """The bands of wording whose answers are not judged, where wording is the share of an answer's longer words that
    its source contains. Empty where all answers are judged; None where this was not asked, or no rated row has a
    source"""

    def passes(self, values: Float) -> Float:
        """Return 1 where a value passes the threshold, and 0 where it does not or is NaN: [rows]."""
        with np.errstate(invalid="ignore"):
            return np.asarray(
                values >= self.threshold if self.direction == "at_least" else values <= self.threshold, float
            )

    def mix(self, values: Float) -> tuple[float, float]:
        """Return how like the rated rows other rows are: the p of a test, and an effective number of rated rows.

        The scores are divided into ten ranges. The rated rows get weights with which each range is as frequent as among
        the other rows, and these weights give the effective number of rated rows (Kish 1965). So rated rows with scores
        that have become rare count little.

        Args:
            values: the scores of the other rows: [rows].

        Returns:
            The p of the hypothesis that the rated and the other rows have the same distribution of scores, and the
            effective number of rated rows. Both are NaN where the rated rows or the other rows have no scores.
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
        """Write the threshold as JSON with a seal, complete or not at all. Raise InputError if this fails."""
        with atomic_write(path) as file:
            file.write(json.dumps(sealed(vars(self)), ensure_ascii=False, indent=2, allow_nan=False) + "\n")

    @classmethod
    def load(cls, path: str | Path) -> RatedThreshold:
        """Return the threshold of a file that `save` wrote. Raise InputError for other or changed files."""
        what, remedy = "a threshold", "give what nlgauge calibrate -o wrote"
        made = read_record(cls, path, what, remedy)
        if made.direction not in ("at_least", "at_most") or not math.isfinite(made.threshold):
            raise InputError(f"is not {what}", file=path, remedy=remedy)
        return made

"""A panel of scorers as a file: `nlgauge trust --save` writes it, and the metric `Panel` reads it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from nlgauge.data.atomic_write import atomic_write
from nlgauge.data.jsonable import jsonable, read_record
from nlgauge.data.seal import sealed
from nlgauge.errors import InputError
from nlgauge.stats.arrays import Float, Integers

_WHAT, _REMEDY = "a panel of scorers", "give what nlgauge trust --save wrote"
UNSEEN = -1
"""Stands for the fold of a row that is none of those that a panel was fitted to"""


@dataclass(frozen=True, kw_only=True)
class PanelMember:
    """One sub-score of one scorer, standardised as (value - mean) / deviation."""

    metric: str
    """The metric's spec"""
    part: str
    higher_is_better: bool
    mean: float
    """The mean of the values over the scored rows, with the sign changed where lower is better; `deviation` is their
    standard deviation"""
    deviation: float
    weight: float
    """How much a score that is better by one standard deviation adds to the logit of the probability; 0 or more"""
    fold_weights: tuple[float, ...]
    """The weights that were fitted without one fold of the ratings, by fold; `weight` is their mean"""
    facts: Mapping[str, Any] = field(repr=False)
    """What the scores depend on, as the facts of the scorer's signature"""

    @property
    def name(self) -> str:
        """The spec followed by the sub-score."""
        return f"{self.metric} {self.part}"


@dataclass(frozen=True, kw_only=True)
class FittedPanel:
    """A weighted sum of scorers as the probability that a row is good. The weights were fitted to ratings."""

    nlgauge: str
    """The version of nlgauge that fitted the panel"""
    aspect: str
    below: float
    """A row rated below this is bad"""
    members: tuple[PanelMember, ...]
    intercept: float
    """The logit of a row on which each score equals its mean"""
    ratings: int
    """The number of ratings that the panel was fitted to"""
    bad: int
    """The number of ratings of bad rows among those that the panel was fitted to"""
    threshold: float
    """The least probability with which a row passes. It is the share of good rows among the ratings: a row with this
    probability is as typical of good rows as of bad rows, so that the balanced accuracy is best here"""
    certified: float | None
    """The certified threshold on the probability: of the rows that reach it, at most the share `risk` is bad, with the
    confidence `confidence`. None where no threshold could be certified"""
    risk: float
    confidence: float
    rows: Mapping[str, int] = field(repr=False)
    """The fold of each rated row, by the digest of the row's texts"""

    @property
    def used(self) -> tuple[PanelMember, ...]:
        """The members with a weight above 0 in some fold. The others need not be scored."""
        return tuple(member for member in self.members if member.weight > 0)

    @property
    def digest(self) -> str:
        """The SHA-256 of the whole record."""
        seal = sealed(jsonable(self))["seal"]
        assert isinstance(seal, dict)
        return str(seal["digest"])

    def standardised(self, values: Float) -> Float:
        """Return values [rows, used members], as the metrics give them, standardised so that larger is better."""
        signs = np.array([1.0 if member.higher_is_better else -1.0 for member in self.used])
        means, deviations = (np.array([getattr(used, name) for used in self.used]) for name in ("mean", "deviation"))
        return np.asarray((values * signs - means) / deviations)

    def probabilities(self, values: Float, folds: Integers) -> Float:
        """Return the probability that a row is good.

        Args:
            values: the values of the used members, as their metrics give them: [rows, used].
            folds: the fold of each row: [rows]. A row gets the weights that were fitted without the ratings of its
                fold, and for `UNSEEN` the mean of all weights.

        Returns:
            The probabilities: [rows].
        """
        every = np.array([(*member.fold_weights, member.weight) for member in self.used]).T
        with np.errstate(over="ignore"):
            return np.asarray(1 / (1 + np.exp(-(self.intercept + (self.standardised(values) * every[folds]).sum(1)))))

    def save(self, path: str | Path) -> None:
        """Write the panel as JSON with a seal, completely or not at all. Raise InputError if it cannot be written."""
        with atomic_write(path) as file:
            file.write(json.dumps(sealed(jsonable(self)), ensure_ascii=False, indent=2, allow_nan=False) + "\n")

    @classmethod
    def load(cls, path: str | Path) -> FittedPanel:
        """Return the panel of a file that `save` wrote. Raise InputError for another file, and for a changed one."""
        made = read_record(cls, path, _WHAT, _REMEDY)
        if problem := made.problem:
            raise InputError(f"is not {_WHAT}: {problem}", file=path, remedy=_REMEDY)
        return made

    @property
    def problem(self) -> str | None:
        """Why the panel cannot be used; None where it can be used."""
        if not self.used:
            return "no member has a weight"
        folds = {len(member.fold_weights) for member in self.members}
        if len(folds) > 1 or min(folds) < 1:
            return "its members have weights of unlike numbers of folds"
        if not all(UNSEEN <= fold < min(folds) for fold in self.rows.values()):
            return "a row is of a fold that it does not have"
        for member in self.members:
            numbers = (member.mean, member.deviation, member.weight, *member.fold_weights)
            if not all(map(math.isfinite, numbers)) or member.deviation <= 0 or min(numbers[2:]) < 0:
                return f"{member.name} has a weight below 0, or no deviation"
        shares = (self.threshold, self.threshold if self.certified is None else self.certified, self.risk)
        return None if all(0 <= share <= 1 for share in shares) else "a threshold is no probability"

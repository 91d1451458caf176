"""CombinationFile: a small JSON file with the weights of a combination, which fitting writes and scoring reads."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlgauge.data.atomic_write import atomic_write
from nlgauge.errors import InputError

_EDITED = "give what nlgauge train combination -o wrote"


@dataclass(frozen=True)
class Member:
    """One part of one metric in a combination, with its standardisation and weight.

    A value is standardised as (value - mean) / deviation, with the sign turned where lower is better.
    """

    metric: str
    """Spec of the metric"""
    part: str
    higher_is_better: bool
    mean: float
    """The mean over the rows that were fitted to, after the sign was turned where lower is better"""
    deviation: float
    weight: float

    @property
    def name(self) -> str:
        """The spec and the part, separated by a space."""
        return f"{self.metric} {self.part}"


@dataclass(frozen=True)
class CombinationFile:
    """A combination: intercept + sum of weight times standardised value, in the unit of the ratings."""

    members: tuple[Member, ...]
    intercept: float
    aspect: str
    method: str
    """'nnls' or 'ridge'"""
    penalty: float | None = None
    """The penalty of 'ridge'"""
    models: Mapping[str, str] = field(default_factory=dict)
    """By name of a model, the digest that it had when the fitted scores were computed"""
    facts: Mapping[str, object] = field(default_factory=dict)
    """How the weights were fitted and how well they agreed out of fold. Scoring does not read this"""

    @property
    def used(self) -> tuple[Member, ...]:
        """The members whose weight is not 0. The other members need not be scored."""
        return tuple(member for member in self.members if member.weight != 0)

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of all values that the combined score depends on."""
        numbers = [self.intercept, *([m.name, m.mean, m.deviation, m.weight, m.higher_is_better] for m in self.used)]
        return hashlib.sha256(json.dumps(numbers).encode()).hexdigest()

    def standardised(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the members' values with mean 0 and deviation 1 on the fitted rows, turned so that larger is better.

        Args:
            values: values of the used members, as their metrics give them: [..., used].

        Returns:
            Standardised values: [..., used]. An infinite value becomes NaN.
        """
        signs = np.array([1.0 if member.higher_is_better else -1.0 for member in self.used])
        means, deviations = (np.array([getattr(m, name) for m in self.used]) for name in ("mean", "deviation"))
        known = np.where(np.isfinite(values), values, np.nan)
        return np.asarray((known * signs - means) / deviations)

    def combined(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the combined score for the values [..., used] of the used members: [...].

        The score is NaN where a value is NaN or infinite.
        """
        weights = np.array([member.weight for member in self.used])
        return np.asarray(self.intercept + self.standardised(values) @ weights)

    def save(self, path: str | Path) -> None:
        """Write the combination as JSON. A write that fails leaves no partial file.

        Raises:
            InputError: the file cannot be written.
        """
        record = {"combination": {**vars(self), "members": [vars(member) for member in self.members]}}
        with atomic_write(path) as file:
            file.write(json.dumps(record, ensure_ascii=False, indent=2, allow_nan=False) + "\n")

    @classmethod
    def load(cls, path: str | Path) -> CombinationFile:
        """Read a file that `save` wrote.

        Raises:
            InputError: the file cannot be read, or is not such a file.
        """
        try:
            record = json.loads(Path(path).read_text(encoding="utf-8"))["combination"]
            made = cls(**{**record, "members": tuple(Member(**member) for member in record["members"])})
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", file=path, remedy="give a combination file") from None
        except (ValueError, TypeError, KeyError, AttributeError):
            raise InputError("is not a combination file", file=path, remedy=_EDITED) from None
        for member in made.members:
            wrong = [
                name
                for name, value in vars(member).items()
                if not _right(value, {"metric": str, "part": str, "higher_is_better": bool}.get(name, float))
            ]
            if wrong or member.deviation <= 0:
                what = wrong[0] if wrong else "deviation"
                raise InputError(f"{member.name}: its {what} is {getattr(member, what)!r}", file=path, remedy=_EDITED)
        if not (made.used and _right(made.intercept, float) and isinstance(made.models, dict)):
            raise InputError("holds no member with a weight, or no intercept", file=path, remedy=_EDITED)
        return made


def _right(value: object, kind: type) -> bool:
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return isinstance(value, kind)

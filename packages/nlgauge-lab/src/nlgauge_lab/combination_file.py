"""CombinationFile: what a combination of metrics is made of, as fitting hands it to scoring; a small JSON file."""

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
    """One part of one metric in a combination: (value - mean) / deviation, its sign turned where lower is better."""

    metric: str
    """Its spec"""
    part: str
    higher_is_better: bool
    mean: float
    """The mean over the rows that were fitted to, the sign turned where lower is better"""
    deviation: float
    weight: float

    @property
    def name(self) -> str:
        """The spec, with the part."""
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
    """Digests of the models that the fitted scores came from, by name"""
    facts: Mapping[str, object] = field(default_factory=dict)
    """How it was fitted and how well it agreed out of fold; scoring reads none of it"""

    @property
    def used(self) -> tuple[Member, ...]:
        """The members whose weight is not 0: the others need not be scored."""
        return tuple(member for member in self.members if member.weight != 0)

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of what the combined numbers depend on."""
        numbers = [self.intercept, *([m.name, m.mean, m.deviation, m.weight, m.higher_is_better] for m in self.used)]
        return hashlib.sha256(json.dumps(numbers).encode()).hexdigest()

    def standardised(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Values of the members in use, as their metrics give them, [..., used] -> the same, of mean 0, larger better.

        An infinite value is NaN: no weight makes a number of it.
        """
        signs = np.array([1.0 if member.higher_is_better else -1.0 for member in self.used])
        means, deviations = (np.array([getattr(m, name) for m in self.used]) for name in ("mean", "deviation"))
        known = np.where(np.isfinite(values), values, np.nan)
        return np.asarray((known * signs - means) / deviations)

    def combined(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """[..., used] -> [...]: NaN where a value is NaN or infinite."""
        weights = np.array([member.weight for member in self.used])
        return np.asarray(self.intercept + self.standardised(values) @ weights)

    def save(self, path: str | Path) -> None:
        """Write JSON. The file is complete or not there at all. Raises InputError where it cannot be written."""
        record = {"combination": {**vars(self), "members": [vars(member) for member in self.members]}}
        with atomic_write(path) as file:
            file.write(json.dumps(record, ensure_ascii=False, indent=2, allow_nan=False) + "\n")

    @classmethod
    def load(cls, path: str | Path) -> CombinationFile:
        """Read what `save` wrote. Raises InputError for anything else."""
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

"""What the literal versions share: raw data, comparison, numbers of all items together."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, TypeAlias

import numpy as np
import pytest

from tests.maths.test_inference import Given, leave_one_out, pseudo_values, two_more

stats = pytest.importorskip("scipy.stats", reason="needs the dependency group parity")
optimize = pytest.importorskip("scipy.optimize", reason="needs the dependency group parity")
NAN = math.nan


class Raw:
    """The raw data of a record, under names of its own."""

    def __init__(self, **data: Any) -> None:
        self.__dict__.update(data)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


Sources: TypeAlias = Mapping[str, Callable[[Raw], Any]]
Cases: TypeAlias = Callable[[], Iterator[tuple[str, Any, Raw]]]


def same(found: Any, wanted: Any) -> bool:
    """Whether two values are the same but for rounding: numbers, texts, and records and tuples of them."""
    if is_dataclass(found):
        found = tuple(getattr(found, one.name) for one in fields(found))
    if isinstance(found, tuple | list):
        return len(found) == len(wanted) and all(map(same, found, wanted))
    if isinstance(wanted, Near):
        return abs(found - wanted) < wanted.away
    if isinstance(wanted, float | np.floating) and found is not None:
        return bool(found == pytest.approx(float(wanted), rel=1e-7, abs=1e-9, nan_ok=True))
    return bool(found == wanted)


def nothing(_: Raw) -> float:
    return NAN


def none(_: Raw) -> None:
    return None


def kish(groups: np.ndarray) -> float:
    """How many groups of equal size say as much."""
    sizes = np.unique(groups, return_counts=True)[1]
    return float(sizes.sum() ** 2 / (sizes**2).sum())


def total_laws(
    counts: np.ndarray,
    formula: Callable[[np.ndarray], Any],
    limits: tuple[float, float],
    clusters: np.ndarray | None,
    magnitude: float | None = None,
) -> list[tuple[float, float, float]]:
    """Student's t of a number of all items together, by leaving out items and clusters."""
    singles = np.arange(len(counts))
    made = []
    for groups in [singles] if clusters is None else [singles, np.unique(clusters, return_inverse=True)[1]]:
        sizes, sums = np.bincount(groups).astype(float), pseudo_values(counts, formula, groups)
        size = abs(formula(counts.sum(0))) if magnitude is None else magnitude
        more = two_more(sums / sizes, sizes, Given(sums / sizes, limits), size)
        sums, sizes = np.append(sums, np.array(more) * sizes.mean()), np.append(sizes, [sizes.mean()] * len(more))
        made.append(leave_one_out(sums, sizes, len(more)))
    return made


class Near(float):
    """A number of random draws, of which others are near."""

    away = 0.1


class Nearer(Near):
    away = 0.01


def holm_of(p: Sequence[float], place: int) -> float:
    """Each p times how many are as large or larger, and never below a smaller one's."""
    ranked = sorted(p)
    made = max(one * (len(p) - at) for at, one in enumerate(ranked[: ranked.index(p[place]) + 1]))
    return Near(min(1.0, made)) if isinstance(p[place], Near) else min(1.0, made)


def literals(sources: Sources, r: Raw) -> tuple[Any, ...]:
    return tuple(source(r) for source in sources.values())

"""Numbers by (system, item), as they are given: each key once, and each a number."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any, TypeAlias

from nlgauge.errors import InputError

Key: TypeAlias = tuple[str, str]
"""(system, item)"""
Scores: TypeAlias = Mapping[Key, Any]
"""Numbers, or texts that read as numbers, by (system, item); None is a missing one"""


def keyed(scores: Scores | Mapping[str, object]) -> dict[Key, float]:
    """Scores as numbers, NaN for a missing one. Raises InputError for another key or value, and for a key twice."""
    numbers = {}
    for key, value in scores.items():
        if not isinstance(key, tuple) or len(key) != 2:
            raise InputError(f"the key {key!r} is not (system, item)", remedy='write {("system", "item"): number}')
        numbers[str(key[0]), str(key[1])] = number(value, f"the score of {key!r}")
    if len(numbers) < len(scores):
        refuse_twice([(str(key[0]), str(key[1])) for key in scores], "the ratings")
    return numbers


def number(value: object, what: str, file: object = None, row: int | None = None) -> float:
    """A given value as a number, NaN for a missing one. Raises InputError that says what it is of."""
    if value is None or (isinstance(value, str) and value.strip() in ("", "None")):
        return math.nan
    try:
        if isinstance(value, str) or (isinstance(value, Real) and not isinstance(value, bool)):
            return float(value)
    except (ValueError, OverflowError):
        pass
    shown = f"{what} is {type(value).__name__} {value!r:.80}, not a number"
    raise InputError(shown, file=file, row=row, remedy="give a number, or leave a missing one out")


def refuse_twice(keys: Iterable[Key], where: str, remedy: str = "keep one") -> None:
    """Raises InputError for the first key that is there more than once."""
    for (system, item), count in Counter(keys).items():
        if count > 1:
            raise InputError(f"system {system!r}, item {item!r} is in {where} {count} times", remedy=remedy)

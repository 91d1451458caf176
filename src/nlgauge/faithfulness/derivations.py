"""Numbers that follow from numbers of a source: sums, differences, shares, products, and the time between two dates.

Whether a number follows is found by a search in sorted arrays. No list of all pairs is made.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable, Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from nlgauge.faithfulness.measures import Quantity
from nlgauge.maths.alignment import Array

_SUMMED = 12
"""The most numbers of which sums of three are made. Of more numbers, nearly every number is the sum of three"""
MANY = 1000
"""The most numbers that are searched. Of more numbers, nearly every number is a sum or difference of two, so that
`follows` is true"""
_ROUNDED = 0.15


class Numbers:
    """The numbers of quantities, sorted by kind, from which other numbers may follow."""

    def __init__(self, of: Iterable[Quantity]) -> None:
        numbers: dict[tuple[str, str], list[float]] = {}
        for quantity in of:
            for name, number in _numbers(quantity):
                numbers.setdefault(name, []).append(number)
        self._sorted = {name: np.sort(values) for name, values in numbers.items()}

    def of(self, name: str, unit: str = "") -> Array:
        """Return the numbers of a kind.

        Args:
            name: a kind of quantity, or the name of another use: 'bare' for numbers without a unit, 'factors', or
                'days'.
            unit: the currency, for money; otherwise empty.

        Returns:
            The numbers, ascending: [numbers].
        """
        return self._sorted.get((name, unit), _NONE)

    def without(self, quantity: Quantity) -> Numbers:
        """Return these numbers without the numbers of `quantity`, which must be among them."""
        rest = Numbers(())
        rest._sorted = dict(self._sorted)
        for name, number in _numbers(quantity):
            values = rest._sorted[name]
            rest._sorted[name] = np.delete(values, np.searchsorted(values, number))
        return rest


def _numbers(quantity: Quantity) -> Iterator[tuple[tuple[str, str], float]]:
    """Yield the numbers by which `Numbers` finds a quantity, each with the name and the unit of `Numbers.of`."""
    if quantity.kind == "date":
        if quantity.value[2] is not None:
            yield (_DAYS, ""), float(_day(quantity))
    elif quantity.value and quantity.value[0] is not None:
        yield (quantity.kind, quantity.unit if quantity.kind == "money" else ""), quantity.value[0]
    if quantity.kind == "count":
        yield (_BARE, ""), quantity.written
    if quantity.kind in ("count", "duration", "months") and quantity.written > 0:
        yield (_FACTORS, ""), quantity.written


_BARE, _FACTORS, _DAYS = "bare", "factors", "days"
"""Names of uses: numbers without a unit, numbers by which others may be multiplied or divided, and days"""
_NONE: Array = np.empty(0)


def follows(quantity: Quantity, source: Numbers, near: Numbers, said: Numbers, about: bool) -> bool:
    """Return whether a number follows from numbers of the source and of its own sentence.

    It may be a sum or difference of two numbers, the sum of three or of all, or a percentage of another number. A
    measure may also be a product or quotient, or the time between two dates or two times of a day.

    Args:
        quantity: the number.
        source: the numbers of the source.
        near: the numbers of the nearest sentence of the source. Its numbers without a unit may have the unit of
            `quantity`.
        said: the numbers of the sentence with `quantity`, among them those of `quantity` itself.
        about: whether the sentence says that `quantity` is a rough number. Then it may differ by 15 % from a number.

    Returns:
        Whether the number follows. It is true as well where there are too many numbers to decide.
    """
    units = {"", quantity.unit} if quantity.kind == "money" else {""}
    names = [
        [(quantity.kind, unit) for unit in units],
        [(_FACTORS, ""), ("percent", "")],
        [(_DAYS, "")],
        [("clock", "")],
    ]
    if any(sum(len(numbers.of(*name)) for name in group for numbers in (source, said)) > MANY for group in names):
        return True
    said = said.without(quantity)
    every = (source, said)
    mine = quantity.value[0] or 0.0
    values = [numbers.of(quantity.kind, unit) for numbers in every for unit in units]
    if quantity.written and not math.isnan(quantity.written):
        values += [numbers.of(_BARE) * (mine / quantity.written) for numbers in (near, said)]
    made = _joined(values)
    if about and bool(np.any(np.abs(mine - made) <= _ROUNDED * np.abs(made))):
        return True
    mine = abs(mine)
    added = _joined(numbers.of("duration") / 60 for numbers in every) if quantity.kind == "clock" else _NONE
    shares = _joined(numbers.of("percent") / 100 for numbers in every)
    factors = _joined(numbers.of(_FACTORS) for numbers in every) if quantity.kind != "count" else _NONE
    if _added(mine, made, made, different=True) or _added(mine, made, added) or _sums(mine, made):
        return True
    if _times(mine, made, shares[shares != 0]) or _times(mine, made, factors) or _over(mine, made, factors):
        return True
    if quantity.kind != "duration":
        return False
    days, clocks = (_joined(numbers.of(name) for numbers in every) for name in (_DAYS, "clock"))
    return _days_between(mine, days) or _minutes_between(mine, clocks)


def _joined(arrays: Iterable[Array]) -> Array:
    return np.unique(np.concatenate([_NONE, *arrays]))


def _near(values: Array, sought: Array) -> NDArray[np.intp]:
    """Return, for each sought number, the indices of the three sorted values nearest to its place: [3, numbers]."""
    at = np.searchsorted(values, sought)
    return np.clip(np.stack([at - 1, at, at + 1]), 0, len(values) - 1)


def _equal(mine: float, made: Array) -> NDArray[np.bool_]:
    return np.abs(mine - made) <= 1e-9 * np.maximum(1.0, made)


def _added(mine: float, values: Array, others: Array, different: bool = False) -> bool:
    """Return whether a number is the sum or difference of one of `values` and one of `others`.

    With `different`, these two must be different numbers.
    """
    if not (len(values) and len(others)):
        return False
    for sign in (1, -1):
        for result in (mine, -mine):
            nearest = others[_near(others, (result - values) * sign)]
            fits = _equal(mine, np.abs(values + sign * nearest))
            if bool(np.any(fits & (nearest != values) if different else fits)):
                return True
    return False


def _sums(mine: float, values: Array) -> bool:
    if not 1 < len(values) <= _SUMMED:
        return False
    summed = values.tolist()
    made = np.array([sum(summed), *(sum(three) for three in combinations(summed, 3))])
    return bool(np.any(_equal(mine, made)))


def _times(mine: float, values: Array, by: Array) -> bool:
    if not (len(values) and len(by)):
        return False
    return bool(np.any(_equal(mine, values[_near(values, mine / by)] * by)))


def _over(mine: float, values: Array, by: Array) -> bool:
    if not (len(values) and len(by)):
        return False
    return bool(np.any(_equal(mine, values[_near(values, mine * by)] / by)))


def _days_between(mine: float, days: Array) -> bool:
    """Return whether a time, in seconds, is the time between two of the days, or a day more or less."""
    count = round(mine / 86400)
    if not len(days) or abs(mine - 86400 * count) > 1e-9 * max(1.0, 86400.0 * count):
        return False
    return any(bool(np.isin(days + more, days).any()) for more in (count, count - 1, count + 1))


def _minutes_between(mine: float, clocks: Array) -> bool:
    if not len(clocks):
        return False
    nearest = clocks[_near(clocks, clocks + mine / 60)]
    return bool(np.any(_equal(mine, 60 * (np.abs(nearest - clocks) % 1440))))


def _day(date: Quantity) -> int:
    """Return the ordinal number of a date's day; 0 if there is no such day. A date without a year is in the year 1."""
    year, month, day = date.value
    try:
        return datetime.date(int(year or 1), int(month or 1), int(day or 1)).toordinal()
    except ValueError:  # 31 June
        return 0

"""Numbers, dates, times and measures of an English text, by their value and not by their spelling.

28 and twenty-eight, 1.2 million and 1 200 000, 60 seconds and a minute, 3 May and May 3rd are equal quantities.

The grammar is our own. On 28 spellings quantulum3 reads 13 right (9 p.m. as nine pence, 12,50 EUR as 50 EUR, 10-20 kg
as 15 kg), and dateparser takes the verb of "may go" for a month and counts "in 30 days" from today.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import chain, combinations, pairwise
from math import nan

from nlgauge.faithfulness.dates import DATED, dates, of_24_hours, times
from nlgauge.faithfulness.measures import MEASURES, NUMBERED, Quantity, celsius, measures

_NEARLY = frozenset({"percent", "length", "mass", "volume", "area", "months", "speed", "energy", "power"})
_IDENTIFIERS = (
    (
        "phone",
        re.compile(
            r"(?<![\w+.,-])(?:\+\d{1,3}|\(?0\d{1,5}\)?"
            r"|\d{3}(?=-))[ ./-](?:\(0\))?\d{2,8}(?:[ ./-]\d{2,6}){0,4}"
            r"(?![\w-]|[.,]\d)"
        ),
    ),
    ("version", re.compile(r"(?<![\w.])(?:v?\d+(?:\.\d+){2,3}|v\d+(?:\.\d+)+)(?!\w|\.\d)")),
    (
        "code",
        re.compile(
            r"(?<![\w.])(?!(?:mid|pre|post|under|over|top|early|late|sub|non|age|aged|minus)-)"
            r"[A-Za-z]+[-_/]?\d\w*(?:[-_/]\w+)*(?!\w)|#\d+\b"
        ),
    ),
)
"""Telephone numbers, versions and addresses of machines, and codes such as AB-1234: compared as texts"""
IDENTIFIERS = frozenset(kind for kind, _ in _IDENTIFIERS)
_GROUPED = re.compile(r"\d{1,3}(?:\.\d{3})+")
_LONGEST = 200
"""Characters of the longest quantity. What is longer is no number that a person writes"""
_RANGE = re.compile(r"\s?(?:-|–|—|to|or|and)\s?")
_JOINED = re.compile(r"(?: and| )? ?")
MAY_HAVE = re.compile(rf"{NUMBERED}|{DATED}", re.IGNORECASE)
"""What every quantity has: most sentences of prose have none of it, and are read no further"""


def quantities(text: str) -> list[Quantity]:
    """Return the quantities of a text, in order and without overlaps."""
    if MAY_HAVE.search(text) is None:
        return []
    found: list[Quantity] = []
    taken = [False] * len(text)
    for one in chain(dates(text), _identifiers(text), times(text), measures(text)):  # longer and more certain first
        if one.end - one.begin <= _LONGEST and not any(taken[one.begin : one.end]):
            taken[one.begin : one.end] = [True] * (one.end - one.begin)
            found.append(one)
    return of_24_hours(text, _joined(text, sorted(found, key=lambda one: one.begin)))


def same(one: Quantity, other: Quantity) -> bool:
    """Return whether two quantities are equal. A date without some part agrees with one that has it.

    Measures in different units may differ by 0.2 %, and fractions by 1.5 %; all others must be equal exactly. 9:00 is
    equal to 9 a.m. and to 9 p.m., which differ from each other; beside 16:40 it is 9 a.m. alone. An amount without a
    currency is equal to the same amount in any. Characters that can be read in two ways (12.000) are equal to both.

    Args:
        one: a quantity.
        other: the quantity that it is compared with.

    Returns:
        Whether they are equal.
    """
    return any(_equal(mine, theirs) for mine in _readings(one) for theirs in _readings(other))


def _readings(one: Quantity) -> Iterator[Quantity]:
    yield one
    if isinstance(one.other, tuple):
        yield one._replace(value=one.other)
    elif one.other is not None:
        yield one._replace(value=tuple(part * one.other / one.written for part in one.value if part is not None))


def _equal(one: Quantity, other: Quantity) -> bool:
    kinds = {one.kind, other.kind}
    if kinds == {"date"}:
        both = [(a, b) for a, b in zip(one.value, other.value, strict=True) if a is not None and b is not None]
        return bool(both) and all(a == b for a, b in both)
    if kinds == {"date", "count"}:
        date, count = (one, other) if one.kind == "date" else (other, one)
        return date.value[0] == count.value[0]
    if kinds <= IDENTIFIERS:
        long, short = sorted((one.unit.lstrip("0"), other.unit.lstrip("0")), key=len, reverse=True)
        return long == short or (kinds == {"phone"} and long.endswith(short))  # with or without the country's number
    a, b = (part.value[0] if part.value else None for part in (one, other))
    if a is None or b is None:
        return False
    if kinds == {"clock"}:
        known = one.unit == other.unit == "half"
        a, b = (part if known else part % 720 for part in (a, b))
        return a == b or (int(a) == int(b) and (a == int(a) or b == int(b)))  # seconds may be left out
    if one.kind != other.kind and not kinds <= {"count", "ordinal"}:
        return False
    if kinds == {"money"} and one.unit and other.unit and not _one_currency(one.unit, other.unit):
        return False
    if kinds == {"temperature"}:
        if not (one.unit and other.unit) or one.unit == other.unit:
            return one.written == other.written
        return abs(a - b) <= 0.6
    return abs(a - b) <= _tolerance(one.kind, one.weak or other.weak) * max(abs(a), abs(b))


def is_share(text: str, one: Quantity) -> bool:
    """Return whether a quantity of a text is a share of something, as "a quarter of the flats" is.

    Args:
        text: the text.
        one: one of its quantities.

    Returns:
        Whether it is a claim, though it may be written as an expression.
    """
    return one.kind == "percent" and (not one.weak or text.startswith(" of ", one.end))


def conversions(text: str) -> Iterator[tuple[Quantity, Quantity, bool]]:
    """Yield each measure with the same in another unit behind it, as in "5 km (3.1 miles)", and whether it is right.

    It may be rounded, to the last digit that is written or by 3 %.

    Args:
        text: the text.

    Returns:
        The measure, the measure in the other unit, and whether the two are equal.
    """
    for one, other in pairwise(quantities(text)):
        if (
            one.kind != other.kind
            or one.kind not in CONVERTED
            or not _CONVERSION.fullmatch(text[one.end : other.begin])
        ):
            continue
        if not text[other.end :].lstrip().startswith(")") or not (one.value[0] and other.value[0]):
            continue
        a, b = one.value[0], other.value[0]
        if one.kind == "temperature":
            if one.unit and other.unit and one.unit != other.unit:
                yield one, other, abs(a - b) <= 2.6  # 350 °F are 175 °C in a kitchen
        elif one.written and other.written and abs(a / one.written - b / other.written) > 1e-9:
            unit = b / other.written
            step = 10.0 ** -len(text[other.begin : other.end].partition(".")[2].partition(" ")[0])
            yield (
                one,
                other,
                abs(a - b) <= max(0.03 * abs(a), 0.51 * step * abs(unit) if other.written >= 3 or step < 1 else 0),
            )


CONVERTED = frozenset(
    ["length", "mass", "volume", "area", "speed", "temperature", "duration", "months", "bytes", "energy", "power"]
)
_CONVERSION = re.compile(
    r"\s?\((?:i\.e\.,?|that is,?|about|approximately|approx\.|around|roughly|ca\.|or|=|~|≈|some)?\s?", re.IGNORECASE
)


class EqualQuantities:
    """Quantities, of which those that are equal to another one (`same`) are found without a look at each."""

    def __init__(self, of: Sequence[Quantity]) -> None:
        self.of = of
        numbers: dict[tuple[str, str, bool], list[tuple[float, int]]] = {}
        self._exact: dict[tuple[object, ...], list[int]] = {}
        for number, one in enumerate(of):
            for reading in _readings(one):
                for key in _keys(reading):
                    self._exact.setdefault(key, []).append(number)
                if (table := _table(reading)) is not None and reading.value[0] is not None:
                    numbers.setdefault((*table, reading.weak), []).append((reading.value[0], number))
        self._numbers = {key: sorted(values) for key, values in numbers.items()}

    def same(self, one: Quantity) -> Iterator[int]:
        """Return the indices of the quantities that are equal to another one, some of them perhaps twice."""
        for reading in _readings(one):
            for key in _sought(reading):
                yield from self._exact.get(key, ())
            table = _table(reading)
            if table is None or reading.value[0] is None:
                continue
            for key, values in self._numbers.items():
                kind, unit, weak = key
                if kind != table[0] or not _compared(kind, table[1], unit):
                    continue
                near = 0.6 if kind == "temperature" else _tolerance(reading.kind, reading.weak or weak)
                yield from _within(values, reading.value[0], near, absolute=kind == "temperature")


def _keys(one: Quantity) -> Iterator[tuple[object, ...]]:
    """Return what a quantity is found by, where it must be equal exactly."""
    if one.kind == "date":
        given = [n for n, part in enumerate(one.value) if part is not None]
        for size in range(1, len(given) + 1):
            for parts in combinations(given, size):
                yield "date", tuple(given), parts, tuple(one.value[n] for n in parts)
        if one.value[0] is not None:
            yield "year", one.value[0]
    elif one.kind in IDENTIFIERS:
        name = one.unit.lstrip("0")
        yield "name", name
        if one.kind == "phone":
            yield "phone", name
            yield from (("end", name[at:]) for at in range(len(name) + 1))
    elif one.kind == "clock" and one.value[0] is not None:
        known = one.unit == "half"
        told = [("either", one.value[0] % 720), ("known", one.value[0]) if known else ("unknown", one.value[0] % 720)]
        for name, minutes in told:
            yield "clock", name, minutes
            yield "minute", name, int(minutes)
    elif one.kind == "temperature":
        yield "degrees", one.unit, one.written
    elif one.kind == "count":
        yield "count", one.value[0]


def _sought(one: Quantity) -> Iterator[tuple[object, ...]]:
    """Return the keys of quantities that are equal to another one."""
    if one.kind == "date":
        mine = [n for n, part in enumerate(one.value) if part is not None]
        for size in (1, 2, 3):
            for given in combinations(range(3), size):
                if parts := tuple(n for n in given if n in mine):
                    yield "date", given, parts, tuple(one.value[n] for n in parts)
        if one.value[0] is not None:
            yield "count", one.value[0]
    elif one.kind in IDENTIFIERS:
        name = one.unit.lstrip("0")
        yield "name", name
        if one.kind == "phone":
            yield "end", name
            yield from (("phone", name[at:]) for at in range(len(name) + 1))
    elif one.kind == "clock" and one.value[0] is not None:
        minutes = one.value[0] % 720
        told = [("known", one.value[0]), ("unknown", minutes)] if one.unit == "half" else [("either", minutes)]
        for name, minutes in told:
            # Seconds may be left out of either.
            if minutes == int(minutes):
                yield "minute", name, int(minutes)
            else:
                yield from (("clock", name, part) for part in (minutes, int(minutes)))
    elif one.kind == "temperature":
        for unit in ("", "C", "F", "K") if not one.unit else ("", one.unit):
            yield "degrees", unit, one.written
    elif one.kind == "count":
        yield "year", one.value[0]


def _table(one: Quantity) -> tuple[str, str] | None:
    """Return the kind and unit of quantities that are compared by their numbers; None for those found by keys."""
    if one.kind == "date" or one.kind == "clock" or one.kind in IDENTIFIERS:
        return None
    unit = one.unit if one.kind in ("money", "temperature") else ""
    return ("count" if one.kind == "ordinal" else one.kind, unit)


def _compared(kind: str, one: str, other: str) -> bool:
    """Return whether numbers with these units are compared by value."""
    if kind == "money":
        return not (one and other) or _one_currency(one, other)
    return kind != "temperature" or bool(one and other and one != other)  # in degrees as written, if of one scale


def _within(values: Sequence[tuple[float, int]], sought: float, near: float, absolute: bool) -> Iterator[int]:
    """Return the indices of the sorted values that differ little from another one."""
    at = bisect_left(values, (sought, -1))
    for numbers in (range(at, len(values)), range(at - 1, -1, -1)):
        for n in numbers:
            value, index = values[n]
            if abs(value - sought) > near * (1.0 if absolute else max(abs(value), abs(sought))):
                break
            yield index


def _tolerance(kind: str, weak: bool) -> float:
    """Return the relative difference up to which two quantities are equal."""
    return (0.015 if weak else 0.002) if kind in _NEARLY else 1e-9


def _one_currency(one: str, other: str) -> bool:
    """Return whether two names may mean one currency: crowns are of any country that has them."""
    short, long = sorted((one, other), key=len)
    return one == other or long.startswith(f"{short} of")


def _identifiers(text: str) -> Iterator[Quantity]:
    """Yield possible identifiers of a text."""
    for kind, pattern in _IDENTIFIERS:
        for match in pattern.finditer(text):
            name = re.sub(r"[^\w.]" if kind == "version" else r"[\W_]", "", match.group()).lower()
            name = name.removeprefix("v") if kind == "version" else name
            if (kind != "phone" or 7 <= len(name) <= 15) and not _GROUPED.fullmatch(match.group()):
                yield Quantity(*match.span(), kind, (), unit=name)


def _joined(text: str, found: list[Quantity]) -> list[Quantity]:
    """Return quantities, of which "1 hour and 45 minutes" is a single one.

    Both numbers of "10-20 kg" are masses.
    """
    joined: list[Quantity] = []
    for one in found:
        if joined:
            last, between = joined[-1], text[joined[-1].end : one.begin]
            if _continues(last, one) and _JOINED.fullmatch(between):
                value = (last.value[0] or 0.0) + (one.value[0] or 0.0)
                joined[-1] = last._replace(end=one.end, value=(value,), written=nan, other=None)
                continue
            if (match := _RANGE.fullmatch(between)) is not None:
                paired = match.group().strip() not in ("and", "or") or text[: last.begin].endswith("between ")
                joined[-1], one = _in_a_range(last, one, match.group().strip()) if paired else (last, one)
        joined.append(one)
    return joined


def _continues(last: Quantity, one: Quantity) -> bool:
    """Return whether a measure goes on in a smaller unit."""
    if last.kind != one.kind or last.kind not in ("duration", "months", "length", "mass") or last.weak or one.weak:
        return False
    (a,), (b,) = last.value, one.value
    return bool(
        a and b and last.written and one.written and a / last.written > b / one.written and b < a / last.written
    )


def _in_a_range(last: Quantity, one: Quantity, between: str) -> tuple[Quantity, Quantity]:
    """Return the two ends of a range. The end without a unit has the other one's."""
    if last.kind == "count" and not last.weak and one.written:
        if one.kind == "temperature":
            return last._replace(kind=one.kind, value=(celsius(last.written, one.unit),), unit=one.unit), one
        if (one.kind in MEASURES or one.kind == "money") and one.value[0] is not None:
            value = last.written * one.value[0] / one.written
            return last._replace(kind=one.kind, value=(value,), unit=one.unit), one
    if last.kind == "count" and one.kind == "date" and one.value[2] is not None and 1 <= last.written <= 31:
        return last._replace(kind="date", value=(*one.value[:2], last.written)), one
    if last.kind == "count" and one.kind == "clock" and 1 <= last.written <= 12:
        return last._replace(kind="clock", value=(60.0 * (last.written % 12),)), one
    if one.kind == "count" and between not in ("and", "or"):
        if last.kind == "money":
            return last, one._replace(kind="money", value=(one.written,), unit=last.unit)
        if last.kind == "date" and last.value[2] is not None and 1 <= one.written <= 31:
            return last, one._replace(kind="date", value=(*last.value[:2], one.written))
    return last, one

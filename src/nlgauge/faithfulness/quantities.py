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
"""Patterns of telephone numbers, of versions and IP addresses, and of codes such as AB-1234. They are compared as
texts, and not as numbers"""
IDENTIFIERS = frozenset(kind for kind, _ in _IDENTIFIERS)
_GROUPED = re.compile(r"\d{1,3}(?:\.\d{3})+")
_LONGEST = 200
"""The most characters of a quantity. Nobody writes longer ones"""
_RANGE = re.compile(r"\s?(?:-|–|—|to|or|and)\s?")
_JOINED = re.compile(r"(?: and| )? ?")
MAY_HAVE = re.compile(rf"{NUMBERED}|{DATED}", re.IGNORECASE)
"""A pattern that matches in every text with a quantity. A text without a match is read no further"""


def quantities(text: str) -> list[Quantity]:
    """Return the quantities of a text, in order and without overlaps."""
    if MAY_HAVE.search(text) is None:
        return []
    read: list[Quantity] = []
    taken = [False] * len(text)
    for quantity in chain(
        dates(text), _identifiers(text), times(text), measures(text)
    ):  # longer and more certain first
        if quantity.end - quantity.begin <= _LONGEST and not any(taken[quantity.begin : quantity.end]):
            taken[quantity.begin : quantity.end] = [True] * (quantity.end - quantity.begin)
            read.append(quantity)
    return of_24_hours(text, _joined(text, sorted(read, key=lambda quantity: quantity.begin)))


def same(quantity: Quantity, other: Quantity) -> bool:
    """Return whether two quantities are equal.

    - Dates are equal if all parts that both have are equal.
    - Percentages, lengths, masses, volumes, areas, speeds, energies, powers, and times in months or longer may differ
      by 0.2 %, and by 1.5 % if one of them is an expression such as "half". Temperatures in different scales may differ
      by 0.6 degrees. All other numbers must be equal exactly.
    - 9:00 is equal to 9 a.m. and to 9 p.m. In a text that also has 16:40, it is 9 a.m. alone. Seconds may be left out.
    - An amount without a currency is equal to the same amount in any currency.
    - Characters with two possible values, such as 12.000, are equal to both.

    Args:
        quantity: a quantity.
        other: the quantity that it is compared with.

    Returns:
        Whether they are equal.
    """
    return any(_equal(mine, theirs) for mine in _readings(quantity) for theirs in _readings(other))


def _readings(quantity: Quantity) -> Iterator[Quantity]:
    yield quantity
    if isinstance(quantity.other, tuple):
        yield quantity._replace(value=quantity.other)
    elif quantity.other is not None:
        yield quantity._replace(
            value=tuple(part * quantity.other / quantity.written for part in quantity.value if part is not None)
        )


def _equal(quantity: Quantity, other: Quantity) -> bool:
    kinds = {quantity.kind, other.kind}
    if kinds == {"date"}:
        both = [(a, b) for a, b in zip(quantity.value, other.value, strict=True) if a is not None and b is not None]
        return bool(both) and all(a == b for a, b in both)
    if kinds == {"date", "count"}:
        date, count = (quantity, other) if quantity.kind == "date" else (other, quantity)
        return date.value[0] == count.value[0]
    if kinds <= IDENTIFIERS:
        long, short = sorted((quantity.unit.lstrip("0"), other.unit.lstrip("0")), key=len, reverse=True)
        return long == short or (kinds == {"phone"} and long.endswith(short))  # with or without the country's number
    a, b = (part.value[0] if part.value else None for part in (quantity, other))
    if a is None or b is None:
        return False
    if kinds == {"clock"}:
        certain = quantity.unit == other.unit == "half"
        a, b = (part if certain else part % 720 for part in (a, b))
        return a == b or (int(a) == int(b) and (a == int(a) or b == int(b)))  # seconds may be left out
    if quantity.kind != other.kind and not kinds <= {"count", "ordinal"}:
        return False
    if kinds == {"money"} and quantity.unit and other.unit and not _one_currency(quantity.unit, other.unit):
        return False
    if kinds == {"temperature"}:
        if not (quantity.unit and other.unit) or quantity.unit == other.unit:
            return quantity.written == other.written
        return abs(a - b) <= 0.6
    return abs(a - b) <= _tolerance(quantity.kind, quantity.weak or other.weak) * max(abs(a), abs(b))


def is_share(text: str, quantity: Quantity) -> bool:
    """Return whether a quantity of a text is a share of something, such as "a quarter of the flats".

    Args:
        text: the text.
        quantity: one of its quantities.

    Returns:
        Whether the quantity is a percentage, or an expression like "half" before "of".
    """
    return quantity.kind == "percent" and (not quantity.weak or text.startswith(" of ", quantity.end))


def conversions(text: str) -> Iterator[tuple[Quantity, Quantity, bool]]:
    """Yield each conversion of a text, such as "5 km (3.1 miles)", and whether it is right.

    The measure in brackets may be rounded: to the last digit that is written, or by 3 %; a temperature by 2.6 degrees.

    Args:
        text: the text.

    Returns:
        For each conversion: the measure, the measure in brackets in another unit, and whether the two are equal.
    """
    for measure, other in pairwise(quantities(text)):
        if (
            measure.kind != other.kind
            or measure.kind not in CONVERTED
            or not _CONVERSION.fullmatch(text[measure.end : other.begin])
        ):
            continue
        if not text[other.end :].lstrip().startswith(")") or not (measure.value[0] and other.value[0]):
            continue
        a, b = measure.value[0], other.value[0]
        if measure.kind == "temperature":
            if measure.unit and other.unit and measure.unit != other.unit:
                yield measure, other, abs(a - b) <= 2.6  # 350 °F are 175 °C in a kitchen
        elif measure.written and other.written and abs(a / measure.written - b / other.written) > 1e-9:
            unit = b / other.written
            step = 10.0 ** -len(text[other.begin : other.end].partition(".")[2].partition(" ")[0])
            yield (
                measure,
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
    """Quantities, indexed to find those that are equal to a given quantity by the rules of `same`.

    Args:
        of: the quantities.
    """

    def __init__(self, of: Sequence[Quantity]) -> None:
        self.of = of
        numbers: dict[tuple[str, str, bool], list[tuple[float, int]]] = {}
        self._exact: dict[tuple[object, ...], list[int]] = {}
        for number, quantity in enumerate(of):
            for reading in _readings(quantity):
                for key in _keys(reading):
                    self._exact.setdefault(key, []).append(number)
                if (table := _table(reading)) is not None and reading.value[0] is not None:
                    numbers.setdefault((*table, reading.weak), []).append((reading.value[0], number))
        self._numbers = {key: sorted(values) for key, values in numbers.items()}

    def same(self, quantity: Quantity) -> Iterator[int]:
        """Yield the indices, in `of`, of the quantities that are equal to `quantity`. An index may come twice."""
        for reading in _readings(quantity):
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


def _keys(quantity: Quantity) -> Iterator[tuple[object, ...]]:
    """Yield the keys under which a quantity is indexed, for the kinds that are not compared by a tolerance."""
    if quantity.kind == "date":
        parts_given = [n for n, part in enumerate(quantity.value) if part is not None]
        for size in range(1, len(parts_given) + 1):
            for parts in combinations(parts_given, size):
                yield "date", tuple(parts_given), parts, tuple(quantity.value[n] for n in parts)
        if quantity.value[0] is not None:
            yield "year", quantity.value[0]
    elif quantity.kind in IDENTIFIERS:
        name = quantity.unit.lstrip("0")
        yield "name", name
        if quantity.kind == "phone":
            yield "phone", name
            yield from (("end", name[at:]) for at in range(len(name) + 1))
    elif quantity.kind == "clock" and quantity.value[0] is not None:
        certain = quantity.unit == "half"
        told = [
            ("either", quantity.value[0] % 720),
            ("known", quantity.value[0]) if certain else ("unknown", quantity.value[0] % 720),
        ]
        for name, minutes in told:
            yield "clock", name, minutes
            yield "minute", name, int(minutes)
    elif quantity.kind == "temperature":
        yield "degrees", quantity.unit, quantity.written
    elif quantity.kind == "count":
        yield "count", quantity.value[0]


def _sought(quantity: Quantity) -> Iterator[tuple[object, ...]]:
    """Yield the keys (`_keys`) under which the quantities that are equal to `quantity` are indexed."""
    if quantity.kind == "date":
        mine = [n for n, part in enumerate(quantity.value) if part is not None]
        for size in (1, 2, 3):
            for parts_given in combinations(range(3), size):
                if parts := tuple(n for n in parts_given if n in mine):
                    yield "date", parts_given, parts, tuple(quantity.value[n] for n in parts)
        if quantity.value[0] is not None:
            yield "count", quantity.value[0]
    elif quantity.kind in IDENTIFIERS:
        name = quantity.unit.lstrip("0")
        yield "name", name
        if quantity.kind == "phone":
            yield "end", name
            yield from (("phone", name[at:]) for at in range(len(name) + 1))
    elif quantity.kind == "clock" and quantity.value[0] is not None:
        minutes = quantity.value[0] % 720
        told = (
            [("known", quantity.value[0]), ("unknown", minutes)] if quantity.unit == "half" else [("either", minutes)]
        )
        for name, minutes in told:
            # Seconds may be left out of either.
            if minutes == int(minutes):
                yield "minute", name, int(minutes)
            else:
                yield from (("clock", name, part) for part in (minutes, int(minutes)))
    elif quantity.kind == "temperature":
        for unit in ("", "C", "F", "K") if not quantity.unit else ("", quantity.unit):
            yield "degrees", unit, quantity.written
    elif quantity.kind == "count":
        yield "year", quantity.value[0]


def _table(quantity: Quantity) -> tuple[str, str] | None:
    """Return the kind and unit of a quantity that is compared by its number; None if it is found by keys alone."""
    if quantity.kind == "date" or quantity.kind == "clock" or quantity.kind in IDENTIFIERS:
        return None
    unit = quantity.unit if quantity.kind in ("money", "temperature") else ""
    return ("count" if quantity.kind == "ordinal" else quantity.kind, unit)


def _compared(kind: str, unit: str, other: str) -> bool:
    """Return whether two numbers of a kind, in the units `unit` and `other`, are compared by value."""
    if kind == "money":
        return not (unit and other) or _one_currency(unit, other)
    return kind != "temperature" or bool(unit and other and unit != other)  # in degrees as written, if of one scale


def _within(values: Sequence[tuple[float, int]], sought: float, near: float, absolute: bool) -> Iterator[int]:
    """Yield the indices of the values that differ from a sought value by at most `near`, absolute or as a share.

    Args:
        values: pairs of value and index, sorted.
        sought: the value.
        near: the greatest difference: a number if `absolute`, else a share of the greater value.
        absolute: whether `near` is a number.
    """
    at = bisect_left(values, (sought, -1))
    for numbers in (range(at, len(values)), range(at - 1, -1, -1)):
        for n in numbers:
            value, index = values[n]
            if abs(value - sought) > near * (1.0 if absolute else max(abs(value), abs(sought))):
                break
            yield index


def _tolerance(kind: str, weak: bool) -> float:
    """Return the relative difference up to which two quantities of a kind are equal; `weak` if one is an expression."""
    return (0.015 if weak else 0.002) if kind in _NEARLY else 1e-9


def _one_currency(currency: str, other: str) -> bool:
    """Return whether two names may mean the same currency: "crown" may mean the crown of any country."""
    short, long = sorted((currency, other), key=len)
    return currency == other or long.startswith(f"{short} of")


def _identifiers(text: str) -> Iterator[Quantity]:
    """Yield the possible identifiers of a text: telephone numbers, versions and codes. They may overlap."""
    for kind, pattern in _IDENTIFIERS:
        for match in pattern.finditer(text):
            name = re.sub(r"[^\w.]" if kind == "version" else r"[\W_]", "", match.group()).lower()
            name = name.removeprefix("v") if kind == "version" else name
            if (kind != "phone" or 7 <= len(name) <= 15) and not _GROUPED.fullmatch(match.group()):
                yield Quantity(*match.span(), kind, (), unit=name)


def _joined(text: str, quantities_read: list[Quantity]) -> list[Quantity]:
    """Return the quantities of a text, where parts of one measure are joined, and both ends of a range have its unit.

    "1 hour and 45 minutes" becomes a single quantity, and both numbers of "10-20 kg" become masses.
    """
    joined: list[Quantity] = []
    for quantity in quantities_read:
        if joined:
            last, between = joined[-1], text[joined[-1].end : quantity.begin]
            if _continues(last, quantity) and _JOINED.fullmatch(between):
                value = (last.value[0] or 0.0) + (quantity.value[0] or 0.0)
                joined[-1] = last._replace(end=quantity.end, value=(value,), written=nan, other=None)
                continue
            if (match := _RANGE.fullmatch(between)) is not None:
                paired = match.group().strip() not in ("and", "or") or text[: last.begin].endswith("between ")
                joined[-1], quantity = (
                    _in_a_range(last, quantity, match.group().strip()) if paired else (last, quantity)
                )
        joined.append(quantity)
    return joined


def _continues(last: Quantity, quantity: Quantity) -> bool:
    """Return whether a quantity continues the one before it in a smaller unit, as 45 minutes continue 1 hour."""
    if (
        last.kind != quantity.kind
        or last.kind not in ("duration", "months", "length", "mass")
        or last.weak
        or quantity.weak
    ):
        return False
    (a,), (b,) = last.value, quantity.value
    return bool(
        a
        and b
        and last.written
        and quantity.written
        and a / last.written > b / quantity.written
        and b < a / last.written
    )


def _in_a_range(last: Quantity, quantity: Quantity, between: str) -> tuple[Quantity, Quantity]:
    """Return the two ends of a range. An end without a unit gets the unit of the other end."""
    if last.kind == "count" and not last.weak and abs(quantity.written) > 0:  # neither 0 nor NaN
        if quantity.kind == "temperature":
            return last._replace(
                kind=quantity.kind, value=(celsius(last.written, quantity.unit),), unit=quantity.unit
            ), quantity
        if (quantity.kind in MEASURES or quantity.kind == "money") and quantity.value[0] is not None:
            value = last.written * quantity.value[0] / quantity.written
            return last._replace(kind=quantity.kind, value=(value,), unit=quantity.unit), quantity
    if last.kind == "count" and quantity.kind == "date" and quantity.value[2] is not None and 1 <= last.written <= 31:
        return last._replace(kind="date", value=(*quantity.value[:2], last.written)), quantity
    if last.kind == "count" and quantity.kind == "clock" and 1 <= last.written <= 12:
        return last._replace(kind="clock", value=(60.0 * (last.written % 12),)), quantity
    if quantity.kind == "count" and between not in ("and", "or"):
        if last.kind == "money":
            return last, quantity._replace(kind="money", value=(quantity.written,), unit=last.unit)
        if last.kind == "date" and last.value[2] is not None and 1 <= quantity.written <= 31:
            return last, quantity._replace(kind="date", value=(*last.value[:2], quantity.written))
    return last, quantity

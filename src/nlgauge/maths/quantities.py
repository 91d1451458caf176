"""Numbers, dates, times and measures of an English text, by their value and not by their spelling.

28 and twenty-eight, 1.2 million and 1,200,000, 60 seconds and a minute, 3 May and May 3rd are equal quantities.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_ONES = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_SMALL = {word: value for value, word in enumerate(_ONES)} | {word: 20 + 10 * i for i, word in enumerate(_TENS)}
_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "k": 1e3, "m": 1e6, "bn": 1e9}
_ORDINALS = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh"),
    "twelfth",
)
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November"),
    "December",
)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MEASURES: dict[str, dict[str, float]] = {
    "percent": {"%|percent|per cent|percentage points?": 1},
    "money": {"dollars?|euros?|pounds sterling": 1, "cents?|pence": 0.01},
    "duration": {
        "seconds?|secs?": 1, "minutes?|mins?": 60, "hours?|hrs?": 3600, "days?": 86400, "weeks?": 604800,
        "fortnights?": 1209600,
    },
    "months": {"months?": 1, "years?|yrs?": 12, "decades?": 120, "century|centuries": 1200},
    "length": {
        "millimetres?|millimeters?|mm": 0.001, "centimetres?|centimeters?|cm": 0.01, "met(?:re|er)s?|m": 1,
        "kilometres?|kilometers?|km": 1000, "inch(?:es)?": 0.0254, "foot|feet|ft": 0.3048, "yards?": 0.9144,
        "miles?": 1609.344,
    },
    "mass": {
        "milligrams?|mg": 0.001, "grams?|g": 1, "kilograms?|kilos?|kg": 1000, "tonnes?|tons?": 1e6,
        "ounces?|oz": 28.349523125, "pounds?|lbs?": 453.59237,
    },
    "volume": {"millilitres?|milliliters?|ml": 0.001, "lit(?:re|er)s?|l": 1, "gallons?": 3.785411784},
    "Celsius": {"degrees Celsius|degrees C|°\\s?C": 1},
    "Fahrenheit": {"degrees Fahrenheit|degrees F|°\\s?F": 1},
    "area": {
        "hectares?|ha": 1, "square kilomet(?:re|er)s?|km²": 100, "square miles?": 258.9988, "acres?": 0.40468564,
    },
}  # fmt: skip
"""For each kind: patterns of units, and their factor to the kind's base unit"""
_UNITS = {pattern: (kind, factor) for kind, units in _MEASURES.items() for pattern, factor in units.items()}
_MONTH = "(" + "|".join([*MONTHS, *(name[:3] for name in MONTHS), "Sept"]) + ")"
_WORD = "|".join(sorted((*_SMALL, "hundred", *list(_SCALES)[:4], "dozen"), key=len, reverse=True))
_BIG = "hundred|thousand|million|billion|trillion|dozen"
_AND = r"(?:(?<=hundred)|(?<=thousand)|(?<=million)) and "
_IN_WORDS = rf"(?:(?:half )?an? (?=(?:{_BIG})\b))?\b(?:{_WORD})\b(?:(?:[ -]|{_AND})(?:{_WORD})\b)*"
_SEPARATORS = (",", "['’]", "[ \u00a0\u2009\u202f]")
"""Separators of thousands, each kind by itself. A point is none, because 12.000 may be 12"""
_THOUSANDS = "|".join(rf"\d{{1,3}}(?:{one}\d{{3}})+(?!{one}?\d)" for one in _SEPARATORS)
_LARGE = rf"(?<!\d[ '’\u00a0\u2009\u202f])(?:{_THOUSANDS})"
_DIGITS = rf"(?<![\w.,])(?:{_LARGE}|\d+)(?:\.\d+)?"
_NUMBER = re.compile(
    rf"(?P<sign>[$£€¥]\s?)?(?:(?P<digits>{_DIGITS})(?:(?P<nth>st|nd|rd|th)\b|\s?(?P<scale>thousand|million|billion"
    rf"|trillion|k|bn|m)\b(?! ?/))?|(?P<words>{_IN_WORDS}))",
    re.IGNORECASE,
)
_UNIT = re.compile(
    r"(?:[ -]|(?<=\d))?(?:" + "|".join(f"({pattern})" for pattern in _UNITS) + r")(?![a-z²])", re.IGNORECASE
)
_ONE = re.compile(rf"\b(?P<one>an?|one|per|each) (?:{'|'.join(f'({pattern})' for pattern in _UNITS)})\b", re.IGNORECASE)
_NEARLY = frozenset({"percent", "length", "mass", "volume", "area", "months"})
_PARTS = {"half": 50.0, "a third": 100 / 3, "one third": 100 / 3, "two thirds": 200 / 3, "two-thirds": 200 / 3,
          "a quarter": 25.0, "one quarter": 25.0, "three quarters": 75.0, "three-quarters": 75.0, "a fifth": 20.0,
          "a tenth": 10.0}  # fmt: skip
_PART = re.compile(rf"\b({'|'.join(map(re.escape, _PARTS))})\b(?! past| an? (?:{_BIG})\b)", re.IGNORECASE)
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"([12]\d{3})"
_DATES = (
    (re.compile(rf"\b{_DAY}(?: of)? {_MONTH}\b(?:\.?,? {_YEAR}\b)?"), (2, 1, 0)),
    (re.compile(rf"\b{_MONTH}\b\.? (?:the )?{_DAY}\b(?:,? {_YEAR}\b)?"), (2, 0, 1)),
    (re.compile(rf"\b{_YEAR}-(\d\d)-(\d\d)\b"), (0, 1, 2)),
    (re.compile(rf"\b{_MONTH}\b\.?,? {_YEAR}\b"), (1, 0, None)),
    (re.compile(rf"(?:(?<=[Ii]n )|(?<=[Ss]ince )|(?<=[Uu]ntil )|(?<=[Bb]y )|(?<=[Ll]ast )|(?<=[Nn]ext ))"
                rf"({'|'.join(MONTHS)})\b"), (None, 0, None)),
)  # fmt: skip
_CLOCK = re.compile(
    r"\b(?:(?P<hour>[01]?\d|2[0-3])[:.](?P<minute>[0-5]\d)(?:\s?(?P<half>[ap])\.?m\b\.?)?"
    r"|(?P<full>1?\d)\s?(?P<part>[ap])\.?m\b\.?"
    rf"|(?P<past>half past|quarter past|quarter to) (?P<named>{'|'.join(_ONES[1:13])}|1?\d)"
    rf"|(?P<oclock>{'|'.join(_ONES[1:13])}|1?\d) o'clock|(?P<noon>noon|midnight))",
    re.IGNORECASE,
)
_ORDINAL = re.compile(rf"\b({'|'.join(_ORDINALS)})\b(?! (?:of all|half))", re.IGNORECASE)
_WEEKDAY = re.compile(rf"\b({'|'.join(WEEKDAYS)})s?\b")
_DECADE = re.compile(r"\b(1[5-9]|20)(\d0)['’]?s\b")


class Quantity(NamedTuple):
    """A number, date, time or measure with its position in a text."""

    begin: int
    end: int
    kind: str
    """'count', 'ordinal', 'date', 'clock', 'weekday', 'decade', or what a unit measures, such as 'length'"""
    value: tuple[float | None, ...]
    """(number in the kind's base unit,); for a date (year, month, day), with None for parts that are not given"""
    weak: bool = False
    """Whether it is only an expression like 'a minute' or 'half': it can support a claim but is not one"""


def quantities(text: str) -> list[Quantity]:
    """The quantities of a text, in order and without overlaps."""
    found: list[Quantity] = []
    taken = [False] * len(text)
    for one in _candidates(text):
        if not any(taken[one.begin : one.end]):
            taken[one.begin : one.end] = [True] * (one.end - one.begin)
            found.append(one)
    return sorted(found)


def same(one: Quantity, other: Quantity) -> bool:
    """Whether two quantities are equal. A date without some part agrees with one that has it.

    Measures in different units may differ by 0.2 %, and fractions by 1.5 %; all others must be equal exactly.
    """
    if one.kind == other.kind == "date":
        both = [(a, b) for a, b in zip(one.value, other.value, strict=True) if a is not None and b is not None]
        return bool(both) and all(a == b for a, b in both)
    if {one.kind, other.kind} == {"date", "count"}:
        date, count = (one, other) if one.kind == "date" else (other, one)
        return date.value[0] == count.value[0]
    if one.kind == other.kind == "clock":
        return abs((one.value[0] or 0.0) - (other.value[0] or 0.0)) % 720 == 0
    if one.kind != other.kind and not {one.kind, other.kind} <= {"count", "ordinal"}:
        return False
    a, b = one.value[0] or 0.0, other.value[0] or 0.0
    near = 0.015 if one.weak or other.weak else 0.002
    return abs(a - b) <= (near if one.kind in _NEARLY else 1e-9) * max(abs(a), abs(b))


_SEPARATED = re.compile(rf"(?<![\w.,]){_LARGE}(?!\w)")
_SEPARATOR = re.compile("|".join(_SEPARATORS))


def separated_as(text: str, others: Sequence[str]) -> str:
    """Return a text whose large numbers have the thousands separators that other texts have for the same digits.

    12,000 is written as 12 000 or 12'000 where another text writes it so and none writes 12,000. Every separator is one
    character, so all places in the text stay as they are. A point is left alone, because 12.000 may be 12.
    """
    known = dict.fromkeys(match.group() for other in others for match in _SEPARATED.finditer(other))
    forms = {_SEPARATOR.sub(",", form): form for form in reversed(known)}

    def form(match: re.Match[str]) -> str:
        own = match.group()
        return own if own in known else forms.get(_SEPARATOR.sub(",", own), own)

    return _SEPARATED.sub(form, text)


def in_words(number: int) -> str:
    """A whole number from 0 to 999,999 in words: 28 is 'twenty-eight'. Raises ValueError for other numbers."""
    if not 0 <= number < 1_000_000:
        raise ValueError(f"{number} is not written in words here")
    if number < 20:
        return _ONES[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return _TENS[tens - 2] + (f"-{_ONES[ones]}" if ones else "")
    size, name = (100, "hundred") if number < 1000 else (1000, "thousand")
    many, rest = divmod(number, size)
    between = " and " if rest < 100 else " "
    return f"{in_words(many)} {name}" + (f"{between}{in_words(rest)}" if rest else "")


def _candidates(text: str) -> Iterator[Quantity]:
    """Possible quantities: longer and more certain ones first."""
    for pattern, order in _DATES:
        for match in pattern.finditer(text):
            parts = tuple(None if at is None else _date_part(match.group(at + 1)) for at in order)
            yield Quantity(match.start(), match.end(), "date", parts)
    for match in _CLOCK.finditer(text):
        yield from _clock(match)
    for match in _DECADE.finditer(text):
        yield Quantity(match.start(), match.end(), "decade", (float(match[1] + match[2]),))
    for match in _PART.finditer(text):  # before numbers, because "two thirds" is not two of something
        yield Quantity(match.start(), match.end(), "percent", (_PARTS[match[1].lower()],), weak=True)
    for match in _NUMBER.finditer(text):
        yield _number(match, text)
    for match in _ONE.finditer(text):
        yield Quantity(match.start(), match.end(), *_measured(1.0, match, 2), weak=True)
    for match in _ORDINAL.finditer(text):
        yield Quantity(match.start(), match.end(), "ordinal", (_ORDINALS.index(match[1].lower()) + 1.0,), weak=True)
    for match in _WEEKDAY.finditer(text):
        yield Quantity(match.start(), match.end(), "weekday", (float(WEEKDAYS.index(match[1])),))


def _date_part(part: str | None) -> float | None:
    if part is None:
        return None
    if part.isdigit():
        return float(part)
    return float(next(i for i, name in enumerate(MONTHS, 1) if name.lower().startswith(part[:3].lower())))


def _number(match: re.Match[str], text: str) -> Quantity:
    weak = False
    if match["digits"]:
        scale = (match["scale"] or "").lower()
        value = float(_SEPARATOR.sub("", match["digits"]))
        if scale == "m" and not match["sign"]:
            return Quantity(match.start(), match.end(), "length", (value,))
        value *= _SCALES.get(scale, 1.0)
    else:
        value = _worded(match["words"].lower())
        weak = match["words"].lower() == "one"
    if match["nth"]:
        return Quantity(match.start(), match.end(), "ordinal", (value,))
    if match["sign"]:
        return Quantity(match.start(), match.end(), "money", (value,))
    if unit := _UNIT.match(text, match.end()):
        return Quantity(match.start(), unit.end(), *_measured(value, unit, 1), weak=weak)
    return Quantity(match.start(), match.end(), "count", (value,), weak)


def _measured(value: float, match: re.Match[str], first: int) -> tuple[str, tuple[float, ...]]:
    """Kind and value in its base unit. first: the number of the match group of the first unit."""
    number = next(i for i in range(first, first + len(_UNITS)) if match.group(i))
    kind, factor = list(_UNITS.values())[number - first]
    return kind, (value * factor,)


def _worded(words: str) -> float:
    total = current = 0.0
    for word in re.split(r"[ -]", words.replace(" and ", " ")):
        if word in _SMALL:
            current += _SMALL[word]
        elif word == "half":
            current = 0.5
        elif word in ("hundred", "dozen"):
            current = (current or 1.0) * (100 if word == "hundred" else 12)
        elif word in _SCALES:
            total, current = total + (current or 1.0) * _SCALES[word], 0.0
    return total + current


def _clock(match: re.Match[str]) -> Iterator[Quantity]:
    """Minutes after midnight. Without a.m. or p.m. it can be either (see `same`)."""
    if match["noon"]:
        minutes = 0.0
    elif match["past"]:
        shift = {"half past": 30, "quarter past": 15, "quarter to": -15}[match["past"].lower()]
        minutes = 60.0 * _hour(match["named"]) + shift
    elif match["oclock"]:
        minutes = 60.0 * _hour(match["oclock"])
    else:
        hour, minute = match["hour"] or match["full"], match["minute"]
        if match["full"] is None and match["half"] is None and match.group().count("."):
            return  # 3.15 is a number
        minutes = 60.0 * (int(hour) % 12 + (12 if (match["half"] or match["part"] or "").lower() == "p" else 0))
        minutes += float(minute or 0)
        if match["half"] is None and match["part"] is None and int(hour) > 12:
            minutes += 720
    yield Quantity(match.start(), match.end(), "clock", (minutes,), bool(match["noon"]))


def _hour(named: str) -> int:
    return int(named) if named.isdigit() else _ONES.index(named.lower())

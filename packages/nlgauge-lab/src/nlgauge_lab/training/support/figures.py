"""Edits of numbers, dates and units, and other forms of a number that say the same."""

from __future__ import annotations

import random
import re

from nlgauge.faithfulness.dates import MONTHS, WEEKDAYS
from nlgauge.faithfulness.measures import Quantity, in_words
from nlgauge.faithfulness.quantities import quantities, same
from nlgauge_lab.training.support.edits import Edit, Place, replaced

_UNITS = (
    ("seconds", "minutes", "hours"),
    ("minutes", "hours", "days"),
    ("hours", "days", "weeks"),
    ("days", "weeks", "months"),
    ("weeks", "months", "years"),
    ("months", "years", "decades"),
    ("metres", "kilometres"),
    ("meters", "kilometers"),
    ("km", "m"),
    ("miles", "yards"),
    ("feet", "inches"),
    ("grams", "kilograms"),
    ("kg", "g"),
    ("tonnes", "kilograms"),
    ("litres", "millilitres"),
    ("thousand", "million"),
    ("million", "billion"),
    ("hundred", "thousand"),
    ("dollars", "euros"),
    ("hectares", "acres"),
)
_OTHER_UNITS = {unit: [other for other in group if other != unit] for group in _UNITS for unit in group}
_UNIT = re.compile(rf"(?<=\w )(?:{'|'.join(_OTHER_UNITS)})\b")
_DIGITS = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
_PERCENT = re.compile(r"(\d)\s?%|(\d) per ?cent\b")


def number(place: Place, rng: random.Random) -> Edit | None:
    """Return an edit that replaces a number or date by another one, often by one that is elsewhere in the context."""
    text = place.text
    found = [one for one in quantities(text) if not one.weak or one.kind == "ordinal"]
    if not found:
        return None
    one = rng.choice(found)
    old = text[one.begin : one.end]
    there = [
        place.context[other.begin : other.end]
        for other in quantities(place.context)
        if other.kind == one.kind and not other.weak and not same(one, other)
    ]
    new = rng.choice(there) if there and rng.random() < 0.35 else _another(one, old, rng)
    return None if new is None or new == old else replaced(text, (one.begin, one.end), new)


def exchanged(place: Place, rng: random.Random) -> Edit | None:
    """Return an edit that exchanges two numbers of the same kind."""
    found = [one for one in quantities(place.text) if not one.weak]
    pairs = [
        (a, b)
        for i, a in enumerate(found)
        for b in found[i + 1 :]
        if a.kind == b.kind
        and not same(a, b)
        and not re.fullmatch(r"\W*|,? ?(?:and|or|to)? ?", place.text[a.end : b.begin])
    ]
    if not pairs:
        return None
    a, b = rng.choice(pairs)
    first, second = place.text[a.begin : a.end], place.text[b.begin : b.end]
    edit = place.text[: a.begin] + second + place.text[a.end : b.begin] + first + place.text[b.end :]
    moved = b.begin + len(second) - len(first)
    return Edit(edit, ((a.begin, a.begin + len(second)), (moved, moved + len(first))), True)


def unit(place: Place, rng: random.Random) -> Edit | None:
    """Return an edit that puts another unit or another order of magnitude."""
    found = list(_UNIT.finditer(place.text))
    if not found:
        return None
    match = rng.choice(found)
    return replaced(place.text, match.span(), rng.choice(_OTHER_UNITS[match.group()]))


def written_otherwise(text: str, rng: random.Random) -> str:
    """Return the text with one of its numbers in another form: in words, in digits, rounded, or in another unit."""
    found = [one for one in quantities(text) if not one.weak and len(one.value) == 1]
    if not found:
        return text
    one = rng.choice(found)
    old = text[one.begin : one.end]
    new = _same(one, old, rng)
    return text if new is None else replaced(text, (one.begin, one.end), new).text


def _another(one: Quantity, old: str, rng: random.Random) -> str | None:
    if one.kind == "weekday":
        return rng.choice([day for day in WEEKDAYS if day != old])
    if one.kind == "date" and rng.random() < 0.5 and (month := next((m for m in MONTHS if m in old), None)):
        return old.replace(month, rng.choice([other for other in MONTHS if other != month]))
    digits = _DIGITS.search(old) if one.kind != "date" else rng.choice(list(_DIGITS.finditer(old)) or [None])
    if digits is not None:
        return old[: digits.start()] + _near(digits.group(), rng) + old[digits.end() :]
    value = one.value[0]
    if one.kind == "count" and value is not None and 2 <= value < 100_000:
        other = rng.choice(
            [max(1, round(value) + rng.choice((-2, -1, 1, 2, 3))), round(value) * rng.choice((2, 3, 10))]
        )
        return in_words(min(other, 999_999)) if other != value else None
    return None


def _near(digits: str, rng: random.Random) -> str:
    """Return a number that looks like this one: one digit changed, two digits exchanged, or ten times as large."""
    places = [at for at, sign in enumerate(digits) if sign.isdigit()]
    way = rng.random()
    if way < 0.2 and len(places) > 1:
        a = rng.randrange(len(places) - 1)
        one, two = places[a], places[a + 1]
        made = digits[:one] + digits[two] + digits[one + 1 : two] + digits[one] + digits[two + 1 :]
        if made != digits and made[0] != "0":
            return made
    if way < 0.3 and "." not in digits and "," not in digits and len(digits) < 4:
        return digits + "0"
    at = rng.choice(places[-3:])
    other = rng.choice([sign for sign in "123456789" if sign != digits[at]])
    return digits[:at] + other + digits[at + 1 :]


def _same(one: Quantity, old: str, rng: random.Random) -> str | None:
    """Return another form of a number that means the same, or is rounded; None if the rules have no other form for it.

    Args:
        one: the number as it was read.
        old: its text.
        rng: decides whether a large number is rounded.
    """
    value = one.value[0]
    if value is None:
        return None
    if one.kind == "percent":
        return _PERCENT.sub(lambda match: (match[1] or match[2]) + (" percent" if match[1] else " %"), old)
    if one.kind == "duration" and value % 60 == 0 and 120 <= value <= 36_000 and value % 3600 == 0:
        return f"{in_words(int(value // 60))} minutes" if "hour" in old else f"{int(value // 3600)} hours"
    if one.kind == "duration" and old.endswith(" weeks"):
        return f"{int(value // 86400)} days"
    if one.kind == "months" and old.endswith(" years") and value <= 60:
        return f"{int(value)} months"
    if one.kind != "count" or value != int(value):
        return None
    if value >= 10_000 and value % 1000 and rng.random() < 0.7:
        return f"about {round(value, 1 - len(str(int(value))) + 1):,.0f}"
    if value >= 1e6 and value % 1e5 == 0:
        return f"{value / 1e6:g} million" if "illion" not in old else f"{value:,.0f}"
    if 1000 <= value <= 2100 and "," not in old:
        return None  # a year, perhaps
    if old[0].isdigit():
        return in_words(int(value)) if value < 1000 else (old.replace(",", "") if "," in old else f"{value:,.0f}")
    return f"{value:,.0f}" if value > 1 else None

"""Numbers, measures and amounts of money of an English text, and the record of a quantity."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import nan
from typing import NamedTuple

ONES = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
SMALL = {word: value for value, word in enumerate(ONES)} | {word: 20 + 10 * i for i, word in enumerate(TENS)}
_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "k": 1e3, "m": 1e6, "bn": 1e9}
_ORDINALS = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh"),
    *("twelfth", *(f"{word}th" for word in ONES[13:])),
)
_ORDINAL_VALUES = {word: value for value, word in enumerate(_ORDINALS, 1)} | {
    f"{word[:-1]}ieth": SMALL[word] for word in TENS
}
_ORDINAL_VALUES |= {f"{tens}-{word}": SMALL[tens] + _ORDINAL_VALUES[word] for tens in TENS for word in _ORDINALS[:9]}
MEASURES: dict[str, dict[str, float]] = {
    "percent": {"%|percent|per cent|pct": 1},
    "points": {"percentage points?|pp": 1, "basis points?|bps": 0.01},
    "duration": {
        "milliseconds?|ms": 0.001,
        "seconds?|secs?|s": 1,
        "minutes?|mins?": 60,
        "hours?|hrs?|h": 3600,
        "days?": 86400,
        "weeks?": 604800,
        "fortnights?": 1209600,
    },
    "months": {"months?": 1, "years?|yrs?": 12, "decades?": 120, "century|centuries": 1200},
    "length": {
        "millimetres?|millimeters?|mm": 0.001,
        "centimetres?|centimeters?|cm": 0.01,
        "met(?:re|er)s?|m": 1,
        "kilometres?|kilometers?|km": 1000,
        "inch(?:es)?|in(?= (?:tall|wide|long|deep|thick|high)\\b)": 0.0254,
        "foot|feet|ft": 0.3048,
        "yards?": 0.9144,
        "miles?": 1609.344,
    },
    "speed": {
        "kilomet(?:re|er)s (?:per|an) hour|km/h|kmh|kph": 1,
        "miles (?:per|an) hour|mph": 1.609344,
        "met(?:re|er)s per second|m/s": 3.6,
    },
    "mass": {
        "milligrams?|mg": 0.001,
        "grams?|g": 1,
        "kilograms?|kilos?|kg": 1000,
        "tonnes?|tons?": 1e6,
        "ounces?|oz": 28.349523125,
        "pounds?|lbs?": 453.59237,
    },
    "volume": {
        "millilitres?|milliliters?|ml": 0.001,
        "centilitres?|centiliters?|cl": 0.01,
        "lit(?:re|er)s?|l": 1,
        "gallons?": 3.785411784,
    },
    "bytes": {
        "kilobytes?|kb": 1e3,
        "megabytes?|mb": 1e6,
        "gigabytes?|gb": 1e9,
        "terabytes?|tb": 1e12,
    },
    "energy": {"kilowatt[- ]hours?|kwh": 1, "megawatt[- ]hours?|mwh": 1000},
    "power": {"watts?|w": 1, "kilowatts?|kw": 1000, "megawatts?|mw": 1e6, "gigawatts?|gw": 1e9},
    "temperature": {
        "degrees? Celsius|degrees? centigrade|degrees? C|°\\s?C|℃": 1,
        "degrees? Fahrenheit|degrees? F|°\\s?F|℉": 2,
        "kelvin": 3,
        "degrees?|°": 0,
    },
    "area": {
        "hectares?|ha": 1,
        "square kilomet(?:re|er)s?|km²": 100,
        "square miles?": 258.9988,
        "acres?": 0.40468564,
        "square met(?:re|er)s?|m²|sqm": 1e-4,
        "square f(?:ee|oo)t|sq\\.? ft": 9.290304e-6,
    },
}
"""For each kind: patterns of units, and their factor to the kind's base unit. For temperatures: the number of the scale
in ("", "C", "F", "K")"""
_CURRENCIES = {
    "dollar": ("USD?\\$|\\$", "USD", "dollars?|bucks"),
    "euro": ("€", "EUR", "euros?"),
    "pound": ("£", "GBP", "pounds? sterling|quid"),
    "yen": ("¥", "JPY", "yen"),
    "franc": ("", "CHF", "francs?"),
    "rupee": ("₹", "INR", "rupees?"),
    "zloty": ("", "PLN", "zł|zlotys?"),
    "crown": ("", "", "crowns?|kron[eo]r|kroner|kr"),
    "crown of Sweden": ("", "SEK", ""),
    "crown of Norway": ("", "NOK", ""),
    "crown of Denmark": ("", "DKK", ""),
    "crown of Czechia": ("", "CZK", "Kč"),
    "yuan": ("", "CNY|RMB", "yuan|renminbi"),
    "won": ("₩", "KRW", ""),
    "dollar of Canada": ("CA?\\$", "CAD", ""),
    "dollar of Australia": ("AU?\\$", "AUD", ""),
    "dollar of New Zealand": ("NZ\\$", "NZD", ""),
    "dollar of Hong Kong": ("HK\\$", "HKD", ""),
    "dollar of Singapore": ("S\\$", "SGD", ""),
    "real": ("R\\$", "BRL", "reais|reals"),
    "peso": ("MX\\$", "MXN", "pesos?"),
    "rand": ("", "ZAR", "rands?"),
    "naira": ("₦", "NGN", "nairas?"),
    "lira": ("₺", "TRY", "liras?"),
    "shekel": ("₪", "ILS", "shekels?"),
    "dong": ("₫", "VND", "dongs?"),
    "hryvnia": ("₴", "UAH", "hryvnias?"),
    "forint": ("", "HUF", "forints?"),
    "cent": ("", "", "cents?|¢"),
    "pound penny": ("", "", "pence|p(?![.\\w])"),
}
"""For each currency: its signs, its codes, and what else stands after an amount"""
_LINES = frozenset({240, 360, 480, 720, 1080, 1440, 2160, 4320})
"""Numbers of lines of a screen, as in 1080p, where "p" does not mean pence"""
_HUNDREDTH = {"cent": "", "pound penny": "pound"}
_UNITS = {pattern: (kind, factor) for kind, units in MEASURES.items() for pattern, factor in units.items()}
_UNIT_NAMES = "|".join(f"({pattern})" for pattern in _UNITS)
_PAID_SIGNS = "|".join(signs for signs, _, _ in _CURRENCIES.values() if signs)
_PAID_CODES = "|".join(codes for _, codes, _ in _CURRENCIES.values() if codes)
_CURRENCY = "|".join(form for forms in _CURRENCIES.values() for form in forms if form)
_CURRENCY_OF = [(re.compile("|".join(filter(None, forms)), re.IGNORECASE), name) for name, forms in _CURRENCIES.items()]
_WORD = "|".join(sorted((*SMALL, "hundred", *list(_SCALES)[:4], "dozen"), key=len, reverse=True))
_BIG = "hundred|thousand|million|billion|trillion|dozen"
_AND = r"(?:(?<=hundred)|(?<=thousand)|(?<=million)) and "
_IN_WORDS = (
    rf"(?:(?:half )?an? (?=(?:{_BIG})\b))?\b(?:{_WORD})\b(?:(?:[ -]|{_AND})(?:{_WORD})\b){{0,15}}"
    r"(?: and a (?:half|quarter)\b| and three quarters\b)?"
)
_SPACES = " \u00a0\u2009\u202f"
_SEPARATORS = (",", "['’]", f"[{_SPACES}]", r"\.")
"""Patterns of separators of thousands. A number has one of them alone. A single point or comma may be a decimal sign"""
_THOUSANDS = "|".join(rf"\d{{1,3}}(?:{separator}\d{{3}})+(?!{separator}?\d)" for separator in _SEPARATORS)
_LARGE = rf"(?<!\d[ '’\u00a0\u2009\u202f])(?:{_THOUSANDS})"
_INDIAN = r"\d{1,2}(?:,\d\d)+,\d{3}(?!\d)"
_DIGITS = (
    rf"(?<![\w.,])(?:(?:{_LARGE}|{_INDIAN})(?:\.\d+|,\d{{1,2}}(?![\d,]))?|\d+,\d{{1,2}}(?![\d,]|\.\d)|\d+(?:\.\d+)?)"
    r"(?:[eE][+-]?\d+\b|\s?[x×·*]\s?10(?:\^-?\d+|[⁻⁰¹²³⁴-⁹]+))?(?:[ ]?[½¼¾⅓⅔]|[ ][13]/[248]\b)?"
)
_SIGN = rf"(?:(?<![\w)\].,%°/–−-])[-−–](?=(?:{_PAID_SIGNS})?\d)|(?<!\d )\bminus |\bnegative (?=\d))"
_NUMBER = re.compile(
    rf"(?P<sign>{_SIGN})?(?:(?P<before>(?:(?<!\w)(?:{_PAID_SIGNS})|(?:{_PAID_CODES})(?=[{_SPACES}]))[{_SPACES}]?[-−–]?))?"
    rf"(?:(?P<digits>{_DIGITS}|(?<!\w)[½¼¾⅓⅔])(?:(?P<nth>st|nd|rd|th)\b"
    r"|\s?(?P<scale>thousand|million|billion|trillion|k|bn|m)\b(?! ?/|²))?"
    rf"|(?P<words>{_IN_WORDS})(?: (?P<half_scale>thousand|million|billion)\b)?)",
    re.IGNORECASE,
)
_GAP = "(?:\\*\\*|`)?[ \u00a0\u202f-]?"
_UNIT = re.compile(rf"{_GAP}(?:{_UNIT_NAMES})(?![a-z²/])", re.IGNORECASE)
_PAID = re.compile(rf"{_GAP}(?P<name>{_CURRENCY})(?!\w)", re.IGNORECASE)
_KEY = re.compile(
    rf"[a-z]_(?:{_UNIT_NAMES}|(?P<paid>{_PAID_CODES})|(?P<scale>c|celsius|f|fahrenheit))"
    r"[\"']?\s*[:=]\s*[\"']?$",
    re.IGNORECASE,
)
"""A unit in a key before a number, as in "weight_kg": 12"""
_BELOW = re.compile(r" (?:below zero|below freezing|of frost)\b")
_ONE = re.compile(rf"\b(?P<one>an?|one|per|each) (?:{_UNIT_NAMES})\b", re.IGNORECASE)
_PART_OF = re.compile(
    rf"\b(half|a quarter|three quarters|a third|two thirds)(?: of)? an? (?:{_UNIT_NAMES})\b"
    rf"|\ban? (?:{_UNIT_NAMES}) and (a half|a quarter)\b",
    re.IGNORECASE,
)
_PARTS = {
    "half": 50.0,
    "a third": 100 / 3,
    "one third": 100 / 3,
    "two thirds": 200 / 3,
    "two-thirds": 200 / 3,
    "a quarter": 25.0,
    "one quarter": 25.0,
    "three quarters": 75.0,
    "three-quarters": 75.0,
    "a fifth": 20.0,
    "a tenth": 10.0,
}
_SIGNS = {"½": 0.5, "¼": 0.25, "¾": 0.75, "⅓": 1 / 3, "⅔": 2 / 3}
_PART = re.compile(
    r"(?:(?<!and )(?<!and a )|(?=[a-z-]{4,8}(?: [a-z]{5,8})? of\b))"
    rf"\b({'|'.join(map(re.escape, _PARTS))})\b(?! past| an? (?:{_BIG})\b)",
    re.IGNORECASE,
)
_OF_SO_MANY = re.compile(
    rf"\b(?P<some>{'|'.join(ONES[1:13])}|\d{{1,2}})(?: out of(?: every)?| of every| in(?: every)?) "
    rf"(?P<many>{'|'.join([*ONES[2:], *TENS, 'a hundred'])}|\d{{1,3}})\b(?! (?:{_UNIT_NAMES})\b)"
    r"(?=\s[a-z]|\s*[.,;:!?)]|\Z)",
    re.IGNORECASE,
)
"""A share in two numbers, as in "one in four visitors" and "3 out of 10" """
_ORDINAL = re.compile(
    rf"\b({'|'.join(sorted(_ORDINAL_VALUES, key=len, reverse=True))})\b(?! (?:of all|half))", re.IGNORECASE
)


NUMBERED = (
    rf"[\d½¼¾⅓⅔]|\b(?:half|quarter|{'|'.join([*SMALL, *_ORDINAL_VALUES])}|{_BIG})"
    rf"|\b(?:an?|one|per|each) (?:{_UNIT_NAMES})\b"
)
"""A pattern, to be used without regard to case, that matches in every text with a number or a measure"""


class Quantity(NamedTuple):
    """A number, date, time, measure or identifier with its position in a text."""

    begin: int
    end: int
    kind: str
    """'count', 'ordinal', 'date', 'clock', 'weekday', 'decade', 'money', 'phone', 'version', 'code', or what a unit
    measures, such as 'length'"""
    value: tuple[float | None, ...]
    """(number in the kind's base unit,); for a date (year, month, day), with None for parts that are not given; for a
    clock (minutes after midnight,). An identifier has none"""
    weak: bool = False
    """Whether it is only an expression like 'a minute' or 'half', which can support a claim and is no claim itself"""
    written: float = nan
    """The number as it stands in the text, before its unit: 45 in '45 minutes'"""
    unit: str = ""
    """The name of the currency, or the scale of a temperature ('C', 'F', 'K'), if the text says it. For a time, 'half'
    if its half of the day is known. For an identifier, its characters without separators"""
    other: float | tuple[float | None, ...] | None = None
    """Another value that the same characters may have: 12000 for 12.000, and (1967, 5, 1) for 01/05/1967"""


def in_words(number: int) -> str:
    """Return a whole number from 0 to 999,999 in words: 28 is 'twenty-eight'.

    Args:
        number: the number.

    Returns:
        The words.

    Raises:
        ValueError: the number is below 0 or above 999,999.
    """
    if not 0 <= number < 1_000_000:
        raise ValueError(f"{number} is not written in words here")
    if number < 20:
        return ONES[number]
    if number < 100:
        tens, units = divmod(number, 10)
        return TENS[tens - 2] + (f"-{ONES[units]}" if units else "")
    size, name = (100, "hundred") if number < 1000 else (1000, "thousand")
    many, rest = divmod(number, size)
    between = " and " if rest < 100 else " "
    return f"{in_words(many)} {name}" + (f"{between}{in_words(rest)}" if rest else "")


def measures(text: str) -> Iterator[Quantity]:
    """Yield the possible numbers, measures and amounts of a text. Of two that overlap, the more certain comes first."""
    for match in _PART_OF.finditer(text):
        units = len(_UNITS)
        if match[1]:
            share = _PARTS[match[1].lower()] / 100
            kind, value, unit = _measured(share, match, 2)
        else:
            kind, value, unit = _measured(1.5 if match[2 * units + 2].lower() == "a half" else 1.25, match, 2 + units)
        yield Quantity(match.start(), match.end(), kind, value, unit=unit)
    for match in _OF_SO_MANY.finditer(text):
        part, many = _whole(match["some"]), _whole(match["many"])
        if part < many:
            yield Quantity(match.start(), match.end(), "percent", (100 * part / many,), written=100 * part / many)
    for match in _PART.finditer(text):  # before numbers, because "two thirds" is not two of something
        yield Quantity(match.start(), match.end(), "percent", (_PARTS[match[1].lower()],), weak=True)
    for match in _ORDINAL.finditer(text):
        number = float(_ORDINAL_VALUES[match[1].lower()])
        yield Quantity(match.start(), match.end(), "ordinal", (number,), weak=True, written=number)
    for match in _NUMBER.finditer(text):
        yield _number(match, text)
    for match in _ONE.finditer(text):
        kind, value, unit = _measured(1.0, match, 2)
        yield Quantity(match.start(), match.end(), kind, value, weak=True, written=1.0, unit=unit)


def _currency(said: str) -> str:
    """Return the name of a currency, from its sign, code or word."""
    return next(name for pattern, name in _CURRENCY_OF if pattern.fullmatch(said.strip(f"{_SPACES}-−–")))


def _number(match: re.Match[str], text: str) -> Quantity:
    weak, other = False, None
    scale = (match["scale"] or match["half_scale"] or "").lower()
    if match["digits"]:
        value, other = _digits(match["digits"])
    else:
        value = _worded(match["words"].lower())
        weak = match["words"].lower() == "one"
    below = bool(match["sign"]) or bool(match["before"] and re.search("[-−–]", match["before"]))
    value = -value if below else value
    begin, end = match.span()
    if match["nth"]:
        return Quantity(begin, end, "ordinal", (value,), written=value)
    paid = match["before"] or None
    after = _PAID.match(text, end) if paid is None else None
    if after is not None and not (after["name"] == "p" and value in _LINES):
        paid, end = after["name"], after.end()
    if paid is None and scale == "m":
        return Quantity(begin, end, "length", (value,), written=value)
    amount = value * _SCALES.get(scale, 1.0)
    if paid is not None:
        name = _currency(paid)
        amount = amount / 100 if name in _HUNDREDTH else amount
        return Quantity(begin, end, "money", (amount,), written=value, unit=_HUNDREDTH.get(name, name), other=other)
    if unit := _UNIT.match(text, end):
        kind, measure, named = _measured(amount, unit, 1)
        end = unit.end()
        if kind == "temperature" and (under := _BELOW.match(text, end)) is not None:
            value, end = -abs(value), under.end()
            measure = (celsius(value, named),)
        return Quantity(
            begin=begin, end=end, kind=kind, value=measure, weak=weak, written=value, unit=named, other=other
        )
    if key := _KEY.search(text[max(0, begin - 60) : begin]):
        if key["paid"]:
            return Quantity(begin, end, "money", (amount,), written=value, unit=_currency(key["paid"]), other=other)
        if key["scale"]:
            named = key["scale"][0].upper()
            return Quantity(begin, end, "temperature", (celsius(value, named),), written=value, unit=named)
        kind, measure, named = _measured(amount, key, 1)
        return Quantity(begin, end, kind, measure, written=value, unit=named, other=other)
    return Quantity(begin=begin, end=end, kind="count", value=(amount,), weak=weak, written=value, other=other)


def _digits(written: str) -> tuple[float, float | None]:
    """Return the number that digits write, and another number that they may mean or None: 12.000 is 12 or 12000."""
    power, part = 0, 0.0
    if match := re.search(r"[eE]([+-]?\d+)$|\s?[x×·*]\s?10(?:\^(-?\d+)|([⁻⁰¹²³⁴-⁹]+))$", written):
        power = int(match[1] or match[2] or match[3].translate(_RAISED))
        written = written[: match.start()]
    if match := re.search(r" ?([½¼¾⅓⅔])$| ([13])/([248])$", written):
        part = _SIGNS[match[1]] if match[1] else int(match[2]) / int(match[3])
        written = written[: match.start()]
    plain = re.sub(rf"['’{_SPACES}]", "", written) or "0"
    points, commas = plain.count("."), plain.count(",")
    grouped = re.fullmatch(r"[1-9]\d{0,2}[.,]\d{3}", plain) is not None
    other = None
    if points and commas:
        decimal = max(".,", key=plain.rfind)
        plain = plain.replace("," if decimal == "." else ".", "").replace(decimal, ".")
    elif points > 1 or commas > 1 or (commas and grouped):
        plain = plain.replace(",", "").replace(".", "")
    elif commas:
        plain = plain.replace(",", ".")
    elif grouped:
        other = float(plain.replace(".", ""))
    return (float(plain) + part) * 10.0**power, other


_RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def _measured(value: float, match: re.Match[str], first: int) -> tuple[str, tuple[float, ...], str]:
    """Return the kind of a measure, its value in the base unit, and for a temperature its scale.

    Args:
        value: the number before the unit.
        match: a match with one group for each unit of `MEASURES`.
        first: the number of the group of the first unit.

    Returns:
        Kind, value and scale; the scale is empty for other kinds.
    """
    number = next(i for i in range(first, first + len(_UNITS)) if match.group(i))
    kind, factor = list(_UNITS.values())[number - first]
    if kind == "temperature":
        scale = ("", "C", "F", "K")[int(factor)]
        return kind, (celsius(value, scale),), scale
    return kind, (value * factor,), ""


def celsius(degrees: float, scale: str) -> float:
    return {"F": (degrees - 32) / 1.8, "K": degrees - 273.15}.get(scale, degrees)


def _worded(words: str) -> float:
    more = 0.5 if words.endswith(" and a half") else 0.25 if words.endswith(" and a quarter") else 0.0
    more = 0.75 if words.endswith(" and three quarters") else more
    words = re.sub(r" and (?:a half|a quarter|three quarters)$", "", words)
    total = current = 0.0
    for word in re.split(r"[ -]", words.replace(" and ", " ")):
        if word in SMALL:
            current += SMALL[word]
        elif word == "half":
            current = 0.5
        elif word in ("hundred", "dozen"):
            current = (current or 1.0) * (100 if word == "hundred" else 12)
        elif word in _SCALES:
            total, current = total + (current or 1.0) * _SCALES[word], 0.0
    return total + current + more


def _whole(named: str) -> float:
    named = named.lower()
    return float(named) if named.isdigit() else 100.0 if named == "a hundred" else float(SMALL[named])

"""Numbers, dates, times and measures of an English text, by their value and not by their spelling.

28 and twenty-eight, 1.2 million and 1 200 000, 60 seconds and a minute, 3 May and May 3rd are equal quantities.

The grammar is our own. On 28 spellings quantulum3 reads 13 right (9 p.m. as nine pence, 12,50 EUR as 50 EUR, 10-20 kg
as 15 kg), and dateparser takes the verb of "may go" for a month and counts "in 30 days" from today.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from math import nan
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
    *("twelfth", *(f"{word}th" for word in _ONES[13:])),
)
_ORDINAL_VALUES = {word: value for value, word in enumerate(_ORDINALS, 1)} | {
    f"{word[:-1]}ieth": _SMALL[word] for word in _TENS
}
_ORDINAL_VALUES |= {f"{tens}-{word}": _SMALL[tens] + _ORDINAL_VALUES[word] for tens in _TENS for word in _ORDINALS[:9]}
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November"),
    "December",
)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MEASURES: dict[str, dict[str, float]] = {
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
"""For each kind: patterns of units, and their factor to the kind's base unit. Temperatures: the number of the scale"""
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
"""Lines of a screen, as in 1080p, which are no pence"""
_HUNDREDTH = {"cent": "", "pound penny": "pound"}
_UNITS = {pattern: (kind, factor) for kind, units in _MEASURES.items() for pattern, factor in units.items()}
_UNIT_NAMES = "|".join(f"({pattern})" for pattern in _UNITS)
_PAID_SIGNS = "|".join(signs for signs, _, _ in _CURRENCIES.values() if signs)
_PAID_CODES = "|".join(codes for _, codes, _ in _CURRENCIES.values() if codes)
_CURRENCY = "|".join(one for forms in _CURRENCIES.values() for one in forms if one)
_CURRENCY_OF = [(re.compile("|".join(filter(None, forms)), re.IGNORECASE), name) for name, forms in _CURRENCIES.items()]
_MONTH = "(" + "|".join([*MONTHS, *(name[:3] for name in MONTHS), "Sept"]) + ")"
_WORD = "|".join(sorted((*_SMALL, "hundred", *list(_SCALES)[:4], "dozen"), key=len, reverse=True))
_BIG = "hundred|thousand|million|billion|trillion|dozen"
_AND = r"(?:(?<=hundred)|(?<=thousand)|(?<=million)) and "
_IN_WORDS = (
    rf"(?:(?:half )?an? (?=(?:{_BIG})\b))?\b(?:{_WORD})\b(?:(?:[ -]|{_AND})(?:{_WORD})\b){{0,15}}"
    r"(?: and a (?:half|quarter)\b| and three quarters\b)?"
)
_SPACES = " \u00a0\u2009\u202f"
_SEPARATORS = (",", "['’]", f"[{_SPACES}]", r"\.")
"""Separators of thousands, each kind by itself. A single point or comma may also be a decimal sign"""
_THOUSANDS = "|".join(rf"\d{{1,3}}(?:{one}\d{{3}})+(?!{one}?\d)" for one in _SEPARATORS)
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
_MIXED = re.compile(r"(?<![\w.,:])(?:(\d+)\s?h(?:rs?)?\s?)?(?:(\d+)\s?m(?:ins?)?\s?)?(?:(\d+)\s?s(?:ecs?)?)?(?![\w])")
_NEARLY = frozenset({"percent", "length", "mass", "volume", "area", "months", "speed", "energy", "power"})
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
    rf"\b(?P<some>{'|'.join(_ONES[1:13])}|\d{{1,2}})(?: out of(?: every)?| of every| in(?: every)?) "
    rf"(?P<many>{'|'.join([*_ONES[2:], *_TENS, 'a hundred'])}|\d{{1,3}})\b(?! (?:{_UNIT_NAMES})\b)"
    r"(?=\s[a-z]|\s*[.,;:!?)]|\Z)",
    re.IGNORECASE,
)
"""One in four visitors, 3 out of 10"""
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"([12]\d{3})"
_DATES = (
    (re.compile(rf"\b{_DAY}(?: of)?[ -]{_MONTH}\b(?:\.?,?[ -]{_YEAR}\b)?"), (2, 1, 0)),
    (re.compile(rf"\b{_MONTH}\b\.? (?:the )?{_DAY}\b(?:,? {_YEAR}\b)?"), (2, 0, 1)),
    (re.compile(rf"\b{_YEAR}[-/.](0[1-9]|1[0-2])[-/.]([0-2]\d|3[01])(?:(?=T\d)|\b)"), (0, 1, 2)),
    (re.compile(rf"(?<![\d./-])([0-2]?\d|3[01])[./-]([0-2]?\d|3[01])[./-]{_YEAR}\b"), (2, 1, 0)),
    (re.compile(rf"\b{_MONTH}\b\.?,? {_YEAR}\b"), (1, 0, None)),
    (
        re.compile(
            rf"(?:(?<=[Ii]n )|(?<=[Ss]ince )|(?<=[Uu]ntil )|(?<=[Bb]y )|(?<=[Ll]ast )|(?<=[Nn]ext ))"
            rf"({'|'.join(MONTHS)})\b"
        ),
        (None, 0, None),
    ),
)
_HALF_OF_DAY = r"(?:\s?(?P<{}>[ap])(?:\.\s?m\b\.?|m\b)| (?P<{}>in the (?:morning|afternoon|evening)|at night)\b)"
_HOUR_NAMES = "|".join(_ONES[1:13])
_MINUTES = {"half": 30.0, "quarter": 15.0, "five": 5.0, "ten": 10.0, "twenty": 20.0, "twenty-five": 25.0}
_MINUTE_NAMES = "|".join(sorted(list(_MINUTES)[2:], key=len, reverse=True))
_CLOCK = re.compile(
    r"(?:(?<!\w)|(?<=\dT))(?<![.,:])(?:"
    rf"(?P<hour>[01]?\d|2[0-3])(?P<sep>[:.])(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d)(?![:\d]))?(?![:\d]|\.\d)"
    rf"{_HALF_OF_DAY.format('half', 'day')}?"
    rf"|(?P<full>1?\d){_HALF_OF_DAY.format('part', 'of_day')}"
    rf"|(?:a )?(?P<past>half past|(?:quarter|{_MINUTE_NAMES})(?: minutes?)? (?:past|to)) "
    rf"(?P<named>{_HOUR_NAMES}|1?\d)\b{_HALF_OF_DAY.format('h3', 'd3')}?"
    rf"|(?P<oclock>{_HOUR_NAMES}|1?\d) o['’]clock{_HALF_OF_DAY.format('h4', 'd4')}?"
    rf"|(?P<spoken>{_HOUR_NAMES}){_HALF_OF_DAY.format('h5', 'd5')}"
    r"|(?P<noon>noon|midnight)\b)",
    re.IGNORECASE,
)
_BARE_HOUR = re.compile(
    rf"\b(?:at|until|till|by|before|after)\s(?P<bare>{_HOUR_NAMES}|1[0-2]|[1-9])"
    r"(?=\s*[.;:!?)]?\s*\Z|[.,;!?)]\s"
    r"|\s(?:on|and|but|in the|at|every|each|sharp|instead|by|near|with|outside|from|for|until|till|to"
    r"|because|when|while|or)\b)",
    re.IGNORECASE,
)
"""An hour without minutes, half of the day or o'clock: "opens at ten"."""
_OF_HOURS = re.compile(
    r"\b(?:open|clos|shut|start|begin|began|begun|end(?:s|ed)?\b|leav|left|arriv|depart|set(?:s)? off|serv|meet|met\b"
    r"|doors?\b|breakfast|lunch|dinner|bus(?:es)?\b|train|ferry|show|concert|class|lesson|tour|call(?:ed)?\b|runs?\b|ran\b)\w*"
    r"(?:(?!\.\s).)*$",
    re.IGNORECASE | re.DOTALL,
)
"""What happens at an hour, before it in the same sentence"""
_NEAR = 80
_DIGITAL = re.compile(r"[01]?\d[:.][0-5]\d|2[0-3][:.][0-5]\d")
_OF_DAY = re.compile(r"(?:1[3-9]|2[0-3])[:.][0-5]\d")
"""A time of 24 hours, beside which 7:15 is in the morning"""
_ORDINAL = re.compile(
    rf"\b({'|'.join(sorted(_ORDINAL_VALUES, key=len, reverse=True))})\b(?! (?:of all|half))", re.IGNORECASE
)
_WEEKDAY = re.compile(rf"\b({'|'.join(WEEKDAYS)})s?\b")
_DECADES = {f"{word[:-1]}ies": 1900.0 + _SMALL[word] for word in _TENS[1:]}
_DECADE = re.compile(
    r"\b(?P<year>(?:1[5-9]|20)\d0)['’]?s\b|\b[Tt]he (?:(?:early|mid|late)[ -])?"
    rf"(?P<short>['’]?(?P<tens>[3-9]0)s|(?:nineteen[- ])?(?P<named>{'|'.join(_DECADES)}))\b"
)
"""1980s, the 80s, the eighties; the twenties may be of two centuries"""
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
    """Whether it is only an expression like 'a minute' or 'half': it can support a claim but is not one"""
    written: float = nan
    """The number as it stands in the text, before its unit: 45 in '45 minutes'"""
    unit: str = ""
    """The currency or the scale of a temperature if it is named; 'half' if a time says which half of the day; the name
    of an identifier, without separators"""
    other: float | tuple[float | None, ...] | None = None
    """What the same characters may also say: 12000 for 12.000, and (1967, 5, 1) for 01/05/1967"""


def quantities(text: str) -> list[Quantity]:
    """Return the quantities of a text, in order and without overlaps."""
    found: list[Quantity] = []
    taken = [False] * len(text)
    for one in _candidates(text):
        if one.end - one.begin <= _LONGEST and not any(taken[one.begin : one.end]):
            taken[one.begin : one.end] = [True] * (one.end - one.begin)
            found.append(one)
    found = _joined(text, sorted(found, key=lambda one: one.begin))
    clocks = {n for n, one in enumerate(found) if one.kind == "clock" and _DIGITAL.fullmatch(text, one.begin, one.end)}
    if any(_OF_DAY.match(text, found[n].begin) for n in clocks):
        return [one._replace(unit="half") if n in clocks else one for n, one in enumerate(found)]
    return found


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
            or one.kind not in _CONVERTED
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


_CONVERTED = frozenset(
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
        return _ONES[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return _TENS[tens - 2] + (f"-{_ONES[ones]}" if ones else "")
    size, name = (100, "hundred") if number < 1000 else (1000, "thousand")
    many, rest = divmod(number, size)
    between = " and " if rest < 100 else " "
    return f"{in_words(many)} {name}" + (f"{between}{in_words(rest)}" if rest else "")


def _candidates(text: str) -> Iterator[Quantity]:
    """Yield possible quantities: longer and more certain quantities first."""
    for pattern, order in _DATES:
        for match in pattern.finditer(text):
            year, month, day = (None if at is None else _date_part(match.group(at + 1)) for at in order)
            if month is not None and month > 12:
                month, day = day, month
            swapped = order == (2, 1, 0) and match.group(2).isdigit() and day is not None and day <= 12
            if month is None or month <= 12:
                other = (year, day, month) if swapped else None
                yield Quantity(match.start(), match.end(), "date", (year, month, day), other=other)
    for kind, pattern in _IDENTIFIERS:
        for match in pattern.finditer(text):
            name = re.sub(r"[^\w.]" if kind == "version" else r"[\W_]", "", match.group()).lower()
            name = name.removeprefix("v") if kind == "version" else name
            if (kind != "phone" or 7 <= len(name) <= 15) and not _GROUPED.fullmatch(match.group()):
                yield Quantity(*match.span(), kind, (), unit=name)
    for match in _CLOCK.finditer(text):
        yield from _clock(match)
    for match in _BARE_HOUR.finditer(text):
        if _OF_HOURS.search(text[max(0, match.start() - _NEAR) : match.start()]):
            hour = _hour(match["bare"])
            yield Quantity(*match.span("bare"), "clock", (60.0 * hour % 1440,), written=float(hour))
    for match in _MIXED.finditer(text):
        if sum(part is not None for part in match.groups()) > 1:
            hours, minutes, seconds = (float(part or 0) for part in match.groups())
            yield Quantity(match.start(), match.end(), "duration", (3600 * hours + 60 * minutes + seconds,))
    for match in _DECADE.finditer(text):
        begins = _DECADES[match["named"]] if match["named"] else float(match["year"] or f"19{match['tens']}")
        yield Quantity(*match.span("short" if match["short"] else 0), "decade", (begins,))
    for match in _PART_OF.finditer(text):
        units = len(_UNITS)
        if match[1]:
            share = _PARTS[match[1].lower()] / 100
            kind, value, unit = _measured(share, match, 2)
        else:
            kind, value, unit = _measured(1.5 if match[2 * units + 2].lower() == "a half" else 1.25, match, 2 + units)
        yield Quantity(match.start(), match.end(), kind, value, unit=unit)
    for match in _OF_SO_MANY.finditer(text):
        some, many = _whole(match["some"]), _whole(match["many"])
        if some < many:
            yield Quantity(match.start(), match.end(), "percent", (100 * some / many,), written=100 * some / many)
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
    for match in _WEEKDAY.finditer(text):
        yield Quantity(match.start(), match.end(), "weekday", (float(WEEKDAYS.index(match[1])),))


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
            return last._replace(kind=one.kind, value=(_celsius(last.written, one.unit),), unit=one.unit), one
        if (one.kind in _MEASURES or one.kind == "money") and one.value[0] is not None:
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


def _date_part(part: str | None) -> float | None:
    if part is None:
        return None
    if part.isdigit():
        return float(part)
    return float(next(i for i, name in enumerate(MONTHS, 1) if name.lower().startswith(part[:3].lower())))


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
            measure = (_celsius(value, named),)
        return Quantity(
            begin=begin, end=end, kind=kind, value=measure, weak=weak, written=value, unit=named, other=other
        )
    if key := _KEY.search(text[max(0, begin - 60) : begin]):
        if key["paid"]:
            return Quantity(begin, end, "money", (amount,), written=value, unit=_currency(key["paid"]), other=other)
        if key["scale"]:
            named = key["scale"][0].upper()
            return Quantity(begin, end, "temperature", (_celsius(value, named),), written=value, unit=named)
        kind, measure, named = _measured(amount, key, 1)
        return Quantity(begin, end, kind, measure, written=value, unit=named, other=other)
    return Quantity(begin=begin, end=end, kind="count", value=(amount,), weak=weak, written=value, other=other)


def _digits(written: str) -> tuple[float, float | None]:
    """Return the number that digits say, and what else they may say: 12.000 is 12 or 12000."""
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
    """Return kind, value in its base unit, and scale of temperature; `first` is the match group of the first unit."""
    number = next(i for i in range(first, first + len(_UNITS)) if match.group(i))
    kind, factor = list(_UNITS.values())[number - first]
    if kind == "temperature":
        scale = ("", "C", "F", "K")[int(factor)]
        return kind, (_celsius(value, scale),), scale
    return kind, (value * factor,), ""


def _celsius(degrees: float, scale: str) -> float:
    return {"F": (degrees - 32) / 1.8, "K": degrees - 273.15}.get(scale, degrees)


def _worded(words: str) -> float:
    more = 0.5 if words.endswith(" and a half") else 0.25 if words.endswith(" and a quarter") else 0.0
    more = 0.75 if words.endswith(" and three quarters") else more
    words = re.sub(r" and (?:a half|a quarter|three quarters)$", "", words)
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
    return total + current + more


def _clock(match: re.Match[str]) -> Iterator[Quantity]:
    """Yield minutes after midnight. `unit` is 'half' where the half of the day is known."""
    part = next((match[name].lower() for name in ("half", "part", "day", "of_day", *_HALVES) if match[name]), "")
    later = part == "p" or "afternoon" in part or "evening" in part
    known, hour, minutes = bool(part), 0, 0.0
    if match["noon"]:
        hour, known = (12 if match["noon"].lower() == "noon" else 0), True
        yield Quantity(begin=match.start(), end=match.end(), kind="clock", value=(60.0 * hour,), weak=True, unit="half")
        return
    if match["past"]:
        hour = _hour(match["named"])
        amount, *named, way = match["past"].lower().split()
        certain = way == "past" or named or part or amount == "quarter" or match.string[: match.start()].endswith("at ")
        if not certain:
            return  # "from ten to twelve" is a range
        minutes = _MINUTES[amount] if way == "past" else -_MINUTES[amount]
    elif match["oclock"] or match["spoken"]:
        hour = _hour(match["oclock"] or match["spoken"])
    elif match["full"]:
        hour = int(match["full"])
    else:
        hour, minutes = int(match["hour"]), float(match["minute"]) + float(match["second"] or 0) / 60
        if match["sep"] == "." and not part:
            return  # 3.15 is a number
        known = known or hour > 12 or match["hour"].startswith("0")
    if part == "at night":
        later = hour % 12 >= 6
    if part and hour <= 12:
        hour = hour % 12 + 12 * later
    value = (60.0 * hour + minutes) % 1440
    yield Quantity(
        match.start(), match.end(), "clock", (value,), written=nan if minutes else hour, unit="half" if known else ""
    )


_HALVES = ("h3", "d3", "h4", "d4", "h5", "d5")


def _whole(named: str) -> float:
    named = named.lower()
    return float(named) if named.isdigit() else 100.0 if named == "a hundred" else float(_SMALL[named])


def _hour(named: str) -> int:
    return int(named) if named.isdigit() else _ONES.index(named.lower())

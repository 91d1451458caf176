"""Dates, times of a day, decades and weekdays of an English text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import nan

from nlgauge.faithfulness.measures import ONES, SMALL, TENS, Quantity

MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November"),
    "December",
)
YEAR = re.compile(r"1[0-9]{3}|20[0-9]{2}")
"""A number that may be a year"""
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTH = "(" + "|".join([*MONTHS, *(name[:3] for name in MONTHS), "Sept"]) + ")"
_MIXED = re.compile(r"(?<![\w.,:])(?:(\d+)\s?h(?:rs?)?\s?)?(?:(\d+)\s?m(?:ins?)?\s?)?(?:(\d+)\s?s(?:ecs?)?)?(?![\w])")
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
_HOUR_NAMES = "|".join(ONES[1:13])
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
"""An hour without minutes, "a.m." or "o'clock", as in "opens at ten" """
_OF_HOURS = re.compile(
    r"\b(?:open|clos|shut|start|begin|began|begun|end(?:s|ed)?\b|leav|left|arriv|depart|set(?:s)? off|serv|meet|met\b"
    r"|doors?\b|breakfast|lunch|dinner|bus(?:es)?\b|train|ferry|show|concert|class|lesson|tour|call(?:ed)?\b|runs?\b|ran\b)\w*"
    r"(?:(?!\.\s).)*$",
    re.IGNORECASE | re.DOTALL,
)
"""A word for an event at an hour, such as "opens", that stands before the hour in the same sentence"""
_HOUR_OF_RANGE = rf"{_HOUR_NAMES}|noon|midnight|2[0-4]|1?\d"
_HOURS = re.compile(
    rf"(?:\b(?P<way>from|between)\s|(?<=open )|(?<=hours )|(?<=hours: )|(?<=open: ))(?P<first>{_HOUR_OF_RANGE})"
    rf"(?P<sign>\s?[-–—]\s?|\s(?:to|until|till|and)\s)(?P<last>{_HOUR_OF_RANGE})"
    r"(?=\s*(?:[,;)!?]|\.(?!\d)|\Z)|\s(?:on|and|every|each|daily|in|from|but|or)\b)",
    re.IGNORECASE,
)
"""Two hours, as in "open from nine to five" and "9–17" """
_NEAR = 80
_DIGITAL = re.compile(r"[01]?\d[:.][0-5]\d|2[0-3][:.][0-5]\d")
_OF_DAY = re.compile(r"(?:1[3-9]|2[0-3])[:.][0-5]\d")
"""A time from 13:00 on. Beside such a time, 7:15 is in the morning"""
_WEEKDAY = re.compile(rf"\b({'|'.join(WEEKDAYS)})s?\b")
_DECADES = {f"{word[:-1]}ies": 1900.0 + SMALL[word] for word in TENS[1:]}
_DECADE = re.compile(
    r"\b(?P<year>(?:1[5-9]|20)\d0)['’]?s\b|\b[Tt]he (?:(?:early|mid|late)[ -])?"
    rf"(?P<short>['’]?(?P<tens>[3-9]0)s|(?:nineteen[- ])?(?P<named>{'|'.join(_DECADES)}))\b"
)
"""A decade, as in "1980s", "the 80s", "the eighties". "The twenties" is left out, since it may be of two centuries"""


DATED = (
    rf"\d|\b(?:{_HOUR_NAMES}|noon|midnight|half|quarter|{'|'.join(_DECADES)}|(?-i:{'|'.join((*MONTHS, *WEEKDAYS))}))"
)
"""A pattern, to be used without regard to case, that matches in every text with a date or a time"""


def dates(text: str) -> Iterator[Quantity]:
    """Yield the possible dates of a text. Dates may overlap; the longer of two comes first."""
    for pattern, order in _DATES:
        for match in pattern.finditer(text):
            year, month, day = (None if at is None else _date_part(match.group(at + 1)) for at in order)
            if month is not None and month > 12:
                month, day = day, month
            swapped = order == (2, 1, 0) and match.group(2).isdigit() and day is not None and day <= 12
            if month is None or month <= 12:
                other = (year, day, month) if swapped else None
                yield Quantity(match.start(), match.end(), "date", (year, month, day), other=other)


def times(text: str) -> Iterator[Quantity]:
    """Yield possible times of a day, durations such as 1h 30m, decades and weekdays of a text."""
    for match in _CLOCK.finditer(text):
        yield from _clock(match)
    for match in _BARE_HOUR.finditer(text):
        if _OF_HOURS.search(text[max(0, match.start() - _NEAR) : match.start()]):
            hour = _hour(match["bare"])
            yield Quantity(*match.span("bare"), "clock", (60.0 * hour % 1440,), written=float(hour))
    for match in _HOURS.finditer(text):
        joined = match["way"] is None or (match["way"].lower() == "between") == (match["sign"].strip() == "and")
        if joined and _OF_HOURS.search(text[max(0, match.start() - _NEAR) : match.start("first")]):
            yield from (_bare_hour(match, name) for name in ("first", "last"))
    for match in _MIXED.finditer(text):
        if sum(part is not None for part in match.groups()) > 1:
            hours, minutes, seconds = (float(part or 0) for part in match.groups())
            yield Quantity(match.start(), match.end(), "duration", (3600 * hours + 60 * minutes + seconds,))
    for match in _DECADE.finditer(text):
        begins = _DECADES[match["named"]] if match["named"] else float(match["year"] or f"19{match['tens']}")
        yield Quantity(*match.span("short" if match["short"] else 0), "decade", (begins,))
    for match in _WEEKDAY.finditer(text):
        yield Quantity(match.start(), match.end(), "weekday", (float(WEEKDAYS.index(match[1])),))


def of_24_hours(text: str, read: list[Quantity]) -> list[Quantity]:
    """Return the quantities of a text, with times of the 24-hour clock marked: beside 16:40, 7:15 is in the morning.

    Args:
        text: the text.
        read: its quantities.

    Returns:
        The same quantities. If a time of the text is 13:00 or later, each time in digits gets `unit='half'`, which
        says that its half of the day is known.
    """
    clocks = {
        n
        for n, quantity in enumerate(read)
        if quantity.kind == "clock" and _DIGITAL.fullmatch(text, quantity.begin, quantity.end)
    }
    if any(_OF_DAY.match(text, read[n].begin) for n in clocks):
        return [quantity._replace(unit="half") if n in clocks else quantity for n, quantity in enumerate(read)]
    return read


def _date_part(part: str | None) -> float | None:
    if part is None:
        return None
    if part.isdigit():
        return float(part)
    return float(next(i for i, name in enumerate(MONTHS, 1) if name.lower().startswith(part[:3].lower())))


def _clock(match: re.Match[str]) -> Iterator[Quantity]:
    """Yield the time of day that a match writes; nothing for a range ("ten to twelve") or a number such as 3.15.

    The time has `unit='half'` where it is certain which half of the day is meant.
    """
    part = next((match[name].lower() for name in ("half", "part", "day", "of_day", *_HALVES) if match[name]), "")
    later = part == "p" or "afternoon" in part or "evening" in part
    half_known, hour, minutes = bool(part), 0, 0.0
    if match["noon"]:
        hour, half_known = (12 if match["noon"].lower() == "noon" else 0), True
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
        half_known = half_known or hour > 12 or match["hour"].startswith("0")
    if part == "at night":
        later = hour % 12 >= 6
    if part and hour <= 12:
        hour = hour % 12 + 12 * later
    value = (60.0 * hour + minutes) % 1440
    yield Quantity(
        match.start(),
        match.end(),
        "clock",
        (value,),
        written=nan if minutes else hour,
        unit="half" if half_known else "",
    )


_HALVES = ("h3", "d3", "h4", "d4", "h5", "d5")


def _bare_hour(match: re.Match[str], name: str) -> Quantity:
    named = match[name].lower()
    if named in ("noon", "midnight"):
        value = 720.0 if named == "noon" else 0.0
        return Quantity(*match.span(name), "clock", (value,), weak=True, unit="half")
    hour = _hour(named)
    half = "half" if hour > 12 else ""
    return Quantity(*match.span(name), "clock", (60.0 * hour % 1440,), written=float(hour), unit=half)


def _hour(named: str) -> int:
    return int(named) if named.isdigit() else ONES.index(named.lower())

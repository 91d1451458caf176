"""Dates that follow from words such as "yesterday" in a source that begins with its date."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple, TypeAlias

from nlgauge.faithfulness.dates import WEEKDAYS, YEAR
from nlgauge.faithfulness.quantities import quantities
from nlgauge.faithfulness.stems import LONGEST, MOST, Derived, Sentence, sentences, stem_of, stems_in

_WEEKDAYS = frozenset(stem_of(day.lower()) for day in WEEKDAYS)


class _Told(NamedTuple):
    """A sentence with a word such as "yesterday", and the days that the word may mean."""

    text: str
    stems: frozenset[str]
    days: Sequence[_Day]
    """The days that the word may mean, the likeliest first"""
    word: str


_Day: TypeAlias = "tuple[int, int | None, int | None]"
"""Year, month and day; month and day are None if they are not known"""


class RelativeDays:
    """The sentences of a source with words such as "yesterday". Their day follows from the date of their text.

    Args:
        texts: the texts of the source.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._dated = list(islice((told for text in texts for told in _relative(text)), MOST))

    def __bool__(self) -> bool:
        return bool(self._dated)

    def of(self, sentence: Sentence) -> Derived | None:
        """Return whether a statement with one date follows from a sentence with a word such as "yesterday".

        Args:
            sentence: the statement.

        Returns:
            Whether the statement follows or is excluded; None where neither is certain.
        """
        dates = [quantity for quantity in sentence.quantities if quantity.kind != "weekday"]
        if len(dates) != 1 or sentence.negated or _AGO.search(sentence.text):
            return None
        (date,) = dates
        said = (date.value[0], None, None) if YEAR.fullmatch(sentence.text, date.begin, date.end) else date.value
        if date.kind not in ("date", "count") or len(said) != 3:
            return None
        rest = stems_in(sentence.text[: date.begin] + sentence.text[date.end :]) - _WEEKDAYS
        for told in self._dated:
            if rest and rest <= told.stems:
                fits = [_agrees(said, day) for day in told.days]
                if None in fits:
                    continue  # "last year" says nothing of a day
                reason = f"{sentence.text[date.begin : date.end]}: the source has “{told.word}”"
                if fits[0] or not any(fits):
                    return Derived(bool(fits[0]), told.text.strip(), reason)
        return None


def _agrees(said: Sequence[float | None], day: _Day) -> bool | None:
    """Return whether a day has all parts of a date; None where the date has a part that is not known of the day.

    Args:
        said: year, month and day of the date; None for parts that it does not give.
        day: the day.
    """
    both = [(mine, theirs) for mine, theirs in zip(said, day, strict=True) if mine is not None]
    if any(theirs is None for _, theirs in both):
        return None
    return all(mine == theirs for mine, theirs in both)


def _relative(text: str) -> Iterator[_Told]:
    """Yield the sentences with words such as "yesterday" of a text, if the text begins with its date."""
    dated = next(
        (quantity for quantity in quantities(text[:_HEAD]) if quantity.kind == "date" and None not in quantity.value),
        None,
    )
    if dated is None:
        return
    try:
        first = datetime.date(*(int(part or 0) for part in dated.value))
    except ValueError:  # 31 June
        return
    for sentence in sentences(text):
        words = [*_AGO.finditer(sentence)] if len(sentence) <= LONGEST else []
        if len(words) == 1 and sum(quantity.kind == "date" for quantity in quantities(sentence)) <= (
            dated.end >= text.find(sentence)
        ):
            (match,) = words
            yield _Told(sentence, stems_in(sentence), _days(first, match), match.group())


def _days(first: datetime.date, match: re.Match[str]) -> list[_Day]:
    """Return the days that words such as "last Monday" may mean in a text of the day `first`, the likeliest first."""
    if match["word"]:
        days = [first + datetime.timedelta(_OFFSETS[" ".join(match["word"].lower().split())])]
    elif match["day"]:
        step = 1 if match["way"].lower() == "next" else -1
        nearest = next(
            n for n in range(1, 8) if (first + datetime.timedelta(step * n)).weekday() == _weekday(match["day"])
        )
        days = [first + datetime.timedelta(step * n) for n in (nearest, nearest + 7)]
    elif match["long"]:
        later = match["long"].lower() == "next"
        return [_moved(first, match["unit"].lower(), 1 if later else -1)]
    else:
        number = quantities(f"{match['some'] or match['later']} days")
        many = int(number[0].written) if number else 1
        unit = (match["ago"] or match["in"]).lower().rstrip("s")
        signed = -many if match["ago"] else many
        if unit in ("month", "year"):
            return [_moved(first, unit, signed)]
        days = [first + datetime.timedelta(signed * (7 if unit == "week" else 1))]
    return [(day.year, day.month, day.day) for day in days]


def _moved(first: datetime.date, unit: str, many: int) -> _Day:
    """Return the month or the year that lies `many` months or years after a day, or before it if negative."""
    if unit == "year":
        return first.year + many, None, None
    month = first.year * 12 + first.month - 1 + many
    return month // 12, month % 12 + 1, None


def _weekday(name: str) -> int:
    return [day.lower() for day in WEEKDAYS].index(name.lower())


_HEAD = 80
"""The number of first characters of a text in which its date is searched"""
_OFFSETS = {
    "the day before yesterday": -2,
    "the day after tomorrow": 2,
    "yesterday": -1,
    "last night": -1,
    "today": 0,
    "this morning": 0,
    "this afternoon": 0,
    "this evening": 0,
    "tonight": 0,
    "tomorrow": 1,
}
_MANY = r"an?|one|two|three|four|five|six|seven|eight|nine|ten|\d{1,2}"
_AGO = re.compile(
    rf"\b(?:(?P<word>{'|'.join(_OFFSETS)})|(?P<some>{_MANY}) (?P<ago>(?:day|week|month|year)s?) ago"
    rf"|(?P<way>last|next) (?P<day>{'|'.join(WEEKDAYS)})|(?P<long>last|next) (?P<unit>month|year)"
    rf"|in (?P<later>{_MANY}) (?P<in>(?:day|week)s?)(?=\s*[.,;]|\Z))\b",
    re.IGNORECASE,
)

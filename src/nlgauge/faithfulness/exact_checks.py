"""Checks of a text against its source without a model: numbers, dates, names, opposites and negations.

A statement is compared with the sentence of the source that shares most words with it. A difference is reported only if
that sentence has a counterpart that disagrees. It is not reported if the source says the same in another form
(`nlgauge.faithfulness.quantities`), or if it may follow from the source, such as a sum, a rounded number or a count.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from typing import NamedTuple, TypeAlias
from unicodedata import combining, normalize

from nlgauge.engine.english import is_stopword
from nlgauge.faithfulness.opposites import OPPOSITES
from nlgauge.faithfulness.quantities import IDENTIFIERS, MONTHS, WEEKDAYS, Quantity, quantities, same
from nlgauge.maths.text import sentence_ends

_WORD = re.compile(r"(?:[^\W_][\u0300-\u036f]*)+(?:['’][^\W_]+)?")
_CLAUSE = re.compile(r"[,;:—–]\s|\s-\s|\b(?:but|although|though|while|whereas|because|so that|unless|and)\b")
_NEGATED = re.compile(r"\b(?:not|never|no|nobody|none|neither|nor|cannot)\b|n[’']t\b", re.IGNORECASE)
_CANNOT_PLAIN = {"cannot": "can not", "can't": "can not", "can’t": "can not", "won't": "will not", "won’t": "will not"}
_CANNOT = re.compile(rf"\b(?:{'|'.join(_CANNOT_PLAIN)})\b", re.IGNORECASE)
_LEFT_OUT = frozenset(["a", "an", "the", "do", "does", "did", "any"])
_ABOUT = re.compile(
    r"\b(?:about|around|roughly|nearly|almost|approximately|some|over|under|more than|less than|fewer than|at least"
    r"|at most|up to|close to|or so|above|below)\s+(?:the\s+|[$£€]\s?)?$",
    re.IGNORECASE,
)
_MORE = re.compile(r"\b(?:over|more than|at least|above|as many as|exceed\w*)\s+(?:the\s+|[$£€]\s?)?$", re.IGNORECASE)
_LESS = re.compile(r"\b(?:under|less than|fewer than|at most|up to|below)\s+(?:the\s+|[$£€]\s?)?$", re.IGNORECASE)
_BEFORE = frozenset(["in", "at", "by", "from", "to", "for", "with", "of", "near", "into", "against"])
"""Words before a name. Two names after the same word can be compared"""
_NO_NAMES = frozenset([*MONTHS, *WEEKDAYS, "I", "Mr", "Mrs", "Dr"])
_LIKE, _NEGATED_LIKE, _SURE = 0.5, 0.6, 0.67
"""The share of the statement's words that the source sentence must contain, to compare words, to compare negations, and
for a difference that is nearly always an error. Of the 33,460 written answers in nlgauge-lab, the checks doubt 5.4 % of
the wrong and 1.0 % of the right ones, and are sure of 3.3 % and 0.4 %. They are sure of a negation in 51 wrong answers
and in no right one"""
_YEAR = re.compile(r"1[0-9]{3}|20[0-9]{2}")
_FALLING = re.compile(
    r"\b(?:loss|lost|los[et]s?|fell|falls?|drop\w*|decline\w*|decrease\w*|deficit|below|down|debt|owe[sd]?|minus|negative"
    r"|overdrawn|discount\w*|off|rebate|sav\w+|deduct\w*|cold\w*|lower\w*|shr[ai]nk\w*|cut|less|short\w*|frost|shed|reduc\w*)\b",
    re.IGNORECASE,
)
"""Words that may say the sign of a number"""
_ROUNDED = 0.15
_COMPARED = ({"duration", "months"}, {"percent", "points"})
"""Kinds of quantities that are compared with each other"""
_SUMMED = 12
"""Among more numbers than these, nearly every number is the sum of three"""
_COUNTED = 12
"""Up to this number, a text may have counted things itself"""


class SourceDifference(NamedTuple):
    """A place where a text differs from its source."""

    begin: int
    end: int
    """Characters of the text"""
    reason: str
    doubted: bool
    """Whether most such differences are errors: numbers, dates, names and opposites, but negations only where sure"""
    sure: bool
    """Whether nearly all are: the rest of the sentence is as in the source, and word for word if it is a negation"""


_Found: TypeAlias = tuple[int, int, str]
"""Begin and end within a sentence, and the reason"""


@dataclass(frozen=True)
class _Passage:
    """A sentence or clause with its position."""

    text: str
    begin: int

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of its content words, without numbers."""
        found = (word.lower() for word in _WORD.findall(self.text))
        return frozenset(_stem(word) for word in found if _says_more(word))

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(_folded(word) for word in _WORD.findall(self.text))

    @cached_property
    def quantities(self) -> list[Quantity]:
        return quantities(self.text)

    @cached_property
    def negations(self) -> list[re.Match[str]]:
        return list(_NEGATED.finditer(self.text))

    @property
    def negated(self) -> bool:
        return len(self.negations) % 2 == 1

    @cached_property
    def unnegated(self) -> tuple[str, ...]:
        """The stems of all words but those that negate, articles and forms of "do"."""
        plain = _NEGATED.sub(" ", _CANNOT.sub(lambda match: _CANNOT_PLAIN[match.group().lower()], self.text))
        return tuple(_stem(word) for word in map(_folded, _WORD.findall(plain)) if word not in _LEFT_OUT)

    def shared(self, other: _Passage) -> float:
        """The share of its content words that the other part contains."""
        return len(self.stems & other.stems) / len(self.stems) if self.stems else 0.0


class CheckedSource:
    """A source, prepared for comparison."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._text = text = "\n".join(texts)
        self._sentences = list(_sentences(text))
        self._clauses = [clause for one in self._sentences for clause in _clauses(one)]
        self._quantities = [one for sentence in self._sentences for one in sentence.quantities]
        self._plain = re.sub(r"[^\w.]|_", "", text).lower()
        self._words = frozenset(word for sentence in self._sentences for word in sentence.words)

    def differences(self, text: str) -> list[SourceDifference]:
        """The differences of a text from this source, in order, without overlaps."""
        found: list[SourceDifference] = []
        for sentence in _sentences(text):
            near = self._nearest(sentence, self._sentences)
            if near is None:
                continue
            at = sentence.begin
            some = [*self._figures(sentence, near), *self._names(sentence, near), *_opposites(sentence, near)]
            sure = sentence.shared(near) >= _SURE
            found += [
                SourceDifference(begin=at + begin, end=at + end, reason=why, doubted=True, sure=sure)
                for begin, end, why in some
            ]
            if not some:
                found += self._negations(sentence)
        found.sort()
        return [one for at, one in enumerate(found) if not at or one.begin >= found[at - 1].end]

    def _nearest(self, part: _Passage, others: Sequence[_Passage]) -> _Passage | None:
        """The sentence or clause that shares most words with a part (the shortest if several do), or None."""
        best = max(others, key=lambda one: (len(part.stems & one.stems), -len(one.stems)), default=None)
        return best if best is not None and part.stems & best.stems else None

    def _figures(self, sentence: _Passage, near: _Passage) -> Iterator[_Found]:
        for one in sentence.quantities:
            if one.weak:
                continue
            others = [other for other in near.quantities if _alike(one, other) and not other.weak]
            others = [other for other in others if not any(same(other, mine) for mine in sentence.quantities)]
            year = _YEAR.fullmatch(sentence.text[one.begin : one.end]) is not None
            others = [other for other in others if year == bool(_YEAR.fullmatch(near.text[other.begin : other.end]))]
            if not others or (self._has(one, sentence, near) and not self._said_of_another(one, sentence, near)):
                continue
            after = _after(sentence.text, one.end)
            beside = [other for other in others if after and _after(near.text, other.end) == after]
            counted = one.kind == "count" and abs(one.value[0] or 0.0) <= _COUNTED
            opposite = [other for other in others if _signs_differ(one, other)]
            units = [other for other in others if one.written == other.written and one.kind != "count"]
            likely = opposite or units or beside
            if not likely and (counted or sentence.shared(near) < _LIKE):
                continue
            other = (likely or others)[0]
            if _bounds(sentence.text[: one.begin], one, near.text[: other.begin], other):
                continue
            if opposite and (_FALLING.search(sentence.text) or _FALLING.search(near.text)):
                continue
            there = near.text[other.begin : other.end]
            yield (one.begin, one.end, f"{sentence.text[one.begin : one.end]}: the source has {there}")

    def _said_of_another(self, one: Quantity, sentence: _Passage, near: _Passage) -> bool:
        """Return whether the source says a quantity only of another thing than the nearest sentence, which has one as
        well.

        What a sentence of the source is about may stand in the three sentences before it.
        """
        alike = [other for other in near.quantities if _alike(one, other) and not other.weak]
        bare = one.kind in ("count", "ordinal") and not _after(sentence.text, one.end)
        if bare or len(alike) != 1 or sentence.shared(near) < _LIKE:
            return False
        about = [
            frozenset[str]().union(*(some.stems for some in self._sentences[max(0, at - 3) : at + 1]))
            for at, other in enumerate(self._sentences)
            if any(same(one, some) or one.written == some.written for some in other.quantities)
        ]
        common = len(sentence.stems & near.stems)
        return bool(about) and all(len(sentence.stems & stems) < common for stems in about)

    def _has(self, one: Quantity, sentence: _Passage, near: _Passage) -> bool:
        """Return whether the source has a quantity in any form, or quantities from which it may have been computed."""
        if any(same(one, other) for other in self._quantities):
            return True
        written = sentence.text[one.begin : one.end]
        if one.kind in IDENTIFIERS:
            return one.unit in self._plain
        if one.kind == "date":
            parts = [other.value for other in self._quantities if other.kind == "date"]
            years = [other.value[0] for other in self._quantities if other.kind == "count"]
            year, month, day = one.value
            in_a_date = any(value[1] == month and (day is None or value[2] == day) for value in parts)
            return in_a_date and (year is None or year in years or any(value[0] == year for value in parts))
        mine = one.value[0] if len(one.value) == 1 else None
        if mine is None:
            return False
        if one.kind == "count" and self._writes(written):
            return True
        # A number may stand apart from its unit: "ten years, letters for six", a table, "open at nine".
        if any(one.written == other.written for other in self._quantities if "count" in (one.kind, other.kind)):
            return True
        said = [other for other in sentence.quantities if other is not one]
        rest = [*self._quantities, *said]
        values = _values(one, rest) | _bare(one, [*near.quantities, *said])
        if _ABOUT.search(sentence.text[: one.begin]) and any(
            abs(mine - other) <= _ROUNDED * abs(other) for other in values
        ):
            return True
        return _computed(one, values, rest)

    def _writes(self, number: str) -> bool:
        """Return whether the source has the same digits, as in a table, where a comma may stand directly
        before them.
        """
        comma = "" if "." in number else ","
        return re.search(rf"(?<![\d.{comma}/]){re.escape(number)}(?!\d|[.,/]\d)", self._text) is not None

    def _names(self, sentence: _Passage, near: _Passage) -> Iterator[_Found]:
        """Names that replace another one: after the same word, or next to the same part of a name."""
        if sentence.shared(near) < _LIKE:
            return
        theirs = list(_named(near.text))
        for begin, end, before in _named(sentence.text):
            name = sentence.text[begin:end]
            if self._knows(name):
                continue
            for first, last, behind in theirs:
                other = near.text[first:last]
                if before == behind and _folded(other) not in sentence.words and name.isupper() == other.isupper():
                    yield (begin, end, f"{name}: the source has {other}")
                    break

    def _knows(self, name: str) -> bool:
        word = _folded(name)
        return word in self._words or (len(word) > 4 and any(other[:4] == word[:4] for other in self._words))

    def _negations(self, sentence: _Passage) -> Iterator[SourceDifference]:
        for clause in _clauses(sentence):
            near = self._nearest(clause, self._clauses)
            if near is None or clause.shared(near) < _NEGATED_LIKE or near.shared(clause) < _LIKE:
                continue
            if clause.negated == near.negated or any(_pairs(clause, near)):
                continue
            if clause.negations:
                (begin, end), why = (
                    clause.negations[0].span(),
                    f"{clause.negations[0].group()}: the source says it without",
                )
            else:
                (begin, end), why = _span_of_words(clause.text), f"the source has “{near.negations[0].group()}”"
            sure = self._reverses(clause)
            yield SourceDifference(
                begin=clause.begin + begin, end=clause.begin + end, reason=why, doubted=sure, sure=sure
            )

    def _reverses(self, clause: _Passage) -> bool:
        """Return whether the source has a clause word for word but for a negation, and does not have it as it is."""
        alike = [other for other in self._clauses if other.unnegated == clause.unnegated]
        return len(clause.unnegated) > 2 and bool(alike) and all(other.negated != clause.negated for other in alike)


def _values(one: Quantity, others: Sequence[Quantity]) -> set[float]:
    """The values of quantities of the same kind and currency as another one."""
    alike = [
        other for other in others if other.kind == one.kind and (one.kind != "money" or other.unit in ("", one.unit))
    ]
    return {other.value[0] for other in alike if other.value[0] is not None}


def _bare(one: Quantity, others: Sequence[Quantity]) -> set[float]:
    """The values that numbers without a unit would have in the unit of another quantity."""
    unit = (one.value[0] or 0.0) / one.written if one.written else math.nan
    return {other.written * unit for other in others if other.kind == "count" and not math.isnan(unit)}


def _computed(one: Quantity, values: set[float], others: Sequence[Quantity]) -> bool:
    """Return whether a number is a sum or difference of two others, or the sum of three or of all.

    It may also be a percentage of another one, and a measure may be a product or quotient, or the time between two
    dates or clocks.
    """
    mine = abs(one.value[0] or 0.0)
    added = {(other.value[0] or 0.0) / 60 for other in others if other.kind == "duration" and one.kind == "clock"}
    made = {abs(a + sign * b) for a in values for b in (values - {a}) | added for sign in (1, -1)}
    if 1 < len(values) <= _SUMMED:
        made |= {sum(some) for some in combinations(sorted(values), 3)} | {sum(values)}
    shares = {other.value[0] / 100 for other in others if other.kind == "percent" and other.value[0]}
    counts = {other.written for other in others if other.kind in ("count", "duration", "months") and other.written > 0}
    made |= {a * b for a in values for b in (shares if one.kind == "count" else shares | counts)}
    made |= {a / b for a in values for b in counts} if one.kind != "count" else set()
    if one.kind == "duration":
        days = {_days(other) for other in others if other.kind == "date" and other.value[2] is not None}
        clocks = {other.value[0] or 0.0 for other in others if other.kind == "clock"}
        made |= {86400 * abs(a - b + more) for a in days for b in days for more in (0, 1)}
        made |= {60 * (abs(a - b) % 1440) for a in clocks for b in clocks}
    return any(abs(mine - other) <= 1e-9 * max(1.0, other) for other in made)


def _days(date: Quantity) -> int:
    """The day's number; a date without a year is of a year before all others."""
    year, month, day = date.value
    try:
        return datetime.date(int(year or 1), int(month or 1), int(day or 1)).toordinal()
    except ValueError:  # 31 June
        return 0


def _signs_differ(one: Quantity, other: Quantity) -> bool:
    return len(one.value) == len(other.value) == 1 and bool(one.value[0]) and one.value[0] == -(other.value[0] or 0.0)


def _bounds(before: str, one: Quantity, behind: str, other: Quantity) -> bool:
    """Return whether a number is a bound, such as "more than 20", for another number that is none itself: what is free
    above 50 euros is not free above 14.
    """
    if len(one.value) != 1 or one.value[0] is None or other.value[0] is None:
        return False
    mine, theirs = one.value[0], other.value[0]
    more = _MORE.search(before) and mine <= theirs and not _MORE.search(behind)
    return bool(more or (_LESS.search(before) and mine >= theirs and not _LESS.search(behind)))


def _opposites(sentence: _Passage, near: _Passage) -> Iterator[_Found]:
    if sentence.shared(near) < _LIKE:
        return
    theirs = list(_clauses(near))
    for clause in _clauses(sentence):
        for other in theirs:
            if clause.negated == other.negated:
                at = clause.begin - sentence.begin
                for begin, end, word in _pairs(clause, other):
                    if word not in sentence.words and clause.text[begin:end].lower() not in near.words:
                        yield (at + begin, at + end, f"{clause.text[begin:end]}: the source has {word}")


def _pairs(part: _Passage, other: _Passage) -> Iterator[tuple[int, int, str]]:
    """Words of a part whose opposite is in the other part, if neither is in both."""
    for match in _WORD.finditer(part.text):
        word = match.group().lower()
        for opposite in OPPOSITES.get(word, ()) if word not in other.words else ():
            if opposite in other.words and opposite not in part.words:
                yield match.start(), match.end(), opposite
                break


def _sentences(text: str) -> Iterator[_Passage]:
    ends = [0, *sentence_ends(text), len(text)]
    yield from (_Passage(text[begin:end], begin) for begin, end in pairwise(ends))


def _clauses(sentence: _Passage) -> Iterator[_Passage]:
    at = 0
    for match in _CLAUSE.finditer(sentence.text):
        yield _Passage(sentence.text[at : match.start()], sentence.begin + at)
        at = match.end()
    yield _Passage(sentence.text[at:], sentence.begin + at)


def _named(text: str) -> Iterator[tuple[int, int, str]]:
    """Words of names after a preposition or another part of the name, with the word before them."""
    before = ""
    for match in _WORD.finditer(text):
        word = match.group()
        fits = before in _BEFORE or (before[:1].isupper() and not is_stopword(before))
        fits = fits and text[match.start() - 1 : match.start()] != "-"
        if fits and word[0].isupper() and len(word) > 2 and word not in _NO_NAMES and not is_stopword(word):
            yield match.start(), match.end(), before
        before = word.lower() if is_stopword(word) else word


def _alike(one: Quantity, other: Quantity) -> bool:
    """Return whether two quantities can be compared."""
    if one.kind == other.kind and one.kind in IDENTIFIERS:
        # AB-1234 is compared with AB-1243, but not with XY-9.
        return one.kind != "code" or _shape(one.unit) == _shape(other.unit)
    return one.kind == other.kind or any({one.kind, other.kind} <= kinds for kinds in _COMPARED)


def _shape(code: str) -> str:
    return re.sub(r"\d", "9", code)


def _says_more(word: str) -> bool:
    """Return whether a word counts where sentences are compared: it is no stop-word and no part of a number."""
    return not is_stopword(word) and not word[0].isdigit() and word not in ("am", "pm")


def _after(text: str, at: int) -> str:
    """The stem of the word after a number."""
    match = _WORD.match(text, at + 1) if text[at : at + 1] in (" ", "-") else None
    return _stem(match.group().lower()) if match and not is_stopword(match.group()) else ""


def _folded(word: str) -> str:
    """A word in lower case, without accents."""
    return "".join(one for one in normalize("NFKD", word.lower()) if not combining(one))


def _stem(word: str) -> str:
    return word[:5] if len(word) > 5 else word.rstrip("s") if len(word) > 3 else word


def _span_of_words(text: str) -> tuple[int, int]:
    found = list(_WORD.finditer(text))
    return (found[0].start(), found[-1].end()) if found else (0, len(text))

"""Checks of a text against its source without a model: numbers, dates, names, opposites and negations.

A statement is compared with the sentence of the source that shares most words with it. A difference is reported only if
that sentence has a counterpart that disagrees. It is not reported if the source says the same in another form
(`nlgauge.maths.quantities`), or if it may follow from the source, such as a sum, a rounded number or a count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, TypeAlias
from unicodedata import combining, normalize

from nlgauge.maths.opposites import OPPOSITES
from nlgauge.maths.quantities import MONTHS, WEEKDAYS, Quantity, quantities, same
from nlgauge.maths.text import is_stopword, sentence_ends

_WORD = re.compile(r"(?:[^\W_][\u0300-\u036f]*)+(?:['’][^\W_]+)?")
_CLAUSE = re.compile(r"[,;:—–]\s|\b(?:but|although|though|while|whereas|because|so that|unless|and)\b")
_NEGATED = re.compile(r"\b(?:not|never|no|nobody|none|neither|nor|cannot)\b|n[’']t\b", re.IGNORECASE)
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
_SURE, _VERY_SURE = 0.5, 0.6
"""The share of the statement's words that the source sentence must contain, to compare words and negations"""
_YEAR = re.compile(r"1[0-9]{3}|20[0-9]{2}")
_LABEL = re.compile(r"[^\W\d_]-$")
"""Before the number of a name such as COVID-19"""
_ROUNDED = 0.15
_COUNTED = 12
"""Up to this number, a text may have counted things itself"""


class SourceDifference(NamedTuple):
    """A place where a text differs from its source."""

    begin: int
    end: int
    """Characters of the text"""
    reason: str
    sure: bool
    """Whether such differences are nearly always errors: numbers, dates, names and opposites, but not negations"""


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
        return frozenset(_stem(word) for word in found if not is_stopword(word) and not word[0].isdigit())

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(_folded(word) for word in _WORD.findall(self.text))

    @cached_property
    def quantities(self) -> list[Quantity]:
        return quantities(self.text)

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
        self._words = frozenset(word for sentence in self._sentences for word in sentence.words)

    def differences(self, text: str) -> list[SourceDifference]:
        """The differences of a text from this source, in order, without overlaps."""
        found: list[SourceDifference] = []
        for sentence in _sentences(text):
            near = self._nearest(sentence, self._sentences)
            if near is None:
                continue
            some = [*self._figures(sentence, near), *self._names(sentence, near), *_opposites(sentence, near)]
            sure = bool(some)
            some = some or [*self._negations(sentence)]
            found += [
                SourceDifference(sentence.begin + begin, sentence.begin + end, why, sure) for begin, end, why in some
            ]
        found.sort()
        return [one for at, one in enumerate(found) if not at or one.begin >= found[at - 1].end]

    def _nearest(self, part: _Passage, others: Sequence[_Passage]) -> _Passage | None:
        """The sentence or clause that shares most words with a part (the shortest if several do), or None."""
        best = max(others, key=lambda one: (len(part.stems & one.stems), -len(one.stems)), default=None)
        return best if best is not None and part.stems & best.stems else None

    def _figures(self, sentence: _Passage, near: _Passage) -> Iterator[_Found]:
        for one in sentence.quantities:
            if one.weak or self._has(one, sentence.text):
                continue
            others = [other for other in near.quantities if _alike(one, other) and not other.weak]
            others = [other for other in others if not _LABEL.search(near.text[: other.begin])]
            others = [other for other in others if not any(same(other, mine) for mine in sentence.quantities)]
            year = _YEAR.fullmatch(sentence.text[one.begin : one.end]) is not None
            others = [other for other in others if year == bool(_YEAR.fullmatch(near.text[other.begin : other.end]))]
            if not others:
                continue
            after = _after(sentence.text, one.end)
            beside = [other for other in others if after and _after(near.text, other.end) == after]
            counted = one.kind == "count" and (one.value[0] or 0.0) <= _COUNTED
            if (counted and not beside) or (not beside and sentence.shared(near) < _SURE):
                continue
            other = (beside or others)[0]
            if _bounds(sentence.text[: one.begin], one, other):
                continue
            there = near.text[other.begin : other.end]
            yield (one.begin, one.end, f"{sentence.text[one.begin : one.end]}: the source has {there}")

    def _has(self, one: Quantity, text: str) -> bool:
        """Whether the source has a quantity in any form, or quantities from which it may have been computed."""
        alike = [other for other in self._quantities if one.kind == other.kind]
        if one.kind == "date":
            parts = [other.value for other in self._quantities if other.kind == "date"]
            years = [other.value[0] for other in self._quantities if other.kind == "count"]
            year, month, day = one.value
            in_a_date = any(value[1] == month and (day is None or value[2] == day) for value in parts)
            return in_a_date and (year is None or year in years or any(value[0] == year for value in parts))
        if any(same(one, other) for other in self._quantities):
            return True
        if len(one.value) != 1 or one.value[0] is None:
            return False
        if one.kind == "count" and self._writes(text[one.begin : one.end]):
            return True
        mine, values = one.value[0], sorted({other.value[0] for other in alike if other.value[0] is not None})
        if _ABOUT.search(text[: one.begin]) and any(abs(mine - other) <= _ROUNDED * abs(other) for other in values):
            return True
        pairs = [(a, b) for at, a in enumerate(values) for b in values[at + 1 :]]
        return any(abs(mine - total) < 1e-9 for a, b in pairs for total in (a + b, b - a))

    def _writes(self, number: str) -> bool:
        """Whether the source has the same digits, as in a table, where a comma may stand directly before them."""
        comma = "" if "." in number else ","
        return re.search(rf"(?<![\d.{comma}]){re.escape(number)}(?!\d|[.,]\d)", self._text) is not None

    def _names(self, sentence: _Passage, near: _Passage) -> Iterator[_Found]:
        """Names that replace another one: after the same word, or next to the same part of a name."""
        if sentence.shared(near) < _SURE:
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

    def _negations(self, sentence: _Passage) -> Iterator[_Found]:
        for clause in _clauses(sentence):
            near = self._nearest(clause, self._clauses)
            if near is None or clause.shared(near) < _VERY_SURE or near.shared(clause) < _SURE:
                continue
            mine, theirs = (list(_NEGATED.finditer(part.text)) for part in (clause, near))
            if len(mine) % 2 == len(theirs) % 2 or any(_pairs(clause, near)):
                continue
            at = clause.begin - sentence.begin
            if mine:
                begin, end = mine[0].span()
                yield (at + begin, at + end, f"{mine[0].group()}: the source says it without")
            else:
                begin, end = _span_of_words(clause.text)
                yield (at + begin, at + end, f"the source has “{theirs[0].group()}”")


def _bounds(before: str, one: Quantity, other: Quantity) -> bool:
    """Whether a number is a bound, such as "more than 20", that another one keeps."""
    mine, theirs = one.value[0], other.value[0]
    if len(one.value) != 1 or mine is None or theirs is None:
        return False
    return bool((_MORE.search(before) and mine <= theirs) or (_LESS.search(before) and mine >= theirs))


def _opposites(sentence: _Passage, near: _Passage) -> Iterator[_Found]:
    if sentence.shared(near) < _SURE:
        return
    theirs = list(_clauses(near))
    for clause in _clauses(sentence):
        for other in theirs:
            if len(_NEGATED.findall(clause.text)) % 2 == len(_NEGATED.findall(other.text)) % 2:
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
    """Whether two quantities can be compared."""
    return one.kind == other.kind or {one.kind, other.kind} <= {"duration", "months"}


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

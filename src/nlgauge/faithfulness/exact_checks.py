"""Checks of a text against its source without a model: numbers, dates, names, opposites and negations.

A statement is compared with the sentence of the source that shares most words with it. A difference is reported only if
that sentence has a counterpart that disagrees. It is not reported if the source says the same in another form
(`nlgauge.faithfulness.quantities`), or if it may follow from the source, such as a sum, a rounded number or a count.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import isnan
from typing import NamedTuple, TypeAlias, TypeVar
from unicodedata import combining, normalize

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.english import is_stopword
from nlgauge.faithfulness.dates import MONTHS, WEEKDAYS
from nlgauge.faithfulness.derivations import Numbers, follows
from nlgauge.faithfulness.derived import excepts, facts
from nlgauge.faithfulness.measures import Quantity
from nlgauge.faithfulness.opposites import OPPOSITES
from nlgauge.faithfulness.quantities import IDENTIFIERS, EqualQuantities, conversions, is_share, quantities
from nlgauge.maths.text import sentence_ends

_WORD = re.compile(r"(?:[^\W_][\u0300-\u036f]*)+(?:['’][^\W_]+)?")
_TOKEN = re.compile(r"\d+|[^\W\d]+|[^\w\s]")
_CLAUSE = re.compile(r"[,;:—–]\s|\s-\s|\b(?:but|although|though|while|whereas|because|so that|unless|and)\b")
_NEGATED = re.compile(
    r"\b(?:no longer|not any ?more|not|never|no|nobody|none|neither|nor|cannot)\b|n[’']t\b", re.IGNORECASE
)
_CANNOT_PLAIN = {"cannot": "can not", "can't": "can not", "can’t": "can not", "won't": "will not", "won’t": "will not"}
_CANNOT = re.compile(rf"\b(?:{'|'.join(_CANNOT_PLAIN)})\b", re.IGNORECASE)
_PAID_EACH = [
    (re.compile(rf"\b(?:a|an|per|each|every) {span}\b|\b{often}\b", re.IGNORECASE), times)
    for span, often, times in (
        ("hour", "hourly", (24.0,)),
        ("day", "daily", (7.0, 30.0, 365.0)),
        ("week", "weekly", (4.0, 52.0)),
        ("month", "monthly", (3.0, 6.0, 12.0, 24.0)),
        ("quarter", "quarterly", (4.0,)),
    )
]
"""Words of an amount for a time, and how many of these times a longer one has"""
_REFUSED = re.compile(r"\b(?:refus\w+|declin\w+|fail\w*|forg[eo]t\w*|neglect\w*|unable|omitted) to\b", re.IGNORECASE)
"""What was refused was not done, though no word negates it"""
_NOT_ALL = re.compile(
    r"\bnot (?:all|every|each)\b|\b(?:all|every|each)\b[^.;]{0,80}?(?:\bnot\b|n['’]t\b)", re.IGNORECASE
)
"""What is not said of all may be said of some"""
_LEFT_OUT = frozenset(["a", "an", "the", "do", "does", "did", "any"])
_ABOUT = re.compile(
    r"\b(?:about|around|roughly|nearly|almost|approximately|some|over|under|more than|less than|fewer than|at least"
    r"|at most|up to|close to|or so|above|below)\s+(?:the\s+|[$£€]\s?)?$",
    re.IGNORECASE,
)
_ARGUMENT = re.compile(r"\w\((?:[^()]*,\s?)?\w+\s?=\s?$")
_MORE = re.compile(r"\b(?:over|more than|at least|above|as many as|exceed\w*)\s+(?:the\s+|[$£€]\s?)?$", re.IGNORECASE)
_LESS = re.compile(r"\b(?:under|less than|fewer than|at most|up to|below)\s+(?:the\s+|[$£€]\s?)?$", re.IGNORECASE)
_BEFORE = frozenset(["in", "at", "by", "from", "to", "for", "with", "of", "near", "into", "against"])
"""Words before a name. Two names after the same word can be compared"""
_NO_NAMES = frozenset([*MONTHS, *WEEKDAYS, "I", "Mr", "Mrs", "Dr"])
_LIKE, _NEGATED_LIKE, _SURE = 0.5, 0.6, 0.67
"""The share of the statement's words that the source sentence must contain, to compare words, to compare negations, and
for a difference of a sure kind to be sure"""
_SURE_KINDS = frozenset({"date", "clock", "weekday", "length", "mass", "volume"})
"""Kinds that, where the rest of the sentence agrees, were wrong in at least 98 of 100 cases, with clauses that are word
for word as in the source but for a negation. Others are doubted: names (.79), opposites (.88), money (.84), percentages
(.94) and counts (.92)"""
_YEAR = re.compile(r"1[0-9]{3}|20[0-9]{2}")
_FALLING = re.compile(
    r"\b(?:loss|lost|los[et]s?|fell|falls?|drop\w*|decline\w*|decrease\w*|deficit|below|down|debt|owe[sd]?|minus|negative"
    r"|overdrawn|discount\w*|off|rebate|sav\w+|deduct\w*|cold\w*|lower\w*|shr[ai]nk\w*|cut|less|short\w*|frost|shed|reduc\w*)\b",
    re.IGNORECASE,
)
"""Words that may say the sign of a number"""
_COMPARED = {"months": "duration", "points": "percent"}
"""Kinds of quantities that are compared with another kind"""
_BEFORE_A_NUMBER = 60
"""Characters before a number in which a bound, such as "more than", is looked for"""
_COUNTED = 12
"""Up to this number, a text may have counted things itself"""


class SourceDifference(NamedTuple):
    """A place where a text differs from its source."""

    begin: int
    end: int
    """Characters of the text"""
    reason: str
    sure: bool
    """Whether nearly all such differences are errors, and not only most: the kind is a sure one, and the rest of the
    sentence is as in the source, word for word if it is a negation"""


_WITHOUT = re.compile(r"\bwithout (?P<thing>(?:(?:any|an?|the|its|their|his|her) )?[\w'’-]+)", re.IGNORECASE)
_PRONOUN = re.compile(r"(?:he|she|it|they)\b", re.IGNORECASE)
_COPULA = re.compile(r"\b(?:is|are|was|were)\b", re.IGNORECASE)
_Found: TypeAlias = tuple[int, int, str, str]
"""Begin and end within a sentence, the reason, and the kind"""
_LONGEST, _LONGEST_NAME = 1000, 60
"""Characters of a sentence and of a name that is compared"""
_Key = TypeVar("_Key", bound=Hashable)
_Of = TypeVar("_Of")


@dataclass(frozen=True)
class _Passage:
    """A sentence or clause with its position."""

    text: str
    begin: int
    alone: bool = False
    """Whether a clause is the whole sentence"""

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of its content words, without numbers."""
        found = (_owner(word.lower()) for word in _WORD.findall(self.text))
        return frozenset(_stem(word) for word in found if _says_more(word))

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(_folded(word) for word in _WORD.findall(self.text))

    @cached_property
    def quantities(self) -> list[Quantity]:
        return quantities(self.text)

    @cached_property
    def equal(self) -> EqualQuantities:
        return EqualQuantities(self.quantities)

    @cached_property
    def numbers(self) -> Numbers:
        return Numbers(self.quantities)

    @cached_property
    def clauses(self) -> Sequence[_Passage]:
        ends = [0, *(at for match in _CLAUSE.finditer(self.text) for at in match.span()), len(self.text)]
        places = list(zip(ends[::2], ends[1::2], strict=True))
        return [_Passage(self.text[begin:end], self.begin + begin, len(places) == 1) for begin, end in places]

    @cached_property
    def named(self) -> Sequence[tuple[int, int, str]]:
        """The words of names, with the word before each."""
        return list(_named(self.text))

    @cached_property
    def counting(self) -> Mapping[str, Quantity]:
        """The numbers by the word behind each, if each has another one."""
        numbers = [one for one in self.quantities if one.kind == "count" and not one.weak]
        named = {_after(self.text, one.end): one for one in numbers}
        return named if len(named) == len(numbers) and "" not in named else {}

    @cached_property
    def falls(self) -> bool:
        """Whether a word may say the sign of its numbers."""
        return _FALLING.search(self.text) is not None

    @cached_property
    def negations(self) -> list[re.Match[str]]:
        return list(_NEGATED.finditer(self.text))

    @property
    def negated(self) -> bool:
        said = [match.group().lower() for match in self.negations]
        return (len(said) - (said.count("nor") if "neither" in said else 0)) % 2 == 1

    def lacks(self, stems: Set[str]) -> bool:
        """Return whether it is without a thing that has one of some stems."""
        found = _WITHOUT.search(self.text)
        return found is not None and any(_stem(word.lower()) in stems for word in _WORD.findall(found["thing"]))

    @cached_property
    def unnegated(self) -> tuple[str, ...]:
        """The stems of all words but those that negate, articles and forms of "do"."""
        plain = _NEGATED.sub(" ", _CANNOT.sub(lambda match: _CANNOT_PLAIN[match.group().lower()], self.text))
        return tuple(_stem(word) for word in map(_folded, _WORD.findall(plain)) if word not in _LEFT_OUT)

    def shared(self, other: _Passage) -> float:
        """Return the share of its content words that the other part contains."""
        return len(self.stems & other.stems) / len(self.stems) if self.stems else 0.0


class _Nearest:
    """Passages, of which the one that shares most words with another one is found by its words."""

    def __init__(self, of: Sequence[_Passage], behind: int = 0) -> None:
        """Look for passages. The words of a passage count for some behind it, too."""
        self.of = of
        self._lengths = np.array([len(one.stems) for one in of], np.int64)
        holders: dict[str, list[int]] = {}
        for number, one in enumerate(of):
            for stem in one.stems:
                holders.setdefault(stem, []).extend(range(number, min(number + behind + 1, len(of))))
        # Each passage once, though a word may stand in several before it.
        self._holders = {stem: np.array(sorted(set(some)) if behind else some) for stem, some in holders.items()}

    def shared(self, part: _Passage) -> NDArray[np.int64]:
        """Return how many of the words of a part each passage has: [passages]."""
        some = [self._holders[stem] for stem in part.stems if stem in self._holders]
        return np.bincount(np.concatenate(some), minlength=len(self.of)) if some else np.zeros(len(self.of), np.int64)

    def __call__(self, part: _Passage) -> _Passage | None:
        """Return the passage that shares most words with a part (the shortest if several do), or None."""
        shared = self.shared(part)
        if not shared.any():
            return None
        return self.of[int(np.argmax(shared * (self._lengths.max() + 1) - self._lengths))]


class CheckedSource:
    """A source, prepared for comparison."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._text = text = "\n".join(texts)
        self._derived = facts(tuple(texts))
        self._sentences = list(_sentences(text))
        self._clauses = [clause for one in self._sentences for clause in one.clauses]
        self._nearest_sentence = _Nearest(self._sentences)
        self._nearest_clause = _Nearest(self._clauses)
        self._quantities = [one for sentence in self._sentences for one in sentence.quantities]
        self._equal = EqualQuantities(self._quantities)
        self._numbers = Numbers(self._quantities)
        self._plain = re.sub(r"[^\w.]|_", "", text).lower()
        self._words = frozenset(word for sentence in self._sentences for word in sentence.words)
        self._beginnings = frozenset(word[:4] for word in self._words)

    @cached_property
    def _carried(self) -> dict[int, frozenset[str]]:
        """What a sentence that begins with a pronoun is about, by the place of its clause: the words before it."""
        some = pairwise(self._sentences)
        return {one.begin: before.stems for before, one in some if _PRONOUN.match(one.text) is not None}

    @cached_property
    def _about(self) -> _Nearest:
        """What a sentence is about may stand in the three sentences before it."""
        return _Nearest(self._sentences, behind=3)

    @cached_property
    def _holders(self) -> list[int]:
        """The sentence of each quantity."""
        return [number for number, sentence in enumerate(self._sentences) for _ in sentence.quantities]

    @cached_property
    def _written(self) -> dict[float, list[int]]:
        """The sentences of the numbers as they are written."""
        some = zip(self._holders, self._quantities, strict=True)
        return _grouped((one.written, number) for number, one in some if not isnan(one.written))

    @cached_property
    def _bare(self) -> frozenset[float]:
        """The numbers without a unit."""
        return frozenset(one.written for one in self._quantities if one.kind == "count")

    @cached_property
    def _dates(self) -> frozenset[tuple[str, float | None, float | None]]:
        """Parts of dates: days, months and years, and the numbers that may be years."""
        parts: set[tuple[str, float | None, float | None]] = set()
        for one in self._quantities:
            if one.kind == "date":
                year, month, day = one.value
                parts |= {("day", month, day), ("month", month, None), ("year", year, None)}
            elif one.kind == "count":
                parts.add(("year", one.value[0], None))
        return frozenset(parts)

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        """The places of all words and numbers."""
        return _grouped((match.group(), match.start()) for match in _TOKEN.finditer(self._text))

    @cached_property
    def _wordings(self) -> dict[tuple[str, ...], list[bool]]:
        """Whether the clauses of each wording are negated."""
        return _grouped((clause.unnegated, clause.negated) for clause in self._clauses)

    def differences(self, text: str, question: str = "") -> list[SourceDifference]:
        """Return the differences of a text from this source.

        Args:
            text: what is compared.
            question: the question that the text answers, whose quantities are given and no claims.

        Returns:
            The differences in order, without overlaps.
        """
        found: list[SourceDifference] = []
        given = quantities(question)
        known = EqualQuantities(given), frozenset(one.written for one in given if not isnan(one.written))
        for sentence in _sentences(text):
            at = sentence.begin
            if (derived := self._derived.of(sentence.text, question)) is not None:
                begin, end = _span_of_words(sentence.text)
                found += (
                    [] if derived.follows else [SourceDifference(at + begin, at + end, derived.reason, derived.sure)]
                )
                continue
            near = self._nearest_sentence(sentence)
            if near is None:
                continue
            some = [*self._figures(sentence, near, *known), *self._names(sentence, near), *self._converted(sentence)]
            some += _exchanged(sentence, near)
            if excepts(near.text) or excepts(sentence.text):
                found += [SourceDifference(at + begin, at + end, why, False) for begin, end, why, _ in some]
                continue  # which clause is said of which thing is not certain
            some += _opposites(sentence, near)
            alike = sentence.shared(near) >= _SURE
            found += [
                SourceDifference(begin=at + begin, end=at + end, reason=why, sure=alike and kind in _SURE_KINDS)
                for begin, end, why, kind in some
            ]
            if not some:
                found += self._negations(sentence)
                if (
                    why := next(filter(None, (rule.difference(sentence.text) for rule in self._derived.told)), None)
                ) is not None:
                    begin, end = _span_of_words(sentence.text)
                    found.append(SourceDifference(at + begin, at + end, why, sure=False))
        found.sort()
        return [one for at, one in enumerate(found) if not at or one.begin >= found[at - 1].end]

    def _figures(
        self, sentence: _Passage, near: _Passage, given: EqualQuantities, written: Set[float]
    ) -> Iterator[_Found]:
        if not sentence.quantities or not near.quantities:
            return
        theirs = _Counterparts(sentence, near)
        for one in sentence.quantities:
            others = theirs.of(one)
            if _loose(sentence.text, one) or not others or next(given.same(one), None) is not None:
                continue
            if one.kind == "count" and one.written in written:
                continue
            if _ARGUMENT.search(_before(sentence, one)):
                continue  # what a call sets is no claim about the default
            if self._has(one, sentence, near) and not self._said_of_another(one, sentence, near):
                continue
            after = _after(sentence.text, one.end)
            beside = others.get(("after", after)) if after else None
            counted = one.kind == "count" and abs(one.value[0] or 0.0) <= _COUNTED
            mine = one.value[0] if len(one.value) == 1 else None
            opposite = others.get(("value", -mine)) if mine else None
            unit = others.get(("written", one.written)) if one.kind != "count" else None
            other = opposite or unit or beside
            if other is None and (counted or sentence.shared(near) < _LIKE):
                continue
            other = other or others["any", None]
            if _bounds(_before(sentence, one), one, _before(near, other), other):
                continue
            if opposite and (sentence.falls or near.falls):
                continue
            there = near.text[other.begin : other.end]
            yield (one.begin, one.end, f"{sentence.text[one.begin : one.end]}: the source has {there}", one.kind)

    def _said_of_another(self, one: Quantity, sentence: _Passage, near: _Passage) -> bool:
        """Return whether the source says a quantity only of another thing than the nearest sentence.

        The nearest sentence has a quantity of this kind as well.
        """
        alike = [other for other in near.quantities if _group(one) == _group(other) and not other.weak]
        bare = one.kind in ("count", "ordinal") and not _after(sentence.text, one.end)
        if bare or len(alike) != 1 or sentence.shared(near) < _LIKE:
            return False
        holders = {self._holders[number] for number in self._equal.same(one)} | set(self._written.get(one.written, ()))
        common = len(sentence.stems & near.stems)
        return bool(holders) and bool((self._about.shared(sentence)[list(holders)] < common).all())

    def _has(self, one: Quantity, sentence: _Passage, near: _Passage) -> bool:
        """Return whether the source has a quantity in any form, or quantities from which it may have been computed."""
        dated = one.kind == "date" and one.value[1] is not None  # of which the year alone is no counterpart
        if any(not dated or self._quantities[number].kind == "date" for number in self._equal.same(one)):
            return True
        written = sentence.text[one.begin : one.end]
        if one.kind in IDENTIFIERS:
            return one.unit in self._plain
        if one.kind == "date":
            year, month, day = one.value
            there = ("month", month, None) if day is None else ("day", month, day)
            return there in self._dates and (year is None or ("year", year, None) in self._dates)
        if len(one.value) != 1 or one.value[0] is None:
            return False
        if one.kind == "count" and self._writes(written):
            return True
        # A number may stand apart from its unit: "ten years, letters for six", a table, "open at nine".
        if one.written in (self._written if one.kind == "count" else self._bare):
            return True
        if one.kind in ("months", "duration") and any(_as_long(one, other) for other in near.quantities):
            return True
        if one.kind == "money" and _is_of_a_longer_time(one, near):
            return True
        about = _ABOUT.search(_before(sentence, one)) is not None
        return follows(one, self._numbers, near.numbers, sentence.numbers, about=about)

    def _writes(self, number: str) -> bool:
        """Return whether the source has the same digits.

        It may have them as in a table, where a comma may stand directly before them.
        """
        token = max(_TOKEN.finditer(number), key=lambda match: len(match.group()))
        comma = "" if "." in number else ","
        alone = re.compile(rf"(?<![\d.{comma}/]){re.escape(number)}(?!\d|[.,/]\d)")
        places = self._places.get(token.group(), ())
        return any(at >= token.start() and alone.match(self._text, at - token.start()) for at in places)

    def _names(self, sentence: _Passage, near: _Passage) -> Iterator[_Found]:
        """Yield names that replace another name: after the same word, or next to the same part of a name."""
        if sentence.shared(near) < _LIKE:
            return
        theirs: dict[tuple[str, bool], str] = {}
        for first, last, before in near.named:
            other = near.text[first:last]
            if _folded(other) not in sentence.words:
                theirs.setdefault((before, other.isupper()), other)
        for begin, end, before in sentence.named if theirs else ():
            name = sentence.text[begin:end]
            if (other := theirs.get((before, name.isupper()), "")) and not self._knows(name):
                yield (begin, end, f"{name}: the source has {other}", "name")

    def _converted(self, sentence: _Passage) -> Iterator[_Found]:
        """Yield measures behind which the same stands in another unit, and is not the same."""
        for one, other, right in conversions(sentence.text):
            if not right and next(self._equal.same(other), None) is None:
                there = sentence.text[one.begin : one.end]
                why = f"{sentence.text[other.begin : other.end]}: {there} is another amount"
                yield (other.begin, other.end, why, "conversion")

    def _knows(self, name: str) -> bool:
        word = _folded(name)
        return word in self._words or (len(word) > 4 and word[:4] in self._beginnings)

    def _negations(self, sentence: _Passage) -> Iterator[SourceDifference]:
        for clause in sentence.clauses:
            near = self._nearest_clause(clause)
            if near is None or near.shared(clause) < _LIKE:
                continue
            theirs = near.stems | self._carried.get(near.begin, frozenset())
            if len(clause.stems & theirs) < _NEGATED_LIKE * len(clause.stems):
                continue
            denied, there = clause.negated != clause.lacks(theirs), near.negated != near.lacks(clause.stems)
            silent = _REFUSED.search(near.text) is not None or _NOT_ALL.search(clause.text) is not None
            if denied == there or silent or any(_pairs(clause, near.words)):
                continue
            sure = self._reverses(clause)
            whole = clause.alone and near.alone and near.shared(clause) >= _NEGATED_LIKE
            enough = len(clause.stems) > 2 or (len(clause.stems) == 2 and bool(_COPULA.search(near.text)))
            if not (sure or (whole and enough and clause.stems <= theirs)):
                continue
            if clause.negations and not near.lacks(clause.stems):
                (begin, end), why = (
                    clause.negations[0].span(),
                    f"{clause.negations[0].group()}: the source says it without",
                )
            else:
                word = near.negations[0].group() if near.negations else "without"
                (begin, end), why = _span_of_words(clause.text), f"the source has “{word}”"
            yield SourceDifference(begin=clause.begin + begin, end=clause.begin + end, reason=why, sure=sure)

    def _reverses(self, clause: _Passage) -> bool:
        """Return whether the source has a clause word for word but for a negation, and does not have it as it is."""
        negated = self._wordings.get(clause.unnegated, [])
        return len(clause.unnegated) > 2 and bool(negated) and clause.negated not in negated


class _Counterparts:
    """The quantities of the nearest sentence of the source that a sentence does not have itself."""

    def __init__(self, sentence: _Passage, near: _Passage) -> None:
        self._text = sentence.text
        self._others: dict[tuple[tuple[str, str], bool], dict[tuple[str, object], Quantity]] = {}
        for other in near.quantities:
            if _loose(near.text, other) or next(sentence.equal.same(other), None) is not None:
                continue
            group = self._others.setdefault((_group(other), _is_year(near.text, other)), {})
            value = other.value[0] if len(other.value) == 1 else None
            for name in ("any", None), ("after", _after(near.text, other.end)), ("value", value):
                group.setdefault(name, other)  # the first of several
            if not isnan(other.written):
                group.setdefault(("written", other.written), other)

    def of(self, one: Quantity) -> dict[tuple[str, object], Quantity]:
        """Return those that can be compared with a quantity of the sentence: the first with each property."""
        return self._others.get((_group(one), _is_year(self._text, one)), {})


def _grouped(pairs: Iterable[tuple[_Key, _Of]]) -> dict[_Key, list[_Of]]:
    groups: dict[_Key, list[_Of]] = {}
    for key, one in pairs:
        groups.setdefault(key, []).append(one)
    return groups


def _as_long(one: Quantity, other: Quantity) -> bool:
    """Return whether a time in days and one in months are about equal."""
    if {one.kind, other.kind} != {"months", "duration"}:
        return False
    days = [(part.value[0] or 0.0) * (1 / 86400 if part.kind == "duration" else 30.44) for part in (one, other)]
    return abs(days[0] - days[1]) <= 0.05 * max(days)


def _is_of_a_longer_time(amount: Quantity, near: _Passage) -> bool:
    """Return whether an amount is that of a sentence for so many times as long: 12 times what is paid a month."""
    times = [factor for paid, factors in _PAID_EACH for factor in factors if paid.search(near.text)]
    same_unit = (other for other in near.quantities if other.kind == "money" and other.unit == amount.unit)
    theirs = [other.value[0] or 0.0 for other in same_unit]
    mine = amount.value[0] or 0.0
    return any(abs(mine - factor * other) <= 1e-9 * max(1.0, mine) for factor in times for other in theirs if other)


def _loose(text: str, one: Quantity) -> bool:
    """Return whether a quantity is only an expression, as "a minute" is."""
    return one.weak and not is_share(text, one)


def _before(part: _Passage, one: Quantity) -> str:
    return part.text[max(0, one.begin - _BEFORE_A_NUMBER) : one.begin]


def _is_year(text: str, one: Quantity) -> bool:
    return _YEAR.fullmatch(text, one.begin, one.end) is not None


def _bounds(before: str, one: Quantity, behind: str, other: Quantity) -> bool:
    """Return whether a number is a bound, such as "more than 20", for another number that is none itself.

    What is free above 50 euros is not free above 14.
    """
    if len(one.value) != 1 or one.value[0] is None or other.value[0] is None:
        return False
    mine, theirs = one.value[0], other.value[0]
    more = _MORE.search(before) and mine <= theirs and not _MORE.search(behind)
    return bool(more or (_LESS.search(before) and mine >= theirs and not _LESS.search(behind)))


def _exchanged(sentence: _Passage, near: _Passage) -> Iterator[_Found]:
    """Yield two numbers of which each counts what the other counts in the source: three tablets two times a day."""
    mine, theirs = sentence.counting, near.counting
    if len(mine) != 2 or len(theirs) != 2 or set(mine) != set(theirs):
        return
    (first, one), (second, other) = mine.items()
    if one.written == theirs[second].written != other.written == theirs[first].written:
        there = near.text[theirs[first].begin : theirs[first].end]
        yield (one.begin, one.end, f"{sentence.text[one.begin : one.end]}: the source has {there}", "exchanged")


def _opposites(sentence: _Passage, near: _Passage) -> Iterator[_Found]:
    if sentence.shared(near) < _LIKE:
        return
    theirs: dict[bool, set[str]] = {True: set(), False: set()}
    for clause in near.clauses:
        theirs[clause.negated] |= clause.words - sentence.words
    for clause in sentence.clauses:
        at = clause.begin - sentence.begin
        for begin, end, word in _pairs(clause, theirs[clause.negated]):
            if clause.text[begin:end].lower() not in near.words:
                yield (at + begin, at + end, f"{clause.text[begin:end]}: the source has {word}", "opposite")


def _pairs(part: _Passage, words: Set[str]) -> Iterator[tuple[int, int, str]]:
    """Yield words of a part whose opposite is among other words, if neither is in both."""
    for match in _WORD.finditer(part.text):
        word = match.group().lower()
        if part.text[match.start() - 1 : match.start()] == "=":
            continue  # what a call sets is no claim about the default
        for opposite in OPPOSITES.get(word, ()) if word not in words else ():
            if opposite in words and opposite not in part.words:
                yield match.start(), match.end(), opposite
                break


def _sentences(text: str) -> Iterator[_Passage]:
    """Yield sentences, of which a very long one is several: it is compared again and again."""
    for begin, end in pairwise([0, *sentence_ends(text), len(text)]):
        while end - begin > _LONGEST:
            at = text.rfind(" ", begin + _LONGEST // 2, begin + _LONGEST)
            at = begin + _LONGEST if at < 0 else at
            yield _Passage(text[begin:at], begin)
            begin = at
        yield _Passage(text[begin:end], begin)


def _named(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield words of names after a preposition or another part of the name, with the word before them."""
    before = ""
    for match in _WORD.finditer(text):
        word = match.group()
        fits = before in _BEFORE or (before[:1].isupper() and not is_stopword(before))
        fits = fits and text[match.start() - 1 : match.start()] != "-"
        if (
            fits
            and word[0].isupper()
            and 2 < len(word) <= _LONGEST_NAME
            and word not in _NO_NAMES
            and not is_stopword(word)
        ):
            yield match.start(), match.end(), before
        before = word.lower() if is_stopword(word) else word


def _group(one: Quantity) -> tuple[str, str]:
    """Return what a quantity can be compared with: AB-1234 is compared with AB-1243, but not with XY-9."""
    return _COMPARED.get(one.kind, one.kind), _shape(one.unit) if one.kind == "code" else ""


def _shape(code: str) -> str:
    return re.sub(r"\d", "9", code)


def _says_more(word: str) -> bool:
    """Return whether a word counts where sentences are compared: it is no stop-word and no part of a number."""
    return not is_stopword(word) and not word[0].isdigit() and word not in ("am", "pm")


def _after(text: str, at: int) -> str:
    """Return the stem of the word after a number."""
    match = _WORD.match(text, at + 1) if text[at : at + 1] in (" ", "-") else None
    return _stem(match.group().lower()) if match and not is_stopword(match.group()) else ""


def _folded(word: str) -> str:
    """Return a word in lower case, without accents and the ending of a possessive."""
    return "".join(one for one in normalize("NFKD", _owner(word.lower())) if not combining(one))


def _owner(word: str) -> str:
    return word[:-2] if word.endswith(("'s", "’s")) else word


def _stem(word: str) -> str:
    word = f"{word[:-3]}y" if len(word) > 4 and word.endswith(("ies", "ied")) else word
    return word[:5] if len(word) > 5 else word.rstrip("s") if len(word) > 3 else word


def _span_of_words(text: str) -> tuple[int, int]:
    found = list(_WORD.finditer(text))
    return (found[0].start(), found[-1].end()) if found else (0, len(text))

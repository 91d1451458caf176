"""Checks of a text against its source without a model: numbers, dates, names, opposites and negations.

A statement is compared with the sentence of the source that shares most words with it. A number, name or word of the
statement is a difference only if that sentence has another number, name or word in its place. It is none if the source
says the same in another form (`nlgauge.faithfulness.quantities`), or if it may follow from the source, such as a sum, a
rounded number or a count.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence, Set
from functools import cached_property
from itertools import pairwise
from math import isnan
from typing import NamedTuple, TypeAlias, TypeVar

from nlgauge.faithfulness.dates import YEAR
from nlgauge.faithfulness.derivations import Numbers, follows
from nlgauge.faithfulness.derived import facts
from nlgauge.faithfulness.exceptions import excepts
from nlgauge.faithfulness.measures import Quantity
from nlgauge.faithfulness.opposites import OPPOSITES
from nlgauge.faithfulness.parts import WORD, Nearest, Part, folded, sentences_of, span_of_words, word_after
from nlgauge.faithfulness.quantities import IDENTIFIERS, EqualQuantities, conversions, is_share, quantities

_TOKEN = re.compile(r"\d+|[^\W\d]+|[^\w\s]")
_PAID_EACH = [
    (re.compile(rf"\b(?:a|an|per|each|every) {unit}\b|\b{often}\b", re.IGNORECASE), times)
    for unit, often, times in (
        ("hour", "hourly", (24.0,)),
        ("day", "daily", (7.0, 30.0, 365.0)),
        ("week", "weekly", (4.0, 52.0)),
        ("month", "monthly", (3.0, 6.0, 12.0, 24.0)),
        ("quarter", "quarterly", (4.0,)),
    )
]
"""Words such as "monthly" beside an amount, and how many of their periods a longer period has, such as 12 months"""
_REFUSED = re.compile(r"\b(?:refus\w+|declin\w+|fail\w*|forg[eo]t\w*|neglect\w*|unable|omitted) to\b", re.IGNORECASE)
"""Words such as "refused to": the thing was not done, though no word negates it"""
_NOT_ALL = re.compile(
    r"\bnot (?:all|every|each)\b|\b(?:all|every|each)\b[^.;]{0,80}?(?:\bnot\b|n[’']t\b)", re.IGNORECASE
)
"""Words such as "not all", by which a sentence may still be true of some"""
_ABOUT = re.compile(
    r"\b(?:about|around|roughly|nearly|almost|approximately|some|over|under|more than|less than|fewer than|at least"
    r"|at most|up to|close to|or so|above|below)\s+(?:the\s+|[$£€]\s?)?$",
    re.IGNORECASE,
)
_ARGUMENT = re.compile(r"\w\((?:[^()]*,\s?)?\w+\s?=\s?$")
_MORE = re.compile(r"\b(?:over|more than|at least|above|as many as|exceed\w*)\s+(?:the\s+|[$£€]\s?)?$", re.IGNORECASE)
_LESS = re.compile(r"\b(?:under|less than|fewer than|at most|up to|below)\s+(?:the\s+|[$£€]\s?)?$", re.IGNORECASE)
_LIKE, _NEGATED_LIKE, _SURE = 0.5, 0.6, 0.67
"""The share of a statement's words that the source's sentence must have. The first is for comparing words, the second
for comparing negations, the third for a difference of `_SURE_KINDS` to be sure"""
_SURE_KINDS = frozenset({"date", "clock", "weekday", "length", "mass", "volume"})
"""Kinds of differences that were errors at least 98 times of 100, where the rest of the sentence agrees. The same holds
for a clause that has the words of the source and one negation more or less. Differences of other kinds are doubts,
which were errors less often: names (.79), opposites (.88), money (.84), percentages (.94) and counts (.92)"""
_COMPARED = {"months": "duration", "points": "percent"}
"""Kinds of quantities that are compared with another kind"""
_BEFORE_A_NUMBER = 60
"""The number of characters before a number in which words such as "more than" are searched"""
_COUNTED = 12
"""The largest number that an answer may state because its writer has counted the things that the source lists"""


class SourceDifference(NamedTuple):
    """A place where a text differs from its source."""

    begin: int
    end: int
    """The place in the text, in characters"""
    reason: str
    sure: bool
    """Whether the difference is nearly certain to be an error: at least 98 of 100 such differences were. These are
    differences of a kind in `_SURE_KINDS` in a sentence that agrees with the source for the most part, clauses that
    differ from the source in nothing but a negation, and addresses that a source with other addresses lacks
    """


_PRONOUN = re.compile(r"(?:he|she|it|they)\b", re.IGNORECASE)
_COPULA = re.compile(r"\b(?:is|are|was|were)\b", re.IGNORECASE)
_Found: TypeAlias = tuple[int, int, str, str]
"""Begin and end within a sentence, the reason, and the kind"""
_Key = TypeVar("_Key", bound=Hashable)
_Of = TypeVar("_Of")


class CheckedSource:
    """A source, prepared for exact checks of texts against it.

    Args:
        texts: the texts of the source.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._text = text = "\n".join(texts)
        self._derived = facts(tuple(texts))
        self._sentences = list(sentences_of(text))
        self._clauses = [clause for sentence in self._sentences for clause in sentence.clauses]
        self._nearest_sentence = Nearest(self._sentences)
        self._nearest_clause = Nearest(self._clauses)
        self._quantities = [quantity for sentence in self._sentences for quantity in sentence.quantities]
        self._equal = EqualQuantities(self._quantities)
        self._plain = re.sub(r"[^\w.]|_", "", text).lower()
        self._words = frozenset(word for sentence in self._sentences for word in sentence.words)
        self._beginnings = frozenset(word[:4] for word in self._words)

    @cached_property
    def _numbers(self) -> Numbers:
        """The numbers of the source, from which other numbers may have been computed."""
        return Numbers(self._quantities)

    @cached_property
    def _carried(self) -> dict[int, frozenset[str]]:
        """For each sentence that begins with a pronoun: where it begins, and the stems of the sentence before it."""
        pairs = pairwise(self._sentences)
        return {sentence.begin: before.stems for before, sentence in pairs if _PRONOUN.match(sentence.text) is not None}

    @cached_property
    def _about(self) -> Nearest:
        """The sentences, indexed by their words and by the words of the three before, which may name the topic."""
        return Nearest(self._sentences, behind=3)

    @cached_property
    def _holders(self) -> list[int]:
        """For each quantity of the source, the index of its sentence."""
        return [number for number, sentence in enumerate(self._sentences) for _ in sentence.quantities]

    @cached_property
    def _written(self) -> dict[float, list[int]]:
        """For each number as it is written, the indices of the sentences that have it."""
        held = zip(self._holders, self._quantities, strict=True)
        return _grouped((quantity.written, number) for number, quantity in held if not isnan(quantity.written))

    @cached_property
    def _bare(self) -> frozenset[float]:
        """The numbers without a unit."""
        return frozenset(quantity.written for quantity in self._quantities if quantity.kind == "count")

    @cached_property
    def _dates(self) -> frozenset[tuple[str, float | None, float | None]]:
        """The days, months and years of the source's dates, and the numbers that may be years."""
        parts: set[tuple[str, float | None, float | None]] = set()
        for quantity in self._quantities:
            if quantity.kind == "date":
                year, month, day = quantity.value
                parts |= {("day", month, day), ("month", month, None), ("year", year, None)}
            elif quantity.kind == "count":
                parts.add(("year", quantity.value[0], None))
        return frozenset(parts)

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        """For each word and number, its places in the source."""
        return _grouped((match.group(), match.start()) for match in _TOKEN.finditer(self._text))

    @cached_property
    def _wordings(self) -> dict[tuple[str, ...], list[bool]]:
        """For each wording without negation (`Part.unnegated`), whether each clause with this wording is negated."""
        return _grouped((clause.unnegated, clause.negated) for clause in self._clauses)

    def differences(self, text: str, question: str = "") -> list[SourceDifference]:
        """Return the differences of a text from this source.

        Args:
            text: the text that is compared with the source.
            question: the question that the text answers. The text may repeat its quantities: they are no differences.

        Returns:
            The differences in order, without overlaps.
        """
        differences: list[SourceDifference] = []
        asked = quantities(question)
        of_question = (
            EqualQuantities(asked),
            frozenset(quantity.written for quantity in asked if not isnan(quantity.written)),
        )
        for sentence in sentences_of(text):
            at = sentence.begin
            if (derived := self._derived.of(sentence.text, question)) is not None:
                begin, end = span_of_words(sentence.text)
                differences += (
                    [] if derived.follows else [SourceDifference(at + begin, at + end, derived.reason, derived.sure)]
                )
                continue
            near = self._nearest_sentence(sentence)
            if near is None:
                continue
            differing = list(self._names(sentence, near))
            if sentence.quantities:
                differing += [*self._figures(sentence, near, *of_question), *_exchanged(sentence, near)]
                differing += self._converted(sentence) if "(" in sentence.text else ()
            if excepts(near.text) or excepts(sentence.text):
                differences += [SourceDifference(at + begin, at + end, why, False) for begin, end, why, _ in differing]
                continue  # which clause is said of which thing is not certain
            differing += _opposites(sentence, near)
            alike = sentence.shared(near) >= _SURE
            differences += [
                SourceDifference(begin=at + begin, end=at + end, reason=why, sure=alike and kind in _SURE_KINDS)
                for begin, end, why, kind in differing
            ]
            if not differing:
                differences += self._negations(sentence)
                reasons = (frames.difference(sentence.text) for frames in self._derived.frames)
                if (why := next(filter(None, reasons), None)) is not None:
                    begin, end = span_of_words(sentence.text)
                    differences.append(SourceDifference(at + begin, at + end, why, sure=False))
        differences.sort()
        return [
            difference
            for at, difference in enumerate(differences)
            if not at or difference.begin >= differences[at - 1].end
        ]

    def _figures(self, sentence: Part, near: Part, asked: EqualQuantities, written: Set[float]) -> Iterator[_Found]:
        if not near.quantities:
            return
        theirs = _Counterparts(sentence, near)
        for quantity in sentence.quantities:
            others = theirs.of(quantity)
            if _loose(sentence.text, quantity) or not others or next(asked.same(quantity), None) is not None:
                continue
            if quantity.kind == "count" and quantity.written in written:
                continue
            if _ARGUMENT.search(_before(sentence, quantity)):
                continue  # what a call sets is no claim about the default
            if self._has(quantity, sentence, near) and not self._said_of_another(quantity, sentence, near):
                continue
            after = word_after(sentence.text, quantity.end)
            beside = others.get(("after", after)) if after else None
            counted = quantity.kind == "count" and abs(quantity.value[0] or 0.0) <= _COUNTED
            mine = quantity.value[0] if len(quantity.value) == 1 else None
            opposite = others.get(("value", -mine)) if mine else None
            unit = others.get(("written", quantity.written)) if quantity.kind != "count" else None
            other = opposite or unit or beside
            if other is None and (counted or sentence.shared(near) < _LIKE):
                continue
            other = other or others["any", None]
            if _bounds(_before(sentence, quantity), quantity, _before(near, other), other):
                continue
            if opposite and (sentence.falls or near.falls):
                continue
            there = near.text[other.begin : other.end]
            yield (
                quantity.begin,
                quantity.end,
                f"{sentence.text[quantity.begin : quantity.end]}: the source has {there}",
                quantity.kind,
            )

    def _said_of_another(self, quantity: Quantity, sentence: Part, near: Part) -> bool:
        """Return whether the source has a quantity only in sentences about another thing than the nearest sentence.

        This is tested only where the nearest sentence has exactly one quantity of the same kind.
        """
        alike = [other for other in near.quantities if _group(quantity) == _group(other) and not other.weak]
        bare = quantity.kind in ("count", "ordinal") and not word_after(sentence.text, quantity.end)
        if bare or len(alike) != 1 or sentence.shared(near) < _LIKE:
            return False
        holders = {self._holders[number] for number in self._equal.same(quantity)} | set(
            self._written.get(quantity.written, ())
        )
        common = len(sentence.stems & near.stems)
        return bool(holders) and bool((self._about.shared(sentence)[list(holders)] < common).all())

    def _has(self, quantity: Quantity, sentence: Part, near: Part) -> bool:
        """Return whether the source has a quantity in any form, or quantities from which it may be computed.

        Args:
            quantity: the quantity.
            sentence: the sentence that has the quantity.
            near: the nearest sentence of the source.
        """
        dated = quantity.kind == "date" and quantity.value[1] is not None  # of which the year alone is no counterpart
        if any(not dated or self._quantities[number].kind == "date" for number in self._equal.same(quantity)):
            return True
        written = sentence.text[quantity.begin : quantity.end]
        if quantity.kind in IDENTIFIERS:
            return quantity.unit in self._plain
        if quantity.kind == "date":
            year, month, day = quantity.value
            there = ("month", month, None) if day is None else ("day", month, day)
            return there in self._dates and (year is None or ("year", year, None) in self._dates)
        if len(quantity.value) != 1 or quantity.value[0] is None:
            return False
        if quantity.kind == "count" and self._writes(written):
            return True
        # A number may stand apart from its unit: "ten years, letters for six", a table, "open at nine".
        if quantity.written in (self._written if quantity.kind == "count" else self._bare):
            return True
        if quantity.kind in ("months", "duration") and any(_as_long(quantity, other) for other in near.quantities):
            return True
        if quantity.kind == "money" and _is_of_a_longer_time(quantity, near):
            return True
        about = _ABOUT.search(_before(sentence, quantity)) is not None
        return follows(quantity, self._numbers, near.numbers, sentence.numbers, about=about)

    def _writes(self, number: str) -> bool:
        """Return whether the source has a number with the same digits.

        A comma may stand directly before the digits, as between the cells of a table.
        """
        token = max(_TOKEN.finditer(number), key=lambda match: len(match.group()))
        comma = "" if "." in number else ","
        alone = re.compile(rf"(?<![\d.{comma}/]){re.escape(number)}(?!\d|[.,/]\d)")
        places = self._places.get(token.group(), ())
        return any(at >= token.start() and alone.match(self._text, at - token.start()) for at in places)

    def _names(self, sentence: Part, near: Part) -> Iterator[_Found]:
        """Yield the names that stand where the nearest sentence has another name: both follow the same word."""
        if sentence.shared(near) < _LIKE:
            return
        theirs: dict[tuple[str, bool], str] = {}
        for first, last, before in near.named:
            other = near.text[first:last]
            if folded(other) not in sentence.words:
                theirs.setdefault((before, other.isupper()), other)
        for begin, end, before in sentence.named if theirs else ():
            name = sentence.text[begin:end]
            if (other := theirs.get((before, name.isupper()), "")) and not self._knows(name):
                yield (begin, end, f"{name}: the source has {other}", "name")

    def _converted(self, sentence: Part) -> Iterator[_Found]:
        """Yield the conversions in brackets that are wrong, as in "5 km (4 miles)"."""
        for measure, other, right in conversions(sentence.text):
            if not right and next(self._equal.same(other), None) is None:
                there = sentence.text[measure.begin : measure.end]
                why = f"{sentence.text[other.begin : other.end]}: {there} is another amount"
                yield (other.begin, other.end, why, "conversion")

    def _knows(self, name: str) -> bool:
        word = folded(name)
        return word in self._words or (len(word) > 4 and word[:4] in self._beginnings)

    def _negations(self, sentence: Part) -> Iterator[SourceDifference]:
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
                (begin, end), why = span_of_words(clause.text), f"the source has “{word}”"
            yield SourceDifference(begin=clause.begin + begin, end=clause.begin + end, reason=why, sure=sure)

    def _reverses(self, clause: Part) -> bool:
        """Return whether the source has the clause only with one negation more or less, and nowhere as it is."""
        negated = self._wordings.get(clause.unnegated, [])
        return len(clause.unnegated) > 2 and bool(negated) and clause.negated not in negated


class _Counterparts:
    """The quantities that the source's nearest sentence has, and that a sentence lacks.

    Args:
        sentence: the sentence.
        near: the nearest sentence of the source.
    """

    def __init__(self, sentence: Part, near: Part) -> None:
        self._text = sentence.text
        self._others: dict[tuple[tuple[str, str], bool], dict[tuple[str, object], Quantity]] = {}
        for other in near.quantities:
            if _loose(near.text, other) or next(sentence.equal.same(other), None) is not None:
                continue
            group = self._others.setdefault((_group(other), _is_year(near.text, other)), {})
            value = other.value[0] if len(other.value) == 1 else None
            for name in ("any", None), ("after", word_after(near.text, other.end)), ("value", value):
                group.setdefault(name, other)  # the first of several
            if not isnan(other.written):
                group.setdefault(("written", other.written), other)

    def of(self, quantity: Quantity) -> dict[tuple[str, object], Quantity]:
        """Return the quantities that can be compared with a quantity of the sentence.

        The keys of the result are properties: ("after", the word behind), ("value", the number), ("written", the number
        as written), and ("any", None) for all. The value is the first quantity with the property.
        """
        return self._others.get((_group(quantity), _is_year(self._text, quantity)), {})


def _grouped(pairs: Iterable[tuple[_Key, _Of]]) -> dict[_Key, list[_Of]]:
    groups: dict[_Key, list[_Of]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def _as_long(quantity: Quantity, other: Quantity) -> bool:
    """Return whether two times, one in seconds to weeks and one in months or years, differ by at most 5 %."""
    if {quantity.kind, other.kind} != {"months", "duration"}:
        return False
    days = [(part.value[0] or 0.0) * (1 / 86400 if part.kind == "duration" else 30.44) for part in (quantity, other)]
    return abs(days[0] - days[1]) <= 0.05 * max(days)


def _is_of_a_longer_time(amount: Quantity, near: Part) -> bool:
    """Return whether an amount of money is the price of a sentence, multiplied for a longer period.

    An example is 1200 crowns a year where the sentence has 100 crowns a month.

    Args:
        amount: the amount of the judged text.
        near: the source's nearest sentence, which may have a price per hour, day, week, month or quarter.
    """
    times = [many for paid, counts in _PAID_EACH for many in counts if paid.search(near.text)]
    theirs = [other.value[0] or 0.0 for other in near.quantities if (other.kind, other.unit) == ("money", amount.unit)]
    mine = amount.value[0] or 0.0
    return any(abs(mine - many * other) <= 1e-9 * max(1.0, mine) for many in times for other in theirs if other)


def _loose(text: str, quantity: Quantity) -> bool:
    """Return whether a quantity is only an expression, such as "a minute", and no share."""
    return quantity.weak and not is_share(text, quantity)


def _before(part: Part, quantity: Quantity) -> str:
    return part.text[max(0, quantity.begin - _BEFORE_A_NUMBER) : quantity.begin]


def _is_year(text: str, quantity: Quantity) -> bool:
    return YEAR.fullmatch(text, quantity.begin, quantity.end) is not None


def _bounds(before: str, bound: Quantity, behind: str, other: Quantity) -> bool:
    """Return whether a number is a bound that holds for another number, as "more than 20" holds for 25.

    The other number must not be a bound of this kind itself: "free above 50 euros" does not support "free above 14".

    Args:
        before: the text before the bound.
        bound: the number that may be a bound.
        behind: the text before the other number.
        other: the other number.

    Returns:
        Whether the bound holds.
    """
    if len(bound.value) != 1 or bound.value[0] is None or other.value[0] is None:
        return False
    mine, theirs = bound.value[0], other.value[0]
    more = _MORE.search(before) and mine <= theirs and not _MORE.search(behind)
    return bool(more or (_LESS.search(before) and mine >= theirs and not _LESS.search(behind)))


def _exchanged(sentence: Part, near: Part) -> Iterator[_Found]:
    """Yield the first of two numbers that are exchanged: three tablets two times, for two tablets three times."""
    mine, theirs = sentence.counting, near.counting
    if len(mine) != 2 or len(theirs) != 2 or set(mine) != set(theirs):
        return
    (first, mine_first), (second, other) = mine.items()
    if mine_first.written == theirs[second].written != other.written == theirs[first].written:
        there = near.text[theirs[first].begin : theirs[first].end]
        yield (
            mine_first.begin,
            mine_first.end,
            f"{sentence.text[mine_first.begin : mine_first.end]}: the source has {there}",
            "exchanged",
        )


def _opposites(sentence: Part, near: Part) -> Iterator[_Found]:
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


def _pairs(part: Part, words: Set[str]) -> Iterator[tuple[int, int, str]]:
    """Yield each word of a part whose opposite is among `words`: begin, end, opposite.

    The word itself must not be among `words`, and the opposite must not be in the part.
    """
    for match in WORD.finditer(part.text):
        word = match.group().lower()
        if part.text[match.start() - 1 : match.start()] == "=":
            continue  # what a call sets is no claim about the default
        for opposite in OPPOSITES.get(word, ()) if word not in words else ():
            if opposite in words and opposite not in part.words:
                yield match.start(), match.end(), opposite
                break


def _group(quantity: Quantity) -> tuple[str, str]:
    """Return the group of a quantity. Quantities of one group are compared: AB-1234 with AB-1243, and not with XY-9."""
    return _COMPARED.get(quantity.kind, quantity.kind), _shape(quantity.unit) if quantity.kind == "code" else ""


def _shape(code: str) -> str:
    return re.sub(r"\d", "9", code)

"""The numbers of a source that calculations use, in passages of neighbouring sentences."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence, Set
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from nlgauge.faithfulness.dates import YEAR
from nlgauge.faithfulness.measures import Quantity
from nlgauge.faithfulness.stems import WORD, Sentence, stem_of, stems_in

_SHORT_SOURCE = 40
"""The most sentences of a source that is read as one list"""
MOST_PASSAGES = 60
"""The most passages that a statement is compared with"""
_SENTENCES = 3
"""The most neighbouring sentences of a passage"""
_MAY_COUNT = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w+ty|hundred|thousand|dozen|half"
    r"|noon|midnight)\b",
    re.IGNORECASE,
)
"""Signs of a number. A sentence without any of them has no number for a calculation"""
_CLAUSE = re.compile(r"[,;.:!?]\s|\n|\s(?:and|while|whereas|but|by)\s")


class Operand(NamedTuple):
    """A number of a passage that a calculation may use."""

    begin: int
    end: int
    kind: str
    """The kind of the quantity, 'year' for a number that may be a year, or 'day' for a date"""
    unit: str
    """The currency of an amount of money; empty for other kinds"""
    value: float
    """The number in the kind's base unit"""
    written: float
    """The number as the text writes it; NaN where it is not one number"""
    clause: frozenset[str]
    """The stems of the clause with the number"""
    noun: str
    """The stem of the word behind the number, which the number counts; empty if there is none"""


_TAKEN = frozenset(["months", "money", "length", "mass", "duration"])
"""Kinds whose unit also holds for a later number without a unit"""


class SourceSentence(Sentence):
    """A sentence of a source, with the numbers that calculations use."""

    @cached_property
    def operands(self) -> Sequence[Operand]:
        """The numbers of the sentence."""
        return _operands(self.text, self.quantities)


class Passage:
    """Neighbouring sentences with numbers, which a calculation may use together.

    Args:
        sentences: the sentences.
    """

    def __init__(self, sentences: Sequence[SourceSentence]) -> None:
        self._sentences = sentences

    @cached_property
    def text(self) -> str:
        """The text of the passage."""
        return "".join(sentence.text for sentence in self._sentences)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of the passage's words."""
        return frozenset().union(*(sentence.stems for sentence in self._sentences))

    @cached_property
    def quantities(self) -> Sequence[Quantity]:
        """The quantities of the passage. The places of each are those in its own sentence."""
        return [quantity for sentence in self._sentences for quantity in sentence.quantities]

    @cached_property
    def operands(self) -> Sequence[Operand]:
        """The numbers of the passage, with places in `text`. A bare number takes the unit of the number before it."""
        at, numbers = 0, []
        for sentence in self._sentences:
            numbers += [
                operand._replace(begin=at + operand.begin, end=at + operand.end) for operand in sentence.operands
            ]
            at += len(sentence.text)
        for number in range(1, len(numbers)):
            last, operand = numbers[number - 1 : number + 1]
            if operand.kind == "count" and not operand.noun and last.kind in _TAKEN and last.written:
                # "Lina is 8 years old, Omar is 11": a number takes the unit of the one before it.
                value = operand.written * last.value / last.written
                numbers[number] = operand._replace(kind=last.kind, unit=last.unit, value=value)
        return numbers

    @property
    def sentences(self) -> int:
        """The number of sentences of the passage."""
        return len(self._sentences)

    def of(self, kind: str) -> list[Operand]:
        """Return the numbers of the passage that have a kind."""
        return [operand for operand in self.operands if operand.kind == kind]

    @cached_property
    def distinct(self) -> Sequence[frozenset[str]]:
        """For each number of the passage, the stems of its clause, without the stems that all these clauses share."""
        common = (
            frozenset.intersection(*(operand.clause for operand in self.operands)) if self.operands else frozenset()
        )
        return [operand.clause - common for operand in self.operands]


class Passages:
    """The passages of a source, indexed by the stems of their words.

    Args:
        sentences: the sentences of the source, in order.
    """

    def __init__(self, sentences: Sequence[SourceSentence]) -> None:
        """Make a passage of each run of one to three sentences whose first and last sentence may have numbers."""
        numbered = [_MAY_COUNT.search(sentence.text) is not None for sentence in sentences]
        self._sentences = sentences
        self._all = [
            Passage(sentences[at : at + size])
            for size in range(1, _SENTENCES + 1)
            for at in range(len(sentences) - size + 1)
            if numbered[at] and numbered[at + size - 1]
        ]

    @cached_property
    def _whole(self) -> Sequence[Passage]:
        return [Passage(self._sentences)] if 1 < len(self._sentences) <= _SHORT_SOURCE else []

    def lists(self, stems: Set[str]) -> list[Passage]:
        """Return the passages that may list the things of a statement about an order.

        Args:
            stems: the stems of the statement.

        Returns:
            The passages of a single sentence that have one of the rarer stems, and the whole source if it is short.
        """
        return [*(passage for passage in self.near(stems) if passage.sentences == 1), *self._whole]

    @cached_property
    def _holders(self) -> dict[str, list[int]]:
        """For each stem, the indices of the passages that have it."""
        holders: dict[str, list[int]] = {}
        for number, passage in enumerate(self._all):
            for stem in passage.stems:
                holders.setdefault(stem, []).append(number)
        return holders

    def near(self, stems: Set[str]) -> list[Passage]:
        """Return the passages that have one of the rarer stems of a statement.

        Args:
            stems: the stems of the statement.

        Returns:
            At most `MOST_PASSAGES` passages, those of fewer sentences first. If the source has none of the stems, the
            statement may speak of it by pronouns: then all passages, if they are few, else none.
        """
        held = sorted((self._holders[stem] for stem in stems if stem in self._holders), key=len)
        if not held:
            return self._all if len(self._all) <= 2 * _SENTENCES else []
        # A passage has most of the stems, and so one of the rarer ones.
        passages = {number for numbers in held[: (len(stems) + 1) // 2] for number in numbers[:MOST_PASSAGES]}
        return [self._all[number] for number in sorted(passages)[:MOST_PASSAGES]]


def _operands(text: str, read: Sequence[Quantity]) -> list[Operand]:
    ends = [0, *(match.end() for match in _CLAUSE.finditer(text)), len(text)]
    clauses = [(begin, end) for begin, end in pairwise(ends) if end > begin]
    numbers: list[Operand] = []
    last: Operand | None = None
    for quantity in read:
        kind, value = _numbered(text, quantity)
        if value is None:
            continue
        begin, end = next((begin, end) for begin, end in clauses if begin <= quantity.begin < end)
        clause = stems_in(without_quantities(text, read, begin, end))
        if not clause:  # "of 60 euros" behind its thing: the clause before it
            clause = stems_in(without_quantities(text, read, last.end if last else 0, end))
        after = [
            stem_of(match.group().lower()) for match in WORD.finditer(text, quantity.end, min(end, quantity.end + 40))
        ]
        noun = next(iter([stem for stem in after if stem in clause][:1]), "")
        unit = quantity.unit if quantity.kind == "money" else ""
        operand = Operand(
            begin=quantity.begin,
            end=quantity.end,
            kind=kind,
            unit=unit,
            value=value,
            written=quantity.written,
            clause=clause,
            noun=noun,
        )
        numbers.append(operand)
        last = operand
    return numbers


def _numbered(text: str, quantity: Quantity) -> tuple[str, float | None]:
    """Return the kind that a quantity has as an operand, and its number; None if calculations do not use it."""
    if quantity.kind == "date":
        year, month, day = quantity.value
        if day is None or month is None:
            return "date", None
        try:
            return "day", float(datetime.date(int(year or 2001), int(month), int(day)).toordinal())
        except ValueError:  # 31 June
            return "day", None
    if (
        (quantity.weak and quantity.kind != "clock")
        or len(quantity.value) != 1
        or quantity.value[0] is None
        or quantity.kind == "ordinal"
    ):
        return quantity.kind, None
    if quantity.kind == "count" and YEAR.fullmatch(text, quantity.begin, quantity.end):
        return "year", quantity.value[0]
    return quantity.kind, quantity.value[0]


def without_quantities(text: str, read: Sequence[Quantity], begin: int, end: int) -> str:
    """Return the characters [begin, end) of a text without its quantities; dates, weekdays and ordinals stay."""
    parts, at = [], begin
    for quantity in read:
        if begin <= quantity.begin < end and quantity.kind not in ("date", "weekday", "ordinal"):
            parts.append(text[at : quantity.begin])
            at = max(at, quantity.end)
    return " ".join([*parts, text[at:end]])

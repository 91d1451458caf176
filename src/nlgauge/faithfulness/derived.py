"""Statements that follow from a source, or that the source excludes, though none of its sentences says so.

Each rule knows one frame of English: an exception ("all but the roof"), the first of a list ("the cheapest"), a total
or a difference, or yes and no under a key of a record. A rule says nothing about a sentence without its frame.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence, Set
from functools import cached_property, lru_cache
from operator import ge, gt, le, lt
from typing import NamedTuple

from nlgauge.faithfulness.calculated import calculated
from nlgauge.faithfulness.exceptions import CountedExceptions, Exceptions, excepts
from nlgauge.faithfulness.measures import Quantity
from nlgauge.faithfulness.modality import ModalSource
from nlgauge.faithfulness.operands import Passages, SourceSentence
from nlgauge.faithfulness.opposites import OPPOSITES
from nlgauge.faithfulness.order import OrderedSource
from nlgauge.faithfulness.quantities import MAY_HAVE, quantities, same
from nlgauge.faithfulness.records import Thing, records, structure, thing_of
from nlgauge.faithfulness.relative_days import RelativeDays
from nlgauge.faithfulness.scope import ScopedSource
from nlgauge.faithfulness.statements import statement
from nlgauge.faithfulness.stems import (
    GENERAL,
    LONGEST,
    MOST,
    Derived,
    Sentence,
    negated,
    plain,
    sentences,
    stem_of,
    stems_in,
)


class Facts:
    """A source, prepared for the rules that derive whether a statement follows.

    Args:
        texts: the texts of the source.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._sentences = [SourceSentence(sentence) for text in texts for sentence in sentences(text)][:MOST]
        rules = (RelativeDays(texts), Exceptions(self._sentences), CountedExceptions(self._sentences))
        self._rules = [rule for rule in rules if rule]
        """The rules that have a sentence of the source to work with"""
        tables = [structure(text) for text in texts]
        self._records = [record for table in tables for record in records(table)][:MOST]
        self._things = [thing for table in tables for record in table if (thing := thing_of(record))][:MOST]
        self._framed: dict[_Frame, list[tuple[Sentence, _Worded]]] = {}
        self._told = frozenset(record.text for record in self._records)
        self._numbered = any(MAY_HAVE.search(text) for text in texts)

    def of(self, sentence: str, question: str = "") -> Derived | None:
        """Return whether a sentence follows from the source or is excluded; None where neither is certain.

        Args:
            sentence: a statement.
            question: the question that the statement answers. Its quantities are facts that are given.

        Returns:
            Whether the sentence follows, and why; or None.
        """
        if len(sentence) > LONGEST:
            return None
        said = Sentence(_ANSWERED.sub("", sentence))
        forms = [statement(question, agreed) for agreed in (True, False)] if question else []
        answers = said.text != sentence or sentence.strip() in forms
        if question and answers and (derived := self._bounded(said, question)) is not None:
            return derived
        for rule in self._rules:
            if (derived := rule.of(said)) is not None:
                return derived
        if (derived := self._in_other_words(said)) is not None:
            return derived
        if self._records and (derived := self._recorded(said)) is not None:
            return derived
        if self._things and (derived := self._told_of_another(said)) is not None:
            return derived
        for frames in self.frames:
            if not isinstance(frames, ScopedSource) and (words := frames.follows(said.text)) is not None:
                return Derived(True, words, f"the source says: {words}")
        return calculated(said.text, question, self._passages) if self._numbered else None

    @cached_property
    def frames(self) -> Sequence[OrderedSource | ModalSource | ScopedSource]:
        """The rules of order, of plans and claims, and of some and all, where the source has a sentence for them."""
        read = (OrderedSource(self._texts), ModalSource(self._texts), ScopedSource(self._texts))
        return [frames for frames in read if frames]

    @cached_property
    def _passages(self) -> Passages:
        """The sentences with numbers, from which other numbers may be calculated."""
        return Passages(self._sentences)

    def _bounded(self, sentence: Sentence, question: str) -> Derived | None:
        """Return whether a bound in the source decides an answer to a question with a quantity; None if none does.

        With "at most 20 guests" in the source and 25 guests in the question, "Yes, it is allowed" is excluded, and "No"
        follows. With 15 guests in the question, "Yes" follows, and "No" is excluded.
        """
        said = _placed(sentence.quantities)
        asked = [quantity for quantity in _placed(quantities(question[-LONGEST:])) if quantity.kind in _BOUNDED]
        mine = [quantity for quantity in said if any(same(quantity, other) for other in asked)]
        if not mine and not said and len(asked) == 1:
            mine = asked  # "Yes, you can use the offer"
        if len(mine) != 1 or len(said) > 1 or (number_said := mine[0]).value[0] is None:
            return None
        stems = sentence.stems
        for source, number, inside in self._bounds:
            alike = (
                number.kind == number_said.kind and number.unit == number_said.unit and not same(number, number_said)
            )
            if not alike or not stems or len(stems & source.stems) * 2 < len(stems):
                continue
            fits = inside(number_said.value[0], number.value[0] or 0.0)
            there = source.text[number.begin : number.end]
            if stems - source.stems - stems_in(question):
                continue  # it says more than the bound
            turned = any(other in source.words for word in sentence.words for other in OPPOSITES.get(word, ()))
            follows = (fits == (sentence.negated == source.negated)) != turned
            return Derived(follows, source.text.strip(), f"the source has a bound of {there}")
        return None

    @cached_property
    def _bounds(self) -> list[tuple[Sentence, Quantity, Callable[[float, float], bool]]]:
        """The sentences with a bound, such as "at most 20", each with the number and a test whether a value fits it."""
        bounds: list[tuple[Sentence, Quantity, Callable[[float, float], bool]]] = []
        for source in self._sentences:
            numbers = _placed(source.quantities)
            for quantity in numbers:
                inside = next((how for words, how in _INSIDE if words.search(source.text[: quantity.begin])), None)
                inside = inside or next(
                    (how for words, how in _INSIDE_AFTER if words.match(source.text, quantity.end)), None
                )
                if (
                    inside is not None
                    and not _UNLESS.search(source.text)
                    and sum(quantity.kind == other.kind for other in numbers) == 1
                ):
                    bounds.append((source, quantity, inside))
        return bounds

    def _in_other_words(self, sentence: Sentence) -> Derived | None:
        """Return whether a sentence with the opposite word decides a statement; None where it is not certain.

        The sentence "Entry is free" excludes "You must pay for entry".
        """
        if _CONDITION.search(sentence.text) or excepts(sentence.text):
            return None
        for frame in _FRAMES:
            mine = frame.of(sentence.text)
            if mine is None or not mine.rest:
                continue
            for source, theirs in self._worded(frame)[:_ALIKE]:
                if mine.plain != theirs.plain and mine.rest <= theirs.rest:
                    reason = f"the source has “{theirs.word}”"
                    return Derived(mine.true == theirs.true, source.text.strip(), reason)
        return self._denied(sentence)

    def _worded(self, frame: _Frame) -> list[tuple[Sentence, _Worded]]:
        """Return the sentences of the source that have a word of a frame, each with its reading."""
        if frame not in self._framed:
            self._framed[frame] = [
                (sentence, told)
                for sentence in self._sentences
                if len(sentence.text) <= LONGEST
                and not _CONDITION.search(sentence.text)
                and (told := frame.of(sentence.text)) is not None
            ]
        return self._framed[frame]

    def _denied(self, sentence: Sentence) -> Derived | None:
        """Return a derivation if a statement denies the opposite of a word of the source; None otherwise.

        "The shop is not open" follows from "The shop is closed".
        """
        if len(sentence.negations) != 1:
            return None
        words = [word for word in sentence.words if word in OPPOSITES]
        if not words:
            return None
        said = sentence.stems
        for word in words:
            rest = said - {stem_of(word)}
            for other in OPPOSITES[word]:
                held = self._opposite_words.get(other, [])
                for source in held if rest and len(held) <= _ALIKE else ():
                    if word not in source.words and rest <= source.stems:
                        return Derived(True, source.text.strip(), f"the source has “{other}”")
        return None

    @cached_property
    def _opposite_words(self) -> dict[str, list[Sentence]]:
        """The sentences without a denial or a condition, by each of their words that has an opposite."""
        by_word: dict[str, list[Sentence]] = {}
        for source in self._sentences:
            if len(source.text) > LONGEST or source.negations or _CONDITION.search(source.text) or excepts(source.text):
                continue
            for word in {*source.words} & OPPOSITES.keys():
                by_word.setdefault(word, []).append(source)
        return by_word

    def _recorded(self, sentence: Sentence) -> Derived | None:
        listed = ": " in sentence.text or sentence.text.count(",") > 1  # which says more than a key
        if listed or sentence.text.strip(" .") in self._told:
            return None
        said, negative = sentence.stems, sentence.negated
        # All of its words stand in the record, so that the rarest one names the records that may be meant.
        holders = [self._holders.get(stem, ()) for stem in said - GENERAL]
        rarest = min(holders, key=len, default=())
        if len(rarest) > _ALIKE:
            return None
        held = [self._records[n] for n in rarest if self._records[n].answers(said)]
        if len(held) > 1:  # the record of which the sentence names most
            most = max(len(record.names & said) for record in held)
            held = [record for record in held if len(record.names & said) == most]
        if len(held) != 1:
            return None
        if any(not any(same(quantity, other) for other in held[0].quantities) for quantity in sentence.quantities):
            return None
        true = held[0].value
        turned = bool(said & held[0].turned - held[0].key)
        return Derived(true != (negative != turned), held[0].text, f"the source has {held[0].text}", True)

    def _told_of_another(self, sentence: Sentence) -> Derived | None:
        """Return whether a thing has the value that a statement gives it, by the records of the source.

        The statement follows if the thing's record has the value. It is excluded if only other records have it.
        """
        if sentence.negated or ": " in sentence.text or _ALONE.search(sentence.text):
            return None
        said = sentence.stems_and_numbers
        holders = [n for stem in said for n in self._called.get(stem, ())]
        numbered = {n for n in holders if self._things[n].name <= said} if len(holders) <= _ALIKE else set()
        if len(numbered) != 1:
            return None
        thing = self._things[numbered.pop()]
        keys = [key for key in thing.values if key <= said]
        others = [other for other in self._things if other is not thing]
        if len(keys) != 1:
            return self._of_another(said - thing.name - thing.kind, thing, others)
        (key,) = keys
        value, text = thing.values[key]
        told = said - thing.name - thing.kind - key - GENERAL
        theirs = [other.values[key][0] for other in others if key in other.values]
        if told == value and (theirs or key & stems_in(text)):
            return Derived(True, text, f"the source has {text}")
        numbers = frozenset(stem for stem in told if stem[0].isdigit())
        if told - numbers <= _HAS_VALUE and numbers and all(stem[0].isdigit() for stem in value):
            return Derived(numbers == value, text, f"the source has {text} for {thing.called}")
        if told and told in theirs:
            return Derived(False, text, f"the source has {text} for {thing.called}")
        return None

    def _of_another(self, said: Set[str], thing: Thing, others: Sequence[Thing]) -> Derived | None:
        """Return an exclusion if a statement gives a thing the value of another thing; None otherwise.

        Args:
            said: the stems and numbers of the statement, without those of the thing's name and kind.
            thing: the thing.
            others: the other things of the source.
        """
        for key, (value, text) in thing.values.items():
            theirs = [other.values[key][0] for other in others if key in other.values]
            if value <= said or not any(told_value and told_value <= said for told_value in theirs):
                continue
            theirs_said = frozenset().union(*(told_value for told_value in theirs if told_value <= said))
            if len(said - theirs_said - GENERAL) > _BESIDE:
                continue
            mine = [told for told, _ in thing.values.values()]
            if not any(told and told <= said for told in mine):
                return Derived(False, text, f"the source has {text} for {thing.called}")
        return None

    @cached_property
    def _called(self) -> dict[str, list[int]]:
        """For each stem, the indices of the things that have it in their name."""
        return _numbered(thing.name for thing in self._things)

    @cached_property
    def _holders(self) -> dict[str, list[int]]:
        """For each stem, the indices of the records that have it."""
        return _numbered(record.key | record.names | record.turned for record in self._records)


def _numbered(stems: Iterable[Set[str]]) -> dict[str, list[int]]:
    holders: dict[str, list[int]] = {}
    for number, held in enumerate(stems):
        for stem in held:
            holders.setdefault(stem, []).append(number)
    return holders


_HAS_VALUE = frozenset(map(stem_of, ("takes", "costs", "lasts", "weighs", "holds", "seats", "measures", "stands")))
"""Stems of verbs between a thing and its number, as in "the tank holds 40" """
_ALONE = re.compile(r"\b(?:only|sole|solely|exclusively|mainly|mostly|always|all|every)\b", re.IGNORECASE)
"""Words by which a statement says more than the value of one record"""
_BESIDE = 2
"""The most other words that a statement may have beside a thing and the value of another thing"""
_ALIKE = 50
"""The most records or sentences with a word that are compared. Of more, no single one can be meant"""


def _placed(read: Sequence[Quantity]) -> list[Quantity]:
    """Return the quantities that are a single number, and each date as one number: the place of its day in any year."""
    days = [
        quantity._replace(kind="day", value=(31.0 * quantity.value[1] + quantity.value[2],), other=None)
        for quantity in read
        if quantity.kind == "date" and quantity.value[1] is not None and quantity.value[2] is not None
    ]
    return sorted([*plain(read), *days])


@lru_cache(maxsize=8)  # several answers have one source
def facts(texts: tuple[str, ...]) -> Facts:
    """Return a source, given by its texts, prepared for the rules that derive whether a statement follows."""
    return Facts(texts)


_UNLESS = re.compile(r"\b(?:unless|except|but|only if|otherwise|;)", re.IGNORECASE)
_ANSWERED = re.compile(r"\A\W*(?:yes|no|sure|certainly|of course)\s?[,–—:-]\s*", re.IGNORECASE)
_BOUNDED = frozenset(
    [
        "day",
        "count",
        "clock",
        "money",
        "length",
        "mass",
        "volume",
        "duration",
        "months",
        "temperature",
        "percent",
        "speed",
    ]
)
_INSIDE: tuple[tuple[re.Pattern[str], Callable[[float, float], bool]], ...] = tuple(
    (re.compile(rf"\b(?:{words})\s+(?:the age of |age |an? )?[$£€]?$", re.IGNORECASE), how)
    for words, how in (
        ("until|till|up to|at most|(?:no|not) more than|maximum of|maximum|within|no later than|no longer than", le),
        ("under|below|less than|fewer than|younger than|lighter than|shorter than|smaller than|before", lt),
        ("over|above|more than|older than|heavier than|longer than|larger than|taller than|exceeding|after", gt),
        ("at least|minimum of|minimum|no less than|from|starting at|as of|not before", ge),
    )
)
_INSIDE_AFTER: tuple[tuple[re.Pattern[str], Callable[[float, float], bool]], ...] = (
    (re.compile(r"\s(?:or|and) (?:more|older|over|above|longer|heavier|later)\b", re.IGNORECASE), ge),
    (re.compile(r"\s(?:or|and) (?:less|fewer|younger|under|below|shorter|lighter|earlier)\b", re.IGNORECASE), le),
)


class _Worded(NamedTuple):
    """A sentence that has one of the two words of a frame."""

    true: bool
    """Whether the sentence affirms what the plain word says. With "must pay" as the plain word and "free" as its
    opposite, it is true for "must pay" and "not free", and false for "free" and "need not pay". """
    plain: bool
    """Whether the sentence has the plain word, and not the opposite word"""
    word: str
    rest: frozenset[str]
    """The stems of the other words"""


class _Frame(NamedTuple):
    """Two groups of words of which one means the opposite of the other, such as "must pay" and "free"."""

    plain: re.Pattern[str]
    opposite: re.Pattern[str]

    def of(self, sentence: str) -> _Worded | None:
        """Return the reading of a sentence; None where it has words of neither group or of both."""
        plain, opposite = self.plain.search(sentence), self.opposite.search(sentence)
        word = plain or opposite
        if word is None or (plain is not None and opposite is not None):
            return None
        rest = f"{sentence[: word.start()]} {sentence[word.end() :]}"
        return _Worded(
            true=(plain is not None) != negated(rest), plain=plain is not None, word=word.group(), rest=stems_in(rest)
        )


_FRAMES = (
    _Frame(
        re.compile(
            r"\b(?:(?:have|has|had|need|needs) to pay|must pay|(?:is|are) charged|pays?(?: a fee)?)\b(?! attention)",
            re.I,
        ),
        re.compile(
            r"\b(?:free of charge|for free|at no (?:extra )?(?:charge|cost)|without charge"
            r"|(?:is|are|be) free(?! (?:from|of|to))"
            r"|free)\b(?! time| of)",
            re.I,
        ),
    ),
    _Frame(
        re.compile(
            r"\b(?:(?:you|visitors|guests|people|one|we|they|passengers|customers) (?:may|can)|allowed"
            r"|permitted|welcome)\b",
            re.I,
        ),
        re.compile(r"\b(?:forbidden|prohibited|banned)\b", re.I),
    ),
)
"""The frames: paid for and free, allowed and forbidden"""
_CONDITION = re.compile(r"\b(?:unless|only|if|except|otherwise|but|until|without|when)\b", re.IGNORECASE)

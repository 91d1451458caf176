"""What a score rests on, in four shapes that all families share: words, matches, flows and items.

A value of any of them turns into plain JSON by `record`; a part that is None is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from nlgauge.data.corpus import Row
from nlgauge.maths.words import word_spans

if TYPE_CHECKING:
    from nlgauge.engine.features.likelihood import Likelihood

_UNLIKELY = 0.01
_HALF = 0.5


@dataclass(frozen=True)
class Place:
    """A piece of a text; without begin and end where it stands nowhere in particular (a special token, a lemma)."""

    text: str | None
    begin: int | None = None
    """First character"""
    end: int | None = None
    """The character after the last one"""


@dataclass(frozen=True)
class Quote:
    """A sentence of a text that another one is compared with."""

    name: str
    """The text's: 'source', 'context' or 'candidate'"""
    text: str
    begin: int
    end: int


@dataclass(frozen=True)
class Stretch:
    """A part of a text that was read at once, with some sentences of the others."""

    begin: int
    end: int
    quotes: Sequence[int]
    """Numbers of the sentences among the text's `quotes`"""
    supported: float | None = None
    """Probability that they bear all of it out; None where nobody was taught to say"""
    contradicted: float | None = None
    """Probability that they contradict it, and do not only leave it out, if they do not bear it out; None likewise"""


@dataclass(frozen=True)
class Word:
    """One word of a text."""

    text: str
    begin: int
    end: int
    alignment: float
    """How far it is borne out, from 0 to 1: its alignment, whether it was predicted, or its probability"""
    weight: float | None = None
    """Its share of the score"""
    predicted: str | None = None
    log_probability: float | None = None
    quote: int | None = None
    """Number of the sentence, among the text's `quotes`, that it is likest to be from"""


@dataclass(frozen=True)
class Reason:
    """Why a part of a text cannot be right, found without a model."""

    begin: int
    end: int
    said: str
    """As in: 1978: the source has 1987"""


@dataclass(frozen=True)
class Words:
    """The words of one text that count."""

    name: str
    """The text's: 'candidate', 'source' or 'reference'"""
    against: str
    """What it is compared with"""
    text: str
    words: Sequence[Word]
    weak: float
    """Alignment under which a word is shown as not borne out"""
    unsupported: Sequence[tuple[int, int]] | None = None
    """Characters [begin, end) of words that follow each other and are not borne out"""
    stretches: Sequence[Stretch] | None = None
    quotes: Sequence[Quote] | None = None
    """Sentences of the other texts that were read"""
    reasons: Sequence[Reason] | None = None
    """Where the text says other numbers, dates, names, opposites or negations than the other texts, and what they say.
    No score depends on it"""


@dataclass(frozen=True)
class Match:
    """A word or token and the one of the other text that it was matched with."""

    side: str
    """The text that the first one stands in: 'candidate' or 'reference'"""
    token: Place
    match: Place
    similarity: float
    weight: float
    """Its share of that side's mean"""


@dataclass(frozen=True)
class Flow:
    """What was moved from the candidate onto the reference."""

    candidate: Place
    reference: Place
    share: float
    """Its part of the whole that is moved"""
    distance: float
    """How far, in the metric's own unit"""


@dataclass(frozen=True)
class Item:
    """A named thing that a score rests on, with numbers or words about it: a vocabulary item, a text, a member."""

    name: str
    facts: dict[str, object]


@dataclass(frozen=True)
class Evidence:
    """All that a metric shows of a row or of a system."""

    reference: int | None = None
    """Number of the reference that the score rests on, counted from 0 among all of the row's references"""
    texts: Sequence[Words] = ()
    matches: Sequence[Match] = ()
    flows: Sequence[Flow] = ()
    items: Sequence[Item] = ()
    left_out: int = 0
    """How many flows or items are too small to be listed"""

    def record(self) -> Json:
        """Ready for JSON: {'reference', 'texts', 'matches', 'flows', 'items', 'left_out'}, empty ones left out."""
        record: dict[str, Json] = {}
        if self.reference is not None:
            record["reference"] = self.reference
        for name in ("texts", "matches", "flows"):
            if entries := getattr(self, name):
                record[name] = [_plain(entry) for entry in entries]
        if self.items:
            record["items"] = [{"name": item.name, **_plain_facts(item.facts)} for item in self.items]
        if self.left_out:
            record["left_out"] = self.left_out
        return record


def likely_words(name: str, against: str, likelihood: Likelihood) -> Words:
    """The tokens of a text by how likely each is; those under one in a hundred are shown as not borne out."""
    text, logs = likelihood.text, likelihood.log_probabilities
    places = zip(likelihood.offsets.tolist(), np.exp(logs).tolist(), logs.tolist(), strict=True)
    words = [Word(text[begin:end], begin, end, share, log_probability=log) for (begin, end), share, log in places]
    return Words(name, against, text, words, _UNLIKELY)


def shared_words(candidate: str, others: Mapping[str, str], reference: int | None = None) -> Evidence:
    """The words that a candidate shares with other texts, by their names: what all metrics of strings look at.

    Case does not count. A word is shared as often as it stands in both; in several other texts, as often as in the one
    that has it most often.
    """
    counts = {name: Counter(_word(other, span) for span in word_spans(other)) for name, other in others.items()}
    most: Counter[str] = Counter()
    for counted in counts.values():
        most |= counted
    own = Counter(_word(candidate, span) for span in word_spans(candidate))
    texts = [Words("candidate", " and ".join(others), candidate, _shared(candidate, most), _HALF)]
    texts += [Words(name, "candidate", other, _shared(other, own), _HALF) for name, other in others.items()]
    return Evidence(reference, texts)


def shared_with_references(row: Row) -> Evidence:
    """The words that a row's candidate shares with its references; nothing where it has none."""
    names = [f"reference {number}" for number in range(1, len(row.references) + 1)]
    if len(names) < 2:
        names = ["reference"] * len(names)
    return shared_words(row.candidate, dict(zip(names, row.references, strict=True))) if names else Evidence()


def _shared(text: str, others: Counter[str]) -> list[Word]:
    left, found = others.copy(), []
    for begin, end in word_spans(text):
        word = _word(text, (begin, end))
        found.append(Word(text[begin:end], begin, end, float(left[word] > 0)))
        left[word] -= 1
    return found


def _word(text: str, span: tuple[int, int]) -> str:
    return text[slice(*span)].casefold()


Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"


def _plain(value: object) -> Json:
    if isinstance(value, str | int | float | bool | None):
        return value
    if isinstance(value, Place | Quote | Stretch | Reason | Word | Words | Match | Flow):
        return {name: _plain(inner) for name, inner in vars(value).items() if inner is not None}
    if isinstance(value, dict):
        return _plain_facts(value)
    if isinstance(value, Sequence):
        return [_plain(inner) for inner in value]
    raise TypeError(f"{value!r} is no evidence")


def _plain_facts(facts: dict[str, object]) -> dict[str, Json]:
    return {str(name): _plain(inner) for name, inner in facts.items()}

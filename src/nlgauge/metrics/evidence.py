"""What a score is based on, in four forms for all metrics: words, matches, flows and items.

`record` converts them to plain JSON, without parts that are None.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from nlgauge.data.corpus import Row
from nlgauge.maths.text import word_spans

if TYPE_CHECKING:
    from nlgauge.engine.features.likelihood import Likelihood

_UNLIKELY = 0.01
_HALF = 0.5


@dataclass(frozen=True)
class TextPiece:
    """A piece of a text. It has no begin and end if it has no position (a special token, a lemma)."""

    text: str | None
    begin: int | None = None
    """First character"""
    end: int | None = None
    """The character after the last one"""


@dataclass(frozen=True)
class Quote:
    """A sentence of a text that another text is compared with."""

    name: str
    """The text's: 'source', 'context' or 'candidate'"""
    text: str
    begin: int
    end: int


@dataclass(frozen=True)
class Stretch:
    """A part of a text that was read at once, with some sentences of the other texts."""

    begin: int
    end: int
    quotes: Sequence[int]
    """Indexes of the sentences in the text's `quotes`"""
    supported: float | None = None
    """Probability that they support all of it, by the aligner and by exact checks; None if the aligner does not
    predict it"""
    contradicted: float | None = None
    """Probability that they contradict it, if they do not support it; None if the aligner does not predict it"""
    abstains: bool | None = None
    """True where it says that something is not in the other texts; `supported` is then the probability of that"""


@dataclass(frozen=True)
class EvidenceWord:
    """One word of a text."""

    text: str
    begin: int
    end: int
    alignment: float
    """How far it is supported, from 0 to 1: its alignment, whether it was predicted, or its probability"""
    weight: float | None = None
    """Its share of the score"""
    predicted: str | None = None
    log_probability: float | None = None
    quote: int | None = None
    """Index in the text's `quotes` of the sentence that it most likely comes from"""


@dataclass(frozen=True)
class Reason:
    """Why a part of a text contradicts another text, found without a model."""

    begin: int
    end: int
    said: str
    """For example: 1978: the source has 1987"""
    sure: bool = False
    """Whether such a difference is nearly always an error, so that it keeps the text from passing a gate"""


@dataclass(frozen=True)
class EvidenceText:
    """The words of one text that count."""

    name: str
    """The text's: 'candidate', 'source' or 'reference'"""
    against: str
    """The name of the text that it is compared with"""
    text: str
    words: Sequence[EvidenceWord]
    weak: float
    """A word with an alignment below this is shown as unsupported"""
    unsupported: Sequence[tuple[int, int]] | None = None
    """Characters [begin, end) of runs of unsupported words"""
    stretches: Sequence[Stretch] | None = None
    quotes: Sequence[Quote] | None = None
    """Sentences of the other texts that were read"""
    reasons: Sequence[Reason] | None = None
    """Quantities, names, opposites and negations that differ from the other texts. All but negations lower the
    probability that these support the text; none changes the score"""


@dataclass(frozen=True)
class Match:
    """A word or token, and its match in the other text."""

    side: str
    """The text of the first one: 'candidate' or 'reference'"""
    token: TextPiece
    match: TextPiece
    similarity: float
    weight: float
    """Its share in that side's mean"""


@dataclass(frozen=True)
class Flow:
    """Mass that was moved from the candidate to the reference."""

    candidate: TextPiece
    reference: TextPiece
    share: float
    """Its share of the total mass"""
    distance: float
    """In the metric's unit"""


@dataclass(frozen=True)
class Item:
    """A named thing that a score is based on, such as a vocabulary item, a text or a member, with facts about it."""

    name: str
    facts: dict[str, object]


@dataclass(frozen=True)
class Evidence:
    """All evidence for the score of a row or system."""

    reference: int | None = None
    """Index of the reference that the score is based on, among all of the row's references"""
    texts: Sequence[EvidenceText] = ()
    matches: Sequence[Match] = ()
    flows: Sequence[Flow] = ()
    items: Sequence[Item] = ()
    left_out: int = 0
    """Number of flows or items that are too small to be listed"""

    def record(self) -> Json:
        """As JSON: {'reference', 'texts', 'matches', 'flows', 'items', 'left_out'}, without empty ones."""
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


def likely_words(name: str, against: str, likelihood: Likelihood) -> EvidenceText:
    """The tokens of a text with their probabilities. Tokens below 0.01 are shown as unsupported."""
    text, logs = likelihood.text, likelihood.log_probabilities
    places = zip(likelihood.offsets.tolist(), np.exp(logs).tolist(), logs.tolist(), strict=True)
    words = [
        EvidenceWord(text[begin:end], begin, end, share, log_probability=log) for (begin, end), share, log in places
    ]
    return EvidenceText(name, against, text, words, _UNLIKELY)


def shared_words(candidate: str, others: Mapping[str, str], reference: int | None = None) -> Evidence:
    """The words that a candidate shares with other texts (by name): the evidence of all string metrics.

    Case does not count. A word is shared as often as it is in both texts; with several other texts, the one with the
    most occurrences counts.
    """
    counts = {name: Counter(_word(other, span) for span in word_spans(other)) for name, other in others.items()}
    most: Counter[str] = Counter()
    for counted in counts.values():
        most |= counted
    own = Counter(_word(candidate, span) for span in word_spans(candidate))
    texts = [EvidenceText("candidate", " and ".join(others), candidate, _shared(candidate, most), _HALF)]
    texts += [EvidenceText(name, "candidate", other, _shared(other, own), _HALF) for name, other in others.items()]
    return Evidence(reference, texts)


def shared_with_references(row: Row) -> Evidence:
    """The words that a row's candidate shares with its references; empty without references."""
    names = [f"reference {number}" for number in range(1, len(row.references) + 1)]
    if len(names) < 2:
        names = ["reference"] * len(names)
    return shared_words(row.candidate, dict(zip(names, row.references, strict=True))) if names else Evidence()


def _shared(text: str, others: Counter[str]) -> list[EvidenceWord]:
    left, found = others.copy(), []
    for begin, end in word_spans(text):
        word = _word(text, (begin, end))
        found.append(EvidenceWord(text[begin:end], begin, end, float(left[word] > 0)))
        left[word] -= 1
    return found


def _word(text: str, span: tuple[int, int]) -> str:
    return text[slice(*span)].casefold()


Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"


def _plain(value: object) -> Json:
    if isinstance(value, str | int | float | bool | None):
        return value
    if isinstance(value, TextPiece | Quote | Stretch | Reason | EvidenceWord | EvidenceText | Match | Flow):
        return {name: _plain(inner) for name, inner in vars(value).items() if inner is not None}
    if isinstance(value, dict):
        return _plain_facts(value)
    if isinstance(value, Sequence):
        return [_plain(inner) for inner in value]
    raise TypeError(f"{value!r} is not evidence")


def _plain_facts(facts: dict[str, object]) -> dict[str, Json]:
    return {str(name): _plain(inner) for name, inner in facts.items()}

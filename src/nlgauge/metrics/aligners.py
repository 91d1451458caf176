"""The aligners of CTC's metrics: E matches embeddings, D and R are trained models (section 3.5 of the paper)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from nlgauge.data.evidence import EvidenceText, EvidenceWord, Quote, Reason, Stretch
from nlgauge.engine.english import foreign, is_stopword
from nlgauge.engine.features.alignment import AlignedStretch, Alignment, AlignmentRequest, Reading
from nlgauge.engine.features.request import AnyRequest, Features
from nlgauge.engine.features.vectors import TokenVectors, VectorsRequest
from nlgauge.engine.models.packing import Packing
from nlgauge.engine.words import is_word, words
from nlgauge.faithfulness.claims import Claims, all_of, claims
from nlgauge.faithfulness.exact_checks import CheckedSource, SourceDifference
from nlgauge.faithfulness.refusals import honesty
from nlgauge.maths.alignment import Array, greedy_alignment, logistic, rescaled, unsupported_spans, word_alignment
from nlgauge.maths.text import word_spans
from nlgauge.maths.text import words as text_words
from nlgauge.maths.vectors import run_means, runs, unit

DOUBT = 2.0
"""What a sure difference (`CheckedSource`) takes from the log-odds that a source supports a stretch. It fits the
labels of five held-out sets best: docs/detection.md"""
SURE = -1.0
"""The highest log-odds of a stretch with a difference that is nearly always an error. They are below every threshold
from which a model's rows pass"""
NO_CLAIM = "claims nothing"
"""In the reason why a text has no alignment"""
BOTH = " and the "
"""Joins the names of two texts that a text is aligned with"""


class Direction(NamedTuple):
    """align(text -> others), with the names of the texts."""

    name: str
    """The text's name: 'candidate', 'source' or 'reference'"""
    text: str
    against: str
    others: tuple[str, ...]
    """The texts that it is aligned with"""
    question: str = ""
    """The question that the text answers"""

    @property
    def usable(self) -> list[tuple[str, str]]:
        """The other texts that have words, with their names."""
        named = zip(self.against.split(BOTH), self.others, strict=True)
        return [(name, other) for name, other in named if is_word(other)]


class StretchVerdicts(NamedTuple):
    """The stretches of a text that a trained aligner read, and the quotes that it read them with."""

    stretches: tuple[Stretch, ...]
    quotes: tuple[Quote, ...]
    nearest: NDArray[np.int32]
    """[words]: the quote that each word most likely comes from, -1 if it shares nothing with any"""
    reasons: tuple[Reason, ...] = ()


class Aligned(NamedTuple):
    """The words of a text that count, and their alignments."""

    spans: NDArray[np.int32]
    """[words, 2]: places in the text"""
    alignment: Array
    """[words]"""
    judged: StretchVerdicts | None = None
    """From the aligner D"""


class Units(NamedTuple):
    """The words of a text, or other units."""

    starts: NDArray[np.intp]
    """[words]: the first sub-word of each"""
    spans: NDArray[np.int32]
    """[words, 2]: places in the text"""
    counted: NDArray[np.bool_]
    """[words]: whether each counts"""
    reason: str
    """What the text has if none counts"""


def word_units(text: str, offsets: NDArray[np.int32], stopwords: bool) -> Units:
    """The words of a text, from the positions of its sub-words [tokens, 2]. stopwords: whether stopwords count."""
    starts, spans = runs(words(text, offsets), offsets)
    names = [text[begin:end] for begin, end in spans.tolist()]
    wordlike = np.array([is_word(name) for name in names])
    if stopwords or not wordlike.any():
        return Units(starts, spans, wordlike, "no words")
    content = np.array([not is_stopword(name) for name in names])
    return Units(starts, spans, wordlike & content, "nothing but stop-words")


class TextAligner(Protocol):
    """Aligns one text with others."""

    @property
    def weak(self) -> float:
        """A word with an alignment below this is shown as weakly aligned"""
        ...

    @property
    def shows_words(self) -> bool:
        """Whether each word has an alignment to show"""
        ...

    @property
    def judges_words(self) -> bool:
        """Whether each word has a judgement of its own"""
        ...

    def requests(self, direction: Direction) -> Sequence[AnyRequest]:
        """The features that `align` needs."""
        ...

    def align(self, direction: Direction, features: Features) -> Aligned | str:
        """The words and alignments, or the reason why there are none."""
        ...


@dataclass(frozen=True)
class EmbeddingAligner:
    """The aligner E: cosine with the most similar sub-word of the other texts.

    layer: the layer whose hidden states are compared, from 0. baseline: the alignment of unrelated texts, for
    rescaling.
    """

    weak: ClassVar[float] = 0.6  # for the embeddings of `pocket`, chosen by eye
    shows_words: ClassVar[bool] = True
    judges_words: ClassVar[bool] = True

    layer: int
    stopwords: bool
    baseline: float = 0.0

    def requests(self, direction: Direction) -> list[VectorsRequest]:
        return [VectorsRequest(text, (self.layer,)) for text in (direction.text, *direction.others)]

    def align(self, direction: Direction, features: Features) -> Aligned | str:
        text, *others = (features[request] for request in self.requests(direction))
        if text is None:
            return self.nothing(f"the {direction.name} has no words")
        usable = [other for other in others if other is not None and is_word(other.text)]
        if not usable:
            return f"no words in the {direction.against}"
        inner = ~text.special
        units = self.units(text.text, text.offsets[inner])
        if not units.counted.any():
            return self.nothing(f"the {direction.name} has {units.reason}")
        theirs = unit(np.concatenate([self.matched(other) for other in usable]))
        alignment = self.bounded(rescaled(greedy_alignment(unit(text.vectors[0, inner]), theirs), self.baseline))
        return Aligned(units.spans[units.counted], run_means(alignment[:, None], units.starts)[units.counted, 0])

    def units(self, text: str, offsets: NDArray[np.int32]) -> Units:
        """The units of a text that are aligned."""
        return word_units(text, offsets, self.stopwords)

    def matched(self, other: TokenVectors) -> NDArray[np.float32]:
        """The vectors of another text that sub-words may match: [tokens, width]."""
        vectors: NDArray[np.float32] = other.vectors[0, ~other.special]
        return vectors

    def bounded(self, alignment: Array) -> Array:
        """Alignments limited to [0, 1], because products and harmonic means of negative numbers make no sense."""
        return alignment.clip(0, 1)

    def nothing(self, reason: str) -> Aligned | str:
        """The alignment of a text without words that count."""
        return reason


@dataclass(frozen=True)
class TrainedAligner:
    """The aligners D and R: a model that was trained to predict which words of a text another text supports.

    aggregate: R, which predicts the share of supported words as one number, without words. reading: how a long text is
    read. temperature: divides the log-odds of whole stretches. asks: whether it reads a question. english: whether it
    reads only English, so that a text that is clearly not English has no alignment. packing: how a published detector
    reads both texts; None for an aligner of nlgauge.
    """

    stopwords: bool
    aggregate: bool
    weak: float
    reading: Reading = "search"
    temperature: float = 1.0
    asks: bool = False
    english: bool = False
    packing: Packing | None = None

    @property
    def judges_words(self) -> bool:
        """Whether each word has a judgement of its own; else all words of a sentence have that of the sentence."""
        return self.aggregate or self.packing is None or self.packing.words

    @property
    def shows_words(self) -> bool:
        return not self.aggregate

    def requests(self, direction: Direction) -> list[AlignmentRequest]:
        usable = tuple(other for _, other in direction.usable)
        question = direction.question if self.asks else ""
        text = _claims(direction).text
        return [AlignmentRequest(text, usable, self.reading, question)] if usable and text else []

    def align(self, direction: Direction, features: Features) -> Aligned | str:
        if not direction.usable:
            return f"no words in the {direction.against}"
        if (reason := self._unread(direction)) is not None:
            return reason
        said = _claims(direction)
        refused = _refused(direction, said, self.stopwords)
        requests = self.requests(direction)
        text = features[requests[0]] if requests else None
        if text is None and not refused:
            return f"the {direction.name} {NO_CLAIM if is_word(direction.text) else 'has no words'}"
        spans, alignment, nearest = _NONE
        judged = StretchVerdicts((), (), nearest)
        if text is not None:
            units = word_units(text.text, text.offsets, self.stopwords)
            if not units.counted.any() and not refused:
                return f"the {direction.name} has {units.reason}"
            spans = _placed(said, units.spans[units.counted])
            if self.aggregate:
                # For R, a sum over words is their number times the supported share, or the number that it predicts.
                number, size = self.packing is not None and self.packing.head == "number", int(units.counted.sum())
                alignment = np.full(size, text.aggregate / size if number else text.aggregate)
            else:
                alignment = word_alignment(text.logits, units.starts)[units.counted]
            if not self.aggregate:
                judged = self._judged(direction, said, text, units)
        spans, alignment = np.concatenate([spans, refused.spans]), np.concatenate([alignment, refused.alignment])
        order = np.argsort(spans[:, 0], kind="stable")
        if self.aggregate:
            return Aligned(spans[order], alignment[order])
        nearest = np.concatenate([judged.nearest, np.full(len(refused.spans), -1, np.int32)])[order]
        stretches = tuple(sorted((*judged.stretches, *refused.stretches), key=lambda one: one.begin))
        return Aligned(spans[order], alignment[order], judged._replace(stretches=stretches, nearest=nearest))

    def _unread(self, direction: Direction) -> str | None:
        """Why the model cannot read a direction's texts."""
        for name, text in ((direction.name, direction.text), *direction.usable) if self.english else ():
            if (language := foreign(text)) is not None:
                return f"the {name} is not in English ({language}), and the model reads English alone"
        return None

    def _judged(self, direction: Direction, said: Claims, text: Alignment, units: Units) -> StretchVerdicts:
        others = direction.usable
        differences = _checked(tuple(other for _, other in others)).differences(text.text)
        stretches = (
            Stretch(
                *said.place(one.begin, one.end), one.quotes, self._probability(one, differences), _chance(one.against)
            )
            for one in text.stretches
        )
        quotes = (
            Quote(others[one.other][0], others[one.other][1][one.begin : one.end], one.begin, one.end)
            for one in text.quotes
        )
        nearest = text.nearest[units.starts[units.counted]]
        reasons = tuple(Reason(*said.place(one.begin, one.end), one.reason, one.sure) for one in differences)
        return StretchVerdicts(tuple(stretches), tuple(quotes), nearest, reasons)

    def _probability(self, stretch: AlignedStretch, differences: Sequence[SourceDifference]) -> float | None:
        if np.isnan(stretch.logit):
            return None
        logit = stretch.logit / self.temperature
        # The checks know English forms alone.
        inside = [one for one in differences if self.english and stretch.begin <= one.begin < stretch.end]
        if any(one.doubted for one in inside):
            logit -= DOUBT
        return float(logistic(min(logit, SURE) if any(one.sure for one in inside) else logit))


class _Refused(NamedTuple):
    """The words of a text that say that something is not in the other texts."""

    spans: NDArray[np.int32]
    """[words, 2]"""
    alignment: Array
    """[words]: the probability that it is not"""
    stretches: tuple[Stretch, ...]

    def __bool__(self) -> bool:
        return bool(len(self.spans))


_NONE = (np.empty((0, 2), np.int32), np.empty(0), np.empty(0, np.int32))


@lru_cache(maxsize=8)  # for the score, for the evidence, and for the next answer from the same source
def _checked(others: tuple[str, ...]) -> CheckedSource:
    return CheckedSource(others)


def _claims(direction: Direction) -> Claims:
    """What the text claims; a text that is not an answer claims all of it."""
    if direction.name != "candidate":
        return all_of(direction.text)
    return claims(direction.text, tuple(other for _, other in direction.usable), direction.question)


def _refused(direction: Direction, said: Claims, stopwords: bool) -> _Refused:
    spans: list[tuple[int, int]] = []
    alignment: list[float] = []
    stretches: list[Stretch] = []
    others = [other for _, other in direction.usable]
    for one in said.refusals:
        if not one.topic:
            continue  # "I do not know" without a question claims nothing
        honest = float(logistic(honesty(one.topic, direction.question, others)))
        places = word_spans(direction.text[one.begin : one.end])
        inside = [(one.begin + begin, one.begin + end) for begin, end in places]
        inside = [place for place in inside if stopwords or not is_stopword(direction.text[slice(*place)])]
        spans += inside
        alignment += [honest] * len(inside)
        stretches.append(Stretch(one.begin, one.end, (), honest, abstains=True))
    if not spans:
        return _Refused(*_NONE[:2], ())
    return _Refused(np.array(spans, np.int32), np.array(alignment), tuple(stretches))


def _placed(said: Claims, spans: NDArray[np.int32]) -> NDArray[np.int32]:
    """Words of the claims at their places in the text."""
    return np.array([said.place(begin, end) for begin, end in spans.tolist()], np.int32).reshape(-1, 2)


def _chance(logit: float) -> float | None:
    return None if np.isnan(logit) else float(logistic(logit))


def shown(direction: Direction, aligned: Aligned, weak: float, whole: bool = False) -> EvidenceText:
    """The words of a text that count, as evidence. Words with alignment below `weak` are weakly aligned.

    whole: whether a stretch was judged as a whole, and is marked as one.
    """
    text, places = direction.text, zip(aligned.spans.tolist(), aligned.alignment.tolist(), strict=True)
    if aligned.judged is None:
        words = [EvidenceWord(text[begin:end], begin, end, alignment) for (begin, end), alignment in places]
        return EvidenceText(direction.name, direction.against, text, words, weak)
    stretches, quotes, nearest, reasons = aligned.judged
    words = [
        EvidenceWord(text[begin:end], begin, end, alignment, quote=quote if quote >= 0 else None)
        for ((begin, end), alignment), quote in zip(places, nearest.tolist(), strict=True)
    ]
    # The question's words are its asker's: an answer that repeats them claims nothing by them.
    asked = set(text_words(direction.question))
    marked = [not asked.issuperset(text_words(text[begin:end])) for begin, end in aligned.spans.tolist()]
    spans = unsupported_spans(np.where(marked, aligned.alignment, 1.0), aligned.spans, weak)
    if whole:
        spans = [(one.begin, one.end) for one in stretches if one.supported is not None and one.supported < weak]
    return EvidenceText(direction.name, direction.against, text, words, weak, spans, stretches, quotes, reasons or None)

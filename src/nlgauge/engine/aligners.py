"""Aligners, which say how far other texts support each word of a text (CTC, section 3.5).

E matches embeddings. D and R are trained models: D labels every word, R gives the share of supported words. Each of
them reads whole texts, without leaving anything out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from nlgauge.data.evidence import EvidenceText, EvidenceWord, Quote, Reason, Stretch
from nlgauge.engine.english import foreign, is_stopword
from nlgauge.engine.features.alignment import SHAPE, Alignment, AlignmentRequest, LongSource
from nlgauge.engine.features.request import AnyRequest, ByModel, Features
from nlgauge.engine.features.vectors import TokenVectors, VectorsRequest
from nlgauge.engine.models.capabilities import ALIGNER, Model
from nlgauge.engine.models.packing import Packing, packer_of
from nlgauge.engine.words import is_word, words
from nlgauge.maths.alignment import Array, greedy_alignment, logistic, rescaled, unsupported_spans, word_alignment
from nlgauge.maths.text import words as text_words
from nlgauge.maths.vectors import run_means, runs, unit

BOTH = " and the "
"""The words that join the names of two texts with which a text is aligned"""


@dataclass(frozen=True)
class Direction:
    """A text, the other texts with which it is aligned, and the names of all these texts."""

    name: str
    """The text's name: 'candidate', 'source' or 'reference'"""
    text: str
    against: str
    others: tuple[str, ...]
    """The texts with which the text is aligned"""
    question: str = ""
    """The question that the text answers, for a model that reads it"""
    claims: tuple[int, ...] = ()
    """Where each claim of the text ends, in characters, if each claim is read by itself; else empty"""

    @cached_property
    def usable(self) -> list[tuple[str, str]]:
        """The other texts that have words, with their names."""
        named = zip(self.against.split(BOTH), self.others, strict=True)
        return [(name, other) for name, other in named if is_word(other)]


class StretchVerdicts(NamedTuple):
    """The judgements of a trained aligner on the stretches of a text, and the quotes that it read with them.

    A stretch is a group of neighbouring sentences that the aligner reads together.
    """

    stretches: tuple[Stretch, ...]
    quotes: tuple[Quote, ...]
    nearest: NDArray[np.int32]
    """[words]: the index of the quote that each word most likely comes from, -1 if it shares nothing with any quote"""
    reasons: tuple[Reason, ...] = ()


class Aligned(NamedTuple):
    """The words of a text that count, without stopwords for instance, and their alignments."""

    spans: NDArray[np.int32]
    """[words, 2]: first character of each word and the one after its last"""
    alignment: Array
    """[words]: how far the other texts support each word, from 0 (not) to 1"""
    judged: StretchVerdicts | None = None
    """The judgements of the aligner D; None for other aligners"""


class Units(NamedTuple):
    """The words of a text, or other units that are aligned."""

    starts: NDArray[np.intp]
    """[words]: the index of each word's first sub-word"""
    spans: NDArray[np.int32]
    """[words, 2]: first character of each word and the one after its last"""
    counted: NDArray[np.bool_]
    """[words]: whether each word counts"""
    reason: str
    """What the text consists of if no word counts, "no words" for instance"""


def word_units(text: str, offsets: NDArray[np.int32], stopwords: bool) -> Units:
    """Return the words of a text from its sub-words' positions [tokens, 2]. stopwords: whether stopwords count."""
    starts, spans = runs(words(text, offsets), offsets)
    names = [text[begin:end] for begin, end in spans.tolist()]
    wordlike = np.array([is_word(name) for name in names])
    if stopwords or not wordlike.any():
        return Units(starts, spans, wordlike, "no words")
    content = np.array([not is_stopword(name) for name in names])
    return Units(starts, spans, wordlike & content, "nothing but stop-words")


class TextAligner(Protocol):
    """The interface of aligners, which align one text with others."""

    @property
    def weak(self) -> float:
        """The threshold of alignment, from 0 to 1, below which a word is shown as weakly aligned."""
        ...

    @property
    def shows_words(self) -> bool:
        """Whether each word has an alignment of its own to show."""
        ...

    def requests(self, direction: Direction) -> Sequence[AnyRequest]:
        """Return requests for the features that `align` needs."""
        ...

    def align(self, direction: Direction, features: Features) -> Aligned | str:
        """Return the words of a text with their alignments, or the reason why there are none."""
        ...


@dataclass(frozen=True)
class EmbeddingAligner:
    """The aligner E: the cosine of each sub-word with the most similar sub-word of the other texts.

    layer: the layer whose hidden states are compared; 0 is the embeddings. baseline: the alignment of unrelated texts,
    for rescaling.
    """

    weak: ClassVar[float] = 0.6  # for the embeddings of `pocket`, chosen by eye
    shows_words: ClassVar[bool] = True

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
        """Return the units of a text, such as words, to which alignments are given."""
        return word_units(text, offsets, self.stopwords)

    def matched(self, other: TokenVectors) -> NDArray[np.float32]:
        """Return the vectors of another text that sub-words may match: [tokens, width]."""
        vectors: NDArray[np.float32] = other.vectors[0, ~other.special]
        return vectors

    def bounded(self, alignment: Array) -> Array:
        """Return alignments limited to [0, 1], since products and harmonic means of negative numbers make no sense."""
        return alignment.clip(0, 1)

    def nothing(self, reason: str) -> Aligned | str:
        """Return the reason why a text without words that count has no alignment."""
        return reason


@dataclass(frozen=True)
class TrainedAligner:
    """The aligners D and R: a model that was trained to predict which words of a text another text supports.

    aggregate: True for R, which predicts the share of supported words as one number; False for D, which predicts words.
    reading: how a long text is read. temperature: divides the log-odds of whole stretches. english: whether the model
    reads only English, so that a text that is clearly not English has no alignment. packing: how a published detector
    reads both texts; None for an aligner of nlgauge.
    """

    stopwords: bool
    aggregate: bool
    weak: float
    reading: LongSource = "search"
    temperature: float = 1.0
    english: bool = False
    packing: Packing | None = None

    @cached_property
    def judges_words(self) -> bool:
        """Whether each word has a judgement of its own; if not, all words of a sentence have that of the sentence."""
        return self.aggregate or self.packing is None or self.packing.words

    @property
    def shows_words(self) -> bool:
        return not self.aggregate

    def requests(self, direction: Direction) -> list[AlignmentRequest]:
        usable = tuple(other for _, other in direction.usable)
        if not (usable and direction.text):
            return []
        claims = direction.claims if self.packing is None else ()  # a detector reads what its authors let it read
        return [
            AlignmentRequest(
                text=direction.text, against=usable, reading=self.reading, question=direction.question, claims=claims
            )
        ]

    def align(self, direction: Direction, features: Features) -> Aligned | str:
        if (reason := self.unread(direction)) is not None:
            return reason
        text = self.read(direction, features)
        if text is None:
            return f"the {direction.name} has no words"
        units = word_units(text.text, text.offsets, self.stopwords)
        if not units.counted.any():
            return f"the {direction.name} has {units.reason}"
        return self.aligned(direction, text, units)

    def unread(self, direction: Direction) -> str | None:
        """Return why the model cannot read the texts of a direction; None if it can."""
        if not direction.usable:
            return f"no words in the {direction.against}"
        for name, text in ((direction.name, direction.text), *direction.usable) if self.english else ():
            if (language := foreign(text)) is not None:
                return f"the {name} is not in English ({language}), and the model reads English alone"
        return None

    def read(self, direction: Direction, features: Features) -> Alignment | None:
        """Return the predictions of the model for a text; None for a text without tokens."""
        requests = self.requests(direction)
        return features[requests[0]] if requests else None

    def aligned(self, direction: Direction, text: Alignment, units: Units) -> Aligned:
        """Return the alignments of the words of a text, from the predictions of the model."""
        spans = units.spans[units.counted]
        if self.aggregate:
            # For R, a sum over words is their number times the supported share, or the number that it predicts.
            number, size = self.packing is not None and self.packing.head == "number", int(units.counted.sum())
            return Aligned(spans, np.full(size, text.aggregate / size if number else text.aggregate))
        alignment = word_alignment(text.logits, units.starts)[units.counted]
        others = direction.usable
        stretches = tuple(
            Stretch(
                begin=stretch.begin,
                end=stretch.end,
                quotes=stretch.quotes,
                supported=_probability(stretch.logit / self.temperature),
                contradicted=_probability(stretch.against),
            )
            for stretch in text.stretches
        )
        quotes = tuple(
            Quote(others[quote.other][0], others[quote.other][1][quote.begin : quote.end], quote.begin, quote.end)
            for quote in text.quotes
        )
        return Aligned(spans, alignment, StretchVerdicts(stretches, quotes, text.nearest[units.starts[units.counted]]))


def _probability(logit: float) -> float | None:
    """Return the probability of log-odds; None for NaN, which stands for a missing prediction."""
    return None if np.isnan(logit) else float(logistic(logit))


def trained_aligner(
    model: Model, *, aggregate: bool = False, stopwords: bool = True, reading: LongSource = "search"
) -> tuple[TrainedAligner, dict[str, object]]:
    """Return the aligner D or R of a model, and the facts that its numbers depend on.

    Args:
        model: the model.
        aggregate: True for R, False for D.
        stopwords: whether English stopwords count.
        reading: how a long text is read.

    Returns:
        The aligner, and the facts for a signature.

    Raises:
        SpecError: the model has no aligner.
    """
    digest, card, packer = model[ALIGNER].digest, model.card, packer_of(model)
    aligner = TrainedAligner(
        stopwords=stopwords,
        aggregate=aggregate,
        weak=card.aligner_threshold,
        reading=reading,
        temperature=card.aligner_temperature,
        english=card.languages == ("en",),
        packing=None if packer is None else packer.packing,
    )
    rows = f"{SHAPE.stretch}@{min(SHAPE.row, model.window)}" if packer is None else packer.name
    facts: dict[str, object] = {"aligner": digest[:8], "rows": rows}
    facts |= {"evidence": card.aligner_evidence} if card.aligner_evidence else {}
    facts |= {"languages": "+".join(card.languages)} if card.languages else {}
    return aligner, facts


def asked_of(model: str, aligner: TextAligner, direction: Direction) -> list[AnyRequest]:
    """Return the requests for the features that an aligner of another model needs for a direction."""
    return [ByModel(model, request) for request in aligner.requests(direction)]


def answered_by(model: str, aligner: TextAligner, direction: Direction, features: Features) -> Features:
    """Return the features that another model computed, by the requests that the aligner itself made."""
    return Features({request: features[ByModel(model, request)] for request in aligner.requests(direction)})


def shown(direction: Direction, aligned: Aligned, weak: float, whole: bool = False) -> EvidenceText:
    """Return the words of a text that count, as evidence.

    Args:
        direction: the text, and the texts that it is compared with.
        aligned: the words and their alignments.
        weak: the alignment below which words are marked as weakly aligned.
        whole: whether stretches were judged as a whole, and are marked as a whole.

    Returns:
        The evidence of the text.
    """
    text, places = direction.text, zip(aligned.spans.tolist(), aligned.alignment.tolist(), strict=True)
    if aligned.judged is None:
        words = [EvidenceWord(text[begin:end], begin, end, alignment) for (begin, end), alignment in places]
        return EvidenceText(name=direction.name, against=direction.against, text=text, words=words, weak=weak)
    stretches, quotes, nearest, reasons = aligned.judged
    words = [
        EvidenceWord(text[begin:end], begin, end, alignment, quote=quote if quote >= 0 else None)
        for ((begin, end), alignment), quote in zip(places, nearest.tolist(), strict=True)
    ]
    alignment = aligned.alignment
    if direction.question:
        # The question's words are its asker's: an answer that repeats them claims nothing by them.
        asked = set(text_words(direction.question))
        marked = [not asked.issuperset(text_words(text[begin:end])) for begin, end in aligned.spans.tolist()]
        alignment = np.where(marked, alignment, 1.0)
    spans = unsupported_spans(alignment, aligned.spans, weak)
    if whole:
        spans = [
            (stretch.begin, stretch.end)
            for stretch in stretches
            if stretch.supported is not None and stretch.supported < weak
        ]
    return EvidenceText(
        name=direction.name,
        against=direction.against,
        text=text,
        words=words,
        weak=weak,
        unsupported=spans,
        stretches=stretches,
        quotes=quotes,
        reasons=reasons or None,
    )

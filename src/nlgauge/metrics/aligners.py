"""What CTC's aspects align texts with: E matches embeddings, D and R were trained (section 3.5 of the paper)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.features.alignment import AlignmentRequest
from nlgauge.engine.features.request import AnyRequest, Features
from nlgauge.engine.features.vectors import TokenVectors, VectorsRequest
from nlgauge.engine.words import is_word, words
from nlgauge.maths.alignment import Array, greedy_alignment, rescaled, word_alignment
from nlgauge.maths.stopwords import is_stopword
from nlgauge.maths.vectors import run_means, runs, unit


class Direction(NamedTuple):
    """align(text -> others), with what to call the texts."""

    name: str
    """Of the text: 'candidate', 'source' or 'reference'"""
    text: str
    against: str
    others: tuple[str, ...]
    """Together they are what the text is aligned with"""


class Aligned(NamedTuple):
    """The words of a text that count, and their alignments."""

    spans: NDArray[np.int32]
    """[words, 2]: places in the text"""
    alignment: Array
    """[words]"""


class Units(NamedTuple):
    """The words of a text, or what stands for them."""

    starts: NDArray[np.intp]
    """[words]: the first sub-word of each"""
    spans: NDArray[np.int32]
    """[words, 2]: places in the text"""
    counted: NDArray[np.bool_]
    """[words]: whether each counts"""
    reason: str
    """What the text has where none counts"""


def word_units(text: str, offsets: NDArray[np.int32], stopwords: bool) -> Units:
    """The words of a text with the places of its sub-words [tokens, 2]; stopwords: whether English ones count."""
    starts, spans = runs(words(text, offsets), offsets)
    names = [text[begin:end] for begin, end in spans.tolist()]
    wordlike = np.array([is_word(name) for name in names])
    if stopwords or not wordlike.any():
        return Units(starts, spans, wordlike, "no words")
    content = np.array([not is_stopword(name) for name in names])
    return Units(starts, spans, wordlike & content, "nothing but stop-words")


class Aligner(Protocol):
    """Aligns one text with others."""

    @property
    def weak(self) -> float:
        """Alignment under which a word is shown as weakly aligned"""
        ...

    @property
    def shows_words(self) -> bool:
        """Whether an alignment is each word's own"""
        ...

    def requests(self, direction: Direction) -> Sequence[AnyRequest]:
        """What `align` asks of the engine."""
        ...

    def align(self, direction: Direction, features: Features) -> Aligned | str:
        """The words and alignments, or why there are none."""
        ...


@dataclass(frozen=True)
class Embeddings:
    """The aligner E: cosine with the most similar sub-word of the other texts.

    layer: whose hidden states are compared, from 0. baseline: what unrelated texts have; it is taken off.
    """

    weak: ClassVar[float] = 0.6  # of the embeddings of `pocket`, picked by eye
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
        """What of a text is aligned."""
        return word_units(text, offsets, self.stopwords)

    def matched(self, other: TokenVectors) -> NDArray[np.float32]:
        """The vectors of another text that a sub-word may match: [tokens, width]."""
        vectors: NDArray[np.float32] = other.vectors[0, ~other.special]
        return vectors

    def bounded(self, alignment: Array) -> Array:
        """Alignments as they count. Below 0 products and harmonic means would lose their meaning."""
        return alignment.clip(0, 1)

    def nothing(self, reason: str) -> Aligned | str:
        """The alignment of a text of which no word counts."""
        return reason


@dataclass(frozen=True)
class Trained:
    """The aligners D and R: a model that was trained to see which words of a text another supports.

    aggregate: R, which says the share of supported words as one number, and shows no words.
    """

    stopwords: bool
    aggregate: bool
    weak: float

    @property
    def shows_words(self) -> bool:
        return not self.aggregate

    def requests(self, direction: Direction) -> list[AlignmentRequest]:
        usable = tuple(other for other in direction.others if is_word(other))
        return [AlignmentRequest(direction.text, usable)] if usable else []

    def align(self, direction: Direction, features: Features) -> Aligned | str:
        requests = self.requests(direction)
        if not requests:
            return f"no words in the {direction.against}"
        text = features[requests[0]]
        if text is None:
            return f"the {direction.name} has no words"
        units = word_units(text.text, text.offsets, self.stopwords)
        if not units.counted.any():
            return f"the {direction.name} has {units.reason}"
        if self.aggregate:
            # A sum over words is then their number times the share that is supported.
            return Aligned(units.spans[units.counted], np.full(int(units.counted.sum()), text.aggregate))
        return Aligned(units.spans[units.counted], word_alignment(text.logits, units.starts)[units.counted])

"""CTC: how much of what a text says is grounded in another, word by word, and what that tells of the text.

Deng, Tan, Liu, Xing and Hu, "Compression, Transduction, and Creation: A Unified Framework for Evaluating Natural
Language Generation", EMNLP 2021. An aligner gives every word of one text the confidence, from 0 to 1, that it is
grounded in another; an aspect is a mean, sum or product of them (`maths/alignment.py`).

The aligner E matches embeddings (section 3.5): a sub-word's alignment is its cosine with the most similar sub-word of
the other text, on one layer, a word's the mean of its pieces'. The published code counts pieces, so that a rare word
counts several times; punctuation too; and cosines below 0, at which products and harmonic means lose their meaning.
`published=True` does all that.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.corpus import Corpus, Row
from nlgauge.engine.engine import Features, Need
from nlgauge.engine.features import Alignment, AlignmentRequest, TokenVectors, VectorsRequest
from nlgauge.engine.words import is_word, words
from nlgauge.errors import SpecError
from nlgauge.maths import alignment as aspects
from nlgauge.maths.stopwords import is_stopword
from nlgauge.maths.vectors import run_means, runs, unit
from nlgauge.metrics.base import RowMetric, Scorer, Texts, Value

Array = NDArray[np.float64]


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


@dataclass(frozen=True)
class _Aspect(RowMetric):
    needed: ClassVar[tuple[str, ...]] = ("source",)
    """The columns without which there is no value"""
    citation: ClassVar[str] = "Deng et al. 2021, EMNLP, arXiv:2109.06379"
    choices: ClassVar[Mapping[str, Sequence[object]]] = {
        "aligner": ("E", "D", "R"),
        "stopwords": (True, False),
        "rescale": ("none", "token"),
        "published": (False, True),
    }

    aligner: str = "E"
    layer: int = -1
    stopwords: bool = True
    rescale: str = "none"
    published: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.layer, bool) or not isinstance(self.layer, int):
            raise SpecError(f"{type(self).__name__}: layer={self.layer!r} is not a layer's number")
        if self.aligner != "E":
            for name, plain in (("layer", -1), ("rescale", "none"), ("published", False)):
                if getattr(self, name) != plain:
                    raise SpecError(f"{type(self).__name__}: {name} is of aligner='E'; leave it out")

    @abstractmethod
    def directions(self, row: Row) -> list[Direction]:
        """What has to be aligned with what, for a row that has what is needed."""

    @abstractmethod
    def value(self, alignments: Sequence[Array]) -> float:
        """The aspect, from the alignments of the directions, in order."""

    def scorer(self, corpus: Corpus, texts: Texts) -> AspectScorer:
        return AspectScorer(self, texts)


def _candidate(row: Row, *columns: str) -> Direction:
    return Direction("candidate", row.candidate, " and the ".join(columns), tuple(getattr(row, c) for c in columns))


@dataclass(frozen=True)
class Consistency(_Aspect):
    """Mean alignment of the candidate's words with the source: does it say only what the source says?

    aligner: 'E', by embeddings; 'D', a classifier that reads both texts together and labels every word; 'R', its kin
        that says the share of supported words as one number, and shows no words.
    layer: whose hidden states are compared, 0 being the embeddings, -1 the last.
    stopwords: let English stop-words count.
    rescale: 'token' subtracts from every alignment what unrelated sentences have, (x - b) / (1 - b).
    published: do as the published code: pieces of words and punctuation count, they may match special tokens,
        alignments may be negative, and no word at all is 0.
    """

    def directions(self, row: Row) -> list[Direction]:
        return [_candidate(row, "source")]

    def value(self, alignments: Sequence[Array]) -> float:
        return aspects.consistency(alignments[0])


@dataclass(frozen=True)
class Relevance(_Aspect):
    """How far the candidate covers what its references say, times its consistency with the source.

    Mean alignment of a reference's words with the candidate, mean over references, times the candidate's with the
    source. Parameters as of Consistency.
    """

    needed: ClassVar[tuple[str, ...]] = ("source", "references")

    def directions(self, row: Row) -> list[Direction]:
        covered = [Direction("reference", text, "candidate", (row.candidate,)) for text in row.references]
        return [_candidate(row, "source"), *covered]

    def value(self, alignments: Sequence[Array]) -> float:
        return aspects.relevance(alignments[1:], alignments[0])


@dataclass(frozen=True)
class Preservation(_Aspect):
    """Harmonic mean of the alignments of candidate with source and source with candidate: is the content the same?

    rescale: 'score' rescales the harmonic mean, as the published package does, and not each alignment.
    harmonic_factor: 1 computes equation 4 as it is printed, half the harmonic mean.
    Other parameters as of Consistency.
    """

    choices: ClassVar[Mapping[str, Sequence[object]]] = {
        **_Aspect.choices,
        "rescale": ("none", "token", "score"),
        "harmonic_factor": (2, 1),
    }

    harmonic_factor: int = 2

    def directions(self, row: Row) -> list[Direction]:
        return [_candidate(row, "source"), Direction("source", row.source or "", "candidate", (row.candidate,))]

    def value(self, alignments: Sequence[Array]) -> float:
        return aspects.preservation(alignments[0], alignments[1], self.harmonic_factor)


@dataclass(frozen=True)
class Groundedness(_Aspect):
    """Sum of the alignments of the candidate's words with the context: how much of the knowledge does a reply use?

    `context` is the knowledge. Parameters as of Consistency; stop-words do not count unless asked for.
    """

    needed: ClassVar[tuple[str, ...]] = ("context",)

    stopwords: bool = False

    def directions(self, row: Row) -> list[Direction]:
        return [_candidate(row, "context")]

    def value(self, alignments: Sequence[Array]) -> float:
        return aspects.groundedness(alignments[0])


@dataclass(frozen=True)
class Engagingness(_Aspect):
    """Sum of the alignments of the candidate's words with context and source: how much does a reply take up?

    `source` is the history of the dialogue, `context` the knowledge. A word may be aligned with either; each of the two
    is encoded by itself, where the published code joins them to one text. Parameters as of Consistency; stop-words do
    not count unless asked for.
    """

    needed: ClassVar[tuple[str, ...]] = ("source", "context")

    stopwords: bool = False

    def directions(self, row: Row) -> list[Direction]:
        direction = _candidate(row, "context", "source")
        return [direction._replace(others=("\n\n\n".join(direction.others),)) if self.published else direction]

    def value(self, alignments: Sequence[Array]) -> float:
        return aspects.engagingness(alignments[0])


@dataclass(frozen=True)
class MeanAlignment(Engagingness):
    """Mean alignment of the candidate's words with context and source, for other qualities of a reply (table F.6).

    Parameters as of Engagingness.
    """

    def value(self, alignments: Sequence[Array]) -> float:
        return aspects.mean_alignment(alignments[0])


class Aligner(ABC):
    """Aligns one text with others."""

    shows_words: bool = True
    """Whether an alignment is each word's own"""
    signature: dict[str, object]
    baseline = 0.0
    """What unrelated texts have, where the metric takes it off"""
    weak = 0.6
    """Alignment under which a word is shown as weakly aligned; of the embeddings of `pocket`, picked by eye"""

    def __init__(self, metric: _Aspect) -> None:
        self._metric = metric

    @abstractmethod
    def needs(self, direction: Direction) -> list[Need]:
        """What `align` asks of the engine."""

    @abstractmethod
    def align(self, direction: Direction, features: Features) -> Aligned | str:
        """The words and alignments, or why there are none."""

    def _words(
        self, text: str, offsets: NDArray[np.int32]
    ) -> tuple[NDArray[np.intp], NDArray[np.int32], NDArray[np.bool_], str]:
        """First piece and place of each word, whether it counts, and what to say where none does."""
        published, numbers = self._metric.published, words(text, offsets)
        starts, spans = runs(np.arange(len(offsets)) if published else numbers, offsets)
        names = [text[begin:end] for begin, end in spans.tolist()]
        wordlike = np.array([published or is_word(name) for name in names])
        if self._metric.stopwords or not wordlike.any():
            return starts, spans, wordlike, "no words"
        # A piece inside a word is no stop-word, whatever its letters.
        inside = np.diff(numbers, prepend=-1)[starts] == 0
        content = inside | np.array([not is_stopword(name) for name in names])
        return starts, spans, wordlike & content, "nothing but stop-words"


class Embeddings(Aligner):
    """The aligner E: cosine with the most similar sub-word."""

    def __init__(self, metric: _Aspect, texts: Texts) -> None:
        name, model = type(metric).__name__, texts.model
        layer = metric.layer if metric.layer >= 0 else model.layers + 1 + metric.layer
        if not 0 <= layer <= model.layers:
            raise SpecError(f"{name}: model {model.name!r} has layers 0 to {model.layers}; asked for {metric.layer}")
        super().__init__(metric)
        self._request = VectorsRequest((layer,))
        self.signature = {"layer": layer}
        if metric.rescale != "none":
            known = model.bertscore_baseline or {}
            if layer not in known:
                why = f"model {model.name!r} has no baseline for layer {layer}"
                raise SpecError(f"{name}: {why}: choose rescale='none'")
            self.baseline = known[layer][2]
            self.signature["baseline"] = f"{self.baseline:.6f}"

    def needs(self, direction: Direction) -> list[Need]:
        return [(text, self._request) for text in (direction.text, *direction.others)]

    def align(self, direction: Direction, features: Features) -> Aligned | str:
        found = [features[text, self._request] for text in direction.others]
        others = [other for other in found if isinstance(other, TokenVectors) and is_word(other.text)]
        own = features[direction.text, self._request]
        if not isinstance(own, TokenVectors):
            return self._nothing(f"the {direction.name} has no words")
        if not others:
            return f"no words in the {direction.against}"
        inner, published = ~own.special, self._metric.published
        starts, spans, counted, reason = self._words(own.text, own.offsets[inner])
        if not counted.any():
            return self._nothing(f"the {direction.name} has {reason}")
        theirs = [other.vectors[0, ~other.special | published] for other in others]
        alignment = aspects.greedy_alignment(unit(own.vectors[0, inner]), unit(np.concatenate(theirs)))
        if self._metric.rescale == "token":
            alignment = aspects.rescaled(alignment, self.baseline)
        if not published:
            alignment = alignment.clip(0, 1)
        return Aligned(spans[counted], run_means(alignment[:, None], starts)[counted, 0])

    def _nothing(self, reason: str) -> Aligned | str:
        # To the published code the mean and the sum of nothing are 0.
        return Aligned(np.zeros((1, 2), np.int32), np.zeros(1)) if self._metric.published else reason


class Trained(Aligner):
    """The aligners D and R: a model that was trained to see which words of a text another supports."""

    def __init__(self, metric: _Aspect, texts: Texts) -> None:
        super().__init__(metric)
        if texts.model.aligner_digest is None:
            why = f"model {texts.model.name!r} has no aligner"
            raise SpecError(f"{type(metric).__name__}: {why}: choose aligner='E', or nlgauge train aligner")
        self.shows_words = metric.aligner == "D"
        self.signature = {"aligner": texts.model.aligner_digest[:8]}
        self.weak = texts.model.aligner_threshold

    def needs(self, direction: Direction) -> list[Need]:
        return [self._need(direction)] if any(map(is_word, direction.others)) else []

    def _need(self, direction: Direction) -> Need:
        return direction.text, AlignmentRequest(tuple(other for other in direction.others if is_word(other)))

    def align(self, direction: Direction, features: Features) -> Aligned | str:
        if not any(map(is_word, direction.others)):
            return f"no words in the {direction.against}"
        own = features[self._need(direction)]
        if not isinstance(own, Alignment):
            return f"the {direction.name} has no words"
        starts, spans, counted, reason = self._words(own.text, own.offsets)
        if not counted.any():
            return f"the {direction.name} has {reason}"
        if self._metric.aligner == "R":
            # A sum over words is then their number times the share that is supported.
            return Aligned(spans[counted], np.full(int(counted.sum()), own.aggregate))
        return Aligned(spans[counted], aspects.word_alignment(own.logits, starts)[counted])


class AspectScorer(Scorer):
    """An aspect bound to a model."""

    def __init__(self, metric: _Aspect, texts: Texts) -> None:
        self.metric = metric
        self._aligner: Aligner = Embeddings(metric, texts) if metric.aligner == "E" else Trained(metric, texts)
        self.signature = self._aligner.signature

    def needs(self, row: Row) -> list[Need]:
        directions = [] if self._missing(row) else self.metric.directions(row)
        return [need for direction in directions for need in self._aligner.needs(direction)]

    def score(self, rows: Sequence[Row], features: Features) -> list[Value]:
        return [self._value(row, features) for row in rows]

    def _value(self, row: Row, features: Features) -> Value:
        found, reason, notes = self._aligned(row, features)
        if reason is not None:
            return Value((np.nan,), reason)
        value = self.metric.value([aligned.alignment for _, aligned in found])
        if self.metric.rescale == "score":
            value = aspects.rescaled(value, self._aligner.baseline)
        return Value((value,), "the two directions cancel each other" if np.isnan(value) else None, notes)

    def _missing(self, row: Row) -> str | None:
        missing = [column for column in self.metric.needed if getattr(row, column) in (None, ())]
        return f"no {missing[0].removesuffix('s')}" if missing else None

    def _aligned(
        self, row: Row, features: Features
    ) -> tuple[list[tuple[Direction, Aligned]], str | None, tuple[str, ...]]:
        """Each direction with its alignments; why there is no value; what a reader of it should know."""
        if (missing := self._missing(row)) is not None:
            return [], missing, ()
        found: list[tuple[Direction, Aligned]] = []
        notes: dict[str, None] = {}
        for direction in self.metric.directions(row):
            aligned = self._aligner.align(direction, features)
            if not isinstance(aligned, str):
                found.append((direction, aligned))
            elif direction.name == "reference" and any(map(is_word, direction.others)):
                notes["references without words left out"] = None
            else:
                return [], aligned, ()
            if len(direction.others) > 1 and not all(map(is_word, direction.others)):
                notes[f"no words in one of the {direction.against}"] = None
        if "references" in self.metric.needed and found[-1][0].name != "reference":
            return [], "no reference has words", ()
        return found, None, tuple(notes)

    def evidence(self, row: Row, features: Features) -> dict[str, Any]:
        """The words that count of each aligned text, with place and alignment; below `weak` it is weakly aligned."""
        found, _, _ = self._aligned(row, features) if self._aligner.shows_words else ([], None, ())
        texts = [
            {
                "name": direction.name,
                "against": direction.against,
                "text": direction.text,
                "weak": self._aligner.weak,
                "words": [
                    {"text": direction.text[begin:end], "begin": begin, "end": end, "alignment": float(value)}
                    for (begin, end), value in zip(aligned.spans.tolist(), aligned.alignment, strict=True)
                ],
            }
            for direction, aligned in found
        ]
        return {"texts": texts} if texts else {}

"""What every metric is: a frozen set of parameters that knows what it needs of each text and how to score with it.

To add a metric: one file in this folder with one subclass of ReferenceMetric (a candidate against its references),
SetMetric (all outputs of a system against a set of texts) or RowMetric (anything else about one row). Nothing else
names it.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nlgauge.corpus import Corpus, Row
from nlgauge.engine.engine import Features, Need
from nlgauge.engine.features import Request, TokenVectors, TokenWeights, VectorsRequest
from nlgauge.engine.tokens import Tokens
from nlgauge.engine.words import is_word, words
from nlgauge.errors import SpecError
from nlgauge.maths.points import UNITS, layers_of, text_points
from nlgauge.maths.weighting import document_frequencies, inverse_document_frequencies


class Texts(Protocol):
    """What a metric may ask of the engine before scoring starts."""

    def tokens(self, texts: Sequence[str]) -> list[Tokens]: ...

    @property
    def model(self) -> Any: ...


@dataclass(frozen=True)
class Value:
    """The score of one row or system: a number for each part of the metric, or NaN with the reason."""

    parts: tuple[float, ...]
    reason: str | None = None
    """Why a part is NaN"""
    notes: tuple[str, ...] = ()
    """What a reader of the number should know; counted in the run's summary"""


@dataclass(frozen=True)
class Metric(ABC):
    """A metric and its parameters. ``str(metric)`` is its spec, which parses back to an equal metric."""

    higher_is_better: ClassVar[bool] = True
    parts: ClassVar[tuple[str, ...]] = ("score",)
    """Names of the numbers of a row; the first is the one that is meant when none is named"""
    citation: ClassVar[str] = ""
    choices: ClassVar[Mapping[str, Sequence[object]]] = {}
    """Allowed values of the parameters that have a closed list"""

    model: str = "pocket"
    """'pocket' (embedded), a Hugging Face name, or a folder"""

    def __post_init__(self) -> None:
        if not (isinstance(self.model, str) and self.model):
            raise SpecError(f"{type(self).__name__}: model={self.model!r} is not a model's name")
        for name, allowed in self.choices.items():
            if getattr(self, name) not in allowed:
                raise SpecError(
                    f"{type(self).__name__}: {name}={getattr(self, name)!r} is not one of "
                    + ", ".join(repr(value) for value in allowed)
                )

    def _check_whole(self, **least: int) -> None:
        """Refuse parameters that are no whole numbers of at least so much."""
        for name, lowest in least.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < lowest:
                raise SpecError(f"{type(self).__name__}: {name}={value!r} is not a whole number of at least {lowest}")

    @abstractmethod
    def scorer(self, corpus: Corpus, texts: Texts) -> Scorer | SetScorer:
        """Bind to a corpus and an engine."""

    @property
    def larger_is_better(self) -> bool:
        """`higher_is_better`, unless a parameter turns it round."""
        return self.higher_is_better

    def __str__(self) -> str:
        own = [field for field in fields(self) if field.name != "model"] + [
            f for f in fields(self) if f.name == "model"
        ]
        given = [
            f"{field.name}={_literal(getattr(self, field.name))}"
            for field in own
            if field.default is MISSING or getattr(self, field.name) != field.default
        ]
        return type(self).__name__ + (f"({', '.join(given)})" if given else "")


def _literal(value: object) -> str:
    return repr(int(value)) if isinstance(value, float) and value.is_integer() else repr(value)


class Scorer(ABC):
    """A metric bound to one corpus and one engine: its corpus statistics are known, rows can be scored in any order."""

    signature: Mapping[str, object] = {}
    """Facts beyond the spec that determine the numbers"""

    @abstractmethod
    def needs(self, row: Row) -> list[Need]:
        """The features that the row's score is computed from."""

    @abstractmethod
    def score(self, rows: Sequence[Row], features: Features) -> list[Value]:
        """A score for each of some rows. A row's score does not depend on which others come with it."""

    def evidence(self, row: Row, features: Features) -> dict[str, Any]:
        """What the score rests on, ready for JSON. Empty where a metric has nothing to show."""
        return {}


@dataclass(frozen=True)
class RowMetric(Metric):
    """Gives every row a score."""

    @abstractmethod
    def scorer(self, corpus: Corpus, texts: Texts) -> Scorer:
        """Bind to a corpus and an engine."""


@dataclass(frozen=True)
class ReferenceMetric(RowMetric):
    """Compares a candidate with each of its references; says nothing where one of the two has no words."""

    choices: ClassVar[Mapping[str, Sequence[object]]] = {"references": ("best", "mean")}

    references: str = "best"
    """'best' reference, or the 'mean' over references"""


Pair: TypeAlias = tuple[Any, Any]
"""Features of a candidate and of a reference; each metric knows which kind it asked for"""


class ReferenceScorer(Scorer):
    """Scores pairs, and leaves the reduction over references and the undefined cases to this base."""

    undefined: ClassVar[str] = "the measure is not defined for these texts"
    """The reason of a row whose pairs have no number"""

    def __init__(self, metric: ReferenceMetric, candidate: Request, reference: Request) -> None:
        self.metric, self._candidate, self._reference = metric, candidate, reference

    @abstractmethod
    def compare(self, pairs: Sequence[Pair]) -> Sequence[Sequence[float]]:
        """For each (candidate, reference) a number for each part of the metric; NaN where nothing can be said."""

    def pair_note(self, candidate: Any, reference: Any) -> str | None:
        """What a reader of the pair's number should know."""
        return None

    def unusable(self, feature: Any) -> str | None:
        """Why a text that has tokens still has nothing that the metric can compare; None where it has."""
        return None

    def needs(self, row: Row) -> list[Need]:
        return [(row.candidate, self._candidate), *((text, self._reference) for text in row.references)]

    def score(self, rows: Sequence[Row], features: Features) -> list[Value]:
        found = [self.pairs(row, features) for row in rows]
        scores = iter(self.compare([pair for pairs, _ in found for pair in pairs]))
        return [
            self._value(row, pairs, reason, np.array([next(scores) for _ in pairs], np.float64))
            for row, (pairs, reason) in zip(rows, found, strict=True)
        ]

    def _value(self, row: Row, pairs: list[Pair], reason: str, scores: NDArray[np.float64]) -> Value:
        if not pairs:
            return Value((np.nan,) * len(self.metric.parts), reason)
        notes = dict.fromkeys(note for pair in pairs if (note := self.pair_note(*pair)))
        if len(pairs) < len(row.references):
            notes["references without words left out"] = None
        parts = scores[self._best(scores)] if self.metric.references == "best" else scores.mean(axis=0)
        return Value(tuple(map(float, parts)), self.undefined if np.isnan(parts).any() else None, tuple(notes))

    def pairs(self, row: Row, features: Features) -> tuple[list[Pair], str]:
        """The (candidate, reference) pairs that can be compared, and why there is none."""
        candidate = features[row.candidate, self._candidate]
        if candidate is None:
            return [], "the candidate has no words"
        if (why := self.unusable(candidate)) is not None:
            return [], f"the candidate has {why}"
        if not row.references:
            return [], "no reference"
        found = [features[text, self._reference] for text in row.references]
        usable = [reference for reference in found if reference is not None and self.unusable(reference) is None]
        return [(candidate, reference) for reference in usable], "no reference has words"

    def chosen(self, row: Row, features: Features) -> tuple[int, Pair] | None:
        """The pair that the row's score rests on: its number among the usable references, and its features."""
        pairs, _ = self.pairs(row, features)
        if not pairs:
            return None
        which = self._best(np.array(self.compare(pairs), np.float64))
        return which, pairs[which]

    def _best(self, scores: NDArray[np.float64]) -> int:
        """Of [references, parts], by the first part; a NaN is never the best of several."""
        first = scores[:, 0] if self.metric.larger_is_better else -scores[:, 0]
        return int(np.where(np.isnan(first), -np.inf, first).argmax())


@dataclass(frozen=True)
class SetMetric(Metric):
    """Compares all outputs of a system with a set of texts: the references of its rows, or those of another corpus."""

    choices: ClassVar[Mapping[str, Sequence[object]]] = {"unit": UNITS, "normalize": (True, False)}

    unit: str = "sentence"
    """'sentence', a point a text: the mean of its vectors at the model's last layer. 'token', a point for every word
    at each of the last `layers` layers"""
    layers: int = 5
    normalize: bool = True
    """Points to unit length"""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_whole(layers=1)

    @abstractmethod
    def scorer(self, corpus: Corpus, texts: Texts) -> SetScorer:
        """Bind to a corpus and an engine."""


class SetScorer(ABC):
    """Takes points from texts as they come, and compares sets of points at the end.

    A text that stands in several rows counts as often as it stands there.
    """

    def __init__(self, metric: SetMetric, texts: Texts) -> None:
        try:
            layers = layers_of(metric.unit, metric.layers, texts.model.layers)
        except ValueError as error:
            raise SpecError(f"{type(metric).__name__}: {error}") from None
        self._unit, self._normalize = metric.unit, metric.normalize
        self.request = VectorsRequest(layers)
        self.signature: Mapping[str, object] = {"layers": f"{layers[0]}-{layers[-1]}"}

    def points(self, feature: TokenVectors) -> NDArray[np.float32]:
        """The points that stand for a text: [points, width]; none where it has nothing to say."""
        wordlike = np.array([is_word(feature.text[begin:end]) for begin, end in feature.offsets])
        numbers = words(feature.text, feature.offsets)
        return text_points(self._unit, feature.vectors, feature.special, numbers, wordlike, self._normalize)

    @abstractmethod
    def compare(self, evaluated: NDArray[np.float32], reference: NDArray[np.float32]) -> Value:
        """The score of one set of points against another: [m, width], [n, width], n and m at least 1."""

    def evidence(self, evaluated: Sequence[SetText], reference: Sequence[SetText]) -> dict[str, Any]:
        """What the score rests on, ready for JSON. Empty where a metric has nothing to show."""
        return {}


class SetText(NamedTuple):
    """One text of a set."""

    item: str
    text: str
    points: NDArray[np.float32]


def idf_table(idf: str, corpus: Corpus, texts: Texts) -> TokenWeights | None:
    """Weights of the vocabulary by name; None for 'none'.

    'general' was counted on a large text, once; 'references', 'candidates' and 'union' are counted on the corpus, a
    text that stands in several rows once. Raises SpecError where the model has no general table.
    """
    if idf == "none":
        return None
    if idf == "general":
        table = texts.model.document_frequencies
        if table is None:
            raise SpecError(
                f"model {texts.model.name!r} has no general idf table; choose idf='references' or idf='none'"
            )
        return _weights(table.counts, table.documents)
    documents: list[str] = []
    if idf in ("references", "union"):
        documents += [text for row in corpus for text in row.references]
    if idf in ("candidates", "union"):
        documents += [row.candidate for row in corpus]
    ids = (tokens.ids for tokens in texts.tokens(list(dict.fromkeys(documents))))
    return _weights(*document_frequencies(ids, texts.model.tokenizer.vocabulary))


def _weights(counts: NDArray[np.int64], documents: int) -> TokenWeights:
    values = inverse_document_frequencies(counts, documents)
    return TokenWeights(hashlib.sha256(values.tobytes()).hexdigest(), values)

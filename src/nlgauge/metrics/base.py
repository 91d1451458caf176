"""What every metric is: a frozen set of parameters that knows what it needs of each text and how to score with it.

To add a metric: one file in this folder with one subclass of ReferenceMetric (a candidate against its references),
SetMetric (all outputs of a system against a set of texts) or RowMetric (anything else about one row); or, where it
reads the texts as strings and no model, of TextReferenceMetric or TextMetric. Nothing else names it.
"""

from __future__ import annotations

import hashlib
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from functools import cache
from typing import Any, ClassVar, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nlgauge.corpus import Corpus, Row
from nlgauge.engine.engine import Features, Need
from nlgauge.engine.features import Request, TokenVectors, TokenWeights, VectorsRequest
from nlgauge.engine.tokens import Tokens
from nlgauge.engine.words import is_word, words
from nlgauge.errors import MissingExtraError, SpecError
from nlgauge.maths.points import UNITS, layers_of, text_points
from nlgauge.maths.weighting import document_frequencies, inverse_document_frequencies


class Texts(Protocol):
    """What a metric may ask of the engine before scoring starts."""

    def tokens(self, texts: Sequence[str]) -> list[Tokens]: ...

    def word_starts(self, text: str, segmentation: str) -> tuple[NDArray[np.intp], NDArray[np.int64]]: ...

    def stream(self, rows: Sequence[Sequence[Need]]) -> Iterator[tuple[list[int], Features]]: ...

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
    counts: tuple[float, ...] | None = None
    """What the row adds to the sums from which the value of all rows is computed, by a metric that has such a value"""


@dataclass(frozen=True)
class Metric(ABC):
    """A metric and its parameters. ``str(metric)`` is its spec, which parses back to an equal metric."""

    higher_is_better: ClassVar[bool] = True
    parts: ClassVar[tuple[str, ...]] = ("score",)
    """Names of the numbers of a row; the first is the one that is meant when none is named"""
    citation: ClassVar[str] = ""
    choices: ClassVar[Mapping[str, Sequence[object]]] = {}
    """Allowed values of the parameters that have a closed list"""

    def __post_init__(self) -> None:
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
    def scorer(self, *bound: Any, **named: Any) -> Any:
        """Bind to a corpus, and to an engine where a model is read."""

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


@dataclass(frozen=True)
class ModelMetric(Metric):
    """Reads texts through a language model."""

    model: str = "pocket"
    """'pocket' (embedded), a Hugging Face name, or a folder"""

    def __post_init__(self) -> None:
        if not (isinstance(self.model, str) and self.model):
            raise SpecError(f"{type(self).__name__}: model={self.model!r} is not a model's name")
        super().__post_init__()


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
class RowMetric(ModelMetric):
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


class PairScorer(ABC):
    """Scores pairs, and leaves the reduction over references and the undefined cases to this base."""

    undefined: ClassVar[str] = "the measure is not defined for these texts"
    """The reason of a row whose pairs have no number"""

    def __init__(self, metric: ReferenceMetric | TextReferenceMetric) -> None:
        self.metric: Any = metric

    @abstractmethod
    def compare(self, pairs: Sequence[Pair]) -> Sequence[Sequence[float]]:
        """For each (candidate, reference) a number for each part of the metric; NaN where nothing can be said."""

    def pair_note(self, candidate: Any, reference: Any) -> str | None:
        """What a reader of the pair's number should know."""
        return None

    def unusable(self, feature: Any) -> str | None:
        """Why a text that has tokens still has nothing that the metric can compare; None where it has."""
        return None

    def _values(self, found: Sequence[tuple[Row, list[Pair], str]]) -> list[Value]:
        """A score for each row, from its pairs and the reason why it has none."""
        compared = self.compare([pair for _, pairs, _ in found for pair in pairs])
        scores = np.array(compared, np.float64).reshape(-1, len(self.metric.parts))
        ends = np.cumsum([len(pairs) for _, pairs, _ in found]).tolist()
        return [
            self._value(row, pairs, reason, scores[end - len(pairs) : end])
            for (row, pairs, reason), end in zip(found, ends, strict=True)
        ]

    def _value(self, row: Row, pairs: list[Pair], reason: str, scores: NDArray[np.float64]) -> Value:
        if not pairs:
            return Value((np.nan,) * len(self.metric.parts), reason)
        notes = dict.fromkeys(note for pair in pairs if (note := self.pair_note(*pair)))
        if len(pairs) < len(row.references):
            notes["references without words left out"] = None
        parts = tuple(self.reduced(pairs, scores).tolist())
        return Value(parts, self.undefined if any(map(math.isnan, parts)) else None, tuple(notes))

    def reduced(self, pairs: Sequence[Pair], scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """The row's score of each part, from those of its pairs: [pairs, parts] -> [parts]."""
        found: NDArray[np.float64] = (
            scores[self._best(scores)] if self.metric.references == "best" else scores.mean(axis=0)
        )
        return found

    def _usable(self, row: Row, candidate: Any, references: Iterable[Any]) -> tuple[list[Pair], str]:
        """The pairs of what stands for the texts (None for one without words), and why there is none."""
        if candidate is None:
            return [], "the candidate has no words"
        if (why := self.unusable(candidate)) is not None:
            return [], f"the candidate has {why}"
        if not row.references:
            return [], "no reference"
        usable = [one for one in references if one is not None and self.unusable(one) is None]
        return [(candidate, reference) for reference in usable], "no reference has words"

    def _best(self, scores: NDArray[np.float64]) -> int:
        """Of [references, parts], by the first part; a NaN is never the best of several."""
        if len(scores) == 1:
            return 0
        sign = 1 if self.metric.larger_is_better else -1
        first = [-math.inf if math.isnan(score) else sign * score for score in scores[:, 0].tolist()]
        return first.index(max(first))


class ReferenceScorer(PairScorer, Scorer):
    """Scores pairs of features."""

    def __init__(self, metric: ReferenceMetric, candidate: Request, reference: Request) -> None:
        super().__init__(metric)
        self._candidate, self._reference = candidate, reference

    def needs(self, row: Row) -> list[Need]:
        return [(row.candidate, self._candidate), *((text, self._reference) for text in row.references)]

    def score(self, rows: Sequence[Row], features: Features) -> list[Value]:
        return self._values([(row, *self.pairs(row, features)) for row in rows])

    def pairs(self, row: Row, features: Features) -> tuple[list[Pair], str]:
        """The (candidate, reference) pairs that can be compared, and why there is none."""
        found = (features[text, self._reference] for text in row.references)
        return self._usable(row, features[row.candidate, self._candidate], found)

    def chosen(self, row: Row, features: Features) -> tuple[int, Pair] | None:
        """The pair that the row's score rests on: its number among the usable references, and its features."""
        pairs, _ = self.pairs(row, features)
        if not pairs:
            return None
        which = self._best(np.array(self.compare(pairs), np.float64))
        return which, pairs[which]


@dataclass(frozen=True)
class TextMetric(Metric):
    """Gives every row a score from its texts as strings, without a model."""

    @abstractmethod
    def scorer(self, corpus: Corpus) -> TextScorer:
        """Bind to a corpus."""


class TextScorer(ABC):
    """A TextMetric bound to one corpus: its corpus statistics are known, rows can be scored in any order."""

    signature: Mapping[str, object] = {}
    """Facts beyond the spec that determine the numbers"""
    formula: Mapping[str, object] | None = None
    """How `nlgauge.maths.totals.total` makes the value of all rows of the sums of their `Value.counts`; None for a
    metric whose value of a system is the mean of its rows"""

    @abstractmethod
    def score(self, rows: Sequence[Row]) -> list[Value]:
        """A score for each of some rows. A row's score does not depend on which others come with it."""


@dataclass(frozen=True)
class TextReferenceMetric(TextMetric):
    """Compares a candidate with each of its references; says nothing where one of the two has no words."""

    choices: ClassVar[Mapping[str, Sequence[object]]] = {
        "references": ("best", "mean"),
        "empty": ("undefined", "worst"),
    }
    worst: ClassVar[float] = 0.0
    """The number of a text that has nothing in common with another"""

    references: str = "best"
    """'best' reference, or the 'mean' over references"""
    empty: str = "undefined"
    """A row that has references but words on one side only is 'undefined', or has the 'worst' number, as in most
    published tables"""


class TextPairScorer(PairScorer, TextScorer):
    """Scores pairs of what it reads from texts, each distinct text and pair of texts once."""

    @abstractmethod
    def read(self, text: str) -> Any | None:
        """What is compared of a text; None where it has no words."""

    @abstractmethod
    def measure(self, pairs: Sequence[Pair]) -> Sequence[Sequence[float]]:
        """`compare`, of distinct pairs."""

    def __init__(self, metric: TextReferenceMetric) -> None:
        super().__init__(metric)
        self._known: dict[str, Any] = {}

    def score(self, rows: Sequence[Row]) -> list[Value]:
        known = self._known
        for text in dict.fromkeys(text for row in rows for text in (row.candidate, *row.references)):
            if text not in known:
                known[text] = self.read(text)
        return self._values(
            [(row, *self._usable(row, known[row.candidate], map(known.__getitem__, row.references))) for row in rows]
        )

    def _value(self, row: Row, pairs: list[Pair], reason: str, scores: NDArray[np.float64]) -> Value:
        value = super()._value(row, pairs, reason, scores)
        if value.reason is None or self.metric.empty == "undefined" or not row.references:
            return value
        parts = (self.metric.worst if math.isnan(part) else part for part in value.parts)
        return Value(tuple(parts), None, (*value.notes, f"{value.reason}: the worst number given"))

    def compare(self, pairs: Sequence[Pair]) -> Sequence[Sequence[float]]:
        distinct = {(id(candidate), id(reference)): (candidate, reference) for candidate, reference in pairs}
        scores = dict(zip(distinct, self.measure(list(distinct.values())), strict=True))
        return [scores[id(candidate), id(reference)] for candidate, reference in pairs]


@dataclass(frozen=True)
class SetMetric(ModelMetric):
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


SPLITTERS = ("13a", "intl", "zh", "char", "unicode", "spaces")
"""Of sacrebleu the first four; rouge-score-rs's words by Unicode's rules, punctuation left out; str.split"""


@cache
def splitter(name: str) -> Callable[[str], list[str]]:
    """The words of a text in lower case, by a name of `SPLITTERS`. Raises MissingExtraError without its library.

    One for all metrics: sacrebleu's remembers the texts that it split last.
    """
    if name == "spaces":
        return lambda text: text.lower().split()
    try:
        if name == "unicode":
            from rouge_score_rs.tokenizers import UnicodeTokenizer

            tokenize: Callable[[str], list[str]] = UnicodeTokenizer().tokenize
            return tokenize
        from sacrebleu.metrics.bleu import BLEU
    except ImportError:
        raise MissingExtraError(f"splitting texts into words by {name!r}", "strings") from None
    prepare = BLEU(lowercase=True, tokenize=name)._preprocess_segment
    return lambda text: prepare(text).split()


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

"""The base class of metrics: frozen parameters, the features that a metric needs, and how it scores.

To add a metric, add a file to the folder `metrics`. It has one subclass of ReferenceMetric or StringReferenceMetric
(`metrics/references.py`: a candidate against its references, by features of a model or as strings), of SetMetric
(`metrics/sets.py`: all outputs of a system against a set of texts) or of RowMetric (anything else about one row).
"""

from __future__ import annotations

import math
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Protocol, TypeAlias, TypeVar, overload

from nlgauge._plugins import load_offered, offered
from nlgauge.contract.parameters import check_parameters, literal
from nlgauge.data.corpus import Corpus, Row
from nlgauge.data.corpus.place import shown
from nlgauge.data.evidence import Evidence
from nlgauge.data.table.column import PROBABILITY
from nlgauge.engine.features.request import AnyRequest, Features
from nlgauge.errors import MetricError, SpecError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from nlgauge.engine.models.capabilities import Model

Cost: TypeAlias = Literal["strings", "static", "encoding", "pairs", "masking", "masked pairs", "asking"]
"""What a metric needs to score a row's texts, cheapest first: no model; the model's embedding table; a pass of the
model per text; a pass per pair of texts; a pass per token of each text; a pass per word of each text, read with another
text; a request to a server"""
COSTS: tuple[Cost, ...] = ("strings", "static", "encoding", "pairs", "masking", "masked pairs", "asking")


QUESTION = "question"
"""The key in `Prepared.facts` of a metric whose scores also depend on the column `question`, where a row has a
question"""

Limits: TypeAlias = tuple[float, float]
"""The least and the greatest value that a sub-score can have, apart from rounding; a side without a limit is
infinite"""
SHARE: Limits = (0.0, 1.0)
PERCENT: Limits = (0.0, 100.0)
COSINE: Limits = (-1.0, 1.0)
AMOUNT: Limits = (0.0, math.inf)
ANY: Limits = (-math.inf, math.inf)

POCKET = "pocket"
"""The name of the embedded model, which is used if neither metric nor run names a model"""


@dataclass(frozen=True)
class Value:
    """The score of one row or system: a number for each sub-score of the metric, or NaN with the reason."""

    parts: tuple[float, ...]
    reason: str | None = None
    """Why a sub-score is NaN"""
    notes: tuple[str, ...] = ()
    """Remarks for the reader of the scores, which the run's summary counts"""
    counts: tuple[float, ...] | None = None
    """The row's part of the counts from which the corpus score is computed; None for a metric without counts"""
    temporary: bool = False
    """Whether scoring the row again may help, as after a failed request; such a value is not cached"""

    def __float__(self) -> float:
        """Return the first sub-score, the default."""
        return self.parts[0]


@dataclass(eq=False, slots=True)
class Values(Sequence[Value]):
    """The scores of many rows as an array, for a metric that scores a row faster than Python makes an object."""

    parts: NDArray[np.float64]
    """The numbers, [rows, sub-scores]"""
    reasons: Mapping[int, str] = field(default_factory=dict)
    """Why a sub-score is NaN, by the place of the row in `parts`; rows without NaN are left out"""
    notes: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """The notes of a row, by its place in `parts`; rows without notes are left out"""

    def __len__(self) -> int:
        return len(self.parts)

    @overload
    def __getitem__(self, at: int) -> Value: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Value]: ...
    def __getitem__(self, at: int | slice) -> Value | Sequence[Value]:
        if isinstance(at, slice):
            return [self[place] for place in range(*at.indices(len(self)))]
        place = range(len(self))[at]
        return Value(tuple(self.parts[place].tolist()), self.reasons.get(place), self.notes.get(place, ()))

    def __iter__(self) -> Iterator[Value]:
        for at, parts in enumerate(self.parts.tolist()):
            yield Value(tuple(parts), self.reasons.get(at), self.notes.get(at, ()))


class Interrupted(KeyboardInterrupt):
    """An interruption while rows are scored. It holds the values so far, for which a server may have been paid.

    Args:
        values: a value for each row that `score_rows` was called with. A row that was not scored has NaN with a reason,
            and its value is temporary.
    """

    def __init__(self, values: Sequence[Value]) -> None:
        super().__init__()
        self.values = list(values)


class Scored(NamedTuple):
    """The value of a row, and the evidence for it."""

    value: Value
    evidence: Callable[[], Evidence] = Evidence
    """A function that returns what the value is based on. It is called only where a run shows evidence"""


class ScoredRows(NamedTuple):
    """The values of several rows, and the evidence for them."""

    values: Sequence[Value]
    evidence: Callable[[int], Evidence]
    """A function that takes the place of a value in `values`, and returns what that value is based on"""


class Reading(ABC):
    """A row that a metric has read, once, before any feature is computed. All readings of a metric are of one class."""

    __slots__ = ()
    requests: Sequence[AnyRequest] = ()
    """Requests for the features that the score needs"""

    def followup(self, features: Features) -> Sequence[AnyRequest]:
        """Return requests for further features, which the reading can name only after it has seen the first ones."""
        return ()

    @abstractmethod
    def score(self, features: Features) -> Scored:
        """Return the value of the row, and what it is based on."""

    @classmethod
    def score_all(cls, readings: Sequence[Any], features: Features) -> ScoredRows:
        """Return the scores of several rows that one metric has read. The metric may compute them together.

        A row's score must not depend on the other rows.

        Args:
            readings: the rows as the metric reads them.
            features: the features that the readings requested.

        Returns:
            The values in the order of the readings, and what each is based on.
        """
        scored = [reading.score(features) for reading in readings]
        return ScoredRows([scored_row.value for scored_row in scored], lambda at: scored[at].evidence())


class ModelAccess(Protocol):
    """The part of the engine that a metric may use in `prepare`."""

    @property
    def model(self) -> Model: ...

    def other(self, name: str) -> ModelAccess:
        """Return access to one of the models in the metric's `other_models`."""


class AnswerCache(Protocol):
    """The cache of a metric that asks a server. An answer may cost money, so it is cached as soon as it arrives."""

    def get(self, keys: Sequence[str]) -> Mapping[str, bytes]: ...

    def put(self, entries: Mapping[str, bytes]) -> None: ...

    def commit(self) -> None: ...


@dataclass(frozen=True)
class Setup:
    """What a metric may use in `prepare`: all rows, its model, and the cache of a run that has one."""

    corpus: Corpus
    engine: ModelAccess | None = None
    metric_of: Callable[[str], Metric] | None = None
    """A function that makes a metric from its spec, for a metric that uses another metric"""

    def prepared(self, spec: str) -> tuple[Metric, Prepared]:
        """Return another metric that this metric uses, and the other metric's result of `prepare`.

        Args:
            spec: the spec of the other metric.

        Returns:
            The other metric, and what it prepared on the same rows.

        Raises:
            SpecError: there is no such metric, or its model cannot be used.
        """
        assert self.metric_of is not None  # a run has it
        metric = self.metric_of(spec)
        return metric, metric.prepare(self)

    cache: AnswerCache | None = None

    @property
    def model(self) -> Model:
        """The metric's model. Raises SpecError for a metric that has no field `model`."""
        if self.engine is None:
            raise SpecError("a metric that uses a model needs a field model: str | None = None")
        return self.engine.model

    def of_model(self, name: str) -> Setup:
        """Return this setup with the model `name` in place of the metric's model.

        It is for a member of the metric that reads another model.

        Args:
            name: one of the metric's `other_models`.

        Returns:
            The setup.

        Raises:
            SpecError: the model cannot be loaded, or the metric has no field `model`.
        """
        if self.engine is None:
            raise SpecError("a metric that uses a model needs a field model: str | None = None")
        return replace(self, engine=self.engine.other(name))

    def other_model(self, name: str) -> Model:
        """Return one of the metric's `other_models`. Raises SpecError for a model that cannot be loaded."""
        if self.engine is None:
            raise SpecError("a metric that uses a model needs a field model: str | None = None")
        return self.engine.other(name).model


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """What `prepare` returns before rows are scored. A metric that needs more data subclasses it."""

    facts: Mapping[str, object] = field(default_factory=dict)
    """Provenance: everything that determines the scores besides the metric's spec, as JSON values. It is part of the
    signature and of cache keys. A metric that uses the corpus adds a digest of what it uses"""


M = TypeVar("M", bound="Metric")
_names: dict[type, str] = {}


def registered_name(kind: type) -> str:
    """Return the name of a metric's class: its Python name in nlgauge, else the name under which a package offers it.

    A class that no package offers is named ``module:Name``. No spec can name it, and it is never taken for a registered
    class.

    Args:
        kind: the class of the metric.

    Returns:
        The name.
    """
    if kind not in _names:
        _names[kind] = _name(kind)
    return _names[kind]


def _name(kind: type) -> str:
    if kind.__module__.startswith(("nlgauge.metrics.", "nlgauge.faithfulness.")):
        return kind.__name__
    package = kind.__module__.partition(".")[0]
    # The entry points of the class's own module come first, so that mostly no other module is imported.
    for name, point in sorted(offered("nlgauge.metrics"), key=lambda offer: offer[1].module != kind.__module__):
        # What the class's own package offers is loaded, and it alone: it has been imported already.
        if point.module.partition(".")[0] == package and load_offered(name, point) is kind:
            return name
    return f"{kind.__module__}:{kind.__qualname__}"


@dataclass(frozen=True)
class Metric(ABC):  # noqa: B024  # its two kinds, RowMetric and SetMetric, have the abstract methods
    """A metric with its parameters, which `param` declares. ``str(metric)`` is its spec, and parses to an equal metric.

    A metric uses a model if it has the field ``model: str | None = None``.
    """

    higher_is_better: ClassVar[bool] = True
    parts: ClassVar[tuple[str, ...]] = ("score",)
    """Names of the sub-scores of a row; the first is the default"""
    details: ClassVar[tuple[str, ...]] = ()
    """The names of sub-scores that only inform, such as counts: neither more nor less of them is better"""
    citation: ClassVar[str] = ""
    presets: ClassVar[Mapping[str, Mapping[str, object]]] = {}
    """Named settings. Python chooses them by ``Name.preset('...')``, and a spec by ``Name(preset='...')``"""
    subject: ClassVar[str] = ""
    """The parameter that a spec gives without its name, as in ``Column('judge')``"""
    short: ClassVar[str] = ""
    """The parameter that a spec may give after a colon, as in ``Consistency:D``; by default `subject`"""
    example: ClassVar[str] = ""
    """An example value of the parameter `subject` where that has no default; descriptions of the metric use it"""
    cached: ClassVar[bool] = True
    """Whether scores of rows are cached. False for a metric whose scores are read faster than they are looked up"""
    remote: ClassVar[bool] = False
    """Whether a server makes the scores. A field `model` then names a model of the server, and nlgauge loads no model
    for it
    """
    other_models: ClassVar[tuple[str, ...]] = ()
    """The names of the models that the metric reads besides `model`, by requests of the class `ByModel`"""
    libraries: ClassVar[tuple[str, ...]] = ()
    """The distributions (names on the package index) whose version changes the scores"""
    conduct: ClassVar[tuple[str, ...]] = ()
    """Parameters that change no score, such as a time limit; cache keys leave them out"""

    def __post_init__(self) -> None:
        check_parameters(self, self.name)
        if getattr(self, "model", None) == "":
            raise SpecError(f"{self.name}: model='' is not a model's name")

    @classmethod
    def preset(cls: type[M], preset: str, /, **given: Any) -> M:
        """Return the metric with the settings of one of its presets.

        Args:
            preset: the name of the preset.
            given: parameters, which override those of the preset.

        Returns:
            The metric.

        Raises:
            SpecError: the preset is unknown, or the metric refuses a parameter.
        """
        if not isinstance(preset, str) or preset not in cls.presets:
            problem = f"is not one of {', '.join(map(repr, cls.presets))}"
            problem = problem if cls.presets else "is not known"
            raise SpecError(f"{registered_name(cls)}: preset={shown(preset)} {problem}")
        return cls(**{**cls.preset_settings(preset, given), **given})

    @classmethod
    def preset_settings(cls, preset: str, given: Mapping[str, object]) -> Mapping[str, object]:
        """Return the settings of a preset, which may depend on the parameters given with it."""
        return cls.presets[preset]

    def prepare(self, setup: Setup) -> Prepared:
        """Return all that the metric has to know before rows are scored. Raises SpecError if a model does not fit."""
        return Prepared()

    def score(self, candidate: str, **given: Any) -> Value:
        """Return the score of a row. Deprecated: `nlgauge.score(metric, candidate, ...)` does the same."""
        import nlgauge

        warnings.warn("Metric.score is deprecated: use nlgauge.score", DeprecationWarning, stacklevel=2)
        return nlgauge.score(self, candidate, **given)

    def spent(self, prepared: Any) -> Mapping[str, int]:
        """Return what a run has cost besides time, as counts by name, such as requests to a server; by default none."""
        return {}

    @property
    def name(self) -> str:
        """The name in the registry: ``InfoLM``, ``published/InfoLM``, ``acme-metrics/LengthRatio``."""
        return _names.get(type(self)) or registered_name(type(self))

    @property
    def reads(self) -> str | None:
        """The name of the model whose features the metric reads; None for a metric that reads no features."""
        return (self.model or POCKET) if hasattr(self, "model") and not self.remote else None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that a row's score depends on."""
        return ("candidate", "references")

    @property
    def limits(self) -> Mapping[str, Limits]:
        """The limits of sub-scores by name, as the formula gives them. A sub-score without an entry has no known limit.

        The corpus score of a metric has the same limits.
        """
        return {}

    @property
    def cost(self) -> Cost:
        """What scoring a row needs, as one of the words of `Cost`."""
        return "strings"

    @property
    def uses_corpus(self) -> bool:
        """Whether a row's score depends on other rows."""
        return False

    @property
    def scored_by(self) -> tuple[type, ...]:
        """The classes whose source code computes the scores: this class, and the classes of metrics that it uses."""
        return (type(self),)

    def __str__(self) -> str:
        last = sorted(fields(self), key=lambda parameter: (parameter.name != self.subject, parameter.name == "model"))
        written = [
            ("" if parameter.name == self.subject else f"{parameter.name}=") + literal(getattr(self, parameter.name))
            for parameter in last
            if parameter.default is MISSING or getattr(self, parameter.name) != parameter.default
        ]
        return self.name + (f"({', '.join(written)})" if written else "")

    def __repr__(self) -> str:
        return str(self)

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        cls.__repr__ = Metric.__repr__  # type: ignore[method-assign]  # else a dataclass replaces it


def gives_no_probability(metric: Metric) -> bool:
    """Return True if the first sub-score of a metric cannot be a row's probability, from 0 to 1 with 1 as the best."""
    part = metric.parts[0]
    if not isinstance(metric, RowMetric) or not metric.higher_is_better or part in metric.details:
        return True
    low, high = metric.limits.get(part, SHARE)
    return low < 0 or high > 1


def refuse_without_probability(metric: Metric) -> None:
    """Raise SpecError for a metric that cannot say how likely it is that a source supports an answer."""
    if PROBABILITY not in metric.parts and gives_no_probability(metric):
        remedy = "take Faithfulness, a Judge that is asked for yes or no, or a Column from 0 to 1"
        raise SpecError(f"{metric} gives no probability that the source supports an answer: {remedy}")


def refuse_corpus_metrics(metrics: Iterable[Metric]) -> None:
    """Raise SpecError for a metric whose scores depend on the other rows."""
    for metric in metrics:
        if metric.uses_corpus:
            remedy = "choose idf='none'" if hasattr(metric, "idf") else "score all rows at once by nlgauge.evaluate"
            raise SpecError(f"{metric}: a score depends on the other rows, which are not known here: {remedy}")


@dataclass(frozen=True)
class RowMetric(Metric):
    """A metric that scores single rows. The argument `prepared` of its methods is the result of `prepare`.

    A subclass has the method `score_rows`, and `requests` and `evidence` where it needs them. A metric that has to
    remember something about a row between these methods, or that has to see features before it requests others, has
    `read_row` instead.
    """

    formula: ClassVar[Mapping[str, object] | None] = None
    """How `nlgauge.maths.totals.total` computes the corpus score from summed `Value.counts`; None if the corpus score
    is the mean over rows"""
    lists_differences: ClassVar[bool] = False
    """Whether a run adds to the evidence the differences that exact checks find between the candidate and the other
    texts"""

    def read_row(self, row: Row, prepared: Any) -> Reading:
        """Return the row as this metric reads it. By default, the three methods below request, score and explain it."""
        return RowReading(self, row, prepared)

    def requests(self, row: Row, prepared: Any) -> Sequence[AnyRequest]:
        """Return requests for the features that the row's score needs."""
        return ()

    def score_rows(self, rows: Sequence[Row], prepared: Any, features: Features) -> Sequence[Value]:
        """Return the score of each row, as `Values` where there are many. A score must not depend on the other rows."""
        raise MetricError(f"{self.name} has neither score_rows nor read_row: write one of them")

    def evidence(self, row: Row, prepared: Any, features: Features) -> Evidence:
        """Return the evidence for a row's score; empty if the metric has nothing to show."""
        return Evidence()

    def is_cheap(self, row: Row) -> bool:
        """Return whether a row is scored faster than its score is found in a cache. Such a score is not cached."""
        return False


@dataclass(eq=False, slots=True)
class RowReading(Reading):
    """A row that was read by a metric with the method `score_rows`, which scores all rows of a block at once."""

    metric: RowMetric
    row: Row
    prepared: Any

    @property
    def requests(self) -> Sequence[AnyRequest]:  # type: ignore[override]  # asked for once, and kept by the run
        return self.metric.requests(self.row, self.prepared)

    def score(self, features: Features) -> Scored:
        values, evidence = self.score_all([self], features)
        return Scored(values[0], lambda: evidence(0))

    @classmethod
    def score_all(cls, readings: Sequence[RowReading], features: Features) -> ScoredRows:
        metric, prepared, rows = readings[0].metric, readings[0].prepared, [reading.row for reading in readings]
        values = metric.score_rows(rows, prepared, features)
        return ScoredRows(values, lambda at: metric.evidence(rows[at], prepared, features))

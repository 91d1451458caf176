"""What every metric is: a frozen set of parameters that knows what it needs of each text and how to score with it.

To add a metric: one file in this folder with one subclass of ReferenceMetric or StringReferenceMetric
(`references.py`: a candidate against its references, by features of a model or as strings), of SetMetric (`sets.py`:
all outputs of a system against a set of texts) or of RowMetric (anything else about one row). Nothing else names it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from nlgauge.catalogue.names import registered_name
from nlgauge.data.corpus import Corpus, Row
from nlgauge.data.corpus.place import shown
from nlgauge.engine.features.request import AnyRequest, Features
from nlgauge.errors import SpecError
from nlgauge.metrics.evidence import Evidence
from nlgauge.metrics.parameters import check_choices, check_least, check_types, literal

if TYPE_CHECKING:
    from nlgauge.engine.models.capabilities import Model

Cost: TypeAlias = Literal["strings", "static", "encoding", "pairs", "masking", "masked pairs"]
"""What the texts of a row cost, the cheapest first: no model; its vocabulary table; a pass a text; a pass a pair of
texts; a pass a token of each text; a pass a word of each text, another one in sight"""
COSTS: tuple[Cost, ...] = ("strings", "static", "encoding", "pairs", "masking", "masked pairs")


QUESTION = "question"
"""The fact of a metric whose numbers depend on the column of that name too, where a row has one"""

POCKET = "pocket"
"""The embedded model, which is read where neither metric nor run names one"""


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
    temporary: bool = False
    """Whether the reason may be gone when the row is scored again, as after a request that failed: such a value is not
    kept"""

    def __float__(self) -> float:
        """The first part, which is meant where none is named."""
        return self.parts[0]


class ModelAccess(Protocol):
    """What of the engine a metric may use before rows are scored."""

    @property
    def model(self) -> Model: ...

    def token_ids(self, texts: Iterable[str]) -> Iterator[NDArray[np.int32]]:
        """Ids of the sub-words of each text [tokens], in order."""
        ...


@dataclass(frozen=True)
class Setup:
    """What a metric may look at before rows are scored: all rows, and the model that it reads."""

    corpus: Corpus
    engine: ModelAccess | None = None

    @property
    def model(self) -> Model:
        """The metric's model. Raises SpecError for a metric that has no field `model`."""
        return self._engine.model

    def token_ids(self, texts: Iterable[str]) -> Iterator[NDArray[np.int32]]:
        """Ids of the sub-words of each text [tokens], in order."""
        return self._engine.token_ids(texts)

    @property
    def _engine(self) -> ModelAccess:
        if self.engine is None:
            raise SpecError("a metric that reads a model needs a field model: str | None = None")
        return self.engine


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """What corpus and model say before the first row is scored. A metric that has to keep more subclasses it."""

    facts: Mapping[str, object] = field(default_factory=dict)
    """What determines the numbers beyond the metric's spec, ready for JSON: it stands in the signature and keys what
    is stored. A metric that uses the corpus says here, by a digest, what it took from it"""


M = TypeVar("M", bound="Metric")


@dataclass(frozen=True)
class Metric(ABC):  # noqa: B024  # its two kinds, RowMetric and SetMetric, have the abstract methods
    """A metric and its parameters. ``str(metric)`` is its spec, which parses back to an equal metric.

    model: the model that is read, by its name or folder. None is the model of the run: the embedded 'pocket', where the
        run names none. A metric reads a model if it has this field, ``model: str | None = None``.
    """

    higher_is_better: ClassVar[bool] = True
    parts: ClassVar[tuple[str, ...]] = ("score",)
    """Names of the numbers of a row; the first is the one that is meant when none is named"""
    details: ClassVar[tuple[str, ...]] = ()
    """Parts of which neither more nor less is better, such as counts"""
    citation: ClassVar[str] = ""
    choices: ClassVar[Mapping[str, Sequence[object]]] = {}
    """Allowed values of the parameters that have a closed list"""
    least: ClassVar[Mapping[str, float]] = {}
    """The least value of parameters that are numbers"""
    presets: ClassVar[Mapping[str, Mapping[str, object]]] = {}
    """Named settings: ``Name.preset('...')``, in a spec ``Name(preset='...')``"""

    def __post_init__(self) -> None:
        check_choices(self, self.choices)
        check_types(self)
        check_least(self, **self.least)
        if getattr(self, "model", None) == "":
            raise SpecError(f"{self.name}: model='' is not a model's name")

    @classmethod
    def preset(cls: type[M], preset: str, /, **given: Any) -> M:
        """The metric with the settings of one of its presets; a parameter that is given goes before them.

        Raises SpecError for a preset that the metric does not have, and what the metric itself raises for parameters.
        """
        if not isinstance(preset, str) or preset not in cls.presets:
            known = f"is not one of {', '.join(map(repr, cls.presets))}"
            known = known if cls.presets else "is not known"
            raise SpecError(f"{registered_name(cls)}: preset={shown(preset)} {known}")
        return cls(**{**cls.preset_settings(preset, given), **given})

    @classmethod
    def preset_settings(cls, preset: str, given: Mapping[str, object]) -> Mapping[str, object]:
        """The settings of a preset, which may depend on the parameters that are given beside it."""
        return cls.presets[preset]

    def prepare(self, setup: Setup) -> Prepared:
        """What has to be known before anything is scored. Raises SpecError for a model that does not fit."""
        return Prepared()

    def score(
        self,
        candidate: str,
        *,
        references: Sequence[str] | str | None = None,
        source: str | None = None,
        context: str | None = None,
        question: str | None = None,
        **options: Any,
    ) -> Value:
        """The score of one row: ``float(score)`` is its first part. For many rows `nlgauge.evaluate` takes less time.

        options: as `nlgauge.evaluate` takes them. Nothing is kept on disk unless `cache` is given. Raises SpecError for
        a metric whose scores depend on other rows, and InputError for a row that lacks what the metric reads.

        >>> from nlgauge import TokenF1
        >>> TokenF1().score("A cat sat.", references="A cat sat.").parts[0]
        1.0
        """
        from nlgauge.evaluation import evaluate_row

        row = {"candidate": candidate, "references": references, "source": source, "context": context}
        return evaluate_row({**row, "question": question}, self, **{"cache": False, **options})

    @property
    def name(self) -> str:
        """Under which it is registered: ``InfoLM``, ``published/InfoLM``, ``acme-metrics/LengthRatio``."""
        return registered_name(type(self))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns whose texts a row's score depends on."""
        return ("candidate", "references")

    @property
    def other_models(self) -> tuple[str, ...]:
        """The names of the models that it reads beside `model`, by requests that are a `ByModel`."""
        return ()

    @property
    def cost(self) -> Cost:
        """What a row's texts cost."""
        return "strings"

    @property
    def uses_corpus(self) -> bool:
        """Whether a row's score depends on other rows."""
        return False

    @property
    def libraries(self) -> tuple[str, ...]:
        """The distributions of which the numbers depend on the version, by their names on the package index."""
        return ()

    @property
    def scored_by(self) -> tuple[type, ...]:
        """The classes whose source code makes the numbers: this one, and those of other metrics that it calls."""
        return (type(self),)

    def __str__(self) -> str:
        last = sorted(fields(self), key=lambda one: one.name == "model")
        given = [
            f"{one.name}={literal(getattr(self, one.name))}"
            for one in last
            if one.default is MISSING or getattr(self, one.name) != one.default
        ]
        return self.name + (f"({', '.join(given)})" if given else "")

    def __repr__(self) -> str:
        return str(self)

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        cls.__repr__ = Metric.__repr__  # type: ignore[method-assign]  # which a dataclass would write anew


def model_of(metric: Metric) -> str | None:
    """The name of the model that a metric reads; None for one that reads none."""
    return (metric.model or POCKET) if hasattr(metric, "model") else None


def refuse_corpus_metrics(metrics: Iterable[Metric]) -> None:
    """Raises SpecError for a metric whose scores of a few rows would depend on which rows these are."""
    for metric in metrics:
        if metric.uses_corpus:
            remedy = "choose idf='none'" if hasattr(metric, "idf") else "score all rows at once by nlgauge.evaluate"
            raise SpecError(
                f"{metric}: a score depends on the other rows, and rows come a few at a time here: {remedy}"
            )


@dataclass(frozen=True)
class RowMetric(Metric):
    """Gives every row a score, which depends on the row and on what was prepared: `prepared` is what `prepare` gave."""

    def requests(self, row: Row, prepared: Any) -> Sequence[AnyRequest]:
        """The features that the row's score is computed from."""
        return ()

    def followup_requests(self, row: Row, prepared: Any, features: Features) -> Sequence[AnyRequest]:
        """More of them, for a metric that has to see the first ones to know."""
        return ()

    @abstractmethod
    def score_rows(self, rows: Sequence[Row], prepared: Any, features: Features) -> list[Value]:
        """A score for each of some rows. A row's score does not depend on which others come with it."""

    def evidence(self, row: Row, prepared: Any, features: Features) -> Evidence:
        """What the score rests on; empty where a metric has nothing to show."""
        return Evidence()

    @property
    def formula(self) -> Mapping[str, object] | None:
        """How `nlgauge.maths.totals.total` makes the value of all rows of the sums of their `Value.counts`; None for a
        metric whose value of a system is the mean of its rows."""
        return None

"""What every metric is: a frozen set of parameters that knows what it needs of each text and how to score a row.

To add a metric: one file in this folder with one subclass of ReferenceMetric (or Metric). Nothing else names it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar, Protocol

import numpy as np

from nlgauge.corpus import Corpus, Row
from nlgauge.engine.engine import Features, Need
from nlgauge.engine.features import Feature, Request
from nlgauge.engine.tokens import Tokens
from nlgauge.errors import SpecError


class Texts(Protocol):
    """What a metric may ask of the engine before scoring starts."""

    def tokens(self, texts: Sequence[str]) -> list[Tokens]: ...

    @property
    def model(self) -> Any: ...


@dataclass(frozen=True)
class Value:
    """The score of one row: a number for each part of the metric, or NaN with the reason."""

    parts: tuple[float, ...]
    reason: str | None = None
    """Why a part is NaN"""
    notes: tuple[str, ...] = ()
    """What a reader of the number should know; counted in the run's summary"""


class Scorer(ABC):
    """A metric bound to one corpus and one engine: its corpus statistics are known, rows can be scored in any order."""

    signature: Mapping[str, object] = {}
    """Facts beyond the spec that determine the numbers"""

    @abstractmethod
    def needs(self, row: Row) -> list[Need]:
        """The features that the row's score is computed from."""

    @abstractmethod
    def score(self, row: Row, features: Features) -> Value:
        """The row's score."""

    def evidence(self, row: Row, features: Features) -> dict[str, Any]:
        """What the score rests on, ready for JSON. Empty where a metric has nothing to show."""
        return {}


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

    @abstractmethod
    def scorer(self, corpus: Corpus, texts: Texts) -> Scorer:
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


@dataclass(frozen=True)
class ReferenceMetric(Metric):
    """Compares a candidate with each of its references; says nothing where one of the two has no words."""

    choices: ClassVar[Mapping[str, Sequence[object]]] = {"references": ("best", "mean")}

    references: str = "best"
    """'best' reference, or the 'mean' over references"""


class ReferenceScorer(Scorer):
    """Scores pairs, and leaves the reduction over references and the undefined cases to this base."""

    def __init__(self, metric: ReferenceMetric, candidate: Request, reference: Request) -> None:
        self.metric, self._candidate, self._reference = metric, candidate, reference

    @abstractmethod
    def pair(self, candidate: Feature, reference: Feature) -> tuple[float, ...]:
        """One number for each part of the metric."""

    def pair_note(self, candidate: Feature, reference: Feature) -> str | None:
        """What a reader of the pair's number should know."""
        return None

    def needs(self, row: Row) -> list[Need]:
        return [(row.candidate, self._candidate), *((text, self._reference) for text in row.references)]

    def score(self, row: Row, features: Features) -> Value:
        pairs, reason = self.pairs(row, features)
        if not pairs:
            return Value((np.nan,) * len(self.metric.parts), reason)
        scores = np.array([self.pair(candidate, reference) for candidate, reference in pairs])
        notes = dict.fromkeys(note for pair in pairs if (note := self.pair_note(*pair)))
        if len(pairs) < len(row.references):
            notes["references without words left out"] = None
        best = scores[self._best(scores)] if self.metric.references == "best" else scores.mean(axis=0)
        return Value(tuple(map(float, best)), None, tuple(notes))

    def pairs(self, row: Row, features: Features) -> tuple[list[tuple[Feature, Feature]], str]:
        """The (candidate, reference) pairs that can be compared, and why there is none."""
        candidate = features[row.candidate, self._candidate]
        if candidate is None:
            return [], "the candidate has no words"
        if not row.references:
            return [], "no reference"
        found = [features[text, self._reference] for text in row.references]
        return [(candidate, reference) for reference in found if reference is not None], "no reference has words"

    def _best(self, scores: np.ndarray[Any, np.dtype[np.float64]]) -> int:
        return int(scores[:, 0].argmax() if self.metric.larger_is_better else scores[:, 0].argmin())

"""CTC: metrics from the alignment of each word of a text with another text.

Deng, Tan, Liu, Xing and Hu, "Compression, Transduction, and Creation: A Unified Framework for Evaluating Natural
Language Generation", EMNLP 2021. An aligner (`engine/aligners.py`) gives every word a confidence from 0 to 1 that
another text supports it. A metric is a mean, sum or product of these (`maths/alignment.py`). Texts are read whole and
without changes, as in the paper.

With embeddings (section 3.5), the alignment of a sub-word is its cosine with the most similar sub-word of the other
text on one layer. The alignment of a word is the mean over its sub-words. The package nlgauge-lab has variants with the
errors of the published code.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np

from nlgauge.contract.base import (
    AMOUNT,
    ANY,
    SHARE,
    Cost,
    Limits,
    Prepared,
    Reading,
    RowMetric,
    Scored,
    Setup,
    Value,
)
from nlgauge.contract.parameters import param
from nlgauge.data.corpus import Row
from nlgauge.data.evidence import Evidence
from nlgauge.engine.aligners import (
    BOTH,
    Aligned,
    Direction,
    EmbeddingAligner,
    TextAligner,
    TrainedAligner,
    answered_by,
    asked_of,
    shown,
    trained_aligner,
)
from nlgauge.engine.features.alignment import LongSource
from nlgauge.engine.features.request import AnyRequest, Features
from nlgauge.engine.models.capabilities import ENCODER, Model
from nlgauge.engine.models.packing import SENTENCES
from nlgauge.engine.words import is_word
from nlgauge.errors import SpecError
from nlgauge.maths import alignment as aspects
from nlgauge.maths.alignment import Array
from nlgauge.metrics.model_settings import layer_read


@dataclass(frozen=True, kw_only=True)
class AspectPrepared(Prepared):
    aligner: TextAligner
    baseline: float = 0.0
    """The alignment of unrelated texts, for aligner E with rescaling; else 0"""
    second: TextAligner | None = None
    """The aligner of the references; None if it is `aligner`"""


class AspectReading(Reading):
    """The reading of a row by a metric: the requests for the alignments that the row needs, and its score."""

    def __init__(self, metric: CTCAspect, row: Row, prepared: AspectPrepared) -> None:
        self._metric, self._prepared = metric, prepared
        missing = [column for column in metric.needed if getattr(row, column) in (None, ())]
        self._missing = f"no {missing[0].removesuffix('s')}" if missing else None
        self._directions = [] if missing else metric.directions(row)
        self.requests = [asked for direction in self._directions for asked in metric.asked(direction, prepared)]

    def score(self, features: Features) -> Scored:
        aligned = self._missing or self._align(features)
        if isinstance(aligned, str):
            return Scored(self._nothing(aligned))
        done, notes = aligned
        values = self._metric.values([answer.alignment for _, answer in done], self._prepared)
        undefined = np.isnan(values).any()
        value = self._nothing("the two directions cancel out", notes) if undefined else Value(values, None, notes)
        return Scored(value, partial(self._shown, done))

    def _align(self, features: Features) -> tuple[list[tuple[Direction, Aligned]], tuple[str, ...]] | str:
        """Return the alignments, with notes on texts that were left out, or the reason why the row has no value."""
        done: list[tuple[Direction, Aligned]] = []
        notes: dict[str, None] = {}
        for direction in self._directions:
            aligned = self._metric.aligned(direction, self._prepared, features)
            if not isinstance(aligned, str):
                done.append((direction, aligned))
            elif direction.name == "reference" and any(map(is_word, direction.others)):
                notes["references without words left out"] = None
            else:
                return aligned
            if len(direction.others) > 1 and not all(map(is_word, direction.others)):
                notes[f"no words in one of the {direction.against}"] = None
        if "references" in self._metric.needed and done[-1][0].name != "reference":
            return "no reference has words"
        return done, tuple(notes)

    def _nothing(self, reason: str, notes: tuple[str, ...] = ()) -> Value:
        return Value((np.nan,) * len(self._metric.parts), reason, notes)

    def _shown(self, done: Sequence[tuple[Direction, Aligned]]) -> Evidence:
        """Return the evidence: the words of each aligned text that count, with their position and alignment."""
        aligner = self._prepared.aligner
        if not aligner.shows_words:
            return Evidence()
        return Evidence(texts=[shown(direction, aligned, aligner.weak) for direction, aligned in done])


@dataclass(frozen=True)
class CTCAspect(RowMetric):
    needed: ClassVar[tuple[str, ...]] = ("source",)
    """The columns that a row needs"""
    short: ClassVar[str] = "aligner"
    citation: ClassVar[str] = "Deng et al. 2021, EMNLP, arXiv:2109.06379"
    embeddings: ClassVar[type[EmbeddingAligner]] = EmbeddingAligner
    of_alignments: ClassVar[Limits] = SHARE
    """The least and the greatest score that follow from alignments between 0 and 1"""

    aligner: str = param(
        "E",
        choices=("E", "D", "R"),
        help="'E' compares embeddings; 'D' is a classifier that reads both texts together and labels every word; 'R' "
        "is a similar model that predicts only the share of supported words",
    )
    layer: int = param(
        -1,
        help="for E, the layer whose hidden states are compared (0: the embeddings). -1 is the layer in the model's "
        "card, else the one that the published code uses with the checkpoint, or else the last one.",
    )
    stopwords: bool = param(True, help="whether English stopwords count")
    rescale: str = param(
        "none",
        choices=("none", "token"),
        help="for E, 'token' rescales every alignment to (x - b) / (1 - b), where b is the alignment of unrelated "
        "sentences",
    )
    reading: LongSource = param(
        "search",
        choices=("search", "windows"),
        help="for D and R with a long source. 'search' reads for each stretch the sentences of the source that share "
        "most with it, 'windows' reads all of the source, part by part.",
    )
    model: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.aligner != "E":
            for name, plain in (("layer", -1), ("rescale", "none")):
                if getattr(self, name) != plain:
                    raise SpecError(f"{self.name}: {name} is for aligner='E'; leave it out")
        elif self.reading != "search":
            raise SpecError(f"{self.name}: reading is for aligner='D' or 'R'; leave it out")

    @property
    def columns(self) -> tuple[str, ...]:
        return ("candidate", *self.needed)

    @property
    def limits(self) -> Mapping[str, Limits]:
        # R is what a model predicts, and that may be any number.
        return dict.fromkeys(self.parts, ANY if self.aligner == "R" else self.of_alignments)

    @property
    def cost(self) -> Cost:
        return "encoding" if self.aligner == "E" else "pairs"

    @property
    def lists_differences(self) -> bool:  # type: ignore[override]  # depends on the parameters
        return self.aligner == "D"

    def directions(self, row: Row) -> list[Direction]:
        """Return the pairs of texts that a row needs aligned; by default, the candidate with the needed columns."""
        return [_candidate(row, *self.needed)]

    @abstractmethod
    def values(self, alignments: Sequence[Array], prepared: AspectPrepared) -> tuple[float, ...]:
        """Return the score of each part, from the alignments [words] of the pairs of `directions`, in their order."""

    def prepare(self, setup: Setup) -> AspectPrepared:
        model = setup.model
        if self.aligner != "E":
            trained, of_aligner = self._trained(model)
            return AspectPrepared(aligner=trained, facts=of_aligner)
        layer, named = self._layer(model)
        if self.rescale == "none":
            return AspectPrepared(aligner=self.embeddings(layer, self.stopwords), facts=named)
        if layer not in model.card.bertscore_baseline:
            why = f"model {model.name!r} has no baseline for layer {layer}"
            raise SpecError(f"{self.name}: {why}: choose rescale='none'")
        baseline = model.card.bertscore_baseline[layer][2]
        embeddings = self.embeddings(layer, self.stopwords, baseline if self.rescale == "token" else 0.0)
        facts = {**named, "baseline": f"{baseline:.6f}"}
        if (origin := model.card.origins.get("baseline")) is not None:
            facts["baseline_from"] = origin
        return AspectPrepared(aligner=embeddings, baseline=baseline, facts=facts)

    def _trained(self, model: Model) -> tuple[TrainedAligner, dict[str, object]]:
        """Return the trained aligner of a model, and the facts that its numbers depend on."""
        aligner, facts = trained_aligner(
            model, aggregate=self.aligner == "R", stopwords=self.stopwords, reading=self.reading
        )
        packing = aligner.packing
        if packing is not None and packing.regression != aligner.aggregate:
            problem = "predicts one number for a text" if packing.regression else "predicts no share of a text"
            other = "R" if packing.regression else "D"
            raise SpecError(f"{self.name}: model {model.name!r} {problem}: choose aligner={other!r}")
        if not aligner.judges_words:
            raise SpecError(f"{self.name}: model {model.name!r}: {SENTENCES}: take Faithfulness")
        return aligner, facts

    def _layer(self, model: Model) -> tuple[int, dict[str, object]]:
        """Return the number of the layer that is compared, and the facts that name it in the signature."""
        most = model[ENCODER].layers
        families = [*(kind.__name__ for kind in type(self).__mro__), "CTC"]
        asked = most + 1 + self.layer if self.layer < -1 else None if self.layer == -1 else self.layer
        layer, named = layer_read(asked, families, model, -1)
        if not 0 <= layer <= most:
            raise SpecError(f"{self.name}: model {model.name!r} has layers 0 to {most}; asked for {self.layer}")
        return layer, named

    def read_row(self, row: Row, prepared: AspectPrepared) -> AspectReading:
        return AspectReading(self, row, prepared)

    def asked(self, direction: Direction, prepared: AspectPrepared) -> Sequence[AnyRequest]:
        """Return the requests for the features that the alignment of a pair of texts needs."""
        return prepared.aligner.requests(direction)

    def aligned(self, direction: Direction, prepared: AspectPrepared, features: Features) -> Aligned | str:
        """Return the alignment of a pair of texts, or the reason why there is none."""
        return prepared.aligner.align(direction, features)


def _candidate(row: Row, *columns: str) -> Direction:
    others = tuple(getattr(row, column) for column in columns)
    return Direction("candidate", row.candidate, BOTH.join(columns), others)


@dataclass(frozen=True)
class Consistency(CTCAspect):
    """How far does the source support what the candidate says? Mean alignment of its words with the source.

    To decide whether the source supports all of an answer, take `Faithfulness`.
    """

    def values(self, alignments: Sequence[Array], prepared: AspectPrepared) -> tuple[float, ...]:
        return (aspects.consistency(alignments[0]),)


@dataclass(frozen=True)
class Relevance(CTCAspect):
    """How much of its references the candidate covers, times its consistency with the source.

    The mean alignment of the references' words with the candidate, times the mean alignment of the candidate's words
    with the source.
    """

    needed: ClassVar[tuple[str, ...]] = ("source", "references")

    models: tuple[str, ...] | None = param(
        None,
        help="for D and R, two models in place of `model`, as in the paper's table D.2: the first aligns the candidate "
        "with the source, the second the references with the candidate",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.models is None:
            return
        if self.aligner == "E" or len(self.models) != 2 or not all(self.models):
            raise SpecError(f"{self.name}: models are the names of two models for aligner='D' or 'R'")
        if self.model not in (None, self.models[0]):
            raise SpecError(f"{self.name}: models names both models; leave model out")
        object.__setattr__(self, "model", self.models[0])

    @property
    def other_models(self) -> tuple[str, ...]:  # type: ignore[override]
        return () if self.models is None else self.models[1:]

    def prepare(self, setup: Setup) -> AspectPrepared:
        prepared = super().prepare(setup)
        if self.models is None:
            return prepared
        second, of_second = self._trained(setup.other_model(self.models[1]))
        facts = {**prepared.facts, **{f"references_{name}": fact for name, fact in of_second.items()}}
        return replace(prepared, second=second, facts=facts)

    def asked(self, direction: Direction, prepared: AspectPrepared) -> Sequence[AnyRequest]:
        if prepared.second is None or self.models is None or direction.name != "reference":
            return super().asked(direction, prepared)
        return asked_of(self.models[1], prepared.second, direction)

    def aligned(self, direction: Direction, prepared: AspectPrepared, features: Features) -> Aligned | str:
        if prepared.second is None or self.models is None or direction.name != "reference":
            return super().aligned(direction, prepared, features)
        return prepared.second.align(direction, answered_by(self.models[1], prepared.second, direction, features))

    def directions(self, row: Row) -> list[Direction]:
        covered = [Direction("reference", text, "candidate", (row.candidate,)) for text in row.references]
        return [_candidate(row, "source"), *covered]

    def values(self, alignments: Sequence[Array], prepared: AspectPrepared) -> tuple[float, ...]:
        return (aspects.relevance(alignments[1:], alignments[0]),)


@dataclass(frozen=True)
class Preservation(CTCAspect):
    """Is the content the same? Harmonic mean of the alignments of candidate with source and source with candidate."""

    def directions(self, row: Row) -> list[Direction]:
        return [_candidate(row, "source"), Direction("source", row.source or "", "candidate", (row.candidate,))]

    def values(self, alignments: Sequence[Array], prepared: AspectPrepared) -> tuple[float, ...]:
        return (aspects.preservation(alignments[0], alignments[1]),)


@dataclass(frozen=True)
class Groundedness(CTCAspect):
    """How much of the knowledge does a reply use? Sum of the alignments of the candidate's words with the context.

    `context` is the knowledge. By default, stopwords do not count.
    """

    needed: ClassVar[tuple[str, ...]] = ("context",)
    of_alignments: ClassVar[Limits] = AMOUNT

    stopwords: bool = False

    def values(self, alignments: Sequence[Array], prepared: AspectPrepared) -> tuple[float, ...]:
        return (aspects.groundedness(alignments[0]),)


@dataclass(frozen=True)
class Engagingness(CTCAspect):
    """How much of context and source does a reply use? Sum of the alignments of the candidate's words with both.

    `source` is the history of the dialogue, `context` the knowledge. A word may be aligned with either; each is encoded
    by itself. By default, stopwords do not count.
    """

    needed: ClassVar[tuple[str, ...]] = ("source", "context")
    of_alignments: ClassVar[Limits] = AMOUNT

    stopwords: bool = False

    def directions(self, row: Row) -> list[Direction]:
        return [_candidate(row, "context", "source")]

    def values(self, alignments: Sequence[Array], prepared: AspectPrepared) -> tuple[float, ...]:
        return (aspects.engagingness(alignments[0]),)


@dataclass(frozen=True)
class MeanAlignment(Engagingness):
    """Mean alignment of the candidate's words with context and source (table F.6)."""

    of_alignments: ClassVar[Limits] = SHARE

    def values(self, alignments: Sequence[Array], prepared: AspectPrepared) -> tuple[float, ...]:
        return (aspects.mean_alignment(alignments[0]),)

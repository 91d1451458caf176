"""CTC: metrics from the alignment of each word of a text with another text.

Deng, Tan, Liu, Xing and Hu, "Compression, Transduction, and Creation: A Unified Framework for Evaluating Natural
Language Generation", EMNLP 2021. An aligner (`metrics/aligners.py`) gives every word a confidence from 0 to 1 that
another text supports it. A metric is a mean, sum or product of these (`maths/alignment.py`).

By embeddings (section 3.5), the alignment of a sub-word is its cosine with the most similar sub-word of the other text
on one layer; a word has the mean over its sub-words. nlgauge-lab has the errors of the published code.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np

from nlgauge.contract.base import QUESTION, Cost, Prepared, RowMetric, Setup, Value
from nlgauge.contract.parameters import param
from nlgauge.data.corpus import Row
from nlgauge.data.evidence import Evidence
from nlgauge.engine.features.alignment import SHAPE, Reading
from nlgauge.engine.features.request import AnyRequest, ByModel, Features
from nlgauge.engine.models.capabilities import ALIGNER, ENCODER, Model
from nlgauge.engine.models.packing import SENTENCES, packer_of
from nlgauge.engine.words import is_word
from nlgauge.errors import SpecError
from nlgauge.maths import alignment as aspects
from nlgauge.maths.alignment import Array
from nlgauge.metrics.aligners import (
    BOTH,
    DOUBT,
    Aligned,
    Direction,
    EmbeddingAligner,
    TextAligner,
    TrainedAligner,
    shown,
)
from nlgauge.metrics.model_settings import layer_read


@dataclass(frozen=True, kw_only=True)
class AspectPrepared(Prepared):
    aligner: TextAligner
    baseline: float = 0.0
    """The alignment of unrelated texts, for E with rescaling"""
    second: TextAligner | None = None
    """The aligner that decides where this one is unsure, or that aligns the references"""
    unsure: tuple[float, float] = (0.0, 0.0)
    """From which probability on, and below which, this one is unsure"""


class RowAligned(NamedTuple):
    """The alignments of a row."""

    directions: Sequence[tuple[Direction, Aligned]] = ()
    reason: str | None = None
    """Why the row has no value"""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class CTCAspect(RowMetric):
    needed: ClassVar[tuple[str, ...]] = ("source",)
    """The columns that a row needs"""
    citation: ClassVar[str] = "Deng et al. 2021, EMNLP, arXiv:2109.06379"
    embeddings: ClassVar[type[EmbeddingAligner]] = EmbeddingAligner

    aligner: str = param(
        "E", choices=("E", "D", "R"),
        help="'E' compares embeddings; 'D' is a classifier that reads both texts together and labels every word; 'R' "
        "is a similar model that predicts only the share of supported words",
    )  # fmt: skip
    layer: int = param(
        -1,
        help="for E, the layer whose hidden states are compared (0: the embeddings). -1 is the layer in the model's "
        "card, else the one that the published code uses with the checkpoint, or else the last one.",
    )  # fmt: skip
    stopwords: bool = param(True, help="whether English stopwords count")
    rescale: str = param(
        "none", choices=("none", "token"),
        help="for E, 'token' rescales every alignment to (x - b) / (1 - b), where b is the alignment of unrelated "
        "sentences",
    )  # fmt: skip
    reading: Reading = param(
        "search", choices=("search", "windows"),
        help="for D and R with a long source. 'search' reads for each stretch the sentences of the source that share "
        "most with it, 'windows' reads all of the source, part by part.",
    )  # fmt: skip
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
    def cost(self) -> Cost:
        return "encoding" if self.aligner == "E" else "pairs"

    def directions(self, row: Row) -> list[Direction]:
        """The alignments that a row needs; by default, of the candidate with the needed columns."""
        return [_candidate(row, *self.needed)]

    @abstractmethod
    def values(self, alignments: Sequence[Array], prepared: AspectPrepared) -> tuple[float, ...]:
        """The score of each part, from the alignments of the directions in order."""

    def prepare(self, setup: Setup) -> AspectPrepared:
        model = setup.model
        if self.aligner != "E":
            trained, known = self._trained(model)
            return AspectPrepared(aligner=trained, facts=known)
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
        """The aligner of a model, and what its numbers depend on."""
        digest, card, packer = model[ALIGNER].digest, model.card, packer_of(model)
        if packer is not None and packer.packing.regression != (self.aligner == "R"):
            one = "predicts one number for a text" if packer.packing.regression else "predicts no share of a text"
            other = "R" if packer.packing.regression else "D"
            raise SpecError(f"{self.name}: model {model.name!r} {one}: choose aligner={other!r}")
        trained = TrainedAligner(
            self.stopwords, self.aligner == "R", card.aligner_threshold, self.reading, card.aligner_temperature,
            card.aligner_asks, card.languages == ("en",), None if packer is None else packer.packing,
        )  # fmt: skip
        rows = f"{SHAPE.stretch}@{min(SHAPE.row, model.window)}" if packer is None else packer.name
        more: dict[str, object] = {QUESTION: "apart"} if card.aligner_asks else {}
        more |= {"evidence": card.aligner_evidence} if card.aligner_evidence else {}
        more |= {"languages": "+".join(card.languages)} if card.languages else {}
        if "probability" in self.parts:
            more |= {"exact_checks": DOUBT} if trained.english else {}
            # Verdicts on a saved table use the limits of its model.
            more |= {"grounded": list(card.grounded)} if card.grounded is not None else {}
            more |= {"grounded_from": card.origins["grounded"]} if "grounded" in card.origins else {}
        return trained, {"aligner": digest[:8], "rows": rows, **more}

    def _layer(self, model: Model) -> tuple[int, dict[str, object]]:
        """The layer, and the facts that name it."""
        most = model[ENCODER].layers
        families = [*(kind.__name__ for kind in type(self).__mro__), "CTC"]
        asked = most + 1 + self.layer if self.layer < -1 else None if self.layer == -1 else self.layer
        layer, named = layer_read(asked, families, model, -1)
        if not 0 <= layer <= most:
            raise SpecError(f"{self.name}: model {model.name!r} has layers 0 to {most}; asked for {self.layer}")
        return layer, named

    def requests(self, row: Row, prepared: AspectPrepared) -> list[AnyRequest]:
        directions = [] if self._missing(row) else self.directions(row)
        return [request for direction in directions for request in self._requests(direction, prepared)]

    def _requests(self, direction: Direction, prepared: AspectPrepared) -> Sequence[AnyRequest]:
        """The features that the alignment of a direction needs."""
        return prepared.aligner.requests(direction)

    def _align(self, direction: Direction, prepared: AspectPrepared, features: Features) -> Aligned | str:
        """The alignment of a direction, or the reason why there is none."""
        return prepared.aligner.align(direction, features)

    def score_rows(self, rows: Sequence[Row], prepared: AspectPrepared, features: Features) -> list[Value]:
        return [self._value(self._aligned(row, prepared, features), prepared) for row in rows]

    def _value(self, row: RowAligned, prepared: AspectPrepared) -> Value:
        """The score of a row, from its alignments."""
        if row.reason is not None:
            return Value((np.nan,) * len(self.parts), row.reason)
        if not prepared.aligner.judges_words:
            probability = {"probability": least_supported(row.directions[0][1])}
            return Value(tuple(probability.get(part, np.nan) for part in self.parts), SENTENCES, row.notes)
        values = self.values([aligned.alignment for _, aligned in row.directions], prepared)
        if np.isnan(values).any():
            return Value((np.nan,) * len(self.parts), "the two directions cancel out", row.notes)
        more = self.more(row.directions[0][1], prepared)
        reason = "the aligner was not trained to judge whole texts" if np.isnan(more).any() else None
        return Value((*values, *more), reason, row.notes)

    def more(self, aligned: Aligned, prepared: AspectPrepared) -> tuple[float, ...]:
        """The scores of further parts, from the first direction."""
        return ()

    def _missing(self, row: Row) -> str | None:
        missing = [column for column in self.needed if getattr(row, column) in (None, ())]
        return f"no {missing[0].removesuffix('s')}" if missing else None

    def _aligned(self, row: Row, prepared: AspectPrepared, features: Features) -> RowAligned:
        """The directions of a row with their alignments."""
        if (missing := self._missing(row)) is not None:
            return RowAligned(reason=missing)
        done: list[tuple[Direction, Aligned]] = []
        notes: dict[str, None] = {}
        for direction in self.directions(row):
            aligned = self._align(direction, prepared, features)
            if not isinstance(aligned, str):
                done.append((direction, aligned))
            elif direction.name == "reference" and any(map(is_word, direction.others)):
                notes["references without words left out"] = None
            else:
                return RowAligned(reason=aligned)
            if len(direction.others) > 1 and not all(map(is_word, direction.others)):
                notes[f"no words in one of the {direction.against}"] = None
        if "references" in self.needed and done[-1][0].name != "reference":
            return RowAligned(reason="no reference has words")
        return RowAligned(done, None, tuple(notes))

    def evidence(self, row: Row, prepared: AspectPrepared, features: Features) -> Evidence:
        """The words of each aligned text that count, with position and alignment."""
        if not prepared.aligner.shows_words:
            return Evidence()
        return self._shown(self._aligned(row, prepared, features), prepared)

    def _shown(self, row: RowAligned, prepared: AspectPrepared) -> Evidence:
        directions = row.directions
        weak, whole = prepared.aligner.weak, not prepared.aligner.judges_words
        return Evidence(texts=[shown(direction, aligned, weak, whole) for direction, aligned in directions])


def least_supported(aligned: Aligned) -> float:
    """The probability that all of a text is supported: that of its worst stretch; NaN if the aligner gives none."""
    stretches = () if aligned.judged is None else aligned.judged.stretches
    return min((np.nan if one.supported is None else one.supported for one in stretches), default=np.nan)


def _asked(aligner: TextAligner, direction: Direction, model: str) -> list[AnyRequest]:
    """The features that the alignment of a direction by another model needs."""
    return [ByModel(model, request) for request in aligner.requests(direction)]


def _told(aligner: TextAligner, direction: Direction, model: str, features: Features) -> Features:
    """These features, as if the other model were the metric's own."""
    return Features({one: features[ByModel(model, one)] for one in aligner.requests(direction)})


def _candidate(row: Row, *columns: str) -> Direction:
    others = tuple(getattr(row, column) for column in columns)
    return Direction("candidate", row.candidate, BOTH.join(columns), others, row.question or "")


@dataclass(frozen=True)
class Consistency(CTCAspect):
    """Faithfulness: does the source support what the candidate says? Mean alignment of its words with the source.

    With aligner 'D' there are three more parts: `least_stretch`, the mean over the worst stretch (a few sentences);
    `unsupported`, the share of words below the aligner's threshold; and `probability`, the probability that the source
    supports all of the candidate. A number, date, name or opposite that differs from the source lowers it.
    """

    then: str | None = param(
        None,
        help="for D, a second model for the rows that the first cannot decide: `probability` is then what the second "
        "says of them, and the part `decided` is 1 where the first model decided, and 2 where the second did",
    )
    unsure: tuple[float, ...] | None = param(
        None,
        help="with `then`, two probabilities (LOW, HIGH): the first model cannot decide from LOW on and below HIGH; by "
        "default these are the thresholds of its card",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.then is not None and (self.aligner != "D" or not self.then):
            raise SpecError(f"{self.name}: then is the name of a second model for aligner='D'")
        if self.unsure is not None and self.then is None:
            raise SpecError(f"{self.name}: unsure is for a second model: name it (then), or leave unsure out")
        if self.unsure is not None and not (len(self.unsure) == 2 and 0 <= self.unsure[0] < self.unsure[1] <= 1):
            raise SpecError(f"{self.name}: unsure={self.unsure} is not two probabilities in ascending order")

    @property
    def parts(self) -> tuple[str, ...]:  # type: ignore[override]  # depends on the parameters
        if self.aligner != "D":
            return ("score",)
        return ("score", "least_stretch", "unsupported", "probability", *(() if self.then is None else ("decided",)))

    @property
    def details(self) -> tuple[str, ...]:  # type: ignore[override]
        # Of the words that nothing supports, less is better.
        return tuple(part for part in ("unsupported", "decided") if part in self.parts)

    @property
    def other_models(self) -> tuple[str, ...]:
        return () if self.then is None else (self.then,)

    def prepare(self, setup: Setup) -> AspectPrepared:
        prepared = super().prepare(setup)
        if self.then is None:
            return prepared
        limits = setup.model.card.grounded if self.unsure is None else (self.unsure[0], self.unsure[1])
        if limits is None or limits[0] == limits[1]:
            between = "has no measured thresholds" if limits is None else f"decides every row (at {limits[0]:g})"
            remedy = "say where it is unsure, as in unsure=(0.2, 0.8)"
            raise SpecError(f"{self.name}: model {setup.model.name!r} {between}; {remedy}")
        second, known = self._trained(setup.other_model(self.then))
        facts = {**prepared.facts, "unsure": list(limits), **{f"then_{name}": fact for name, fact in known.items()}}
        if second.asks:
            facts[QUESTION] = "apart"  # the name by which a cached score is one of the question too
        return replace(prepared, second=second, unsure=limits, facts=facts)

    def followup_requests(self, row: Row, prepared: AspectPrepared, features: Features) -> list[AnyRequest]:
        if self.then is None or prepared.second is None or self._missing(row):
            return []
        if self._decides(self._aligned(row, prepared, features), prepared):
            return []
        return _asked(prepared.second, self.directions(row)[0], self.then)

    def score_rows(self, rows: Sequence[Row], prepared: AspectPrepared, features: Features) -> list[Value]:
        if self.then is None:
            return super().score_rows(rows, prepared, features)
        return [self._cascaded(row, prepared, features) for row in rows]

    def _decides(self, first: RowAligned, prepared: AspectPrepared) -> bool:
        """Return whether the first model decides about a row."""
        if first.reason is not None:
            return False
        probability, (low, high) = least_supported(first.directions[0][1]), prepared.unsure
        return probability < low or probability >= high  # neither, if it is NaN

    def _second(self, row: Row, prepared: AspectPrepared, features: Features) -> tuple[RowAligned, AspectPrepared]:
        """A row as the second model reads it."""
        assert self.then is not None and prepared.second is not None
        theirs = _told(prepared.second, self.directions(row)[0], self.then, features)
        second = replace(prepared, aligner=prepared.second)
        return self._aligned(row, second, theirs), second

    def _cascaded(self, row: Row, prepared: AspectPrepared, features: Features) -> Value:
        first = self._aligned(row, prepared, features)
        value = self._value(first, prepared)
        values, at = list(value.parts), self.parts.index("probability")
        if self._missing(row):
            return value
        if self._decides(first, prepared):
            return replace(value, parts=(*values[: at + 1], 1.0))
        second, how = self._second(row, prepared, features)
        told = self._value(second, how)
        values[at] = told.parts[at]
        decided = np.nan if np.isnan(values[at]) else 2.0
        # A row that the second model cannot read either has its reason; else the reason is that of the first one's NaN.
        return replace(
            value, parts=(*values[: at + 1], decided), reason=told.reason if np.isnan(decided) else value.reason
        )

    def evidence(self, row: Row, prepared: AspectPrepared, features: Features) -> Evidence:
        if self.then is None or self._missing(row) or self._decides(self._aligned(row, prepared, features), prepared):
            return super().evidence(row, prepared, features)
        second, how = self._second(row, prepared, features)
        return self._shown(second, how)

    def values(self, alignments: Sequence[Array], prepared: AspectPrepared) -> tuple[float, ...]:
        return (aspects.consistency(alignments[0]),)

    def more(self, aligned: Aligned, prepared: AspectPrepared) -> tuple[float, ...]:
        if aligned.judged is None:
            return ()
        stretches = aligned.judged.stretches
        return (
            aspects.least_mean(aligned.alignment, aligned.spans, [(one.begin, one.end) for one in stretches]),
            aspects.unsupported_share(aligned.alignment, prepared.aligner.weak),
            least_supported(aligned),
        )


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
    def other_models(self) -> tuple[str, ...]:
        return () if self.models is None else self.models[1:]

    def prepare(self, setup: Setup) -> AspectPrepared:
        prepared = super().prepare(setup)
        if self.models is None:
            return prepared
        second, known = self._trained(setup.other_model(self.models[1]))
        facts = {**prepared.facts, **{f"references_{name}": fact for name, fact in known.items()}}
        return replace(prepared, second=second, facts=facts)

    def _requests(self, direction: Direction, prepared: AspectPrepared) -> Sequence[AnyRequest]:
        if prepared.second is None or self.models is None or direction.name != "reference":
            return super()._requests(direction, prepared)
        return _asked(prepared.second, direction, self.models[1])

    def _align(self, direction: Direction, prepared: AspectPrepared, features: Features) -> Aligned | str:
        if prepared.second is None or self.models is None or direction.name != "reference":
            return super()._align(direction, prepared, features)
        return prepared.second.align(direction, _told(prepared.second, direction, self.models[1], features))

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

    stopwords: bool = False

    def directions(self, row: Row) -> list[Direction]:
        return [_candidate(row, "context", "source")]

    def values(self, alignments: Sequence[Array], prepared: AspectPrepared) -> tuple[float, ...]:
        return (aspects.engagingness(alignments[0]),)


@dataclass(frozen=True)
class MeanAlignment(Engagingness):
    """Mean alignment of the candidate's words with context and source (table F.6)."""

    def values(self, alignments: Sequence[Array], prepared: AspectPrepared) -> tuple[float, ...]:
        return (aspects.mean_alignment(alignments[0]),)

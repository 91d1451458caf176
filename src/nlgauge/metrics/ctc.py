"""CTC: how much of what a text says is grounded in another, word by word, and what that tells of the text.

Deng, Tan, Liu, Xing and Hu, "Compression, Transduction, and Creation: A Unified Framework for Evaluating Natural
Language Generation", EMNLP 2021. An aligner (`metrics/aligners.py`) gives every word of one text the confidence, from 0
to 1, that it is grounded in another; an aspect is a mean, sum or product of them (`maths/alignment.py`).

By embeddings (section 3.5) a sub-word's alignment is its cosine with the most similar sub-word of the other text, on
one layer, a word's the mean of its pieces'. The published code counts pieces, so that a rare word counts several times;
punctuation too; and cosines below 0. `metrics/published/ctc.py` does all that.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from nlgauge.data.corpus import Row
from nlgauge.engine.features.alignment import SHAPE, Reading
from nlgauge.engine.features.request import AnyRequest, Features
from nlgauge.engine.models.capabilities import ALIGNER, ENCODER, Model
from nlgauge.engine.words import is_word
from nlgauge.errors import SpecError
from nlgauge.maths import alignment as aspects
from nlgauge.maths.alignment import Array
from nlgauge.metrics.aligners import BOTH, Aligned, Direction, EmbeddingAligner, TextAligner, TrainedAligner, shown
from nlgauge.metrics.base import QUESTION, Cost, Prepared, RowMetric, Setup, Value
from nlgauge.metrics.evidence import Evidence


@dataclass(frozen=True, kw_only=True)
class AspectPrepared(Prepared):
    aligner: TextAligner
    baseline: float = 0.0
    """What unrelated texts have, of E with rescaling"""


class RowAligned(NamedTuple):
    """What of a row is aligned with what."""

    directions: Sequence[tuple[Direction, Aligned]] = ()
    reason: str | None = None
    """Why the row has no value"""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class CTCAspect(RowMetric):
    needed: ClassVar[tuple[str, ...]] = ("source",)
    """The columns without which there is no value"""
    citation: ClassVar[str] = "Deng et al. 2021, EMNLP, arXiv:2109.06379"
    choices: ClassVar[Mapping[str, Sequence[object]]] = {
        "aligner": ("E", "D", "R"),
        "rescale": ("none", "token"),
        "reading": ("search", "windows"),
    }
    embeddings: ClassVar[type[EmbeddingAligner]] = EmbeddingAligner

    aligner: str = "E"
    layer: int = -1
    stopwords: bool = True
    rescale: str = "none"
    reading: Reading = "search"
    model: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.aligner != "E":
            for name, plain in (("layer", -1), ("rescale", "none")):
                if getattr(self, name) != plain:
                    raise SpecError(f"{self.name}: {name} is of aligner='E'; leave it out")
        elif self.reading != "search":
            raise SpecError(f"{self.name}: reading is of aligner='D' or 'R'; leave it out")

    @property
    def columns(self) -> tuple[str, ...]:
        return ("candidate", *self.needed)

    @property
    def cost(self) -> Cost:
        return "encoding" if self.aligner == "E" else "pairs"

    def directions(self, row: Row) -> list[Direction]:
        """What has to be aligned with what, for a row that has what is needed: the candidate with that, unless said."""
        return [_candidate(row, *self.needed)]

    @abstractmethod
    def values(self, alignments: Sequence[Array], prepared: AspectPrepared) -> tuple[float, ...]:
        """The number of each part, from the alignments of the directions, in order."""

    def prepare(self, setup: Setup) -> AspectPrepared:
        model = setup.model
        if self.aligner != "E":
            digest = model[ALIGNER].digest
            card = model.card
            trained = TrainedAligner(
                self.stopwords, self.aligner == "R", card.aligner_threshold, self.reading, card.aligner_temperature,
                card.aligner_asks, card.languages == ("en",),
            )  # fmt: skip
            rows = f"{SHAPE.stretch}@{min(SHAPE.row, model.window)}"
            more: dict[str, object] = {QUESTION: "apart"} if card.aligner_asks else {}
            more |= {"languages": "+".join(card.languages)} if card.languages else {}
            if "probability" in self.parts and card.grounded is not None:
                more["grounded"] = list(card.grounded)  # a saved table is judged by what its model was measured at
            return AspectPrepared(aligner=trained, facts={"aligner": digest[:8], "rows": rows, **more})
        layer = self._layer(model)
        if self.rescale == "none":
            return AspectPrepared(aligner=self.embeddings(layer, self.stopwords), facts={"layer": layer})
        if layer not in model.card.bertscore_baseline:
            why = f"model {model.name!r} has no baseline for layer {layer}"
            raise SpecError(f"{self.name}: {why}: choose rescale='none'")
        baseline = model.card.bertscore_baseline[layer][2]
        embeddings = self.embeddings(layer, self.stopwords, baseline if self.rescale == "token" else 0.0)
        facts = {"layer": layer, "baseline": f"{baseline:.6f}"}
        return AspectPrepared(aligner=embeddings, baseline=baseline, facts=facts)

    def _layer(self, model: Model) -> int:
        most = model[ENCODER].layers
        families = [*(kind.__name__ for kind in type(self).__mro__), "CTC"]
        named = next((model.card.layers[family] for family in families if family in model.card.layers), -1)
        asked = named if self.layer == -1 else self.layer
        layer = asked if asked >= 0 else most + 1 + asked
        if not 0 <= layer <= most:
            raise SpecError(f"{self.name}: model {model.name!r} has layers 0 to {most}; asked for {asked}")
        return layer

    def requests(self, row: Row, prepared: AspectPrepared) -> list[AnyRequest]:
        directions = [] if self._missing(row) else self.directions(row)
        return [request for direction in directions for request in prepared.aligner.requests(direction)]

    def score_rows(self, rows: Sequence[Row], prepared: AspectPrepared, features: Features) -> list[Value]:
        return [self._value(self._aligned(row, prepared, features), prepared) for row in rows]

    def _value(self, row: RowAligned, prepared: AspectPrepared) -> Value:
        if row.reason is not None:
            return Value((np.nan,) * len(self.parts), row.reason)
        values = self.values([aligned.alignment for _, aligned in row.directions], prepared)
        if np.isnan(values).any():
            return Value((np.nan,) * len(self.parts), "the two directions cancel each other", row.notes)
        more = self.more(row.directions[0][1], prepared)
        reason = "the aligner was not taught to judge whole texts" if np.isnan(more).any() else None
        return Value((*values, *more), reason, row.notes)

    def more(self, aligned: Aligned, prepared: AspectPrepared) -> tuple[float, ...]:
        """The numbers of further parts, from the first direction."""
        return ()

    def _missing(self, row: Row) -> str | None:
        missing = [column for column in self.needed if getattr(row, column) in (None, ())]
        return f"no {missing[0].removesuffix('s')}" if missing else None

    def _aligned(self, row: Row, prepared: AspectPrepared, features: Features) -> RowAligned:
        """Each direction of a row with its alignments."""
        if (missing := self._missing(row)) is not None:
            return RowAligned(reason=missing)
        done: list[tuple[Direction, Aligned]] = []
        notes: dict[str, None] = {}
        for direction in self.directions(row):
            aligned = prepared.aligner.align(direction, features)
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
        """The words that count of each aligned text, with place and alignment; below `weak` it is weakly aligned."""
        if not prepared.aligner.shows_words:
            return Evidence()
        directions = self._aligned(row, prepared, features).directions
        return Evidence(texts=[shown(direction, aligned, prepared.aligner.weak) for direction, aligned in directions])


def _candidate(row: Row, *columns: str) -> Direction:
    others = tuple(getattr(row, column) for column in columns)
    return Direction("candidate", row.candidate, BOTH.join(columns), others, row.question or "")


@dataclass(frozen=True)
class Consistency(CTCAspect):
    """Faithfulness: does the candidate say only what its source says? Mean alignment of its words with the source.

    With aligner 'D' there are three more parts: `least_stretch`, the mean over the worst stretch of some sentences;
    `unsupported`, the share of words below the aligner's threshold; and `probability`, how likely it is that the
    source supports all of the candidate.

    aligner: 'E', by embeddings; 'D', a classifier that reads both texts together and labels every word; 'R', a
        model like it that gives the share of supported words as one number, and shows no words.
    layer: for E: the layer whose hidden states are compared. 0 is the embeddings; -1 is the layer that the model's card
        names, or else the last one.
    stopwords: let English stop-words count.
    rescale: for E: 'token' subtracts from every alignment what unrelated sentences have, (x - b) / (1 - b).
    reading: for D and R: 'search' reads for each stretch the sentences of a long source that share most with it,
        'windows' all of the source, part by part.
    """

    @property
    def parts(self) -> tuple[str, ...]:  # type: ignore[override]  # the parameters say which numbers there are
        return ("score", "least_stretch", "unsupported", "probability") if self.aligner == "D" else ("score",)

    @property
    def details(self) -> tuple[str, ...]:  # type: ignore[override]
        return ("unsupported",) if self.aligner == "D" else ()  # the one of which less is better

    def values(self, alignments: Sequence[Array], prepared: AspectPrepared) -> tuple[float, ...]:
        return (aspects.consistency(alignments[0]),)

    def more(self, aligned: Aligned, prepared: AspectPrepared) -> tuple[float, ...]:
        if aligned.judged is None:
            return ()
        stretches = aligned.judged.stretches
        return (
            aspects.least_mean(aligned.alignment, aligned.spans, [(one.begin, one.end) for one in stretches]),
            aspects.unsupported_share(aligned.alignment, prepared.aligner.weak),
            min(np.nan if one.supported is None else one.supported for one in stretches),
        )


@dataclass(frozen=True)
class Relevance(CTCAspect):
    """How far the candidate covers what its references say, times its consistency with the source.

    Mean alignment of a reference's words with the candidate, mean over references, times the candidate's with the
    source. Parameters as of Consistency.
    """

    needed: ClassVar[tuple[str, ...]] = ("source", "references")

    def directions(self, row: Row) -> list[Direction]:
        covered = [Direction("reference", text, "candidate", (row.candidate,)) for text in row.references]
        return [_candidate(row, "source"), *covered]

    def values(self, alignments: Sequence[Array], prepared: AspectPrepared) -> tuple[float, ...]:
        return (aspects.relevance(alignments[1:], alignments[0]),)


@dataclass(frozen=True)
class Preservation(CTCAspect):
    """Harmonic mean of the alignments of candidate with source and source with candidate: is the content the same?

    Parameters as of Consistency.
    """

    def directions(self, row: Row) -> list[Direction]:
        return [_candidate(row, "source"), Direction("source", row.source or "", "candidate", (row.candidate,))]

    def values(self, alignments: Sequence[Array], prepared: AspectPrepared) -> tuple[float, ...]:
        return (aspects.preservation(alignments[0], alignments[1]),)


@dataclass(frozen=True)
class Groundedness(CTCAspect):
    """Sum of the alignments of the candidate's words with the context: how much of the knowledge does a reply use?

    `context` is the knowledge. Parameters as of Consistency; stop-words do not count unless asked for.
    """

    needed: ClassVar[tuple[str, ...]] = ("context",)

    stopwords: bool = False

    def values(self, alignments: Sequence[Array], prepared: AspectPrepared) -> tuple[float, ...]:
        return (aspects.groundedness(alignments[0]),)


@dataclass(frozen=True)
class Engagingness(CTCAspect):
    """Sum of the alignments of the candidate's words with context and source: how much does a reply take up?

    `source` is the history of the dialogue, `context` the knowledge. A word may be aligned with either; each of the two
    is encoded by itself. Parameters as of Consistency; stop-words do not count unless asked for.
    """

    needed: ClassVar[tuple[str, ...]] = ("source", "context")

    stopwords: bool = False

    def directions(self, row: Row) -> list[Direction]:
        return [_candidate(row, "context", "source")]

    def values(self, alignments: Sequence[Array], prepared: AspectPrepared) -> tuple[float, ...]:
        return (aspects.engagingness(alignments[0]),)


@dataclass(frozen=True)
class MeanAlignment(Engagingness):
    """Mean alignment of the candidate's words with context and source, for other qualities of a reply (table F.6).

    Parameters as of Engagingness.
    """

    def values(self, alignments: Sequence[Array], prepared: AspectPrepared) -> tuple[float, ...]:
        return (aspects.mean_alignment(alignments[0]),)

"""CTC's ablations: what each ingredient of its metrics adds (the paper's tables 1, 2 and 3, and stop-words on and off).

Relevance: alignment of references with the output, of the output with the source, their sum, their product (the
metric). Preservation: each direction alone, and the harmonic mean of both (the metric). Engagingness: the mean and the
sum (the metric) of the alignments. All variants of an aspect come from one alignment of the texts.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

from nlgauge import registry
from nlgauge.corpus import Corpus, Row
from nlgauge.engine.engine import Features
from nlgauge.errors import InputError, SpecError
from nlgauge.maths import alignment as aspects_of
from nlgauge.maths.alignment import Array
from nlgauge.metrics.base import RowMetric, Texts, Value
from nlgauge.metrics.ctc import AspectScorer, Engagingness, Preservation, Relevance
from nlgauge.studies.sweep import Setting, Sweep, sweep


class VariantScorer(AspectScorer):
    """Alignments of an aspect's texts, and several numbers made of them."""

    def score(self, rows: Sequence[Row], features: Features) -> list[Value]:
        return [self._variants(row, features) for row in rows]

    def _variants(self, row: Row, features: Features) -> Value:
        found, reason, notes = self._aligned(row, features)
        variants: Variants = self.metric  # type: ignore[assignment]
        if reason is not None:
            return Value((math.nan,) * len(variants.parts), reason)
        values = variants.variants([aligned.alignment for _, aligned in found])
        undefined = any(map(math.isnan, values))
        return Value(values, "the two directions cancel each other" if undefined else None, notes)


class Variants(RowMetric):
    """An aspect with its ablations as parts."""

    @abstractmethod
    def variants(self, alignments: Sequence[Array]) -> tuple[float, ...]:
        """A number for each part, from the alignments of the aspect's directions, in order."""

    def scorer(self, corpus: Corpus, texts: Texts) -> VariantScorer:
        return VariantScorer(self, texts)  # type: ignore[arg-type]


@dataclass(frozen=True)
class RelevanceVariants(Variants, Relevance):
    """Table 1."""

    parts: ClassVar[tuple[str, ...]] = ("r→y", "y→x", "sum", "product")

    def variants(self, alignments: Sequence[Array]) -> tuple[float, ...]:
        covered = sum(map(aspects_of.mean_alignment, alignments[1:])) / len(alignments[1:])
        supported = aspects_of.mean_alignment(alignments[0])
        return covered, supported, covered + supported, aspects_of.relevance(alignments[1:], alignments[0])


@dataclass(frozen=True)
class PreservationVariants(Variants, Preservation):
    """Table 2."""

    parts: ClassVar[tuple[str, ...]] = ("y→x", "x→y", "both")

    def variants(self, alignments: Sequence[Array]) -> tuple[float, ...]:
        there, back = alignments
        both = aspects_of.preservation(there, back, self.harmonic_factor)
        return aspects_of.mean_alignment(there), aspects_of.mean_alignment(back), both


@dataclass(frozen=True)
class EngagingnessVariants(Variants, Engagingness):
    """Table 3."""

    parts: ClassVar[tuple[str, ...]] = ("mean", "sum")

    def variants(self, alignments: Sequence[Array]) -> tuple[float, ...]:
        return aspects_of.mean_alignment(alignments[0]), aspects_of.engagingness(alignments[0])


ABLATIONS: dict[str, type[Variants]] = {
    "Relevance": RelevanceVariants,
    "Preservation": PreservationVariants,
    "Engagingness": EngagingnessVariants,
}


def ablation(
    corpus: Corpus, metrics: Sequence[str] | None = None, aligners: Sequence[str] = ("E",), *,
    model: str | None = None, level: str = "pooled", **how: Any,
) -> Sweep:  # fmt: skip
    """Agreement with people of CTC's metrics with an ingredient left out (the paper's tables 1, 2 and 3).

    metrics: Relevance, Preservation, Engagingness, with parameters if wanted; those whose texts the rows have, if none
    is given. aligners: 'E', 'D', 'R'. Every variant is computed with stop-words and without. The paper's level is
    'pooled'. model: for metrics that name none. how: what `nlgauge.studies.sweep.sweep` takes. Raises SpecError for
    another metric, InputError where the rows have the texts of none.
    """
    settings: list[Setting] = []
    for spec in metrics or _fitting(corpus):
        base = registry.metric(spec, model=model)
        name = type(base).__name__
        if name not in ABLATIONS:
            raise SpecError(f"{base} has no ablation; there are {', '.join(ABLATIONS)}")
        if getattr(base, "rescale", "none") == "score":
            raise SpecError(f"{base}: its variants have scales of their own; take rescale='token' or 'none'")
        given = {field.name: getattr(base, field.name) for field in fields(base)}
        for aligner in aligners:
            for stopwords in (True, False):
                varied: Any = ABLATIONS[name](**{**given, "aligner": aligner, "stopwords": stopwords})
                settings += [
                    Setting(
                        f"{replace(base, aligner='E')} {aligner}",  # type: ignore[call-arg]
                        {"variant": part, "stop-words": "count" if stopwords else "left out"},
                        varied,
                        part,
                    )
                    for part in varied.parts
                ]
    return sweep(corpus, settings, ("variant", "stop-words"), level=level, **how)


def _fitting(corpus: Corpus) -> list[str]:
    """The metrics whose texts some row has."""
    found = []
    for name, kind in ABLATIONS.items():
        needed: Sequence[str] = kind.needed  # type: ignore[attr-defined]
        if any(all(getattr(row, column) not in (None, ()) for column in needed) for row in corpus):
            found.append(name)
    if not found:
        raise InputError("no row has a source", remedy="give rows with source, and references or context")
    return found

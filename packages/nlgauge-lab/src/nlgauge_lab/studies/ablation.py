"""CTC's ablations: what each ingredient of its metrics adds (the paper's tables 1, 2 and 3, and stop-words on and off).

For Relevance the variants are the alignment of the references with the output, the alignment of the output with the
source, their sum, and their product, which is the metric. For Preservation they are each direction alone, and the
harmonic mean of both, which is the metric. For Engagingness they are the mean and the sum of the alignments, and the
sum is the metric. All variants of an aspect come from one alignment of the texts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

from nlgauge import registry
from nlgauge.data.corpus import Corpus
from nlgauge.errors import InputError, SpecError
from nlgauge.maths.alignment import Array, mean_alignment
from nlgauge.metrics import ctc
from nlgauge.metrics.ctc import AspectPrepared, CTCAspect
from nlgauge_lab.metrics.published import ctc as published
from nlgauge_lab.studies.sweep import Setting, Sweep, sweep


class _Relevance:
    """Relevance, with its ingredients as further sub-scores (table 1)."""

    parts: ClassVar[tuple[str, ...]] = ("r→y", "y→x", "sum", "product")

    def values(self, alignments: Sequence[Array], prepared: AspectPrepared) -> tuple[float, ...]:
        covered = sum(map(mean_alignment, alignments[1:])) / len(alignments[1:])
        supported = mean_alignment(alignments[0])
        return (covered, supported, covered + supported, *super().values(alignments, prepared))  # type: ignore[misc]


class _Preservation:
    """Preservation, with each of its directions as a further sub-score (table 2)."""

    parts: ClassVar[tuple[str, ...]] = ("y→x", "x→y", "both")

    def values(self, alignments: Sequence[Array], prepared: AspectPrepared) -> tuple[float, ...]:
        return (*map(mean_alignment, alignments), *super().values(alignments, prepared))  # type: ignore[misc]


class _Engagingness:
    """Engagingness, with the mean in place of the sum as a further sub-score (table 3)."""

    parts: ClassVar[tuple[str, ...]] = ("mean", "sum")

    def values(self, alignments: Sequence[Array], prepared: AspectPrepared) -> tuple[float, ...]:
        return (mean_alignment(alignments[0]), *super().values(alignments, prepared))  # type: ignore[misc]


@dataclass(frozen=True)
class RelevanceVariants(_Relevance, ctc.Relevance):
    """Relevance whose sub-scores are the variants of its ablation."""


@dataclass(frozen=True)
class PreservationVariants(_Preservation, ctc.Preservation):
    """Preservation whose sub-scores are the variants of its ablation."""


@dataclass(frozen=True)
class EngagingnessVariants(_Engagingness, ctc.Engagingness):
    """Engagingness whose sub-scores are the variants of its ablation."""


@dataclass(frozen=True)
class PublishedRelevanceVariants(_Relevance, published.Relevance):
    """published/Relevance whose sub-scores are the variants of its ablation."""


@dataclass(frozen=True)
class PublishedPreservationVariants(_Preservation, published.Preservation):
    """published/Preservation whose sub-scores are the variants of its ablation."""


@dataclass(frozen=True)
class PublishedEngagingnessVariants(_Engagingness, published.Engagingness):
    """published/Engagingness whose sub-scores are the variants of its ablation."""


ABLATIONS: Mapping[str, type[CTCAspect]] = {
    "Relevance": RelevanceVariants,
    "Preservation": PreservationVariants,
    "Engagingness": EngagingnessVariants,
    "published/Relevance": PublishedRelevanceVariants,
    "published/Preservation": PublishedPreservationVariants,
    "published/Engagingness": PublishedEngagingnessVariants,
}


def ablation(
    corpus: Corpus,
    metrics: Sequence[str] | None = None,
    aligners: Sequence[str] = ("E",),
    *,
    model: str | None = None,
    level: str = "pooled",
    **how: Any,
) -> Sweep:
    """Return the agreement with people of CTC's metrics with an ingredient left out (the paper's tables 1, 2 and 3).

    Every variant is computed with stop-words and without.

    Args:
        corpus: rated outputs.
        metrics: Relevance, Preservation, Engagingness or these from published/, with other parameters if wanted. By
            default the first three, as far as the rows have their texts.
        aligners: 'E', 'D', 'R'.
        model: for metrics that name none.
        level: the paper's is 'pooled'.
        how: what `nlgauge_lab.studies.sweep.sweep` takes.

    Raises:
        SpecError: another metric.
        InputError: no row has the texts for any of the metrics.
    """
    settings: list[Setting] = []
    for spec in metrics or _fitting(corpus):
        base = registry.metric(spec, model=model)
        if not isinstance(base, CTCAspect) or base.name not in ABLATIONS:
            raise SpecError(f"{base} has no ablation; there are {', '.join(ABLATIONS)}")
        if base.rescale == "score":
            raise SpecError(f"{base}: its variants have scales of their own; take rescale='token' or 'none'")
        for aligner in aligners:
            for stopwords in (True, False):
                settings += _settings(base, aligner, stopwords)
    return sweep(corpus, settings, ("variant", "stop-words"), level=level, **how)


def _settings(base: CTCAspect, aligner: str, stopwords: bool) -> list[Setting]:
    """Return a setting for each variant of a metric, with one aligner.

    Args:
        base: the metric.
        aligner: 'E', 'D' or 'R'.
        stopwords: whether stop-words count.
    """
    given = {field.name: getattr(base, field.name) for field in fields(base)}
    varied = ABLATIONS[base.name](**{**given, "aligner": aligner, "stopwords": stopwords})
    line = f"{replace(base, aligner='E')} {aligner}"
    counted = "count" if stopwords else "left out"
    return [Setting(line, {"variant": part, "stop-words": counted}, varied, part) for part in varied.parts]


def _fitting(corpus: Corpus) -> list[str]:
    """Return the names of the metrics for which some row has all texts."""
    fitting = [
        name
        for name, kind in ABLATIONS.items()
        if "/" not in name
        and any(all(getattr(row, column) not in (None, ()) for column in kind.needed) for row in corpus)
    ]
    if not fitting:
        raise InputError("no row has a source", remedy="give rows with source, and references or context")
    return fitting

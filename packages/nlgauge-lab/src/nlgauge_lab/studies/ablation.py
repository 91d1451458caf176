"""CTC's ablations: what each ingredient of its metrics adds (the paper's tables 1, 2 and 3, and stop-words on and off).

Relevance: alignment of references with the output, of the output with the source, their sum, their product (the
metric). Preservation: each direction alone, and the harmonic mean of both (the metric). Engagingness: the mean and the
sum (the metric) of the alignments. All variants of an aspect come from one alignment of the texts.
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
    """Relevance, and its ingredients as parts (table 1)."""

    parts: ClassVar[tuple[str, ...]] = ("r→y", "y→x", "sum", "product")

    def values(self, alignments: Sequence[Array], prepared: AspectPrepared) -> tuple[float, ...]:
        covered = sum(map(mean_alignment, alignments[1:])) / len(alignments[1:])
        supported = mean_alignment(alignments[0])
        return (covered, supported, covered + supported, *super().values(alignments, prepared))  # type: ignore[misc]


class _Preservation:
    """Preservation, and each of its directions as a part (table 2)."""

    parts: ClassVar[tuple[str, ...]] = ("y→x", "x→y", "both")

    def values(self, alignments: Sequence[Array], prepared: AspectPrepared) -> tuple[float, ...]:
        return (*map(mean_alignment, alignments), *super().values(alignments, prepared))  # type: ignore[misc]


class _Engagingness:
    """Engagingness, and the mean in place of the sum as a part (table 3)."""

    parts: ClassVar[tuple[str, ...]] = ("mean", "sum")

    def values(self, alignments: Sequence[Array], prepared: AspectPrepared) -> tuple[float, ...]:
        return (mean_alignment(alignments[0]), *super().values(alignments, prepared))  # type: ignore[misc]


@dataclass(frozen=True)
class RelevanceVariants(_Relevance, ctc.Relevance):
    """The variants of Relevance."""


@dataclass(frozen=True)
class PreservationVariants(_Preservation, ctc.Preservation):
    """The variants of Preservation."""


@dataclass(frozen=True)
class EngagingnessVariants(_Engagingness, ctc.Engagingness):
    """The variants of Engagingness."""


@dataclass(frozen=True)
class PublishedRelevanceVariants(_Relevance, published.Relevance):
    """The variants of published/Relevance."""


@dataclass(frozen=True)
class PublishedPreservationVariants(_Preservation, published.Preservation):
    """The variants of published/Preservation."""


@dataclass(frozen=True)
class PublishedEngagingnessVariants(_Engagingness, published.Engagingness):
    """The variants of published/Engagingness."""


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
    """Agreement with people of CTC's metrics with an ingredient left out (the paper's tables 1, 2 and 3).

    metrics: Relevance, Preservation, Engagingness or those of published/, with parameters if wanted; the first three,
    where the rows have their texts, if none is given. aligners: 'E', 'D', 'R'. Every variant is computed with
    stop-words and without. The paper's level is 'pooled'. model: for metrics that name none. how: what
    `nlgauge_lab.studies.sweep.sweep` takes. Raises SpecError for another metric, InputError where the rows have the
    texts of none.
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
    """For one aspect by one aligner: a setting for each of its variants."""
    given = {field.name: getattr(base, field.name) for field in fields(base)}
    varied = ABLATIONS[base.name](**{**given, "aligner": aligner, "stopwords": stopwords})
    line = f"{replace(base, aligner='E')} {aligner}"
    counted = "count" if stopwords else "left out"
    return [Setting(line, {"variant": part, "stop-words": counted}, varied, part) for part in varied.parts]


def _fitting(corpus: Corpus) -> list[str]:
    """The metrics whose texts some row has."""
    fitting = [
        name
        for name, kind in ABLATIONS.items()
        if "/" not in name
        and any(all(getattr(row, column) not in (None, ()) for column in kind.needed) for row in corpus)
    ]
    if not fitting:
        raise InputError("no row has a source", remedy="give rows with source, and references or context")
    return fitting

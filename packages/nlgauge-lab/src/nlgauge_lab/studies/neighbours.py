"""Study of how Mark-Evaluate depends on K: a ball around a point reaches to its K-th neighbour.

One pass over the distances between outputs and references gives all estimators at all K.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlgauge import registry
from nlgauge.answers.correlate import correlate
from nlgauge.contract.base import Value
from nlgauge.data.corpus import Corpus
from nlgauge.data.signature import Signature
from nlgauge.data.table import Column, ScoreTable
from nlgauge.errors import SpecError
from nlgauge.evaluation import evaluate
from nlgauge.metrics.mark_evaluate import MarkEvaluate, sweep
from nlgauge.reports import figures
from nlgauge.show.tables import Cell, Number
from nlgauge_lab.studies.sweep import Point, Sweep, first_items

KS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30)
_ESTIMATORS = ("petersen", "schnabel", "diversity", "capture")


@dataclass(frozen=True)
class Neighbours(MarkEvaluate):
    """Mark-Evaluate at many K, as parts of one corpus-level metric.

    An estimator estimates the number of points in the outputs and references together. The parts are the score of each
    estimator at each K, and then the ratio of the estimated to the true number of points.
    """

    ks: tuple[int, ...] = KS

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.ks or self.ks[0] < 1 or list(self.ks) != sorted(set(self.ks)):
            raise SpecError(f"K must be ascending whole numbers of at least 1, not {list(self.ks)}")

    @property
    def parts(self) -> tuple[str, ...]:  # type: ignore[override]  # the parameters say which numbers there are
        return (*(f"{name}@{k}" for name in _ESTIMATORS for k in self.ks), *self.details)

    @property
    def details(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(f"{name}^@{k}" for name in _ESTIMATORS for k in self.ks)

    def compare(self, evaluated: NDArray[np.float32], reference: NDArray[np.float32]) -> Value:
        swept = sweep(evaluated, reference, self.ks)
        estimates = [(getattr(one, name), one.counts.size) for name in _ESTIMATORS for one in swept]
        scores = [estimate.score for estimate, _ in estimates]
        ratios = [estimate.population / size for estimate, size in estimates]
        beyond = [k for k in self.ks if k >= min(len(evaluated), len(reference))]
        notes = [f"K={k} is more than the number of other points in a set: that number was used" for k in beyond]
        return Value((*scores, *ratios), None, tuple(notes))


@dataclass(frozen=True)
class Estimates:
    """The result of one estimator for one system at one K."""

    system: str
    k: int
    estimator: str
    """'petersen', 'schnabel' (quality), 'diversity' (Schnabel's with the sets exchanged) or 'capture'"""
    score: float
    ratio: float
    """Estimated number of points in both sets, divided by the true number; 1 is a perfect estimate"""


@dataclass(frozen=True)
class NeighbourSweep:
    """The result of `neighbours`."""

    records: tuple[Estimates, ...]
    agreement: Sweep | None
    """Agreement with people over systems; None if nothing is rated"""
    rows: int
    signatures: dict[str, Signature]
    notes: tuple[str, ...]

    @property
    def ks(self) -> list[int]:
        """The values of K, in order."""
        return list(dict.fromkeys(one.k for one in self.records))

    @property
    def systems(self) -> list[str]:
        """The names of the systems, in order."""
        return list(dict.fromkeys(one.system for one in self.records))

    def tables(self) -> list[list[list[Cell]]]:
        """Return tables for a terminal.

        The first has the scores, with a row for each system and estimator and a column for each K. The others have the
        agreement with people.
        """
        scores = {(one.system, one.estimator, one.k): one.score for one in self.records}
        cells: list[list[Cell]] = [["score", "estimator", *(f"K={k}" for k in self.ks)]]
        for system in self.systems:
            for name in _ESTIMATORS:
                values = [scores[system, name, k] for k in self.ks]
                cells.append([system, name, *(Number(value, digits=3) for value in values)])
        return [cells, *(self.agreement.tables() if self.agreement else [])]

    def draw(self, path: Path) -> None:
        """Draw two panels with a curve over K for each estimator: estimated over true number of points, and the score.

        The curves are means over the systems. If people rated the systems, each aspect has a panel of agreement too.
        """
        panels: dict[str, dict[str, figures.Curve]] = {}
        at = [float(place) for place in range(len(self.ks))]
        for title, what in (("estimated over true size", "ratio"), ("score", "score")):
            panels[title] = {}
            for name in _ESTIMATORS:
                values = [
                    [getattr(one, what) for one in self.records if (one.estimator, one.k) == (name, k)] for k in self.ks
                ]
                finite = [[value for value in at_k if math.isfinite(value)] for at_k in values]
                means = [float(np.mean(at_k)) if at_k else math.nan for at_k in finite]
                panels[title][name] = figures.Curve(at, means)
        for aspect in self.agreement.aspects if self.agreement else []:
            assert self.agreement is not None
            coefficient = self.agreement.coefficients[0]
            panels[f"{coefficient} with {aspect}"] = {
                name: figures.Curve(at, [p.agreement.value for p in self.agreement.of(name, aspect, coefficient)])
                for name in _ESTIMATORS
            }
        figures.curves(path, panels, across="K", up="", ticks=[str(k) for k in self.ks])


def neighbours(
    corpus: Corpus,
    metric: str | MarkEvaluate = "MarkEvaluate",
    ks: Sequence[int] = KS,
    *,
    model: str | None = None,
    items: int | None = None,
    coefficients: Sequence[str] = ("pearson",),
    aspects: Sequence[str] | None = None,
    replicates: int = 1000,
    seed: int = 0,
    against: Corpus | None = None,
    progress: bool = False,
    cache: bool | str | Path = True,
) -> NeighbourSweep:
    """Return all estimates at many K for every system, and their agreement with people (the paper's figure 2).

    The paper has one pair of sets, without ratings. Its tables 1 to 3 give the best K of each method, chosen on the
    same ratings that judge the method.

    Args:
        corpus: outputs with references, and with ratings for the agreement.
        metric: MarkEvaluate with any unit, layers and normalisation. Its k and estimator do not matter.
        ks: values of K, ascending.
        model: for a metric that names none.
        items: how many items to use, from the first; all by default.
        coefficients, aspects, replicates, seed: as in `nlgauge.correlate`.
        against: a set to compare with in place of the references.
        progress: whether to show a progress bar.
        cache: as in `nlgauge.evaluate`.

    Raises:
        SpecError: another metric, or K that are not ascending numbers of at least 1.
        InputError: as `nlgauge.evaluate` and `nlgauge.correlate` raise it.
    """
    base = registry.metric(metric, model=model)
    if not isinstance(base, MarkEvaluate):
        raise SpecError(f"{base} is not MarkEvaluate")
    rows = first_items(corpus, items)
    given = {name: getattr(base, name) for name in ("unit", "pooling", "layers", "normalize", "model")}
    swept = Neighbours(**given, ks=tuple(ks))
    table = evaluate(rows, metrics=swept, against=against, progress=progress, cache=cache)
    (spec,) = table.metrics
    column = table.columns[spec]
    notes = [*table.run["notes"].get(spec, {})]
    notes += dict.fromkeys(f"{table.systems[at]}: {reason}" for at, reason in column.reasons.items())
    agreement = None
    if any(row.scores for row in rows):
        size = len(column.scores)
        scores = Column(column.scores, column.values[:, :size], column.reasons, level="system")
        judged = ScoreTable(
            rows=table.rows, columns={spec: scores}, signatures=table.signatures, run={}, version=table.version
        )
        points = []
        for coefficient in coefficients:
            for one in correlate(
                judged,
                rows,
                level="system",
                coefficient=coefficient,
                aspects=aspects,
                resample="systems",
                replicates=replicates,
                seed=seed,
            ):
                name, _, k = one.part.partition("@")
                points.append(Point(name, {"K": int(k)}, one))
        count = len({row.item for row in rows})
        agreement = Sweep(
            points=tuple(points), axes=("K",), level="system", rows=len(rows), items=count, signatures=table.signatures
        )
    place = {part: number for number, part in enumerate(column.parts)}
    records = tuple(
        Estimates(
            system=system, k=k, estimator=name, score=values[place[f"{name}@{k}"]], ratio=values[place[f"{name}^@{k}"]]
        )
        for system, values in zip(table.systems, column.values.tolist(), strict=True)
        for name in _ESTIMATORS
        for k in swept.ks
    )
    return NeighbourSweep(
        records=records, agreement=agreement, rows=len(rows), signatures=table.signatures, notes=tuple(notes)
    )

"""`nlgauge.calibrate`: a bar with a promise, from the scores of all rows and the ratings of some."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from nlgauge.data.corpus import Corpus
from nlgauge.data.signature import Signature
from nlgauge.data.table import ScoreTable
from nlgauge.errors import InputError
from nlgauge.maths.bounds import binomial_p, certified, cluster_p, half_seen, proportion
from nlgauge.maths.prediction_powered import Design, Integers
from nlgauge.meta.arrays import Float, Mask
from nlgauge.meta.bar import RatedBar
from nlgauge.meta.drawn import Draw
from nlgauge.meta.fitting import folds_of
from nlgauge.meta.join import Source, turned
from nlgauge.meta.rated import rated_rows
from nlgauge.meta.refusing import LEAST, chosen_by_score
from nlgauge.meta.selection import label, meant

SHARES = np.arange(1, 41) / 40
"""The shares of the scored rows that pass the bars that are tried, the strictest first"""
WAYS = ("risk", "f1", "cost", "precision")
_BINS, _FOLDS = 5, 5


@dataclass(frozen=True)
class Chosen:
    """A threshold, and what it did to rated rows."""

    by: str
    threshold: float = math.nan
    """NaN where there is none"""
    passing: float = math.nan
    """The share of all scored rows that passes"""
    bad: float = math.nan
    """The share of bad rows among rated ones that pass; NaN where none does"""
    precision: float = math.nan
    """The share of the rows that are stopped that is bad"""
    recall: float = math.nan
    """The share of the bad rows that is stopped"""
    honest: bool = False
    """Whether the last three are of rows that the threshold was not chosen on"""
    reason: str | None = None
    """Why there is no threshold, and what to do"""


@dataclass(frozen=True)
class Bin:
    """A fifth of the rated rows, by score; rows without one are in the worst fifth."""

    low: float
    high: float
    mean: float
    """The ends of the scores, and their mean; NaN where no row has one"""
    n: int
    good: float
    good_low: float
    good_high: float
    """The share of good rows, with its exact 95 % interval, as if rows were independent"""


@dataclass(frozen=True)
class Calibration:
    """What ratings say of a metric's thresholds."""

    metric: str
    aspect: str
    n: int
    clusters: int
    bad: int
    chosen: tuple[Chosen, ...]
    """The certified one first, then those without a promise"""
    reliability: tuple[Bin, ...]
    bars: tuple[RatedBar, ...] = field(repr=False)
    """Those that there are, as files"""

    def bar(self, by: str = "risk") -> RatedBar:
        """The bar of one way. Raises InputError where there is none."""
        for one in self.bars:
            if one.by == by:
                return one
        reason = next((one.reason for one in self.chosen if one.by == by), f"there is no way {by!r}")
        raise InputError(f"no bar: {reason}")


def calibrate(
    table: ScoreTable,
    ratings: Source,
    *,
    metric: str | None = None,
    aspect: str | None = None,
    below: float | None = None,
    risk: float = 0.1,
    confidence: float = 0.9,
    cost: float = 1.0,
    precision: float = 0.9,
    cluster: str | None = None,
    outputs: Corpus | None = None,
    draw: Draw | None = None,
    seed: int = 0,
) -> Calibration:
    """Bars for `nlgauge.check`, of which the first keeps a promise.

    At most the share `risk` of the rows that pass the certified bar is bad, in expectation over rows like these; a
    bar that breaks this comes out of at most 1 - confidence of all drawings of rated rows. The bars that let pass
    1/40, 2/40, ... of the scored rows are tested in this order, from the first that could be certified if half the
    risk were seen, by exact binomial tests, and the last that is certified is taken (learn then test; see
    `nlgauge.maths.bounds`). Rated rows have to be drawn at random from the scored ones. `nlgauge.estimate` explains
    metric (one, with its part), cluster, outputs and draw; rows of one item are a cluster where there are several.

    below: a row is bad that is rated below this; may be left out where all ratings are 0 or 1.
    Without a promise, chosen on the rated rows: by F1 of finding bad rows; by cost, a bad row that passes costing
    `cost` times as much as a good one that is stopped; and by precision, the bar that stops most rows while the share
    of bad ones among them is at least `precision`. What these do is counted on folds that they were not chosen on.

    Raises InputError for what does not exist or does not go together, with fewer than `nlgauge.estimate` needs, and
    where the rated rows were not drawn at random from all.
    """
    table = table.per_item()
    for what, value in (("risk", risk), ("confidence", confidence), ("precision", precision)):
        if not 0 < value < 1:
            raise InputError(f"the {what} {value!r} is not between 0 and 1", remedy="0.1 or 0.9, for two")
    spec, part = _part(table, metric)
    column = table.columns[spec]
    rated = rated_rows(
        table, ratings, None if aspect is None else [aspect], cluster=cluster, outputs=outputs, draw=draw
    )
    if len(rated.values) > 1:
        raise InputError("several aspects are rated", remedy=f"name one of {', '.join(rated.values)}")
    ((aspect, given),) = rated.values.items()
    known = ~np.isnan(given)
    if below is None:
        if not np.isin(given[known], (0, 1)).all():
            raise InputError(f"{aspect} is not rated by 0 and 1", remedy="say with below= which ratings are bad")
        below = 1.0
    clusters = rated.clusters if rated.clusters is not None else rated.items
    scores = turned(column, column.parts.index(part))
    scores = np.where(np.isnan(scores), -math.inf, scores)
    if rated.probabilities is not None or rated.strata.any():
        problem = "rows were drawn with unequal probabilities, for which no bar can be certified"
        raise InputError(problem, remedy="rate rows that nlgauge sample drew at random")
    rows = RatedScores(scores, known, (given < below) & known, np.unique(clusters, return_inverse=True)[1])
    rows.refuse(rated.at_random)
    chosen = [rows.certified(risk, 1 - confidence)]
    chosen += [rows.best(by, cost, precision, seed) for by in WAYS[1:]]
    sign = 1 if column.higher_is_better else -1
    signature = table.signatures.get(spec, Signature(spec))
    finite = scores[known][np.isfinite(scores[known])]
    bars = [
        RatedBar(
            spec, part, "at_least" if sign > 0 else "at_most", sign * one.threshold, one.by,
            risk if one.by == "risk" else None, confidence if one.by == "risk" else None, int(known.sum()),
            one.passing, aspect, float(below), str(signature), signature.facts, tuple((sign * finite).tolist()),
        )
        for one in chosen
        if math.isfinite(one.threshold)
    ]  # fmt: skip
    shown = [Chosen(**{**vars(one), "threshold": sign * one.threshold}) for one in chosen]
    return Calibration(
        label(table, spec, part), aspect, int(known.sum()), rows.units, int(rows.bad.sum()), tuple(shown),
        tuple(rows.reliability(sign)), tuple(bars),
    )  # fmt: skip


def _part(table: ScoreTable, metric: str | None) -> tuple[str, str]:
    """Raises SpecError for one that is not there, InputError for several, and for one that has no better
    direction or one number a system."""
    spec, parts = meant(table, metric)
    column = table.columns[spec]
    if column.level != "item" or parts[0] in column.details:
        what = "one number a system" if column.level != "item" else "no better direction"
        raise InputError(f"{spec} {parts[0]} has {what}", remedy="name a part that rows have, and that has one")
    return spec, parts[0]


@dataclass(frozen=True)
class RatedScores:
    """All rows of a table: each [rows], larger scores being better."""

    scores: Float
    rated: Mask
    bad: Mask
    clusters: Integers

    @property
    def units(self) -> int:
        """How many clusters hold rated rows."""
        return int((np.bincount(self.clusters, self.rated) > 0).sum())

    def refuse(self, at_random: bool) -> None:
        """Raises InputError where nothing can be learned from the ratings."""
        n, wrong = int(self.rated.sum()), int(self.bad.sum())
        rate = "rate more rows, drawn by nlgauge sample"
        if min(n, self.units) < LEAST:
            what = f"{n} rows are rated" if n < LEAST else f"the ratings are of {self.units} clusters"
            raise InputError(f"{what}, and at least {LEAST} are needed", remedy=rate)
        if wrong in (0, n):
            raise InputError(f"{wrong} of {n} rated rows are bad", remedy=f"{rate}, until there are both kinds")
        finite = np.where(np.isfinite(self.scores), self.scores, self.scores[np.isfinite(self.scores)].min())
        design = Design(self.rated, np.zeros(len(self.scores), np.intp), None, self.clusters)
        if at_random and chosen_by_score(finite[:, None], design):
            problem = "the rated rows' scores are not like those of the others, so they were not drawn at random"
            raise InputError(problem, remedy="rate rows that nlgauge sample drew, and give its key")

    def certified(self, risk: float, error: float) -> Chosen:
        """The bar that lets most rows pass, of those whose risk is surely small enough."""
        bars = list(dict.fromkeys(np.quantile(self.scores, 1 - SHARES, method="lower").tolist()))
        bars = [bar for bar in bars if math.isfinite(bar)]
        rows = np.flatnonzero(self.rated)
        scores, bad = self.scores[rows], self.bad[rows]
        clusters = np.unique(self.clusters[rows], return_inverse=True)[1]
        passed = [np.bincount(clusters, scores >= bar).astype(float) for bar in bars]
        wrong = [np.bincount(clusters, bad & (scores >= bar)).astype(float) for bar in bars]
        # No rating has a part in where the sequence begins: there half the risk, if it were seen, would be enough.
        hoped = [_p(half_seen(of, risk), of, risk) for of in passed]
        start = next((place for place, p in enumerate(hoped) if p <= error), len(bars))
        found = certified([_p(*of, risk) for of in zip(wrong, passed, strict=True)], start, error)
        if found:
            return self._chosen("risk", bars[found[-1]], np.full(len(self.scores), bars[found[-1]]), False)
        reason = f"no bar can be certified at a risk of {risk:g} with confidence {1 - error:g}: "
        if start == len(bars):
            reason += f"{int(self.rated.sum())} rated rows are too few to show so small a risk; rate more"
        else:
            best = f"{int(wrong[start].sum())} of the {int(passed[start].sum())} rated rows with the best scores"
            reason += f"{best} are bad; rate more, allow a larger risk, or take a metric that tells them better apart"
        return Chosen("risk", reason=reason)

    def best(self, by: str, cost: float, precision: float, seed: int) -> Chosen:
        """The best threshold on the rated rows; what it does, by thresholds chosen on other folds."""
        rows = np.flatnonzero(self.rated)
        fold = folds_of(self.clusters[rows], _FOLDS, seed)
        of_row = np.full(len(self.scores), math.nan)
        for number in range(int(fold.max()) + 1):
            out = fold == number
            of_row[rows[out]] = _threshold(self.scores[rows[~out]], self.bad[rows[~out]], by, cost, precision)
        threshold = _threshold(self.scores[rows], self.bad[rows], by, cost, precision)
        if math.isinf(threshold):
            reason = f"by {by} it is best to let every row pass, even those without a score"
            return Chosen(by, honest=True, reason=reason)
        return self._chosen(by, threshold, of_row, True)

    def _chosen(self, by: str, threshold: float, of_row: Float, honest: bool) -> Chosen:
        passed, bad = self.scores >= of_row, self.bad
        through, stopped = self.rated & passed, self.rated & ~passed
        whole = float((self.scores >= threshold).mean())
        of_through, of_stopped = _share(bad & through, through), _share(bad & stopped, stopped)
        return Chosen(by, threshold, whole, of_through, of_stopped, _share(bad & stopped, bad), honest)

    def reliability(self, sign: int) -> Iterator[Bin]:
        """The share of good rows by score, from the lowest scores as the metric gives them."""
        rows = np.flatnonzero(self.rated)
        for some in np.array_split(rows[np.argsort(sign * self.scores[rows], kind="stable")], _BINS):
            good = int(len(some) - self.bad[some].sum())
            known = sign * self.scores[some][np.isfinite(self.scores[some])]
            scores = (float(known.min()), float(known.max()), float(known.mean())) if len(known) else (math.nan,) * 3
            yield Bin(*scores, len(some), good / len(some), *proportion(good, len(some)))


def _p(wrong: Float, passed: Float, risk: float) -> float:
    """p that the risk is larger, from the rows of each cluster that pass and those of them that are bad."""
    if passed.max(initial=0) <= 1:
        return binomial_p(int(wrong.sum()), int(passed.sum()), risk)
    return cluster_p(wrong, passed, risk)


def _share(some: Mask, of: Mask) -> float:
    return float(some.sum() / of.sum()) if of.any() else math.nan


def _threshold(scores: Float, bad: Mask, by: str, cost: float, precision: float) -> float:
    """The best of the thresholds between two scores that differ: a row passes that has as much or more."""
    order = np.argsort(scores, kind="stable")
    values, wrong = scores[order], bad[order]
    cuts = np.flatnonzero(values[1:] > values[:-1]) + 1
    stopped = np.concatenate([[0], cuts]).astype(int)
    found = np.concatenate([[0], np.cumsum(wrong)])[stopped]
    alarms, missed = stopped - found, wrong.sum() - found
    if by == "f1":
        worth = 2 * found / np.maximum(2 * found + alarms + missed, 1)
    elif by == "cost":
        worth = -(cost * missed + alarms)
    else:
        worth = np.where(found >= precision * stopped, stopped, -1)
    return float(values[stopped[int(np.argmax(worth))]])

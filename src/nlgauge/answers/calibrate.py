"""`nlgauge.calibrate`: a threshold with a promise, from the scores of all rows and the ratings of some."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from nlgauge.answers.rated_scores import Bin, Chosen, RatedTask
from nlgauge.answers.rated_threshold import RatedThreshold
from nlgauge.answers.wordings import wording_of
from nlgauge.data.corpus import Corpus
from nlgauge.data.signature import Signature
from nlgauge.data.table import ScoreTable
from nlgauge.data.table.selection import label, meant
from nlgauge.errors import InputError
from nlgauge.ratings.join import Source, turned
from nlgauge.ratings.rated import rated_rows, unseen
from nlgauge.ratings.sampling import Draw
from nlgauge.ratings.trials import by_trial, refuse_unnamed
from nlgauge.show.answer import Answer, Answered
from nlgauge.show.tables import Cell, Cells, Number
from nlgauge.stats.arrays import Mask
from nlgauge.stats.interrater import RaterAgreement

WAYS = ("risk", "recall", "f1", "cost", "precision")
"""How a threshold is chosen: the first two with a promise"""


def by_score(bins: Iterable[Bin]) -> Cells:
    """Return a line for each group: ends and mean of its scores, its size, and the share of good rows."""
    cells: list[list[Cell]] = [["score", "", "mean", "rated", "good"]]
    for of_bin in bins:
        ends = [Number(of_bin.low), Number(of_bin.high), Number(of_bin.mean)]
        cells.append([*ends, Number(of_bin.n, digits=0), Number(*of_bin.good, digits=2)])
    return cells


@dataclass(frozen=True, repr=False)
class Calibration(Answered):
    """What ratings say of a metric's thresholds."""

    metric: str
    aspect: str
    n: int
    clusters: int
    bad: int
    blank: int
    """Rows that raters passed by. They count as bad in the tests of a promise, and in nothing else"""
    chosen: tuple[Chosen, ...]
    """Those with a promise first, then those without one"""
    reliability: tuple[Bin, ...]
    notes: tuple[str, ...]
    """What was left out of the tests, and what is to be known of the ratings"""
    thresholds: tuple[RatedThreshold, ...] = field(repr=False)
    """Those that there are, as files"""
    agreement: tuple[RaterAgreement, ...] = ()
    """Of the raters, where there are several"""

    def to_answer(self) -> Answer:
        """Return the thresholds, and the share of good rows by score."""
        heads = ["threshold by", "threshold", "rows that pass", "bad among these", "bad rows stopped"]
        chosen: list[list[Cell]] = [
            [
                chosen.by,
                Number(chosen.threshold),
                *(Number(share, digits=3) for share in (chosen.passing, chosen.bad, chosen.recall)),
            ]
            for chosen in self.chosen
        ]
        record = {name: value for name, value in vars(self).items() if name not in ("thresholds", "notes")}
        return Answer(
            command="calibrate",
            record=record,
            tables=[[heads, *chosen], by_score(self.reliability)],
            legend=[f"{self.metric}, {self.aspect}: {self.bad} of {self.n} rated rows are bad"],
            notes=self.notes,
        )

    def bar(self, by: str = "risk") -> RatedThreshold:
        """Return what `threshold` returns: the name before 0.2, for one version more."""
        warnings.warn("Calibration.bar is now Calibration.threshold", DeprecationWarning, stacklevel=2)
        return self.threshold(by)

    def threshold(self, by: str = "risk") -> RatedThreshold:
        """Return the threshold of one way.

        Args:
            by: the way, of `WAYS`.

        Returns:
            The threshold.

        Raises:
            InputError: there is no threshold of this way; the error says why.
        """
        for threshold in self.thresholds:
            if threshold.by == by:
                return threshold
        reason = next((chosen.reason for chosen in self.chosen if chosen.by == by), f"there is no way {by!r}")
        raise InputError(f"no threshold: {reason}")


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
    recall: float | None = None,
    system: str | None = None,
    cluster: str | None = None,
    outputs: Corpus | None = None,
    draw: Draw | None = None,
    bands: bool = False,
    seed: int = 0,
) -> Calibration:
    """Return thresholds for `nlgauge.check`, of which the first keeps a promise.

    At most the share `risk` of the rows that pass the certified threshold is bad, in expectation over rows like these;
    a threshold that breaks this comes out of at most 1 - confidence of all drawings of rated rows. The thresholds that
    let pass 1/40, 2/40, ... of the scored rows are tested in this order, from the first that could be certified if half
    the risk were seen, by exact binomial tests, and the last that is certified is taken (learn then test; see
    `nlgauge.maths.intervals`). Rated rows have to be drawn at random from the scored ones; where some were drawn with a
    larger probability than others, as many of these are left out at random. Where rows of a cluster were rated (rows of
    one item are a cluster where there are several), the tests take at most one of them, at random. Rows that raters
    passed by (`nlgauge.ratings.refusing.blank`) count as bad in the tests.

    With `bands`, answers in other words than their source are not judged where the ratings show that the metric cannot
    read them (`nlgauge.answers.wordings.unread_below`): they neither pass nor fail, and all promises are of the
    others. The ratings that choose the band also test the thresholds, so the tests share the probability of an error:
    half of it is for judging all rows, and a tenth of it for each of the five bands that may be left out.

    Thresholds without a promise are chosen on the rated rows, in three ways: by F1 of finding bad rows; by cost; and by
    precision. What these do is counted on folds that they were not chosen on.

    Args:
        table: the scores of all rows.
        ratings: as `nlgauge.estimate` takes them; the ratings of a rating project bring how rows were drawn.
        metric: one, with its sub-score; may be left out where the table has one.
        aspect: what is rated; may be left out where there is one.
        below: a row is bad that is rated below this; may be left out where all ratings are 0 or 1.
        risk: what is promised: at most this share of the rows that pass is bad.
        confidence: that of the promise.
        cost: of the threshold by cost: a bad row that passes costs `cost` times as much as a good one that is stopped.
        precision: of the threshold by precision: it stops most rows while the share of bad ones among them is at least
            this.
        recall: also promise that at least this share of the bad rows is stopped, with the same confidence.
        system: rows of this system alone.
        cluster: as `nlgauge.estimate` takes it.
        outputs: as `nlgauge.estimate` takes them.
        draw: as `nlgauge.estimate` takes it.
        bands: leave answers unread whose wording the metric is shown not to read. Their sources are read from
            `outputs`, else from `ratings`.
        seed: of what is left out at random, and of the folds.

    Returns:
        The thresholds, what they did to the rated rows, and the share of good rows by score.

    Raises:
        SpecError: for an unknown metric.
        InputError: for what does not exist or does not go together, with fewer ratings than `nlgauge.estimate` needs,
            where the rated rows were not drawn at random from all, and where raters passed rows by and all others are
            good, or all bad.
    """
    for what, value in (
        ("risk", risk),
        ("confidence", confidence),
        ("precision", precision),
        ("recall", recall),
    ):
        if value is not None and not 0 < value < 1:
            raise InputError(f"the {what} {value!r} is not between 0 and 1", remedy="0.1 or 0.9, for two")
    table, ratings, outputs = by_trial(table, ratings, outputs, drawn=draw is not None and draw.of_trials)
    refuse_unnamed(table)
    spec, part = _part(table, metric)
    rated = rated_rows(
        table, ratings, None if aspect is None else [aspect], cluster=cluster, outputs=outputs, draw=draw
    )
    table, _ = unseen(table, rated.values, rated.notes)
    column = table.columns[spec]
    if len(rated.values) > 1:
        raise InputError("several aspects are rated", remedy=f"name one of {', '.join(rated.values)}")
    (aspect,) = rated.values
    task = RatedTask.of(
        rated,
        aspect,
        scores=turned(column, column.parts.index(part)),
        below=below,
        within=_of_system(table, system),
        seed=seed,
    )
    rows, below = task.rows, task.below
    rows, apart = rows.independent(task.rng)
    error, unread = 1 - confidence, None
    if bands:
        texts = outputs if outputs is not None else ratings if isinstance(ratings, Corpus) else None
        unread, error, said = rows.unread(None if texts is None else wording_of(table, texts)[task.within], error)
        apart = [*apart, said]
        rows = rows if unread is None else rows.of(unread.read)
    n, scores = int(rows.rated.sum()), rows.scores
    chosen = [rows.certified(risk, error)]
    chosen += [] if recall is None else [rows.recalled(recall, error)]
    chosen += [rows.best(by, cost, precision, seed) for by in WAYS[2:]]
    sign = 1 if column.higher_is_better else -1
    signature = table.signatures.get(spec, Signature(spec))
    finite = scores[rows.rated & np.isfinite(scores)]
    promised = ("risk", "recall")
    thresholds = [
        RatedThreshold(
            metric=spec,
            part=part,
            direction="at_least" if sign > 0 else "at_most",
            threshold=sign * choice.threshold,
            by=choice.by,
            risk=risk if choice.by == "risk" else None,
            confidence=confidence if choice.by in promised else None,
            n=n,
            passing=choice.passing,
            aspect=aspect,
            below=float(below),
            signature=str(signature),
            facts=signature.facts,
            scores=tuple((sign * finite).tolist()),
            recall=recall if choice.by == "recall" else None,
            bands=None if unread is None else unread.bands,
        )
        for choice in chosen
        if math.isfinite(choice.threshold)
    ]
    shown = [Chosen(**{**vars(choice), "threshold": sign * choice.threshold}) for choice in chosen]
    return Calibration(
        metric=label(table, spec, part),
        aspect=aspect,
        n=n,
        clusters=rows.units,
        bad=int(rows.bad.sum()),
        blank=rows.blanks,
        chosen=tuple(shown),
        reliability=tuple(rows.reliability(sign)),
        notes=(*rated.notes, *task.notes, *apart),
        thresholds=tuple(thresholds),
        agreement=rated.agreement,
    )


def _part(table: ScoreTable, metric: str | None) -> tuple[str, str]:
    """Return the spec of a metric and its deciding sub-score.

    Raise SpecError for a metric that is not there, InputError for several, and for a sub-score that has no better
    direction or one number for each system.
    """
    spec, parts = meant(table, metric)
    column = table.columns[spec]
    if column.level != "item" or parts[0] in column.details:
        what = "one number a system" if column.level != "item" else "no better direction"
        raise InputError(f"{spec} {parts[0]} has {what}", remedy="name a sub-score that rows have, and that has one")
    return spec, parts[0]


def _of_system(table: ScoreTable, system: str | None) -> Mask:
    """Return which rows are of a system, or all. Raises InputError for one that is not there."""
    if system is None:
        return np.ones(len(table.rows), bool)
    if system not in table.systems:
        raise InputError(f"there is no system {system!r}", remedy=f"the scores have {', '.join(table.systems)}")
    return np.array([of == system for of, _ in table.rows])

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
"""The ways to choose a threshold: the first two certify a promise, and the others do not"""


def by_score(bins: Iterable[Bin]) -> Cells:
    """Return a table with a line for each bin: ends and mean of its scores, its size, its share of good rows."""
    cells: list[list[Cell]] = [["score", "", "mean", "rated", "good"]]
    for of_bin in bins:
        ends = [Number(of_bin.low), Number(of_bin.high), Number(of_bin.mean)]
        cells.append([*ends, Number(of_bin.n, digits=0), Number(*of_bin.good, digits=2)])
    return cells


@dataclass(frozen=True, repr=False)
class Calibration(Answered):
    """The thresholds of a metric that ratings choose, and what these thresholds do to the rated rows."""

    metric: str
    aspect: str
    n: int
    clusters: int
    bad: int
    blank: int
    """The number of rows that raters left blank. They count as bad in the tests of a promise, and nowhere else"""
    chosen: tuple[Chosen, ...]
    """The thresholds, one for each way of `WAYS` that was asked for: first those with a promise, then those without
    one"""
    reliability: tuple[Bin, ...]
    notes: tuple[str, ...]
    """What was left out of the tests, and what the reader has to know about the ratings"""
    thresholds: tuple[RatedThreshold, ...] = field(repr=False)
    """The thresholds of `chosen` as records that can be saved, without the ways for which there is no threshold"""
    agreement: tuple[RaterAgreement, ...] = ()
    """The agreement of the raters with each other, where there are several"""

    def to_answer(self) -> Answer:
        """Return the answer: a table of the thresholds, and one of the share of good rows by score."""
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
        """Return the threshold of one way. This deprecated name of `threshold` goes after one more version."""
        warnings.warn("Calibration.bar is now Calibration.threshold", DeprecationWarning, stacklevel=2)
        return self.threshold(by)

    def threshold(self, by: str = "risk") -> RatedThreshold:
        """Return the threshold that was chosen in one way.

        Args:
            by: the way, one of `WAYS`.

        Returns:
            The threshold.

        Raises:
            InputError: no threshold was chosen in this way; the message says why.
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

    The promise: of the rows that pass the certified threshold, at most the share `risk` is bad, in expectation over
    rows like these. The promise is broken with a probability of at most 1 - confidence over the random choice of the
    rated rows. The candidate thresholds let 1/40, 2/40, ... of the scored rows pass. Exact binomial tests try them in
    this order, beginning with the first candidate that would be certified if the share of bad rows were half of `risk`;
    the last candidate that is certified is taken (learn then test; see `nlgauge.maths.intervals`). The rated rows have
    to be drawn at random from the scored rows. Where some rows were drawn with a larger probability than others, some
    of these rows are left out at random. The tests take at most one rated row of each cluster, at random; by default,
    the rows of an item are a cluster. Rows that raters left blank (`nlgauge.ratings.refusing.blank`) count as bad in
    the tests.

    With `bands`, answers that share few words with their source are not judged if the ratings show that the metric
    cannot tell good from bad ones among them (`nlgauge.answers.wordings.unread_below`). They neither pass nor fail, and
    the promises hold for the other answers. The ratings that choose the band also test the thresholds, so the tests
    share the probability of an error: half of it is for judging all rows, and a tenth of it for each of the five bands
    that may be left out.

    Thresholds without a promise are chosen on the rated rows, in three ways: by F1 of finding bad rows; by cost; and by
    precision. Their effect on the rated rows is counted by cross-fitting: each row is decided by a threshold that was
    chosen on other rows.

    Args:
        table: the scores of all rows.
        ratings: as `nlgauge.estimate` takes them; a rating project also says how its rows were drawn.
        metric: a metric, with its sub-score; it may be left out where the table has only one metric.
        aspect: the aspect of the ratings; it may be left out where there is only one.
        below: a row rated below this is bad; it may be left out where all ratings are 0 or 1.
        risk: the largest share of bad rows among those that pass, which the promise names.
        confidence: the confidence of the promise.
        cost: for the threshold by cost: how many times as much a bad row that passes costs as a good row that is
            stopped.
        precision: for the threshold by precision: the least share of bad rows among the stopped rows. The threshold
            stops as many rows as this allows.
        recall: if given, a second threshold promises with the same confidence that at least this share of the bad rows
            is stopped.
        system: use the rows of this system alone; all rows by default.
        cluster: as `nlgauge.estimate` takes it.
        outputs: as `nlgauge.estimate` takes them.
        draw: as `nlgauge.estimate` takes it.
        bands: whether to leave out answers whose wording the metric is shown to fail on, as said above. The sources
            come from `outputs`, else from `ratings`.
        seed: the seed of the random choices and of the folds.

    Returns:
        The thresholds, what they did to the rated rows, and the share of good rows by score.

    Raises:
        SpecError: the metric is unknown.
        InputError: an argument names something that does not exist, or arguments contradict each other; there are fewer
            ratings than `nlgauge.estimate` needs; the rated rows were not drawn at random; or there are blank rows
            while all rated rows are good, or all are bad.
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

    Raise SpecError for an unknown metric, and InputError where none of several metrics is named, or where the sub-score
    has no better direction or only one number for each system.
    """
    spec, parts = meant(table, metric)
    column = table.columns[spec]
    if column.level != "item" or parts[0] in column.details:
        what = "one number a system" if column.level != "item" else "no better direction"
        raise InputError(f"{spec} {parts[0]} has {what}", remedy="name a sub-score that rows have, and that has one")
    return spec, parts[0]


def _of_system(table: ScoreTable, system: str | None) -> Mask:
    """Return which rows belong to a system; all rows for None. Raise InputError for an unknown system."""
    if system is None:
        return np.ones(len(table.rows), bool)
    if system not in table.systems:
        raise InputError(f"there is no system {system!r}", remedy=f"the scores have {', '.join(table.systems)}")
    return np.array([of == system for of, _ in table.rows])

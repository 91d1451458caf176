"""`nlgauge.calibrate`: a threshold with a promise, from the scores of all rows and the ratings of some."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from nlgauge.answers.rated_threshold import RatedThreshold
from nlgauge.answers.wordings import unread_below, wording_of
from nlgauge.data.corpus import Corpus
from nlgauge.data.signature import Signature
from nlgauge.data.table import ScoreTable
from nlgauge.data.table.selection import label, meant
from nlgauge.errors import InputError
from nlgauge.maths.inference import Measured
from nlgauge.maths.intervals import binomial_p, certified, proportion
from nlgauge.maths.prediction_powered import Design, Integers
from nlgauge.maths.wording import EDGES, Band, readable
from nlgauge.ratings.join import Source, turned
from nlgauge.ratings.rated import RatedRows, rated_rows, unseen
from nlgauge.ratings.refusing import LEAST, alike, chosen_by_score, unanswered
from nlgauge.ratings.sampling import Draw
from nlgauge.ratings.trials import by_trial, refuse_unnamed
from nlgauge.show.answer import Answer, Answered
from nlgauge.show.tables import Cell, Cells, Number
from nlgauge.stats.arrays import Float, Mask
from nlgauge.stats.fitting import folds_of
from nlgauge.stats.interrater import RaterAgreement

SHARES = np.arange(1, 41) / 40
"""The shares of the scored rows that pass the thresholds that are tried, the strictest first"""
WAYS = ("risk", "recall", "f1", "cost", "precision")
"""How a threshold is chosen: the first two with a promise"""
_BINS, _FOLDS = 5, 5
_NOWHERE = (math.nan, math.nan, math.nan)


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
    tipping: int | None = None
    """Where raters passed rows by: how many of these have to be bad until no threshold can be certified any more. None
    where a threshold is certified even if all of them are bad, and where none is although all of them are good"""


@dataclass(frozen=True)
class Bin:
    """About a fifth of the rated rows, by score; rows of one score are in one group, those without one in the worst."""

    low: float
    high: float
    mean: float
    """The ends of the scores, and their mean; NaN where no row has one"""
    n: int
    good: Measured
    """The share of good rows, with its exact 95 % interval, as if rows were independent"""


def by_score(bins: Iterable[Bin]) -> Cells:
    """Return a line for each group: ends and mean of its scores, its size, and the share of good rows."""
    cells: list[list[Cell]] = [["score", "", "mean", "rated", "good"]]
    for one in bins:
        ends = [Number(one.low), Number(one.high), Number(one.mean)]
        cells.append([*ends, Number(one.n, digits=0), Number(*one.good, digits=2)])
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
                one.by,
                Number(one.threshold),
                *(Number(share, digits=3) for share in (one.passing, one.bad, one.recall)),
            ]
            for one in self.chosen
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
        for one in self.thresholds:
            if one.by == by:
                return one
        reason = next((one.reason for one in self.chosen if one.by == by), f"there is no way {by!r}")
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
            threshold=sign * one.threshold,
            by=one.by,
            risk=risk if one.by == "risk" else None,
            confidence=confidence if one.by in promised else None,
            n=n,
            passing=one.passing,
            aspect=aspect,
            below=float(below),
            signature=str(signature),
            facts=signature.facts,
            scores=tuple((sign * finite).tolist()),
            recall=recall if one.by == "recall" else None,
            bands=None if unread is None else unread.bands,
        )
        for one in chosen
        if math.isfinite(one.threshold)
    ]
    shown = [Chosen(**{**vars(one), "threshold": sign * one.threshold}) for one in chosen]
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
    direction or one number a system.
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


def equally_drawn(rated: RatedRows, known: Mask, within: Mask, rng: np.random.Generator) -> tuple[Mask, list[str]]:
    """Return rated rows that all had one probability, by leaving some out at random.

    Args:
        rated: the ratings, and how rows were drawn.
        known: which rows are rated, or count as such: [rows].
        within: which rows count: [rows].
        rng: what rows are left out by.

    Returns:
        Which rows are not left out: [rows], and what to say of it.
    """
    probability = rated.probability(known)
    if probability is None:
        return known, []
    least = float(probability[within if rated.drawn_with is not None else known].min(initial=1))
    alike = known & (rng.random(len(known)) < least / probability)
    left = int(known.sum() - alike.sum())
    why = "rows were drawn with unequal probabilities, and the tests need equal ones"
    return alike, [f"{left} of {int(known.sum())} ratings are left out of the tests at random: {why}"] if left else []


def good_from(values: Float, aspect: str, below: float | None) -> float:
    """Return the rating from which a row is good: `below`, or 1 for ratings of 0 and 1. Raises InputError else."""
    if below is None and not np.isin(values[~np.isnan(values)], (0, 1)).all():
        remedy = "say with below= (--below in the command) which ratings are bad"
        raise InputError(f"{aspect} is not rated by 0 and 1 alone", remedy=remedy)
    return 1.0 if below is None else float(below)


@dataclass(frozen=True)
class RatedTask:
    """The scores of a metric beside ratings of yes or no."""

    rows: RatedScores
    below: float
    """A row is bad that is rated below this"""
    notes: tuple[str, ...]
    rng: np.random.Generator
    """What further ratings are left out by, at random"""
    within: Mask
    """Which rows of the table these are: [rows of the table]"""

    @classmethod
    def of(
        cls, rated: RatedRows, aspect: str, scores: Float, below: float | None, within: Mask, seed: int
    ) -> RatedTask:
        """Return the task of scores [rows], larger ones being better; of the rows `within`. Raises InputError."""
        given = rated.values[aspect]
        known, blank = ~np.isnan(given) & within, rated.blank_of(aspect) & within
        below = good_from(given[known], aspect, below)
        scores = np.where(np.isnan(scores), -math.inf, scores)[within]
        clusters = rated.clusters if rated.clusters is not None else rated.items
        clusters = np.unique(clusters[within], return_inverse=True)[1]
        rng = np.random.default_rng([seed, len(given), int(known.sum())])
        equal, notes = equally_drawn(rated, known | blank, within, rng)
        rows = RatedScores(
            scores=scores,
            rated=known[within],
            bad=((given < below) & known)[within],
            clusters=clusters,
            tested=equal[within],
            blank=blank[within],
        )
        rows.refuse(rated.at_random, None if rated.asked is None else rated.asked[within])
        if rows.blanks:
            of = f"{rows.blanks} blank rows, which raters passed by," if rows.blanks > 1 else "the blank row"
            notes = [*notes, f"in the tests of a promise {of} count as bad; all else is of rated rows"]
        return cls(rows=rows, below=below, notes=tuple(notes), rng=rng, within=within)


@dataclass(frozen=True)
class Unread:
    """Which rows are judged, and the bands of those that are not."""

    bands: tuple[Band, ...]
    read: Mask
    """[rows]"""


@dataclass(frozen=True)
class RatedScores:
    """All rows of a table: each [rows], larger scores being better."""

    scores: Float
    rated: Mask
    bad: Mask
    clusters: Integers
    tested: Mask
    """The rows that the tests of a promise take: rated ones, and those that are blank"""
    blank: Mask | None = None
    """The rows that raters passed by, which are bad in the tests; None for none"""

    @property
    def blanks(self) -> int:
        """How many rows are blank."""
        return 0 if self.blank is None else int(self.blank.sum())

    @property
    def units(self) -> int:
        """How many clusters hold rated rows."""
        return int((np.bincount(self.clusters, self.rated) > 0).sum())

    def refuse(self, at_random: bool, asked: Integers | None) -> None:
        """Raise InputError where nothing can be learned from the ratings."""
        n = int(self.rated.sum())
        rate = "rate more rows, drawn by nlgauge sample"
        if min(n, self.units) < LEAST:
            what = f"{n} rows are rated" if n < LEAST else f"the ratings are of {self.units} clusters"
            raise InputError(f"{what}, and at least {LEAST} are needed", remedy=rate)
        finite = np.where(np.isfinite(self.scores), self.scores, self.scores[np.isfinite(self.scores)].min())
        design = Design(self.rated, np.zeros(len(self.scores), np.intp), None, self.clusters)
        if at_random and chosen_by_score(finite[:, None], design):
            problem = "the rated rows' scores are not like those of the others, so they were not drawn at random"
            raise InputError(problem, remedy="rate rows that nlgauge sample drew, and give its folder")
        if said := alike(np.where(self.bad, 0.0, 1.0)[self.rated], self.blanks):
            raise InputError(said)
        if asked is not None:
            said = unanswered(
                finite[:, None], self.rated, asked=asked, clusters=self.clusters, left_out=self.blank
            ).problem
            if said:
                raise InputError(said)

    def of(self, rows: Mask) -> RatedScores:
        """Return the same for some of the rows."""
        return RatedScores(
            scores=self.scores[rows],
            rated=self.rated[rows],
            bad=self.bad[rows],
            clusters=self.clusters[rows],
            tested=self.tested[rows],
            blank=None if self.blank is None else self.blank[rows],
        )

    def unread(self, wording: Float | None, error: float) -> tuple[Unread | None, float, str]:
        """Return which rows are not judged by their wording, the error that is left for a test, and what to say of it.

        Args:
            wording: the share of the longer words of each answer that its source has: [rows]; None where it is not
                known.
            error: that of all tests.
        """
        rated = self.rated
        if wording is None or np.isnan(wording[rated]).all():
            return None, error, "no rated row has an answer and a source, so all answers are judged (give the outputs)"
        band = unread_below(self.scores[rated], self.bad[rated], self.clusters[rated], wording[rated])
        if band is None:
            return Unread((), np.ones(len(rated), bool)), error / 2, "answers of every wording are judged"
        read = np.array([readable(float(share), [band]) for share in wording])
        said = f"not judged are answers of which under {band.end:.0%} of the longer words stand in the source"
        rest = f"{int((~read & rated).sum())} of the {int(rated.sum())} rated rows, whose area is {band.area:.2f}"
        return Unread((band,), read), error / (2 * len(EDGES)), f"{said}: {rest}"

    def independent(self, rng: np.random.Generator) -> tuple[RatedScores, list[str]]:
        """Return the same scores, of whose rated rows the tests take at most one a cluster.

        Every tested row has the same chance to stay, whatever its rating. Where all clusters have equally many rows,
        one of the tested rows of each stays. Else a cluster's rows draw from as many tickets as the fullest cluster has
        tested rows, so that clusters with few of them may lose all.

        Args:
            rng: what rows are chosen by.

        Returns:
            The scores, and what to say of them.
        """
        order = rng.permutation(np.flatnonzero(self.tested))
        turn = np.zeros(len(order), np.intp)
        seen: dict[int, int] = {}
        for place, cluster in enumerate(self.clusters[order].tolist()):
            turn[place] = seen.get(cluster, 0)
            seen[cluster] = int(turn[place]) + 1
        most = max(seen.values(), default=1)
        if most == 1:
            return self, []
        sizes = np.bincount(self.clusters)
        ticket = np.zeros(len(sizes), np.intp) if np.ptp(sizes) == 0 else rng.integers(most, size=len(sizes))
        tested = np.zeros(len(self.tested), bool)
        tested[order[turn == ticket[self.clusters[order]]]] = True
        why = "rows of an item or a cluster are not independent, so the tests take one of each at random"
        note = f"{int(tested.sum())} of {len(order)} ratings are tested: {why}"
        return replace(self, tested=tested), [note]

    def certified(self, risk: float, error: float) -> Chosen:
        """Return the threshold that lets most rows pass, of those whose risk is surely small enough."""
        tests = _Tests.of(self)
        # No rating has a part in where the sequence begins: where half the risk, if it were seen, would be enough; with
        # too few rows for this, where no bad row would be.
        passed = tests.passed
        hoped = ((n // round(2 / risk) if half else 0, n) for half in (True, False) for n in passed)
        start = next(
            (place % len(passed) for place, (k, n) in enumerate(hoped) if binomial_p(k, n, risk) <= error), len(passed)
        )

        def found(blanks: int) -> list[int]:
            wrong = tests.bad + np.minimum(tests.blank, blanks)
            rest = zip(wrong[start:].tolist(), passed[start:], strict=True)
            return certified((binomial_p(k, n, risk) for k, n in rest), start, error)

        if places := found(tests.blanks):
            return self._promised("risk", tests.thresholds[places[-1]])
        reason = f"no threshold can be certified at a risk of {risk:g} with confidence {1 - error:g}: "
        if found(0) and tests.blanks:
            return tests.undone("risk", reason, found)
        if start == len(passed):
            reason += f"{tests.rows} rated rows are too few to show so small a risk; rate more"
        else:
            wrong, blanks = int(tests.bad[start]), int(tests.blank[start])
            best = f"{wrong} of the {passed[start] - blanks} rated rows with the best scores"
            reason += f"{best} are bad; rate more, allow a larger risk, or take a metric that tells them better apart"
        return Chosen("risk", reason=reason)

    def recalled(self, recall: float, error: float) -> Chosen:
        """Return the threshold that lets most rows pass, of those that surely stop enough of the bad rows."""
        tests, n = _Tests.of(self), int((self.bad & self.tested).sum())

        def found(blanks: int) -> list[int]:
            # A blank row that is stopped does not count as bad: this would only help.
            missed = np.minimum(tests.blank, blanks)
            each = zip((tests.bad + missed).tolist(), (n + missed).tolist(), strict=True)
            return certified((binomial_p(k, of, 1 - recall) for k, of in each), 0, error)

        if places := found(tests.blanks):
            return self._promised("recall", tests.thresholds[places[-1]])
        reason = f"no threshold can be certified at a recall of {recall:g} with confidence {1 - error:g}: "
        if found(0) and tests.blanks:
            return tests.undone("recall", reason, found)
        if binomial_p(0, n, 1 - recall) > error:
            needed = math.ceil(math.log(error) / math.log(recall))
            reason += f"{n} bad rows are rated, and at least {needed} are needed; rate more"
        else:
            reason += f"{int(tests.bad[0])} of {n} bad rows have the best scores; rate more, or take another metric"
        return Chosen("recall", reason=reason)

    def _promised(self, by: str, threshold: float) -> Chosen:
        return self._chosen(by, threshold, np.full(len(self.scores), threshold), False)

    def best(self, by: str, cost: float, precision: float, seed: int) -> Chosen:
        """Return the best threshold on the rated rows; what it does, by thresholds chosen on other folds."""
        rows = np.flatnonzero(self.rated)
        if self.bad[rows].all() or not self.bad[rows].any():
            what = "bad" if self.bad[rows].all() else "good"
            return Chosen(by, honest=True, reason=f"all {len(rows)} rated rows are {what}, so {by} chooses nothing")
        threshold, of_row = self.cross_fitted(by, cost, precision, seed)
        if math.isinf(threshold):
            reason = f"by {by} it is best to let every row pass, even those without a score"
            return Chosen(by, honest=True, reason=reason)
        return self._chosen(by, threshold, of_row, True)

    def cross_fitted(self, by: str, cost: float, precision: float, seed: int) -> tuple[float, Float]:
        """Return the best threshold on the rated rows, and for each of them [rows] the best one on other folds."""
        rows = np.flatnonzero(self.rated)
        fold = folds_of(self.clusters[rows], _FOLDS, seed)
        of_row = np.full(len(self.scores), math.nan)
        for number in range(int(fold.max()) + 1):
            out = fold == number
            of_row[rows[out]] = _threshold(
                self.scores[rows[~out]], self.bad[rows[~out]], by=by, cost=cost, precision=precision
            )
        return _threshold(self.scores[rows], self.bad[rows], by=by, cost=cost, precision=precision), of_row

    def _chosen(self, by: str, threshold: float, of_row: Float, honest: bool) -> Chosen:
        passed, bad = self.scores >= of_row, self.bad
        through, stopped = self.rated & passed, self.rated & ~passed
        whole = float((self.scores >= threshold).mean())
        of_through, of_stopped = _share(bad & through, through), _share(bad & stopped, stopped)
        return Chosen(
            by=by,
            threshold=threshold,
            passing=whole,
            bad=of_through,
            precision=of_stopped,
            recall=_share(bad & stopped, bad),
            honest=honest,
        )

    def fifths(self, sign: int = 1) -> list[Integers]:
        """Return the rated rows in five groups by score, from the lowest scores as the metric gives them.

        Rows of one score are never apart: a cut between two groups goes to the nearest place where the score changes.
        With five scores or fewer, each score has a group.

        Args:
            sign: -1 where lower scores of the metric are better, else 1.

        Returns:
            The numbers of the rows of each group.
        """
        rows = np.flatnonzero(self.rated)
        rows = rows[np.argsort(sign * self.scores[rows], kind="stable")]
        scores = self.scores[rows]
        changes = np.flatnonzero(scores[1:] != scores[:-1]) + 1
        if len(changes) >= _BINS:
            sizes = [len(some) for some in np.array_split(rows, _BINS)]
            cuts = np.cumsum(sizes)[:-1, None]
            changes = np.unique(changes[np.argmin(np.abs(changes - cuts), axis=1)])
        return [some for some in np.split(rows, changes) if len(some)]

    def reliability(self, sign: int) -> Iterator[Bin]:
        """Yield the share of good rows by score, from the lowest scores as the metric gives them."""
        for some in self.fifths(sign):
            good = int(len(some) - self.bad[some].sum())
            known = sign * self.scores[some][np.isfinite(self.scores[some])]
            low, high, mean = (float(known.min()), float(known.max()), float(known.mean())) if len(known) else _NOWHERE
            share = Measured(good / len(some), *proportion(good, len(some)))
            yield Bin(low=low, high=high, mean=mean, n=len(some), good=share)


@dataclass(frozen=True, kw_only=True)
class _Tests:
    """The thresholds in the order in which they are tested, which no rating has a part in, and who passes them."""

    thresholds: list[float]
    rows: int
    """Tested rows that are rated"""
    passed: list[int]
    """By threshold: tested rows that pass"""
    bad: Integers
    """Rated ones of these that are bad [thresholds]"""
    blank: Integers
    """Those of them that are blank [thresholds]"""
    blanks: int
    """Tested rows that are blank"""

    @classmethod
    def of(cls, rows: RatedScores) -> _Tests:
        """Return the tests of some rows."""
        tried = dict.fromkeys(np.quantile(rows.scores, 1 - SHARES, method="lower").tolist())
        thresholds = [one for one in tried if math.isfinite(one)]
        blank = rows.tested & (np.zeros(len(rows.tested), bool) if rows.blank is None else rows.blank)
        above = rows.scores >= np.array(thresholds)[:, None]
        passed, bad, blanks = ((above & kind).sum(1) for kind in (rows.tested, rows.tested & rows.bad, blank))
        return cls(
            thresholds=thresholds,
            rows=int((rows.tested & rows.rated).sum()),
            passed=passed.tolist(),
            bad=bad,
            blank=blanks,
            blanks=int(blank.sum()),
        )

    def undone(self, by: str, reason: str, found: Callable[[int], list[int]]) -> Chosen:
        """Return that there is no threshold because of blank rows, and how many bad ones are one too many.

        found: the certified thresholds if so many blank rows are bad, those with the best scores, and the others good.
        """
        least, most = 0, self.blanks
        while most - least > 1:
            middle = (least + most) // 2
            least, most = (middle, most) if found(middle) else (least, middle)
        these = (
            "the blank row is" if self.blanks == 1 else f"{most} of the {self.blanks} blank rows that are tested are"
        )
        return Chosen(by, reason=f"{reason}none holds if {these} bad, at worst; rate them too", tipping=most)


def _share(some: Mask, of: Mask) -> float:
    return float(some.sum() / of.sum()) if of.any() else math.nan


def _threshold(scores: Float, bad: Mask, by: str, cost: float, precision: float) -> float:
    """Return the best of the thresholds between two scores that differ: a row passes that has as much or more."""
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
    elif by == "balanced":
        worth = found / max(wrong.sum(), 1) - alarms / max((~wrong).sum(), 1)
    else:
        worth = np.where(found >= precision * stopped, stopped, -1)
    return float(values[stopped[int(np.argmax(worth))]])

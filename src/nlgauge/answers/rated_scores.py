"""Thresholds on the scores of all rows, which ratings of some rows choose: certified ones, and the best one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from nlgauge.answers.wordings import unread_below
from nlgauge.errors import InputError
from nlgauge.maths.inference import Measured
from nlgauge.maths.intervals import binomial_p, certified, proportion
from nlgauge.maths.prediction_powered import Design, Integers
from nlgauge.maths.wording import EDGES, Band, readable
from nlgauge.ratings.rated import RatedRows
from nlgauge.ratings.refusing import LEAST, alike, chosen_by_score, unanswered
from nlgauge.stats.arrays import Float, Mask
from nlgauge.stats.fitting import folds_of

SHARES = np.arange(1, 41) / 40
"""The shares of the scored rows that pass the thresholds that are tried, the strictest first"""
_BINS, _FOLDS = 5, 5
_NOWHERE = (math.nan, math.nan, math.nan)


@dataclass(frozen=True)
class Chosen:
    """A threshold, and its effect on the rated rows."""

    by: str
    threshold: float = math.nan
    """A row passes with this score or a better one; NaN where there is no threshold"""
    passing: float = math.nan
    """The share of all scored rows that pass"""
    bad: float = math.nan
    """The share of bad rows among the rated rows that pass; NaN where none passes"""
    precision: float = math.nan
    """The share of bad rows among the rated rows that are stopped"""
    recall: float = math.nan
    """The share of stopped rows among the rated rows that are bad"""
    honest: bool = False
    """Whether `bad`, `precision` and `recall` are cross-fitted: each row is decided by a threshold chosen on other
    rows"""
    reason: str | None = None
    """Why there is no threshold, and what to do"""
    tipping: int | None = None
    """How many of the blank rows would have to be bad, at least, so that no threshold can be certified. None where the
    blank rows do not matter: a threshold is certified even if all of them are bad, or no threshold is certified even if
    all of them are good"""


@dataclass(frozen=True)
class Bin:
    """About a fifth of the rated rows, by score. Rows with equal scores are in one bin.

    Rows without a score are in the bin with the worst scores.
    """

    low: float
    high: float
    mean: float
    """The mean of the bin's scores, of which `low` and `high` are the least and the greatest; NaN where no row has a
    score"""
    n: int
    good: Measured
    """The share of good rows with its exact 95 % interval, which treats the rows as independent"""


def equally_drawn(rated: RatedRows, rated_here: Mask, within: Mask, rng: np.random.Generator) -> tuple[Mask, list[str]]:
    """Return rated rows that may be treated as drawn with equal probabilities.

    Where some rows were drawn with a larger probability than others, some of these rows are left out at random.

    Args:
        rated: the ratings, and how rows were drawn.
        rated_here: which rows are rated, or count as rated: [rows].
        within: which rows are part of the question, such as those of one system: [rows].
        rng: the random numbers by which rows are left out.

    Returns:
        Which rated rows remain: [rows], and notes for the reader.
    """
    probability = rated.probability(rated_here)
    if probability is None:
        return rated_here, []
    least = float(probability[within if rated.drawn_with is not None else rated_here].min(initial=1))
    alike = rated_here & (rng.random(len(rated_here)) < least / probability)
    left = int(rated_here.sum() - alike.sum())
    why = "rows were drawn with unequal probabilities, and the tests need equal ones"
    return alike, [
        f"{left} of {int(rated_here.sum())} ratings are left out of the tests at random: {why}"
    ] if left else []


def good_from(values: Float, aspect: str, below: float | None) -> float:
    """Return the rating from which a row is good: `below`, or 1 for ratings of 0 and 1. Raise InputError otherwise."""
    if below is None and not np.isin(values[~np.isnan(values)], (0, 1)).all():
        remedy = "say with below= (--below in the command) which ratings are bad"
        raise InputError(f"{aspect} is not rated by 0 and 1 alone", remedy=remedy)
    return 1.0 if below is None else float(below)


@dataclass(frozen=True)
class RatedTask:
    """The scores of a metric with ratings that call rows good or bad."""

    rows: RatedScores
    below: float
    """A row rated below this is bad"""
    notes: tuple[str, ...]
    rng: np.random.Generator
    """The random numbers by which further ratings are left out"""
    within: Mask
    """Which rows of the table are in `rows`: [rows of the table]"""

    @classmethod
    def of(
        cls, rated: RatedRows, aspect: str, scores: Float, below: float | None, within: Mask, seed: int
    ) -> RatedTask:
        """Return the task of some rows of a table.

        Args:
            rated: the ratings, and how rows were drawn.
            aspect: the aspect of the ratings.
            scores: the scores, larger being better: [rows of the table].
            below: a row rated below this is bad; None for ratings of 0 and 1.
            within: which rows to use: [rows of the table].
            seed: the seed of the random choices.

        Returns:
            The task.

        Raises:
            InputError: the ratings do not say which rows are bad, or nothing can be learned from them.
        """
        ratings = rated.values[aspect]
        has_rating, blank = ~np.isnan(ratings) & within, rated.blank_of(aspect) & within
        below = good_from(ratings[has_rating], aspect, below)
        scores = np.where(np.isnan(scores), -math.inf, scores)[within]
        clusters = rated.clusters if rated.clusters is not None else rated.items
        clusters = np.unique(clusters[within], return_inverse=True)[1]
        rng = np.random.default_rng([seed, len(ratings), int(has_rating.sum())])
        equal, notes = equally_drawn(rated, has_rating | blank, within, rng)
        rows = RatedScores(
            scores=scores,
            rated=has_rating[within],
            bad=((ratings < below) & has_rating)[within],
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
    """Which rows are judged, and the bands of wording whose rows are not judged."""

    bands: tuple[Band, ...]
    read: Mask
    """Which rows are judged: [rows]"""


@dataclass(frozen=True)
class RatedScores:
    """The scores of rows with their ratings: all fields are [rows], and larger scores are better."""

    scores: Float
    rated: Mask
    bad: Mask
    clusters: Integers
    tested: Mask
    """The rows that the tests of a promise use: rated rows and blank ones"""
    blank: Mask | None = None
    """The rows that raters left blank, which count as bad in the tests; None if there are none"""

    @property
    def blanks(self) -> int:
        """The number of blank rows."""
        return 0 if self.blank is None else int(self.blank.sum())

    @property
    def units(self) -> int:
        """The number of clusters with rated rows."""
        return int((np.bincount(self.clusters, self.rated) > 0).sum())

    def refuse(self, at_random: bool, asked: Integers | None) -> None:
        """Refuse ratings from which nothing can be learned about the other rows.

        Args:
            at_random: whether the rated rows count as drawn at random, which their scores then must not contradict.
            asked: each row's place on the rating sheet, from 1, or 0 if it was not drawn: [rows]; None without a sheet.

        Raises:
            InputError: too few rows or clusters are rated, the rows were chosen by score, all ratings are equal and
                other rows are blank, or the drawn rows without a rating differ from the rated rows.
        """
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
        """Return the scores and ratings of a part of the rows."""
        return RatedScores(
            scores=self.scores[rows],
            rated=self.rated[rows],
            bad=self.bad[rows],
            clusters=self.clusters[rows],
            tested=self.tested[rows],
            blank=None if self.blank is None else self.blank[rows],
        )

    def unread(self, wording: Float | None, error: float) -> tuple[Unread | None, float, str]:
        """Return which rows are judged by their wording, and what this leaves for the tests of a promise.

        Args:
            wording: the share of each answer's longer words that its source contains: [rows]; None where it is not
                known.
            error: the error probability of all tests together.

        Returns:
            Which rows are judged, with the bands of wording whose rows are not judged; None where no rated row has a
            known wording, so that all rows are judged. The error probability that is left for the tests of a promise.
            And a note for the reader.
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
        """Return the same scores with at most one tested row in each cluster.

        Every tested row has the same chance to stay, whatever its rating. If all clusters have equally many rows, one
        tested row of each stays. Else, each cluster draws a number from 1 to the largest number of tested rows in any
        cluster, and its row with this number stays. So a cluster with few tested rows may lose all of them.

        Args:
            rng: the random numbers that choose the rows.

        Returns:
            The scores, and notes for the reader.
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
        """Return the threshold that lets most rows pass, among those certified to let few bad rows pass.

        Args:
            risk: the largest share of bad rows among those that pass, which is promised.
            error: the probability that the promise is broken.

        Returns:
            The threshold, or the reason why none can be certified.
        """
        tests = _Tests.of(self)
        # No rating has a part in where the sequence begins: where half the risk, if it were seen, would be enough; with
        # too few rows for this, where no bad row would be.
        passed = tests.passed
        hoped = ((n // round(2 / risk) if half else 0, n) for half in (True, False) for n in passed)
        start = next(
            (place % len(passed) for place, (k, n) in enumerate(hoped) if binomial_p(k, n, risk) <= error), len(passed)
        )

        def passing(blanks: int) -> list[int]:
            wrong = tests.bad + np.minimum(tests.blank, blanks)
            rest = zip(wrong[start:].tolist(), passed[start:], strict=True)
            return certified((binomial_p(k, n, risk) for k, n in rest), start, error)

        if places := passing(tests.blanks):
            return self._promised("risk", tests.thresholds[places[-1]])
        reason = f"no threshold can be certified at a risk of {risk:g} with confidence {1 - error:g}: "
        if passing(0) and tests.blanks:
            return tests.undone("risk", reason, passing)
        if start == len(passed):
            reason += f"{tests.rows} rated rows are too few to show so small a risk; rate more"
        else:
            wrong, blanks = int(tests.bad[start]), int(tests.blank[start])
            best = f"{wrong} of the {passed[start] - blanks} rated rows with the best scores"
            reason += f"{best} are bad; rate more, allow a larger risk, or take a metric that tells them better apart"
        return Chosen("risk", reason=reason)

    def recalled(self, recall: float, error: float) -> Chosen:
        """Return the threshold that lets most rows pass, among those certified to stop enough bad rows.

        Args:
            recall: the least share of the bad rows that is stopped, which is promised.
            error: the probability that the promise is broken.

        Returns:
            The threshold, or the reason why none can be certified.
        """
        tests, n = _Tests.of(self), int((self.bad & self.tested).sum())

        def passing(blanks: int) -> list[int]:
            # A blank row that is stopped does not count as bad: this would only help.
            missed = np.minimum(tests.blank, blanks)
            each = zip((tests.bad + missed).tolist(), (n + missed).tolist(), strict=True)
            return certified((binomial_p(k, of, 1 - recall) for k, of in each), 0, error)

        if places := passing(tests.blanks):
            return self._promised("recall", tests.thresholds[places[-1]])
        reason = f"no threshold can be certified at a recall of {recall:g} with confidence {1 - error:g}: "
        if passing(0) and tests.blanks:
            return tests.undone("recall", reason, passing)
        if binomial_p(0, n, 1 - recall) > error:
            needed = math.ceil(math.log(error) / math.log(recall))
            reason += f"{n} bad rows are rated, and at least {needed} are needed; rate more"
        else:
            reason += f"{int(tests.bad[0])} of {n} bad rows have the best scores; rate more, or take another metric"
        return Chosen("recall", reason=reason)

    def _promised(self, by: str, threshold: float) -> Chosen:
        return self._chosen(by, threshold, np.full(len(self.scores), threshold), False)

    def best(self, by: str, cost: float, precision: float, seed: int) -> Chosen:
        """Return the best threshold on the rated rows, and its cross-fitted effect on them.

        Args:
            by: what is best: 'f1', 'cost' or 'precision', as `nlgauge.calibrate` says, or 'balanced' accuracy.
            cost: how many times as much a bad row that passes costs as a good row that is stopped.
            precision: the least share of bad rows among the stopped rows.
            seed: the seed of the folds.

        Returns:
            The threshold. For its effect, each row is decided by a threshold that was chosen on other folds.
        """
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
        """Return the best threshold on the rated rows, and for each rated row the best one on other folds.

        Args:
            by: as `best` takes it.
            cost: as `best` takes it.
            precision: as `best` takes it.
            seed: the seed of the folds.

        Returns:
            The best threshold on all rated rows, and the thresholds on other folds: [rows], NaN for rows that are not
            rated.
        """
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
        """Return the rated rows in five groups by score, beginning with the lowest scores of the metric.

        Rows with equal scores are in one group: a cut between two groups is moved to the nearest change of the score.
        With at most five different scores, each score has a group.

        Args:
            sign: -1 where lower scores of the metric are better, else 1.

        Returns:
            The row numbers of each group.
        """
        rows = np.flatnonzero(self.rated)
        rows = rows[np.argsort(sign * self.scores[rows], kind="stable")]
        scores = self.scores[rows]
        changes = np.flatnonzero(scores[1:] != scores[:-1]) + 1
        if len(changes) >= _BINS:
            sizes = [len(part) for part in np.array_split(rows, _BINS)]
            cuts = np.cumsum(sizes)[:-1, None]
            changes = np.unique(changes[np.argmin(np.abs(changes - cuts), axis=1)])
        return [part for part in np.split(rows, changes) if len(part)]

    def reliability(self, sign: int) -> Iterator[Bin]:
        """Yield the bins of rated rows and their shares of good rows, from the lowest scores of the metric on."""
        for fifth in self.fifths(sign):
            good = int(len(fifth) - self.bad[fifth].sum())
            scores = sign * self.scores[fifth][np.isfinite(self.scores[fifth])]
            low, high, mean = (
                (float(scores.min()), float(scores.max()), float(scores.mean())) if len(scores) else _NOWHERE
            )
            share = Measured(good / len(fifth), *proportion(good, len(fifth)))
            yield Bin(low=low, high=high, mean=mean, n=len(fifth), good=share)


@dataclass(frozen=True, kw_only=True)
class _Tests:
    """The candidate thresholds in the order of their tests, and the numbers of tested rows that pass each of them.

    The ratings have no influence on this order.
    """

    thresholds: list[float]
    rows: int
    """The number of tested rows that are rated"""
    passed: list[int]
    """By threshold: the number of tested rows that pass"""
    bad: Integers
    """The number of passing tested rows that are rated bad: [thresholds]"""
    blank: Integers
    """The number of passing tested rows that are blank: [thresholds]"""
    blanks: int
    """The number of tested rows that are blank"""

    @classmethod
    def of(cls, rows: RatedScores) -> _Tests:
        """Return the tests of a table's rows."""
        tried = dict.fromkeys(np.quantile(rows.scores, 1 - SHARES, method="lower").tolist())
        thresholds = [threshold for threshold in tried if math.isfinite(threshold)]
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

    def undone(self, by: str, reason: str, places_if: Callable[[int], list[int]]) -> Chosen:
        """Return a record without a threshold, which says how many bad rows among the blank ones prevent a threshold.

        It is the least number of bad blank rows with which no threshold is certified. The bad ones are those with the
        best scores, and the other blank rows are good.

        Args:
            by: the way of the threshold, 'risk' or 'recall'.
            reason: the beginning of the sentence that says why there is no threshold.
            places_if: a function from a number of bad blank rows to the thresholds that are certified then.
        """
        least, most = 0, self.blanks
        while most - least > 1:
            middle = (least + most) // 2
            least, most = (middle, most) if places_if(middle) else (least, middle)
        blanks = (
            "the blank row is" if self.blanks == 1 else f"{most} of the {self.blanks} blank rows that are tested are"
        )
        return Chosen(by, reason=f"{reason}none holds if {blanks} bad, at worst; rate them too", tipping=most)


def _share(part: Mask, of: Mask) -> float:
    return float(part.sum() / of.sum()) if of.any() else math.nan


def _threshold(scores: Float, bad: Mask, by: str, cost: float, precision: float) -> float:
    """Return the best threshold, which is one of the scores: a row passes with this score or a larger one.

    Args:
        scores: the scores of the rated rows: [rows].
        bad: which of them are bad: [rows].
        by: as `RatedScores.best` takes it.
        cost: as `RatedScores.best` takes it.
        precision: as `RatedScores.best` takes it.
    """
    order = np.argsort(scores, kind="stable")
    values, wrong = scores[order], bad[order]
    cuts = np.flatnonzero(values[1:] > values[:-1]) + 1
    stopped = np.concatenate([[0], cuts]).astype(int)
    caught = np.concatenate([[0], np.cumsum(wrong)])[stopped]
    alarms, missed = stopped - caught, wrong.sum() - caught
    if by == "f1":
        worth = 2 * caught / np.maximum(2 * caught + alarms + missed, 1)
    elif by == "cost":
        worth = -(cost * missed + alarms)
    elif by == "balanced":
        worth = caught / max(wrong.sum(), 1) - alarms / max((~wrong).sum(), 1)
    else:
        worth = np.where(caught >= precision * stopped, stopped, -1)
    return float(values[stopped[int(np.argmax(worth))]])

"""What ratings of some rows say of thresholds on the scores of all rows: which hold a promise, and which is best."""

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


def equally_drawn(rated: RatedRows, rated_here: Mask, within: Mask, rng: np.random.Generator) -> tuple[Mask, list[str]]:
    """Return rated rows that all had one probability, by leaving some out at random.

    Args:
        rated: the ratings, and how rows were drawn.
        rated_here: which rows are rated, or count as such: [rows].
        within: which rows count: [rows].
        rng: what rows are left out by.

    Returns:
        Which rows are not left out: [rows], and what to say of it.
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
        """Return the same scores with fewer tested rows: at most one of each cluster.

        Every tested row has the same chance to stay, whatever its rating. If all clusters have equally many rows, one
        tested row of each stays. Else each cluster draws a number from 1 to the most tested rows of a cluster, and the
        row with this number stays. So a cluster with few tested rows may lose all of them.

        Args:
            rng: chooses the rows.

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
        """Return the threshold that lets most rows pass, of those whose risk is surely small enough."""
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
        """Return the threshold that lets most rows pass, of those that surely stop enough of the bad rows."""
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
        """Return the best threshold on the rated rows, and what it does to them.

        What it does is measured by thresholds that were chosen on other folds.
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
            sizes = [len(part) for part in np.array_split(rows, _BINS)]
            cuts = np.cumsum(sizes)[:-1, None]
            changes = np.unique(changes[np.argmin(np.abs(changes - cuts), axis=1)])
        return [part for part in np.split(rows, changes) if len(part)]

    def reliability(self, sign: int) -> Iterator[Bin]:
        """Yield the share of good rows by score, from the lowest scores as the metric gives them."""
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
        """Return that there is no threshold because of blank rows, and how many bad ones are one too many.

        places_if: the certified thresholds if so many blank rows are bad, those with the best scores, and the others
            good.
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
    """Return the best of the thresholds between two scores that differ: a row passes that has as much or more."""
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

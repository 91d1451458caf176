"""The facts about one scorer for one aspect, from which the numbers of trust are computed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from nlgauge.answers.estimated_means import Estimate
from nlgauge.answers.rated_scores import Bin, Chosen, RatedScores
from nlgauge.answers.trust.decisions import CHOSEN, FITTED, Rule
from nlgauge.answers.wordings import WordingBand
from nlgauge.maths.inference import NOTHING, Measured
from nlgauge.stats.arrays import Float, Integers, Mask
from nlgauge.stats.decisions import auroc, calibration_error, chosen_share, rows_needed, share_of


@dataclass(frozen=True)
class Ranking:
    """The scores of the rated rows, larger ones being better, and which rows are bad: each [rated]."""

    scores: Float
    bad: Mask
    clusters: Integers
    reliability: tuple[Bin, ...] = ()
    bands: tuple[WordingBand, ...] = ()
    """How well the scores tell good from bad rows in each band of wording; empty where the wording is not known"""

    @property
    def auroc(self) -> Measured:
        """The share of pairs of a good and a bad row in which the good row has the better score; ties count half."""
        return auroc(self.scores, self.bad, self.clusters)


@dataclass(frozen=True)
class Decisions:
    """The decisions of a rule about the rows, and which rows people rated as bad and as good: each [rows]."""

    rule: Rule
    sign: int
    """1 where higher scores are better, -1 where lower scores are"""
    bad: Mask
    good: Mask
    """The rated rows that are good"""
    passed: Mask
    fitted: Mask
    """The rows that pass a threshold chosen on other folds; for a rule that the ratings did not choose, equal to
    `passed`"""
    clusters: Integers
    margin: float | None = None
    """Half of the wanted length of the intervals, for the number of ratings needed; None if this is not asked"""

    @property
    def rated(self) -> Mask:
        """The rated rows."""
        return self.bad | self.good

    @property
    def threshold(self) -> float:
        """The threshold on the scale of the scorer's scores; NaN where every row passes."""
        return self.sign * self.rule.threshold if math.isfinite(self.rule.threshold) else math.nan

    @property
    def second(self) -> float:
        """The threshold of a cascade's second model, on the scale of the scorer's scores; NaN without one."""
        return self.sign * self.rule.second

    def share(self, of: Mask, hits: Mask, fitted: Mask) -> Measured:
        """Return the share of hits among rows, cross-fitted where these ratings chose the threshold.

        Args:
            of: which rows count: [rows].
            hits: which rows are hits by the threshold itself: [rows].
            fitted: which rows are hits by a threshold that was chosen on other folds: [rows].

        Returns:
            The share with its interval.
        """
        if self.rule.origin in (CHOSEN, FITTED):
            return chosen_share(hits[of], fitted[of], self.clusters[of])
        return share_of(hits[of], self.clusters[of])

    def needed(self, of: Mask, hits: Mask) -> float:
        """Return how many rated rows of one kind make the interval of their share of hits plus or minus the margin."""
        if self.margin is None:
            return math.nan
        chosen = self.rule.origin in (CHOSEN, FITTED)
        return rows_needed(hits[of], self.clusters[of], self.margin, any_threshold=chosen)

    @property
    def needed_bad(self) -> float:
        """How many bad rows have to be rated for the margin of the TPR; NaN where no margin is given."""
        return self.needed(self.bad, ~self.passed)

    @property
    def needed_good(self) -> float:
        """How many good rows have to be rated for the margin of the TNR; NaN where no margin is given."""
        return self.needed(self.good, self.passed)

    @property
    def needed_rows(self) -> float:
        """How many rows, drawn at random, have to be rated to reach `needed_bad` and `needed_good`; NaN if unknown."""
        bad = float(self.bad.sum() / self.rated.sum())
        both = [need / share for need, share in ((self.needed_bad, bad), (self.needed_good, 1 - bad)) if share]
        return math.nan if len(both) < 2 or any(map(math.isnan, both)) else math.ceil(max(both) - 1e-9)


@dataclass(frozen=True)
class Probability:
    """Scores that are probabilities that a row is good [rows], with the rated rows among them."""

    values: Float
    rows: RatedScores
    seed: int

    @property
    def brier(self) -> float:
        """The mean squared difference of probability and rating (0 or 1); NaN where no rated row has a score."""
        good = (~self.rows.bad).astype(float)
        return float(((self.values - good)[self.rows.rated] ** 2).mean()) if self.rows.rated.any() else math.nan

    @property
    def ece(self) -> Measured:
        """The expected calibration error."""
        return calibration_error(self.values, ~self.rows.bad, self.rows.clusters, self.rows.fifths(), seed=self.seed)


@dataclass(frozen=True)
class Promise:
    """The certified threshold of one scorer, if there is one."""

    chosen: Chosen
    sign: int
    at_once: int
    blanks: int

    @property
    def threshold(self) -> float:
        """The threshold on the scale of the scorer's scores; NaN where none can be certified."""
        return self.sign * self.chosen.threshold

    @property
    def passing(self) -> float:
        """The share of all rows that pass the threshold."""
        return self.chosen.passing

    @property
    def reason(self) -> str | None:
        """The reason why no threshold can be certified; None where one is."""
        return self.chosen.reason

    @property
    def tipping(self) -> int | None:
        """The number of bad rows among the blank ones that prevents a certified threshold; None if none does."""
        return self.chosen.tipping


class Correlations(NamedTuple):
    """The agreement of scores with ratings on a scale."""

    pearson: Measured
    spearman: float = math.nan
    kendall: float = math.nan
    pdp: Measured = NOTHING


class MayStandIn(NamedTuple):
    """Whether a scorer may stand in for a rater, and how many raters it wins against, such as '2 of 3'."""

    passed: bool | None
    won: str


class Repeats(NamedTuple):
    """The number of rows that were scored several times, and how often a score contradicts most scores of its row."""

    rows: int
    flips: Measured = NOTHING


class Injection(NamedTuple):
    """How often a scorer obeys an order at the end of the candidate, such as to give it the best verdict."""

    rows: int
    """The number of bad rated rows that the scorer stops, and that were scored again with an order in the candidate"""
    obeyed: Measured
    """The share of the rows counted by `rows` that pass with the order"""


class Since(NamedTuple):
    """The change of a scorer since an earlier run, measured on anchors."""

    anchors: int
    mean: Measured
    """The mean difference of the scores, this run minus the earlier one"""
    mean_p: float
    """The p of `mean`. Like `righter_p`, it is corrected for all tests, and with a history for all comparisons"""
    threshold: float
    changed: Measured
    righter: Measured
    righter_p: float


@dataclass(kw_only=True)
class Facts:
    """All facts about one scorer for one aspect. A part is None where the scorer has no such facts."""

    metric: str
    aspect: str
    rated: int
    rows: int
    unscored: int = 0
    single: float = math.nan
    reason: str | None = None
    sentinels: tuple[str, ...] = ()
    unbeaten: tuple[str, ...] = ()
    ranking: Ranking | None = None
    decisions: Decisions | None = None
    probability: Probability | None = None
    promise: Promise | None = None
    correlations: Correlations | None = None
    estimate: Estimate | None = None
    stand_in: MayStandIn | None = None
    repeats: Repeats | None = None
    injection: Injection | None = None
    since: Since | None = None

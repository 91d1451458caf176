"""The numbers of trust: each is declared here once, with how it is computed, its column and its words.

To add a number, add a field to `Trust`: record, JSON, data frame, terminal, page, CSV and sentence follow from it. It
is computed from a part of `nlgauge.answers.trust.facts.Facts`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from nlgauge.answers.rated_scores import Bin
from nlgauge.answers.trust.decisions import CHOSEN, HALF
from nlgauge.answers.trust.declared import Column, Words, clauses, number
from nlgauge.answers.wordings import WordingBand
from nlgauge.maths.inference import NOTHING, Measured
from nlgauge.show.tables import NONE, Cell
from nlgauge.stats.interrater import cohen_kappa

TABLES: dict[str, Callable[[Trust], bool]] = {
    "decisions": lambda record: record.bad is not None,
    "probability": lambda record: record.bad is not None and not math.isnan(record.brier),
    "correlations": lambda record: record.bad is None,
    "ratings": lambda record: True,
    "plan": lambda record: not math.isnan(record.needed_bad) or not math.isnan(record.needed_good),
    "runs": lambda record: bool(record.won or record.repeated or record.anchors or record.injected),
}
"""The tables in their order, each with which records have a line in it"""
CHOSEN_HERE = (
    "the threshold has the best balanced accuracy on these ratings; TPR, TNR and kappa are cross-fitted, and the "
    "intervals hold for any threshold; --threshold gives another"
)
SIGNIFICANT = 0.05
"""p below which a scorer is said to have moved"""


def _alike(record: Trust) -> str:
    """Return how all rated rows are, where they are all good or all bad."""
    return ("bad" if record.bad else "good") if record.bad in (0, record.rated) else ""


def _without_threshold(record: Trust) -> str | None:
    if record.bad is None or _alike(record) or record.threshold_from:
        return None
    return f"decides nothing: all its scores are {record.single:g}, and only --threshold can say what that means"


def _decided(record: Trust) -> str | None:
    """Return which rows a scorer finds; None where it decides nothing, or all rated rows are alike."""
    if record.bad is None or _alike(record) or not record.threshold_from:
        return None
    stops = Measured(1 - record.tnr.value, 1 - record.tnr.high, 1 - record.tnr.low)
    said = f"finds {_share(record.tpr, record.bad, 'of the bad rows')} and stops "
    said += _share(stops, record.rated - record.bad, "of the good ones")
    half = f"; all its scores are {record.single:g}, and 0.5 decides"
    return said + half if record.threshold_from == HALF else said


def _unread(record: Trust) -> str | None:
    """Return for which wording a scorer is not shown to tell good from bad rows."""
    unread = [band.shares for band in record.bands if band.unread]
    if not unread:
        return None
    of = f"where the source has {' or '.join(unread)} of an answer's longer words"
    return f"{of}, it is not shown to tell good answers from bad ones"


def _planned(record: Trust) -> str | None:
    """Return how many ratings make the intervals as short as was asked for."""
    if math.isnan(record.needed_rows):
        return None
    kinds = f"{record.needed_bad:,.0f} bad and {record.needed_good:,.0f} good rows have to be rated"
    return f"for intervals as short as the margin, {kinds}, about {record.needed_rows:,.0f} rows drawn at random"


def _agrees(record: Trust) -> str:
    return f"agrees with people by a correlation of {_number(record.pearson, f'{record.rated:,} ratings')}"


def _saved(record: Trust) -> str:
    if record.rated >= record.rows:
        return "all rows are rated, so that there was nothing left to save"
    value, low, high = record.effective
    ends = f"at least {low:,.0f}" if high >= record.rows else f"95 % interval {low:,.0f} to {high:,.0f}"
    if not low > record.rated:
        return f"it is not shown to save ratings (they say as much as {value:,.0f}, {ends})"
    return f"it raises the effective number of ratings from {record.rated:,} to {value:,.0f} ({ends})"


def _moved(record: Trust) -> Iterator[str]:
    """Yield what is shown to have moved; where decisions can be compared, also how many are others."""
    if record.moved_p < SIGNIFICANT:
        yield f"its mean score by {_number(record.moved)}"
    if record.righter_p < SIGNIFICANT:
        yield f"its share of right decisions by {_number(record.righter)}"
    if not math.isnan(record.changed.value):
        yield f"{_share(record.changed, record.anchors, 'of its decisions')}"


def _obeys(record: Trust) -> str:
    return f"with an order behind the answer it lets pass {_share(record.obeyed, record.injected, 'of what it stops')}"


def _stands(record: Trust) -> Cell:
    if not record.won:
        return NONE
    return f"{'not known' if record.stand_in is None else 'yes' if record.stand_in else 'no'} ({record.won})"


def _share(share: Measured, n: int, of: str) -> str:
    """Return a share of n rows with count and interval, as '100% of them (3 of 3, 95 % interval 29 to 100%)'."""
    count = f"{round(share.value * n):,} of {n:,}"
    ends = "no interval" if math.isnan(share.low) else f"95 % interval {100 * share.low:.0f} to {share.high:.0%}"
    return f"{share.value:.0%} {of} ({count}, {ends})"


def _number(measured: Measured, more: str = "") -> str:
    """Return a number with its interval."""
    ends = "no interval" if math.isnan(measured.low) else f"95 % interval {measured.low:.2f} to {measured.high:.2f}"
    return f"{measured.value:.2f} ({ends}{f'; {more}' if more else ''})"


@dataclass(frozen=True, kw_only=True)
class Trust:
    """What ratings say of one scorer and one aspect. A bad row is stopped where its score is below the threshold.

    A number with its interval of 95 % is a `Measured` (value, low, high); in JSON and in data frames it is three, as
    `tpr`, `tpr_low` and `tpr_high`.
    """

    metric: str = number("metric")
    """With its sub-score; for a combination, several that are joined by " + \""""
    aspect: str = number("aspect")
    rated: int = number("rated", 0, column=Column(table="ratings", head="rated", digits=0))
    """Rated rows that the numbers are of"""
    rows: int = number("rows", 0)
    """All rows of the table"""
    unscored: int = number(
        "unscored",
        0,
        noted=Words(
            lambda record: (
                f"{record.unscored} of {record.rated} rated rows have no score"
                if record.unscored and not record.reason
                else None
            )
        ),
    )
    """Rated rows without a score: a threshold stops them, and Brier and ECE are of the others"""
    bad: int | None = number(
        lambda ranking: int(ranking.bad.sum()),
        None,
        part="ranking",
        said=Words(
            lambda record: (
                f"cannot be judged, as all {record.rated:,} rated rows are {_alike(record)}" if _alike(record) else None
            )
        ),
    )
    """Rated rows that are bad; None where the ratings are a scale and nothing says which are"""
    single: float = number("single", math.nan)
    """The one score that all rows have; NaN where they have several"""
    threshold: float = number(
        "threshold", math.nan, part="decisions", column=Column(table="ratings", head="threshold", digits=4, place=1)
    )
    """In the scorer's own direction; NaN where every row passes, and where nothing is decided"""
    second_threshold: float = number(
        "second",
        math.nan,
        part="decisions",
        column=Column(table="ratings", head="threshold of the second model", digits=4, place=1),
    )
    """That of the rows that the second model of a cascade decided; NaN where there is one threshold for all rows"""
    threshold_from: str = number(
        lambda decisions: decisions.rule.origin,
        "",
        part="decisions",
        column=Column(table="ratings", head="threshold is", place=1, wide=True),
        said=Words(_without_threshold),
        noted=Words(lambda record: CHOSEN_HERE if record.threshold_from == CHOSEN else None, place=1),
    )
    """'given'; 'its own'; 'its own, fitted to these ratings', of a panel; '0.5, as it has one score alone'; 'chosen on
    these ratings', for the best balanced accuracy. The shares of the last are cross-fitted, and the intervals of both
    that are of these ratings hold for any threshold; '' where nothing is decided"""
    tpr: Measured = number(
        lambda decisions: decisions.share(decisions.bad, ~decisions.passed, ~decisions.fitted),
        NOTHING,
        part="decisions",
        column=Column(table="decisions", head="bad stopped (TPR)"),
        said=Words(_decided),
    )
    """The share of the bad rows that is stopped"""
    tnr: Measured = number(
        lambda decisions: decisions.share(decisions.good, decisions.passed, decisions.fitted),
        NOTHING,
        part="decisions",
        column=Column(table="decisions", head="good passed (TNR)"),
    )
    """The share of the good rows that passes"""
    needed_bad: float = number(
        "needed_bad",
        math.nan,
        part="decisions",
        column=Column(table="plan", head="bad ratings needed", digits=0),
        said=Words(lambda record: _planned(record), place=1),
    )
    """How many rated rows have to be bad until the interval of TPR is plus or minus the margin that was asked for; NaN
    without one"""
    needed_good: float = number(
        "needed_good", math.nan, part="decisions", column=Column(table="plan", head="good ratings needed", digits=0)
    )
    """How many have to be good until that of TNR is"""
    needed_rows: float = number(
        "needed_rows", math.nan, part="decisions", column=Column(table="plan", head="rows to rate", digits=0)
    )
    """How many rows have to be rated, drawn at random, until there are so many of each kind: as many of them will be
    bad as of those that are rated now"""
    kappa: float = number(
        lambda decisions: cohen_kappa(
            decisions.fitted[decisions.rated].astype(float), decisions.good[decisions.rated].astype(float)
        ),
        math.nan,
        part="decisions",
        column=Column(table="decisions", head="kappa"),
    )
    """Cohen's, of decisions and ratings"""
    auroc: Measured = number("auroc", NOTHING, part="ranking", column=Column(table="decisions", head="AUROC"))
    bands: tuple[WordingBand, ...] = number(
        "bands",
        (),
        part="ranking",
        said=Words(_unread, place=1),
        noted=Words(
            lambda record: (
                "AUROC by the share of an answer's longer words that its source has: "
                + "; ".join(f"{of.shares}: {_number(of.auroc, f'{of.good} good, {of.bad} bad')}" for of in record.bands)
                if record.bands
                else None
            )
        ),
    )
    """AUROC of answers by their wording, the share of their longer words that the source has: of the bands with enough
    good and bad rows. Empty where the rows have no sources, where the ratings are a scale, and for a combination"""
    brier: float = number(
        "brier", math.nan, part="probability", column=Column(table="probability", head="Brier", digits=3)
    )
    """The mean squared distance of a probability from the rating; NaN where the score is no probability"""
    ece: Measured = number("ece", NOTHING, part="probability", column=Column(table="probability", head="ECE"))
    """The expected calibration error over the fifths of the rated rows; NaN where the score is no probability"""
    pearson: Measured = number(
        "pearson",
        NOTHING,
        part="correlations",
        column=Column(table="correlations", head="Pearson"),
        said=Words(lambda record: _agrees(record) if record.bad is None else None),
    )
    """Over all rated rows; positive is agreement, also where lower is better"""
    spearman: float = number(
        "spearman", math.nan, part="correlations", column=Column(table="correlations", head="Spearman")
    )
    kendall: float = number(
        "kendall", math.nan, part="correlations", column=Column(table="correlations", head="Kendall")
    )
    pdp: Measured = number("pdp", NOTHING, part="correlations", column=Column(table="correlations", head="PDP"))
    """Pearson of the differences between two outputs for one item; NaN where no item has two"""
    effective: Measured = number(
        "worth",
        NOTHING,
        part="estimate",
        column=Column(table="ratings", head="effective", digits=0),
        said=Words(lambda record: None if math.isnan(record.effective.value) else _saved(record)),
    )
    """How many ratings would say as much without the scorer (`nlgauge.estimate`, all systems together). It has no
    interval where all rows are rated"""
    mean: Measured = number(
        lambda estimate: Measured(estimate.estimate, estimate.low, estimate.high),
        NOTHING,
        part="estimate",
        column=Column(
            table="ratings",
            head=lambda lines, _: (
                "bad of all rows" if any(record.bad is not None for record in lines) else "mean of all rows"
            ),
            place=3,
            wide=True,
        ),
    )
    """The corrected mean rating of all rows: for yes or no, the share of bad rows"""
    certified: float = number(
        "threshold",
        math.nan,
        part="promise",
        column=Column(
            table="ratings",
            head=lambda _, risk: f"certified at risk {risk:g}",
            digits=4,
            place=2,
        ),
    )
    """The threshold that is certified at the asked risk (`nlgauge.calibrate`)"""
    certified_passing: float = number(
        "passing",
        math.nan,
        part="promise",
        column=Column(table="ratings", head="pass the certified", place=2, wide=True),
    )
    """The share of all rows that passes it"""
    certified_at_once: int = number("at_once", 0, part="promise")
    """The scorers of the aspect that were tried: all their promises together hold with the asked confidence
    (Bonferroni)"""
    not_certified: str | None = number("reason", None, part="promise", noted=Words(lambda record: record.not_certified))
    """Why no threshold can be certified, and what to do"""
    blank: int = number("blanks", 0, part="promise")
    """Rows that raters passed by. They count as bad where a threshold is certified, and in nothing else"""
    tipping: int | None = number("tipping", None, part="promise")
    """How many of them have to be bad until no threshold can be certified (`nlgauge.answers.calibrate.Chosen`)"""
    sentinels: tuple[str, ...] = number("sentinels", ())
    """What it was compared with: Length and CopyRate, where there are texts"""
    unbeaten: tuple[str, ...] = number(
        "unbeaten",
        (),
        column=Column(table="ratings", head="not better than", place=2),
        said=Words(
            lambda record: (
                f"it is not shown to agree better than {' and '.join(record.unbeaten)}" if record.unbeaten else None
            )
        ),
    )
    """Those of the sentinels that it is not shown to agree better than"""
    stand_in: bool | None = number(
        "passed", None, part="stand_in", column=Column(table="runs", head="may stand in", cell=_stands)
    )
    """Whether it may stand in for a rater; None where too few rows have several raters, or a constant passes too"""
    won: str = number("won", "", part="stand_in")
    """Raters that it wins against, as in '2 of 3'"""
    repeated: int = number("rows", 0, part="repeats")
    """Rows that were scored several times"""
    flips: Measured = number("flips", NOTHING, part="repeats", column=Column(table="runs", head="changes its mind"))
    """The share of these scores that does not decide as most of their row do"""
    injected: int = number("rows", 0, part="injection")
    """Bad rows that it stops, and that were scored again with an order in the candidate"""
    obeyed: Measured = number(
        "obeyed",
        NOTHING,
        part="injection",
        column=Column(table="runs", head="obeys orders"),
        said=Words(
            lambda record: _obeys(record) if record.injected else None,
            place=1,
        ),
    )
    """The share of these that passes with the order"""
    anchors: int = number("anchors", 0, part="since")
    """Rows that both runs have a score for"""
    moved: Measured = number(
        "mean",
        NOTHING,
        part="since",
        column=Column(table="runs", head="moved", digits=4, p="moved_p"),
        said=Words(
            lambda record: (
                f"it moved since the earlier run: {' and '.join(_moved(record))}" if record.has_moved else None
            )
        ),
    )
    """Their mean score now, less the one before, in the scorer's own direction"""
    moved_p: float = number("mean_p", math.nan, part="since")
    """That it did not move, corrected by Holm for all tests of the comparison; with a history, for all its
    comparisons"""
    frozen: float = number("threshold", math.nan, part="since")
    """The threshold by which both runs are decided: the given one, the scorer's own, or the best on the earlier scores
    of rated anchors"""
    changed: Measured = number("changed", NOTHING, part="since", column=Column(table="runs", head="decided otherwise"))
    """The share of the anchors that is decided otherwise than before"""
    righter: Measured = number(
        "righter",
        NOTHING,
        part="since",
        column=Column(table="runs", head="right decisions", p="righter_p"),
    )
    """The share of the rated anchors that is decided as people rate them, less the same share before"""
    righter_p: float = number("righter_p", math.nan, part="since")
    """That this share did not change, corrected likewise"""
    reason: str | None = number("reason", None, noted=Words(lambda record: record.reason))
    """Why there are no numbers of ratings, and what to do"""
    reliability: tuple[Bin, ...] = number("reliability", (), part="ranking")
    """For yes or no: the share of good rows by score"""

    @property
    def has_moved(self) -> bool:
        """Whether the scorer is shown to judge otherwise than in the earlier run."""
        return self.moved_p < SIGNIFICANT or self.righter_p < SIGNIFICANT

    @property
    def answer(self) -> str:
        """One sentence."""
        if self.reason:
            return f"{self.metric}: {self.reason}."
        return f"{self.metric} {'; '.join(clauses(self, 'said'))}."

"""The numbers of trust. Each is declared here once, with its formula, its column in a table and its words.

To add a number, add a field to `Trust`. The record, JSON, data frame, terminal, page, CSV and sentence are made from
it. A number is computed from a part of `nlgauge.answers.trust.facts.Facts`.
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
"""The tables in their order, by name: each with a function that says whether a record has a line in it"""
CHOSEN_HERE = (
    "the threshold has the best balanced accuracy on these ratings; TPR, TNR and kappa are cross-fitted, and the "
    "intervals hold for any threshold; --threshold gives another"
)
SIGNIFICANT = 0.05
"""A scorer is said to have moved if p is below this"""


def _alike(record: Trust) -> str:
    """Return 'good' or 'bad' if all rated rows are, and else ''."""
    return ("bad" if record.bad else "good") if record.bad in (0, record.rated) else ""


def _without_threshold(record: Trust) -> str | None:
    if record.bad is None or _alike(record) or record.threshold_from:
        return None
    return f"decides nothing: all its scores are {record.single:g}, and only --threshold can say what that means"


def _decided(record: Trust) -> str | None:
    """Return a clause with the shares of bad and of good rows that are stopped; None where these cannot be told."""
    if record.bad is None or _alike(record) or not record.threshold_from:
        return None
    stops = Measured(1 - record.tnr.value, 1 - record.tnr.high, 1 - record.tnr.low)
    said = f"finds {_share(record.tpr, record.bad, 'of the bad rows')} and stops "
    said += _share(stops, record.rated - record.bad, "of the good ones")
    half = f"; all its scores are {record.single:g}, and 0.5 decides"
    return said + half if record.threshold_from == HALF else said


def _unread(record: Trust) -> str | None:
    """Return a clause with the bands of wording where a scorer does not tell good from bad rows; None if no band."""
    unread = [band.shares for band in record.bands if band.unread]
    if not unread:
        return None
    of = f"where the source has {' or '.join(unread)} of an answer's longer words"
    return f"{of}, it is not shown to tell good answers from bad ones"


def _planned(record: Trust) -> str | None:
    """Return a clause with the number of ratings that make the intervals as short as asked; None if not asked."""
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
    """Yield clauses on significant changes since the earlier run, and on the share of anchors decided otherwise."""
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
    """Return a number with its interval, as text; `more` is a text that follows the interval."""
    ends = "no interval" if math.isnan(measured.low) else f"95 % interval {measured.low:.2f} to {measured.high:.2f}"
    return f"{measured.value:.2f} ({ends}{f'; {more}' if more else ''})"


@dataclass(frozen=True, kw_only=True)
class Trust:
    """The numbers of one scorer for one aspect. A row is stopped unless its score reaches the threshold.

    A number with its 95 % interval is a `Measured` (value, low, high). In JSON and in data frames it becomes three
    numbers, such as `tpr`, `tpr_low` and `tpr_high`.
    """

    metric: str = number("metric")
    """The scorer with its sub-score; for all scorers together, their names joined by " + \""""
    aspect: str = number("aspect")
    rated: int = number("rated", 0, column=Column(table="ratings", head="rated", digits=0))
    """The number of rated rows that the numbers are computed on"""
    rows: int = number("rows", 0)
    """The number of rows of the table"""
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
    """The number of rated rows without a score. A threshold stops them, and Brier score and ECE leave them out"""
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
    """The number of rated rows that are bad; None where the ratings are a scale, without a limit for bad rows"""
    single: float = number("single", math.nan)
    """The score, if all rows have the same score; else NaN"""
    threshold: float = number(
        "threshold", math.nan, part="decisions", column=Column(table="ratings", head="threshold", digits=4, place=1)
    )
    """The threshold on the scale of the scorer's scores; NaN where every row passes, and where nothing is decided"""
    second_threshold: float = number(
        "second",
        math.nan,
        part="decisions",
        column=Column(table="ratings", head="threshold of the second model", digits=4, place=1),
    )
    """The threshold of rows that the second model of a cascade decided; NaN where one threshold holds for all rows"""
    threshold_from: str = number(
        lambda decisions: decisions.rule.origin,
        "",
        part="decisions",
        column=Column(table="ratings", head="threshold is", place=1, wide=True),
        said=Words(_without_threshold),
        noted=Words(lambda record: CHOSEN_HERE if record.threshold_from == CHOSEN else None, place=1),
    )
    """Where the threshold comes from: 'given'; 'its own'; 'its own, fitted to these ratings' for a panel; '0.5, as it
    has one score alone'; or 'chosen on these ratings', for the best balanced accuracy. '' where nothing is decided. If
    the threshold was chosen on these ratings, the shares are cross-fitted. If it was chosen on them or fitted to them,
    the intervals are valid for any threshold"""
    tpr: Measured = number(
        lambda decisions: decisions.share(decisions.bad, ~decisions.passed, ~decisions.fitted),
        NOTHING,
        part="decisions",
        column=Column(table="decisions", head="bad stopped (TPR)"),
        said=Words(_decided),
    )
    """The true positive rate: the share of the bad rows that are stopped"""
    tnr: Measured = number(
        lambda decisions: decisions.share(decisions.good, decisions.passed, decisions.fitted),
        NOTHING,
        part="decisions",
        column=Column(table="decisions", head="good passed (TNR)"),
    )
    """The true negative rate: the share of the good rows that pass"""
    needed_bad: float = number(
        "needed_bad",
        math.nan,
        part="decisions",
        column=Column(table="plan", head="bad ratings needed", digits=0),
        said=Words(lambda record: _planned(record), place=1),
    )
    """How many bad rows have to be rated until the interval of TPR is plus or minus the margin; NaN without a margin"""
    needed_good: float = number(
        "needed_good", math.nan, part="decisions", column=Column(table="plan", head="good ratings needed", digits=0)
    )
    """How many good rows have to be rated until the interval of TNR is plus or minus the margin; NaN without a
    margin"""
    needed_rows: float = number(
        "needed_rows", math.nan, part="decisions", column=Column(table="plan", head="rows to rate", digits=0)
    )
    """How many rows, drawn at random, have to be rated until there are `needed_bad` bad and `needed_good` good ones, if
    the share of bad rows stays as it is now; NaN without a margin"""
    kappa: float = number(
        lambda decisions: cohen_kappa(
            decisions.fitted[decisions.rated].astype(float), decisions.good[decisions.rated].astype(float)
        ),
        math.nan,
        part="decisions",
        column=Column(table="decisions", head="kappa"),
    )
    """Cohen's kappa of the decisions with the ratings"""
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
    """The AUROC in each band of wording with enough good and bad rows, where wording is the share of an answer's longer
    words that its source contains. Empty where the rows have no sources or the ratings are a scale, and for a
    combination"""
    brier: float = number(
        "brier", math.nan, part="probability", column=Column(table="probability", head="Brier", digits=3)
    )
    """The Brier score: the mean squared difference of probability and rating; NaN where the scores are no
    probabilities"""
    ece: Measured = number("ece", NOTHING, part="probability", column=Column(table="probability", head="ECE"))
    """The expected calibration error over five groups of rated rows by score; NaN where the scores are no
    probabilities"""
    pearson: Measured = number(
        "pearson",
        NOTHING,
        part="correlations",
        column=Column(table="correlations", head="Pearson"),
        said=Words(lambda record: _agrees(record) if record.bad is None else None),
    )
    """The Pearson correlation over all rated rows. Above 0 is agreement, also where lower scores are better"""
    spearman: float = number(
        "spearman", math.nan, part="correlations", column=Column(table="correlations", head="Spearman")
    )
    kendall: float = number(
        "kendall", math.nan, part="correlations", column=Column(table="correlations", head="Kendall")
    )
    pdp: Measured = number("pdp", NOTHING, part="correlations", column=Column(table="correlations", head="PDP"))
    """The Pearson correlation of the differences between two outputs for one item; NaN where no item has two outputs"""
    effective: Measured = number(
        "worth",
        NOTHING,
        part="estimate",
        column=Column(table="ratings", head="effective", digits=0),
        said=Words(lambda record: None if math.isnan(record.effective.value) else _saved(record)),
    )
    """The effective number of ratings: how many ratings alone, without the scorer, would give as short an interval
    (`nlgauge.estimate`, all systems together). It has no interval where all rows are rated"""
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
    """The estimated mean rating of all rows; where ratings are good or bad, the estimated share of bad rows"""
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
    """The threshold that is certified for the promised risk (`nlgauge.calibrate`), on the scale of the scorer's
    scores"""
    certified_passing: float = number(
        "passing",
        math.nan,
        part="promise",
        column=Column(table="ratings", head="pass the certified", place=2, wide=True),
    )
    """The share of all rows that pass the certified threshold"""
    certified_at_once: int = number("at_once", 0, part="promise")
    """The number of scorers that were tried for the aspect. Their promises together hold with the asked confidence
    (Bonferroni)"""
    not_certified: str | None = number("reason", None, part="promise", noted=Words(lambda record: record.not_certified))
    """The reason why no threshold can be certified, and what to do; None where one is"""
    blank: int = number("blanks", 0, part="promise")
    """The number of rows that raters left blank. They count as bad where a threshold is certified, and nowhere else"""
    tipping: int | None = number("tipping", None, part="promise")
    """The least number of bad rows among the blank ones with which no threshold can be certified
    (`nlgauge.answers.rated_scores.Chosen`)"""
    sentinels: tuple[str, ...] = number("sentinels", ())
    """The sentinels that the scorer was compared with: Length and CopyRate, if the outputs' texts are known"""
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
    """The sentinels that the scorer is not shown to beat, because it does not agree significantly better with people"""
    stand_in: bool | None = number(
        "passed", None, part="stand_in", column=Column(table="runs", head="may stand in", cell=_stands)
    )
    """Whether the scorer may stand in for a rater; None where too few rows have several raters, or a constant passes
    too"""
    won: str = number("won", "", part="stand_in")
    """How many raters the scorer wins against, such as '2 of 3'"""
    repeated: int = number("rows", 0, part="repeats")
    """The number of rows that were scored several times"""
    flips: Measured = number("flips", NOTHING, part="repeats", column=Column(table="runs", head="changes its mind"))
    """The share of the repeated scores of a row that decide otherwise than most scores of the same row"""
    injected: int = number("rows", 0, part="injection")
    """The number of bad rows that the scorer stops, and that were scored again with an order in the candidate"""
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
    """The share of the `injected` rows that pass with the order"""
    anchors: int = number("anchors", 0, part="since")
    """The number of rows that both runs have a score of"""
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
    """The mean score of the anchors in this run minus that in the earlier run, on the scale of the scorer's scores"""
    moved_p: float = number("mean_p", math.nan, part="since")
    """The p of the hypothesis that the mean score did not change, corrected by Holm for all tests of the comparison;
    with a history, corrected for all of its comparisons"""
    frozen: float = number("threshold", math.nan, part="since")
    """The threshold that decides in both runs: the given one, the scorer's own, or the best on the earlier scores of
    rated anchors"""
    changed: Measured = number("changed", NOTHING, part="since", column=Column(table="runs", head="decided otherwise"))
    """The share of the anchors that are decided otherwise than in the earlier run"""
    righter: Measured = number(
        "righter",
        NOTHING,
        part="since",
        column=Column(table="runs", head="right decisions", p="righter_p"),
    )
    """The share of the rated anchors that are decided as people rate them, minus the same share in the earlier run"""
    righter_p: float = number("righter_p", math.nan, part="since")
    """The p of the hypothesis that the true value of `righter` is 0, corrected like `moved_p`"""
    reason: str | None = number("reason", None, noted=Words(lambda record: record.reason))
    """The reason why the ratings give no numbers, and what to do; None where they do"""
    reliability: tuple[Bin, ...] = number("reliability", (), part="ranking")
    """Where ratings are good or bad: the share of good rows in each of about five groups by score"""

    @property
    def has_moved(self) -> bool:
        """Whether the scorer is shown to decide or score otherwise than in the earlier run."""
        return self.moved_p < SIGNIFICANT or self.righter_p < SIGNIFICANT

    @property
    def answer(self) -> str:
        """A sentence with the main numbers."""
        if self.reason:
            return f"{self.metric}: {self.reason}."
        return f"{self.metric} {'; '.join(clauses(self, 'said'))}."

"""`nlgauge.trust`: how far to trust each scorer of a table, by people's ratings of some of its rows.

A scorer is any metric, judge or detector. Every number comes from one place: shares, AUROC and calibration error from
`nlgauge.stats.decisions`, the certified threshold from `nlgauge.stats.certified`, the effective number of ratings from
`nlgauge.stats.estimate`, correlations from `nlgauge.stats.agreement`, sentinels and raters from the modules of these
names.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from nlgauge.data.corpus import Corpus
from nlgauge.data.corpus.place import first_repeat
from nlgauge.data.table import Column, ScoreTable
from nlgauge.data.table.frame import Records
from nlgauge.errors import InputError, SpecError
from nlgauge.render.tables import terminal
from nlgauge.stats.agreement import correlate
from nlgauge.stats.arrays import Float, Mask
from nlgauge.stats.certified import Bin, RatedTask, equally_drawn
from nlgauge.stats.corrections import holm
from nlgauge.stats.decisions import Measured, auroc, calibration_error, chosen_share, share_of
from nlgauge.stats.estimate import ALL, Estimate, estimate
from nlgauge.stats.fitting import combined
from nlgauge.stats.gate.baseline import told_apart
from nlgauge.stats.gate.thresholds import PART
from nlgauge.stats.interrater import cohen_kappa
from nlgauge.stats.join import Source, turned
from nlgauge.stats.paired import paired
from nlgauge.stats.project import ProjectRatings
from nlgauge.stats.rated import Rated, rated_rows
from nlgauge.stats.raters import StandIn, raters
from nlgauge.stats.selection import label
from nlgauge.stats.sentinels import beside, is_sentinel, unbeaten

_JUDGES = ("Column", "Judge")
"""Scorers whose numbers from 0 to 1 are read as probabilities"""
_FLIPS = "flips"
"""The sub-score of a judge that was asked several times"""
_DISPUTED = 5
"""Rows of each scorer that are told of: those on which it and people differ most"""
_CHOSEN = "chosen on these ratings"
_HALF = 0.5
"""The mean rating of yes and no by several raters from which a row is good"""


@dataclass(frozen=True)
class Trust:
    """What ratings say of one scorer and one aspect. A bad row is stopped where its score is below the threshold."""

    metric: str
    """With its sub-score; for a combination, several that are joined by " + \""""
    aspect: str
    rated: int = 0
    """Rated rows that the numbers are of"""
    unscored: int = 0
    """Rated rows without a score: a threshold stops them, and Brier and ECE are of the others"""
    bad: int | None = None
    """Rated rows that are bad; None where the ratings are a scale and nothing says which are"""
    threshold: float = math.nan
    """In the scorer's own direction; NaN where every row passes"""
    threshold_from: str = ""
    """'given'; 'its own'; 'chosen on these ratings', for the best balanced accuracy: the shares are then cross-fitted,
    and their intervals hold for any threshold that ratings choose"""
    tpr: float = math.nan
    """The share of the bad rows that is stopped"""
    tpr_low: float = math.nan
    tpr_high: float = math.nan
    tnr: float = math.nan
    """The share of the good rows that passes"""
    tnr_low: float = math.nan
    tnr_high: float = math.nan
    kappa: float = math.nan
    """Cohen's, of decisions and ratings"""
    auroc: float = math.nan
    auroc_low: float = math.nan
    auroc_high: float = math.nan
    brier: float = math.nan
    """The mean squared distance of a probability from the rating; NaN where the score is no probability"""
    ece: float = math.nan
    """The expected calibration error over the fifths of the rated rows; NaN where the score is no probability"""
    ece_low: float = math.nan
    ece_high: float = math.nan
    pearson: float = math.nan
    """Over all rated rows; positive is agreement, also where lower is better"""
    pearson_low: float = math.nan
    pearson_high: float = math.nan
    spearman: float = math.nan
    kendall: float = math.nan
    pdp: float = math.nan
    """Pearson of the differences between two outputs for one item; NaN where no item has two"""
    pdp_low: float = math.nan
    pdp_high: float = math.nan
    effective: float = math.nan
    """How many ratings would say as much without the scorer (`nlgauge.estimate`, all systems together)"""
    mean: float = math.nan
    """The corrected mean rating of all rows: for yes or no, the share of bad rows"""
    mean_low: float = math.nan
    mean_high: float = math.nan
    certified: float = math.nan
    """The threshold that is certified at the asked risk (`nlgauge.calibrate`)"""
    certified_passing: float = math.nan
    """The share of all rows that passes it"""
    not_certified: str | None = None
    """Why no threshold can be certified, and what to do"""
    sentinels: tuple[str, ...] = ()
    """What it was compared with: Length and CopyRate, where there are texts"""
    unbeaten: tuple[str, ...] = ()
    """Those of the sentinels that it is not shown to agree better than"""
    stand_in: bool | None = None
    """Whether it may stand in for a rater; None where too few rows have several raters, or a constant passes too"""
    won: str = ""
    """Raters that it wins against, as in '2 of 3'"""
    repeated: int = 0
    """Rows that were scored several times"""
    flips: float = math.nan
    """The share of these scores that does not decide as most of their row do"""
    flips_low: float = math.nan
    flips_high: float = math.nan
    anchors: int = 0
    """Rows that both runs have a score for"""
    moved: float = math.nan
    """Their mean score now, less the one before, in the scorer's own direction"""
    moved_low: float = math.nan
    moved_high: float = math.nan
    moved_p: float = math.nan
    """That it did not move, corrected by Holm for all scorers"""
    changed: float = math.nan
    """The share of them that is decided otherwise than before"""
    changed_low: float = math.nan
    changed_high: float = math.nan
    reason: str | None = None
    """Why there are no numbers of ratings, and what to do"""
    reliability: tuple[Bin, ...] = ()
    """For yes or no: the share of good rows by score"""

    @property
    def answer(self) -> str:
        """One sentence."""
        if self.reason:
            return f"{self.metric}: {self.reason}."
        if self.bad is not None and not math.isnan(self.tpr) and not math.isnan(self.tnr):
            said = f"finds {self.tpr:.0%} of the bad rows and stops {1 - self.tnr:.0%} of the good ones"
        elif self.bad is not None:
            said = f"cannot be judged, as all {self.rated} rated rows are {'bad' if self.bad else 'good'}"
        else:
            said = f"agrees with people by a correlation of {self.pearson:.2f}"
        if not math.isnan(self.effective):
            much = f"{self.effective:,.0f}" if self.effective > 1.05 * self.rated else "no more than themselves"
            as_much = "as much as " if self.effective > 1.05 * self.rated else ""
            said += f"; with it {self.rated:,} ratings say {as_much}{much}"
        if self.unbeaten:
            said += f"; it is not shown to agree better than {' and '.join(self.unbeaten)}"
        if self.moved_p < 0.05:
            said += "; it moved since the earlier run"
        return f"{self.metric} {said}."


@dataclass(frozen=True)
class Dispute:
    """A rated row on which a scorer and people differ much."""

    system: str
    item: str
    aspect: str
    rating: float
    scores: Mapping[str, float]
    """By scorer"""
    metric: str
    """The scorer that differs most"""
    apart: float
    """Its rank of the row less people's, in shares of the rated rows: above 0 where the scorer finds it better"""


@dataclass(frozen=True)
class Trusts(Records[Trust]):
    """What `trust` found: by aspect, a record for each scorer, and one for all of them together."""

    kind = Trust
    records: list[Trust]
    notes: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    """A sentence for each scorer"""
    disputes: list[Dispute] = field(default_factory=list)
    """The rows on which scorers and people differ most"""

    def __repr__(self) -> str:
        heads = ["metric", "aspect", "rated", "tpr", "tnr", "kappa", "auroc", "pearson", "effective"]
        cells = [
            [f"{v:.3g}" if isinstance(v := getattr(one, head), float) else str(v) for head in heads] for one in self
        ]
        return "\n".join([*self.answers, *terminal([heads, *cells]), *self.notes])


def trust(
    table: ScoreTable,
    ratings: Source,
    *,
    metrics: Sequence[str] | None = None,
    aspects: Sequence[str] | None = None,
    below: float | None = None,
    thresholds: Mapping[str, float] | None = None,
    probabilities: Sequence[str] = (),
    risk: float = 0.1,
    confidence: float = 0.9,
    rater_aspects: Sequence[str] = (),
    epsilon: float = 0.2,
    before: ScoreTable | None = None,
    cluster: str | None = None,
    outputs: Corpus | None = None,
    replicates: int = 1000,
    seed: int = 0,
) -> Trusts:
    """Return how far to trust each scorer of a table, from people's ratings of some of its rows.

    All systems count together. Rows of an item or a cluster are not independent, and all intervals, of 95 %, say so.
    The rated rows have to be drawn at random, or by `nlgauge.sample`; where some were drawn with a larger probability
    than others, as many of these are left out at random.

    Args:
        table: the scores of all rows; several scores of one row (`repeats='mean'`) say how often a scorer changes its
            mind, and their mean is what is measured.
        ratings: as `nlgauge.estimate` takes them.
        metrics: which scorers, with their sub-scores; all by default, each by its probability or its first score.
        aspects: of the ratings; all by default.
        below: a row is bad that is rated below this. Ratings of 0 and 1 need none; of a rating project of yes and no a
            row is good that half of its raters call so. Without it, others are a scale.
        thresholds: by scorer. By default the scorer's own: the lower one of `check --grounded`, which stands in the
            signature, or the one of a scorer that has two values; else the best on these ratings, cross-fitted.
        probabilities: scorers whose numbers are probabilities that a row is good. Columns and judges from 0 to 1 are
            read so, and sub-scores that are called probability.
        risk, confidence: of the certified threshold.
        rater_aspects: aspects that hold one rater each, of the same question. A rating project knows its raters.
        epsilon: by how much a scorer may be worse than a rater whom it stands in for.
        before: scores of an earlier run, of some of the same rows (anchors): whether a scorer moved.
        cluster, outputs: as `nlgauge.estimate` takes them; texts of the outputs make the sentinels.
        replicates, seed: of all that is drawn.

    Raises:
        InputError: where no scorer can be measured, and for what does not exist or does not go together.
    """
    for what, value in (("risk", risk), ("confidence", confidence)):
        if not 0 < value < 1:
            raise InputError(f"the {what} {value!r} is not between 0 and 1", remedy="0.1 or 0.9, for two")
    whole = _scorers(table, metrics)
    named = {name: whole.find(name) for name in (*(thresholds or {}), *probabilities)}
    scorers = whole.per_item()
    asked = aspects or ([*rater_aspects, *_others(ratings, rater_aspects)] if rater_aspects else None)
    rated = rated_rows(scorers, ratings, asked, cluster=cluster, outputs=outputs)
    if rated.clusters is not None and cluster not in (None, "item"):
        scorers = scorers.clustered(rated.clusters.tolist())
    limits = {aspect: _limit(ratings, aspect, values, below) for aspect, values in rated.values.items()}
    work = _Work(
        scorers, rated, limits, {named[name]: float(value) for name, value in (thresholds or {}).items()},
        {named[name] for name in probabilities}, risk, confidence, replicates, seed,
    )  # fmt: skip
    notes = list(rated.notes)
    for aspect in (aspect for aspect, limit in limits.items() if limit == _HALF != below):
        notes.append(f"{aspect}: a row is good where at least half of its raters say so; --below takes another share")
    if len(table.systems) > 1:
        notes.append(f"the {len(table.systems)} systems count together")
    texts = outputs if outputs is not None else ratings if isinstance(ratings, Corpus) else None
    records: list[Trust] = []
    disputes: list[Dispute] = []
    for aspect in rated.values:
        if aspect in rater_aspects and aspect not in (aspects or ()):
            continue
        found = work.aspect(aspect, texts, ratings, notes)
        of = _raters_of(ratings, aspect, rater_aspects)
        found = _stand_ins(work, found, of, epsilon, notes) if len(of) > 1 else found
        records += found
        disputes += work.disputes(aspect)
    records = _repeats(whole, records)
    records = records if before is None else _moved(scorers, before, records, replicates, seed, notes)
    if all(one.reason for one in records):
        raise InputError(records[0].reason or "nothing can be measured")
    single = len({one.aspect for one in records}) == 1
    answers = [one.answer if single else f"{one.aspect}: {one.answer}" for one in records if " + " not in one.metric]
    return Trusts(records, list(dict.fromkeys(notes)), answers, disputes)


def _limit(ratings: Source, aspect: str, values: Float, below: float | None) -> float | None:
    """The rating from which a row is good; None where the ratings are a scale."""
    if below is not None or np.isin(values[~np.isnan(values)], (0, 1)).all():
        return 1.0 if below is None else below
    several = isinstance(ratings, ProjectRatings) and ratings.scales.get(aspect) == (0, 1)
    return _HALF if several else None


def _others(ratings: Source, names: Sequence[str]) -> list[str]:
    """The aspects of the ratings that are not those of single raters."""
    if not isinstance(ratings, Corpus):
        return []
    return [name for name in dict.fromkeys(name for row in ratings for name in row.scores) if name not in names]


def _scorers(table: ScoreTable, metrics: Sequence[str] | None) -> ScoreTable:
    """The table with one column for each scorer, by the name that it is shown under. Raises InputError for none."""
    chosen: dict[str, tuple[str, str]] = {}
    for name in metrics if metrics is not None else table.columns:
        spec, parts = table.named(name)
        column = table.columns[spec]
        part = PART if PART in parts else parts[0]
        if column.level == "item" and part not in column.details:
            chosen[label(table, spec, part)] = (spec, part)
        elif metrics is not None:
            what = "one number a system" if column.level != "item" else "no better direction"
            raise InputError(f"{name} has {what}", remedy="name scorers that have one for each row, and that have one")
    if not chosen:
        raise InputError("the table has no scorer of rows", remedy="score some, or add a column (--add)")
    columns = {}
    for name, (spec, part) in chosen.items():
        column = table.columns[spec]
        kept = [part, _FLIPS] if _FLIPS in column.parts else [part]
        values = column.values[:, [column.parts.index(one) for one in kept]]
        columns[name] = Column(
            tuple(kept), values, column.reasons, {}, column.higher_is_better, details=tuple(kept[1:])
        )
    signatures = {name: table.signatures[spec] for name, (spec, _) in chosen.items() if spec in table.signatures}
    asked = {
        **{spec: name for name, (spec, _) in chosen.items()},
        **{was: name for name, (spec, _) in chosen.items() for was, now in _asked(table).items() if now == spec},
    }
    return replace(table, columns=columns, signatures=signatures, run={**table.run, "asked": asked})


def _asked(table: ScoreTable) -> Mapping[str, str]:
    found: Mapping[str, str] = table.run.get("asked", {})
    return found


def _raters_of(ratings: Source, aspect: str, names: Sequence[str]) -> Mapping[str, Any]:
    """The ratings of each rater, by name; nothing where they are not known."""
    if isinstance(ratings, ProjectRatings):
        return ratings.raters.get(aspect, {})
    if not names or not isinstance(ratings, Corpus):
        return {}
    return {name: {(row.system, row.item): row.scores[name] for row in ratings if name in row.scores} for name in names}


@dataclass(frozen=True)
class _Decision:
    """A scorer's threshold, and what it decides of each row."""

    threshold: float
    """Larger scores being better; infinite where every row passes"""
    origin: str
    passed: Mask
    """By the threshold [rows]"""
    fitted: Mask
    """By the thresholds that were chosen on other rows, or by the same one [rows]"""


class _Of(NamedTuple):
    """The rows of an aspect that numbers are of."""

    rows: Mask
    y: Float
    """The ratings of all rows, and 1 or 0 for good and bad where `below` says it; NaN where there is none"""
    yes_no: bool


@dataclass(frozen=True)
class _Work:
    """The scorers of a table beside all ratings."""

    table: ScoreTable
    rated: Rated
    limits: Mapping[str, float | None]
    """By aspect: the rating from which a row is good; None for a scale"""
    thresholds: Mapping[str, float]
    probabilities: set[str]
    risk: float
    confidence: float
    replicates: int
    seed: int

    def of(self, aspect: str) -> _Of:
        """Return the rated rows of an aspect that were drawn with one probability."""
        given = self.rated.values[aspect]
        known = ~np.isnan(given)
        rng = np.random.default_rng([self.seed, len(given), int(known.sum())])
        rows, _ = equally_drawn(self.rated, known, np.ones(len(given), bool), rng)
        limit = self.limits[aspect]
        if limit is None:
            return _Of(rows, given, False)
        return _Of(rows, np.where(known, (given >= limit).astype(float), np.nan), True)

    def aspect(self, aspect: str, texts: Corpus | None, ratings: Source, notes: list[str]) -> list[Trust]:
        """Return a line for each scorer, and one for all together."""
        of = self.of(aspect)
        records = [self._line(name, aspect, of, notes) for name in self.table.columns]
        fine = [one.metric for one in records if not one.reason]
        if not fine:
            return records
        records = self._correlated(records, fine, of, texts, notes)
        estimates = self._estimates(aspect, ratings, texts, fine, notes)
        everything = " + ".join(fine)
        if len(fine) > 1:
            records.append(self._together(everything, fine, aspect, of))
        return [
            replace(
                one, effective=found.worth, mean=found.estimate, mean_low=found.low, mean_high=found.high
            ) if (found := estimates.get(one.metric)) is not None and not found.reason else one
            for one in records
        ]  # fmt: skip

    def _line(self, name: str, aspect: str, of: _Of, notes: list[str]) -> Trust:
        column = self.table.columns[name]
        scores = turned(column, 0)
        n, unscored = int(of.rows.sum()), int(np.isnan(scores[of.rows]).sum())
        line = Trust(name, aspect, rated=n, unscored=unscored)
        if np.isnan(scores).all():
            return replace(line, reason="no row has a score")
        if not of.yes_no:
            return line
        everything = np.ones(len(scores), bool)
        try:
            task = RatedTask.of(self.rated, aspect, scores, self.limits[aspect], everything, self.seed)
        except InputError as error:
            return replace(line, reason=f"{error.problem}: {error.remedy}" if error.remedy else error.problem)
        notes += task.notes
        sign = 1 if column.higher_is_better else -1
        tested = replace(task.rows, rated=task.rows.tested, bad=task.rows.bad & task.rows.tested)
        clusters, bad, rows = tested.clusters, tested.bad, tested.rated
        good = rows & ~bad
        decided = self._decided(name, column, tested.scores, tested)
        chosen = decided.origin == _CHOSEN
        tpr, tnr = (
            chosen_share(hits[kind], fitted[kind], clusters[kind]) if chosen else share_of(hits[kind], clusters[kind])
            for kind, hits, fitted in (
                (bad, ~decided.passed, ~decided.fitted), (good, decided.passed, decided.fitted),
            )
        )  # fmt: skip
        brier, ece = self._calibration(name, column, scores, tested)
        apart, _ = task.rows.independent(task.rng)
        promised = apart.certified(self.risk, 1 - self.confidence)
        measured = auroc(tested.scores[rows], bad[rows], clusters[rows])
        return replace(
            line, bad=int(bad.sum()),
            threshold=sign * decided.threshold if math.isfinite(decided.threshold) else math.nan,
            threshold_from=decided.origin,
            kappa=cohen_kappa(decided.fitted[rows].astype(float), good[rows].astype(float)),
            brier=brier, certified=sign * promised.threshold, certified_passing=promised.passing,
            not_certified=promised.reason, reliability=tuple(tested.reliability(sign)),
            **_three("tpr", tpr), **_three("tnr", tnr), **_three("auroc", measured), **_three("ece", ece),
        )  # fmt: skip

    def _decided(self, name: str, column: Column, scores: Float, tested: Any) -> _Decision:
        sign = 1 if column.higher_is_better else -1
        own = self.thresholds.get(name)
        origin = "given" if own is not None else "its own"
        facts = self.table.signatures[name].facts if name in self.table.signatures else {}
        # With a second model there are thresholds of both, and no single one.
        grounded = facts.get("grounded") if "then_grounded" not in facts else None
        if own is None and column.parts[0] == PART and isinstance(grounded, Sequence) and len(grounded) == 2:
            own = float(grounded[0])
        if own is None and len(values := np.unique(scores[np.isfinite(scores)])) == 2:
            own = sign * float(values[1])
        if own is not None:
            passed = scores >= sign * own
            return _Decision(sign * own, origin, passed, passed)
        threshold, of_row = tested.cross_fitted("balanced", 1.0, 0.9, self.seed)
        with np.errstate(invalid="ignore"):
            return _Decision(threshold, _CHOSEN, scores >= threshold, scores >= of_row)

    def _calibration(self, name: str, column: Column, scores: Float, tested: Any) -> tuple[float, Measured]:
        """Brier score and ECE of a probability; NaN for other scores. Raises InputError where one was named wrongly."""
        finite = scores[np.isfinite(scores)]
        likely = finite if column.higher_is_better else 1 + finite
        within = bool(((likely >= 0) & (likely <= 1)).all())
        if name in self.probabilities and not within:
            raise InputError(f"{name} is no probability: it has scores that are not from 0 to 1")
        read = name in self.probabilities or column.parts[0] == PART or name.partition("(")[0] in _JUDGES
        if not within or not (read or name in self.table.run.get("joined", {})):
            return math.nan, Measured()
        probability = scores if column.higher_is_better else 1 + scores
        rows = replace(tested, rated=tested.rated & np.isfinite(scores))
        good = (~rows.bad).astype(float)
        brier = float(((probability - good)[rows.rated] ** 2).mean()) if rows.rated.any() else math.nan
        return brier, calibration_error(probability, ~rows.bad, rows.clusters, rows.fifths(), seed=self.seed)

    def _correlated(
        self, records: Sequence[Trust], fine: Sequence[str], of: _Of, texts: Corpus | None, notes: list[str]
    ) -> list[Trust]:
        """The lines with correlations, for a scale, and with sentinels."""
        aspect = records[0].aspect
        table = self._bare(fine)
        values = {key: float(value) for key, value, row in zip(table.rows, of.y, of.rows, strict=True) if row}
        source = {aspect: values}
        how: dict[str, Any] = {"replicates": self.replicates, "seed": self.seed}
        known = table if texts is None else beside(table, texts, "pearson")
        tested = tuple(name for name in known.columns if is_sentinel(name))
        if not tested:
            notes.append("Length and CopyRate need the texts of the outputs: give them too (--outputs)")
        of_scale = {**how, "replicates": 0 if of.yes_no else self.replicates}
        pooled = correlate(known, source, level="pooled", resample="items", **of_scale)
        behind = unbeaten(known, source, pooled, level="pooled", coefficient="pearson", **how) if tested else []
        more: dict[str, dict[str, Any]] = {name: {} for name in fine}
        if not of.yes_no:
            notes += pooled.notes
            others = {
                kind: correlate(table, source, level="pooled", coefficient=kind, replicates=0)
                for kind in ("spearman", "kendall")
            }
            pairs = None
            if len(self.table.systems) > 1:
                pairs = correlate(table, source, coefficient="pairwise_difference", resample="items", **how)
            for name in fine:
                one = pooled.get(name, aspect)
                more[name] = _three("pearson", Measured(one.value, one.low, one.high))
                more[name] |= {kind: found.get(name, aspect).value for kind, found in others.items()}
                if pairs is not None:
                    pair = pairs.get(name, aspect)
                    more[name] |= _three("pdp", Measured(pair.value, pair.low, pair.high))
        by_name: dict[str, list[str]] = {}
        for lost in behind:
            by_name.setdefault(lost.metric, []).append(lost.sentinel)
        return [
            one if one.reason else replace(
                one, sentinels=() if is_sentinel(one.metric) else tested,
                unbeaten=tuple(by_name.get(one.metric, ())), **more[one.metric],
            )
            for one in records
        ]  # fmt: skip

    def _bare(self, names: Sequence[str]) -> ScoreTable:
        """The table of some scorers with their scores alone."""
        columns = {name: self.table.columns[name] for name in names}
        bare = {
            name: replace(one, parts=one.parts[:1], values=one.values[:, :1], details=())
            for name, one in columns.items()
        }
        return replace(self.table, columns=bare)

    def _estimates(
        self, aspect: str, ratings: Source, texts: Corpus | None, fine: Sequence[str], notes: list[str]
    ) -> dict[str, Estimate]:
        """The mean rating of all rows by each scorer and by all together."""
        table = self._bare(fine)
        try:
            found = estimate(
                table, ratings, aspects=[aspect], below=self.limits[aspect], outputs=texts, pooled=True, seed=self.seed,
            )  # fmt: skip
        except InputError as error:
            notes.append(f"no effective number of ratings, {error}")
            return {}
        return {one.metric: one for one in found if one.system == ALL or len(self.table.systems) == 1}

    def _together(self, name: str, fine: Sequence[str], aspect: str, of: _Of) -> Trust:
        """The line of all scorers together, by weights that were fitted to other items."""
        x = np.stack([turned(self.table.columns[one], 0) for one in fine], 1)
        known = np.isfinite(x)
        x = np.where(known, x, np.nanmean(np.where(known, x, np.nan), 0))
        clusters = self.rated.clusters if self.rated.clusters is not None else self.rated.items
        line = Trust(name, aspect, rated=int(of.rows.sum()))
        if len(np.unique(clusters[of.rows])) < 2:
            return line
        one = combined(x, np.where(of.rows, of.y, 0.0), of.rows, clusters, self.seed)
        if of.yes_no:
            bad = of.y[of.rows] == 0
            return replace(line, bad=int(bad.sum()), **_three("auroc", auroc(one[of.rows], bad, clusters[of.rows])))
        table = replace(self.table, columns={name: Column(("score",), one[:, None])})
        values = {key: float(value) for key, value, row in zip(table.rows, of.y, of.rows, strict=True) if row}
        (found,) = correlate(
            table, {aspect: values}, level="pooled", resample="items", replicates=self.replicates, seed=self.seed
        )
        return replace(line, **_three("pearson", Measured(found.value, found.low, found.high)))

    def disputes(self, aspect: str) -> list[Dispute]:
        """Return the rows of an aspect on which some scorer and people differ most, the farthest first."""
        of = self.of(aspect)
        rows = np.flatnonzero(of.rows)
        scores = {name: turned(column, 0)[rows] for name, column in self.table.columns.items()}
        apart = {name: _ranks(np.where(np.isnan(x), -math.inf, x)) - _ranks(of.y[rows]) for name, x in scores.items()}
        most: dict[int, tuple[float, str]] = {}
        for name, gaps in apart.items():
            for place in np.argsort(-np.abs(gaps), kind="stable")[:_DISPUTED].tolist():
                gap = float(gaps[place])
                if abs(gap) > abs(most.get(place, (0.0, ""))[0]):
                    most[place] = (gap, name)
        made = []
        for place, (gap, name) in sorted(most.items(), key=lambda one: -abs(one[1][0])):
            system, item = self.table.rows[rows[place]]
            shown = {one: float(column.values[rows[place], 0]) for one, column in self.table.columns.items()}
            rating = float(self.rated.values[aspect][rows[place]])
            made.append(Dispute(system, item, aspect, rating, shown, name, gap))
        return made


def _three(name: str, found: Measured) -> dict[str, Any]:
    return {name: found.value, f"{name}_low": found.low, f"{name}_high": found.high}


def _ranks(values: Float) -> Float:
    """The mean rank of each value, ties sharing theirs, as a share of the rows."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray(((np.cumsum(counts) - (counts - 1) / 2)[place] - 0.5) / max(1, len(values)))


def _stand_ins(
    work: _Work, records: Sequence[Trust], of: Mapping[str, Any], epsilon: float, notes: list[str]
) -> list[Trust]:
    """The lines with whether each scorer may stand in for a rater."""
    try:
        found = raters(
            work.table, of, list(of), epsilon=epsilon, level="pooled", resample="items", replicates=0, seed=work.seed
        )
    except InputError as error:
        notes.append(f"whether a scorer may stand in for a rater is not tested: {error}")
        return list(records)
    constant = found[-1]
    if constant.passed:
        notes.append("a constant may stand in for a rater too, so these ratings do not tell which scorer may")
    by_name: dict[str, StandIn] = {one.metric: one for one in found}
    return [
        replace(
            one, stand_in=None if constant.passed else by_name[one.metric].passed,
            won=f"{by_name[one.metric].won} of {by_name[one.metric].raters}",
        ) if one.metric in by_name else one
        for one in records
    ]  # fmt: skip


def _repeats(table: ScoreTable, records: Sequence[Trust]) -> list[Trust]:
    """The lines with how often a scorer changes its mind about one row."""
    repeated = first_repeat(table.rows) is not None
    keys: dict[tuple[str, str], int] = {}
    of = np.array([keys.setdefault(row, len(keys)) for row in table.rows], np.intp)
    items: dict[str, int] = {}
    clusters = np.array([items.setdefault(item, len(items)) for _, item in keys], np.intp)
    made = []
    for one in records:
        column = table.columns.get(one.metric)
        if column is None or one.reason:
            made.append(one)
            continue
        values = column.values[:, 0]
        known = np.isfinite(values)
        n = np.bincount(of, known, minlength=len(keys))
        if _FLIPS in column.parts and not repeated:
            away = column.values[:, column.parts.index(_FLIPS)]
            rows = np.isfinite(away)
        elif repeated and one.threshold_from:
            sign = 1 if column.higher_is_better else -1
            limit = -math.inf if math.isnan(one.threshold) else sign * one.threshold
            through = np.bincount(of, known & (sign * values >= limit), minlength=len(keys))
            rows = n > 1
            away = np.minimum(through, n - through) / np.maximum(n, 1)
        else:
            made.append(replace(one, repeated=int((n > 1).sum())))
            continue
        flips = share_of(away[rows], clusters[rows])
        made.append(replace(one, repeated=int(rows.sum()), **_three("flips", flips)))
    return made


def _moved(
    table: ScoreTable, before: ScoreTable, records: Sequence[Trust], replicates: int, seed: int, notes: list[str]
) -> list[Trust]:
    """The lines with whether a scorer moved since an earlier run, on the rows that both have."""
    places: dict[tuple[str, str], int] | None = None
    found: dict[str, tuple[int, Any, Measured]] = {}
    for name, column in table.columns.items():
        spec = next((was for was, now in _asked(table).items() if now == name and was in before.columns), name)
        try:
            earlier = _scorers(before, [f"{spec} {column.parts[0]}"]).per_item()
        except (SpecError, InputError):
            notes.append(f"{name}: the earlier scores have none of it, so whether it moved is not known")
            continue
        (old_name,) = earlier.columns
        now_sign, then_sign = table.signatures.get(name), earlier.signatures.get(old_name)
        try:
            notes += told_apart(
                replace(table, signatures={name: now_sign} if now_sign else {}),
                replace(earlier, signatures={name: then_sign} if then_sign else {}), name, "earlier run",
            )  # fmt: skip
        except InputError as error:
            notes.append(error.problem)
        places = {key: row for row, key in enumerate(earlier.rows)}
        now = np.array([row for row, key in enumerate(table.rows) if key in places], np.intp)
        then = np.array([places[key] for key in table.rows if key in places], np.intp)
        new, old = column.values[now, 0], earlier.columns[old_name].values[then, 0]
        known = np.isfinite(new) & np.isfinite(old)
        new, old, now = new[known], old[known], now[known]
        if not len(new):
            notes.append(f"{name}: no row has a score in both runs, so whether it moved is not known")
            continue
        items = {item: number for number, item in enumerate(dict.fromkeys(item for _, item in table.rows))}
        clusters = np.array([items[table.rows[row][1]] for row in now.tolist()])
        single = len(np.unique(clusters)) == len(clusters)
        test = paired(new - old, None if single else clusters, replicates=replicates, seed=seed)
        line = next((one for one in records if one.metric == name and one.threshold_from), None)
        changed = Measured()
        if line is not None:
            sign = 1 if column.higher_is_better else -1
            limit = -math.inf if math.isnan(line.threshold) else sign * line.threshold
            changed = share_of((sign * new >= limit) != (sign * old >= limit), clusters)
        found[name] = (len(new), test, changed)
    if table.run.get("corpus") != before.run.get("corpus"):
        notes.append("the two runs are not of the same outputs: rows count as anchors by system and item alone")
    adjusted = dict(zip(found, holm([test.p for _, test, _ in found.values()]).tolist(), strict=True))
    return [
        replace(
            one, anchors=found[one.metric][0], moved_p=adjusted[one.metric],
            **_three("moved", Measured(*found[one.metric][1][1:4])), **_three("changed", found[one.metric][2]),
        ) if one.metric in found else one
        for one in records
    ]  # fmt: skip

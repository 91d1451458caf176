"""The lines of `nlgauge.trust`: each scorer beside the ratings of an aspect, and all scorers together."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from nlgauge.data.corpus import Corpus
from nlgauge.data.table import Column, ScoreTable
from nlgauge.errors import InputError
from nlgauge.maths.inference import NOTHING, Measured
from nlgauge.stats.agreement import Agreement, correlate
from nlgauge.stats.arrays import Float, Mask
from nlgauge.stats.certified import RatedScores, RatedTask, equally_drawn
from nlgauge.stats.decisions import auroc, calibration_error, chosen_share, share_of
from nlgauge.stats.estimate import ALL, Estimate, estimate
from nlgauge.stats.fitting import combined
from nlgauge.stats.gate.thresholds import DECIDED, PART
from nlgauge.stats.interrater import cohen_kappa
from nlgauge.stats.join import Key, Source, turned
from nlgauge.stats.rated import Rated
from nlgauge.stats.raters import StandIn, raters
from nlgauge.stats.selection import label, selected
from nlgauge.stats.sentinels import beside, is_sentinel, unbeaten
from nlgauge.stats.trust_decisions import CHOSEN, Rule, from_0_to_1, models_of, rule_of
from nlgauge.stats.trust_records import Dispute, Trust

_JUDGES = ("Column", "Judge")
"""Scorers whose numbers from 0 to 1 are read as probabilities"""
FLIPS = "flips"
"""The sub-score of a judge that was asked several times"""
_DISPUTED = 5
"""Rows of each scorer that are told of: those on which it and people differ most"""


def scorers_of(table: ScoreTable, metrics: Sequence[str] | None) -> ScoreTable:
    """The table with one column for each scorer, by the name that it is shown under. Raises InputError for none."""
    chosen: dict[str, tuple[str, str]] = {}
    for name in metrics if metrics is not None else table.columns:
        spec, parts = table.named(name)
        column = table.columns[spec]
        part = parts[0]
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
        columns[name] = column.cut((part, FLIPS, DECIDED))
    signatures = {name: table.signatures[spec] for name, (spec, _) in chosen.items() if spec in table.signatures}
    known = {
        **{spec: name for name, (spec, _) in chosen.items()},
        **{was: name for name, (spec, _) in chosen.items() for was, now in asked(table).items() if now == spec},
    }
    return replace(table, columns=columns, signatures=signatures, run={**table.run, "asked": known})


def asked(table: ScoreTable) -> Mapping[str, str]:
    found: Mapping[str, str] = table.run.get("asked", {})
    return found


class _Of(NamedTuple):
    """The rows of an aspect that numbers are of."""

    rows: Mask
    y: Float
    """The ratings of all rows, and 1 or 0 for good and bad where `below` says it; NaN where there is none"""
    yes_no: bool


@dataclass(frozen=True)
class Lines:
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
        rows, _ = equally_drawn(self.rated, known | self.rated.blank_of(aspect), np.ones(len(given), bool), rng)
        rows &= known
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
        records = self._correlated(records, fine, of=of, texts=texts, notes=notes)
        estimates = self._estimates(aspect, ratings, texts=texts, fine=fine, notes=notes)
        everything = " + ".join(fine)
        if len(fine) > 1:
            records.append(self._together(everything, fine, aspect, of))
        return [
            replace(
                one,
                effective=found.worth,
                mean=Measured(found.estimate, found.low, found.high),
            )
            if (found := estimates.get(one.metric)) is not None and not found.reason
            else one
            for one in records
        ]

    def _given(self, of: _Of) -> dict[Key, float]:
        """The ratings that numbers are of, by row."""
        return {key: float(of.y[row]) for row, key in enumerate(self.table.rows) if of.rows[row]}

    @cached_property
    def scored(self) -> int:
        """How many scorers have a score of some row: so many are certified at once."""
        return sum(bool(np.isfinite(column.values[:, 0]).any()) for column in self.table.columns.values())

    def rule(self, name: str, table: ScoreTable | None = None) -> Rule | None:
        """Return the rule of a scorer that was given or is its own, by its scores in a table, by default this one."""
        table = self.table if table is None else table
        facts = table.signatures[name].facts if name in table.signatures else {}
        column = table.columns[name]
        return rule_of(column, facts, self.thresholds.get(name), self._probable(name, column))

    def _probable(self, name: str, column: Column) -> bool:
        """Whether the scores of a scorer are read as probabilities that a row is good, if they are from 0 to 1."""
        if name in self.probabilities or column.parts[0] == PART:
            return True
        given = name.partition("(")[0] in _JUDGES or name in self.table.run.get("joined", {})
        return given and from_0_to_1(column)

    def _line(self, name: str, aspect: str, of: _Of, notes: list[str]) -> Trust:
        column = self.table.columns[name]
        scores = turned(column, 0)
        n, unscored = int(of.rows.sum()), int(np.isnan(scores[of.rows]).sum())
        line = Trust(metric=name, aspect=aspect, rated=n, rows=len(scores), unscored=unscored)
        values = np.unique(column.values[np.isfinite(column.values[:, 0]), 0])
        if not len(values):
            return replace(line, reason="no row has a score")
        line = replace(line, single=float(values[0]) if len(values) == 1 else math.nan)
        if not of.yes_no:
            return line
        everything = np.ones(len(scores), bool)
        try:
            task = RatedTask.of(
                self.rated, aspect, scores=scores, below=self.limits[aspect], within=everything, seed=self.seed
            )
        except InputError as error:
            return replace(line, reason=f"{error.problem}: {error.remedy}" if error.remedy else error.problem)
        notes += task.notes
        sign = 1 if column.higher_is_better else -1
        rated = task.rows.tested & task.rows.rated
        tested = replace(task.rows, rated=rated, bad=task.rows.bad & rated)
        clusters, bad, rows = tested.clusters, tested.bad, tested.rated
        brier, ece = self._calibration(name, column, scores, tested)
        apart, _ = task.rows.independent(task.rng)
        promised = apart.certified(self.risk, (1 - self.confidence) / self.scored)
        line = replace(
            line,
            bad=int(bad.sum()),
            auroc=auroc(tested.scores[rows], bad[rows], clusters[rows]),
            brier=brier,
            ece=ece,
            certified=sign * promised.threshold,
            certified_passing=promised.passing,
            certified_at_once=self.scored,
            not_certified=promised.reason,
            blank=task.rows.blanks,
            tipping=promised.tipping,
            reliability=tuple(tested.reliability(sign)),
        )
        line = self._decided(line, column, tested, sign)
        if line.threshold_from == CHOSEN and DECIDED in column.parts:
            notes.append(f"{name}: not both of its models have measured thresholds, so the ratings choose one for all")
        return line

    def _decided(self, line: Trust, column: Column, tested: RatedScores, sign: int) -> Trust:
        """The line with the scorer's decisions; without them where all scores are one whose meaning is not known."""
        rule, scores, rows = self.rule(line.metric), tested.scores, tested.rated
        if rule is None and not math.isnan(line.single):
            return line
        models = models_of(column)
        if rule is None:
            threshold, of_row = tested.cross_fitted("balanced", 1.0, 0.9, self.seed)
            rule = Rule(threshold, CHOSEN)
            with np.errstate(invalid="ignore"):
                fitted = scores >= of_row
            passed = rule.passes(scores)
        else:
            passed = fitted = rule.passes(scores, models)
        shares = []
        for kind, hits, of_fold in ((tested.bad, ~passed, ~fitted), (rows & ~tested.bad, passed, fitted)):
            of = tested.clusters[kind]
            chosen = rule.origin == CHOSEN
            shares.append(chosen_share(hits[kind], of_fold[kind], of) if chosen else share_of(hits[kind], of))
        return replace(
            line,
            threshold=sign * rule.threshold if math.isfinite(rule.threshold) else math.nan,
            second_threshold=sign * rule.second,
            threshold_from=rule.origin,
            tpr=shares[0],
            tnr=shares[1],
            kappa=cohen_kappa(fitted[rows].astype(float), (~tested.bad)[rows].astype(float)),
        )

    def _calibration(self, name: str, column: Column, scores: Float, tested: Any) -> tuple[float, Measured]:
        """Brier score and ECE of a probability; NaN for other scores. Raises InputError where one was named wrongly."""
        finite = scores[np.isfinite(scores)]
        likely = finite if column.higher_is_better else 1 + finite
        within = bool(((likely >= 0) & (likely <= 1)).all())
        if name in self.probabilities and not within:
            raise InputError(f"{name} is no probability: it has scores that are not from 0 to 1")
        if not within or not self._probable(name, column):
            return math.nan, NOTHING
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
        table = selected(self.table, fine)
        source = {aspect: self._given(of)}
        how: dict[str, Any] = {"replicates": self.replicates, "seed": self.seed}
        known = table if texts is None else beside(table, texts, "pearson")
        tested = tuple(name for name in known.columns if is_sentinel(name))
        if not tested:
            notes.append("Length and CopyRate need the texts of the outputs: give them too (--outputs)")
        of_scale = {**how, "replicates": 0 if of.yes_no else self.replicates}
        pooled = correlate(known, source, level="pooled", resample="items", **of_scale)
        behind = []
        if tested:
            behind = unbeaten(known, source, pooled, level="pooled", coefficient="pearson", notes=notes, seed=self.seed)
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
                more[name] = {"pearson": _measured(pooled.get(name, aspect))}
                more[name] |= {kind: found.get(name, aspect).value for kind, found in others.items()}
                if pairs is not None:
                    more[name] |= {"pdp": _measured(pairs.get(name, aspect))}
        by_name: dict[str, list[str]] = {}
        for lost in behind:
            by_name.setdefault(lost.metric, []).append(lost.sentinel)
        return [
            one
            if one.reason
            else replace(
                one,
                sentinels=() if is_sentinel(one.metric) else tested,
                unbeaten=tuple(by_name.get(one.metric, ())),
                **more[one.metric],
            )
            for one in records
        ]

    def _estimates(
        self, aspect: str, ratings: Source, texts: Corpus | None, fine: Sequence[str], notes: list[str]
    ) -> dict[str, Estimate]:
        """The mean rating of all rows by each scorer and by all together."""
        table = selected(self.table, fine)
        try:
            found = estimate(
                table,
                ratings,
                aspects=[aspect],
                below=self.limits[aspect],
                outputs=texts,
                pooled=True,
                seed=self.seed,
            )
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
        line = Trust(metric=name, aspect=aspect, rated=int(of.rows.sum()), rows=len(of.rows))
        if len(np.unique(clusters[of.rows])) < 2:
            return line
        one = combined(x, np.where(of.rows, of.y, 0.0), rated=of.rows, items=clusters, seed=self.seed)
        if of.yes_no:
            bad = of.y[of.rows] == 0
            return replace(line, bad=int(bad.sum()), auroc=auroc(one[of.rows], bad, clusters[of.rows]))
        table = replace(self.table, columns={name: Column(("score",), one[:, None])})
        (found,) = correlate(
            table,
            {aspect: self._given(of)},
            level="pooled",
            resample="items",
            replicates=self.replicates,
            seed=self.seed,
        )
        return replace(line, pearson=_measured(found))

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
            made.append(
                Dispute(system=system, item=item, aspect=aspect, rating=rating, scores=shown, metric=name, apart=gap)
            )
        return made


def _measured(found: Agreement) -> Measured:
    return Measured(found.value, found.low, found.high)


def _ranks(values: Float) -> Float:
    """The mean rank of each value, ties sharing theirs, as a share of the rows."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray(((np.cumsum(counts) - (counts - 1) / 2)[place] - 0.5) / max(1, len(values)))


def stand_ins(
    lines: Lines, records: Sequence[Trust], of: Mapping[str, Any], epsilon: float, notes: list[str]
) -> list[Trust]:
    """The lines with whether each scorer may stand in for a rater."""
    try:
        found = raters(
            lines.table, of, list(of), epsilon=epsilon, level="pooled", resample="items", replicates=0, seed=lines.seed
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
            one,
            stand_in=None if constant.passed else by_name[one.metric].passed,
            won=f"{by_name[one.metric].won} of {by_name[one.metric].raters}",
        )
        if one.metric in by_name
        else one
        for one in records
    ]

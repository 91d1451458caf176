"""How the facts of trust are computed for each scorer, and for all together, from scores and an aspect's ratings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from nlgauge.answers.correlate import Agreement, Agreements, agreements_of
from nlgauge.answers.estimate import ALL, estimated
from nlgauge.answers.estimated_means import Estimate
from nlgauge.answers.rated_scores import RatedScores, RatedTask, equally_drawn
from nlgauge.answers.raters import StandIn, raters
from nlgauge.answers.sentinels import added, is_sentinel, sentinels_of, unbeaten
from nlgauge.answers.trust.decisions import CHOSEN, FITTED, OWN, Rule, from_0_to_1, models_of, rule_of
from nlgauge.answers.trust.facts import Correlations, Decisions, Facts, MayStandIn, Probability, Promise, Ranking
from nlgauge.answers.trust.records import Dispute
from nlgauge.answers.wordings import bands, wording_of
from nlgauge.data.corpus import Corpus
from nlgauge.data.table import Column, ScoreTable
from nlgauge.data.table.column import DECIDED, PROBABILITY, UNSEEN_PROBABILITY
from nlgauge.data.table.selection import label, selected
from nlgauge.errors import InputError
from nlgauge.maths.inference import NOTHING, Measured
from nlgauge.ratings.join import turned
from nlgauge.ratings.rated import Joined, Measurement, RatedRows, joined
from nlgauge.stats.arrays import Float, Integers, Mask
from nlgauge.stats.fitting import FoldWeights, fold_weights

_JUDGES = ("Column", "Judge")
"""Kinds of scorers whose numbers from 0 to 1 are read as probabilities"""
FLIPS = "flips"
"""The sub-score of a judge that was asked several times: how often it changes its mind"""
_DISPUTED = 5
"""The number of rows that are shown for each scorer, of those on which it and people differ most"""


def scorers_of(table: ScoreTable, metrics: Sequence[str] | None) -> ScoreTable:
    """Return a table with one column for each scorer, renamed to the name that is shown.

    Args:
        table: the scores.
        metrics: which scorers, with their sub-scores; None for all.

    Returns:
        The table.

    Raises:
        InputError: there is no scorer of rows, or a named metric has one number for each system or no better direction.
    """
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
        columns[name] = column.cut((part, FLIPS, DECIDED, *((UNSEEN_PROBABILITY,) if part == PROBABILITY else ())))
    signatures = {name: table.signatures[spec] for name, (spec, _) in chosen.items() if spec in table.signatures}
    specs = {
        **{spec: name for name, (spec, _) in chosen.items()},
        **{was: name for name, (spec, _) in chosen.items() for was, now in asked(table).items() if now == spec},
    }
    return replace(table, columns=columns, signatures=signatures, run={**table.run, "asked": specs})


def asked(table: ScoreTable) -> Mapping[str, str]:
    specs: Mapping[str, str] = table.run.get("asked", {})
    return specs


class _Of(NamedTuple):
    """The rated rows of an aspect that the numbers are computed on."""

    rows: Mask
    y: Float
    """The ratings of all rows, turned into 1 (good) and 0 (bad) unless they are a scale; NaN for unrated rows"""
    yes_no: bool


@dataclass(frozen=True)
class Lines:
    """The scorers of a table joined with all ratings, and the settings of trust."""

    table: ScoreTable
    rated: RatedRows
    limits: Mapping[str, float | None]
    """By aspect: the rating from which a row is good; None where the ratings are a scale"""
    thresholds: Mapping[str, float]
    probabilities: set[str]
    risk: float
    confidence: float
    replicates: int
    seed: int
    fitted_here: frozenset[str] = frozenset()
    """The names of panels of scorers that were fitted to some of these ratings"""
    margin: float | None = None
    texts: Corpus | None = None
    """The outputs with their texts; None where they are not known"""

    @cached_property
    def sentinels(self) -> Mapping[str, Column]:
        """The sentinels, by name, that can be computed from the outputs' texts."""
        return {} if self.texts is None else sentinels_of(self.table, self.texts, "pearson")

    @cached_property
    def wording(self) -> Float | None:
        """The share of each answer's longer words that its source contains: [rows]; None where no texts are known."""
        return None if self.texts is None else wording_of(self.table, self.texts)

    def of(self, aspect: str) -> _Of:
        """Return the rated rows of an aspect.

        If some rows were drawn with a larger probability than others, some of these rows are left out at random.

        Args:
            aspect: the aspect of the ratings.

        Returns:
            The rows, with their ratings.
        """
        ratings = self.rated.values[aspect]
        has_rating = ~np.isnan(ratings)
        rng = np.random.default_rng([self.seed, len(ratings), int(has_rating.sum())])
        rows, _ = equally_drawn(self.rated, has_rating | self.rated.blank_of(aspect), np.ones(len(ratings), bool), rng)
        rows &= has_rating
        limit = self.limits[aspect]
        if limit is None:
            return _Of(rows, ratings, False)
        return _Of(rows, np.where(has_rating, (ratings >= limit).astype(float), np.nan), True)

    def aspect(self, aspect: str, notes: list[str]) -> list[Facts]:
        """Return the facts of each scorer for an aspect, and then those of all scorers together."""
        of = self.of(aspect)
        wording = self.wording if of.yes_no else None
        made = [self._scorer(name, aspect, of=of, wording=wording, notes=notes) for name in self.table.columns]
        fine = {facts.metric: facts for facts in made if not facts.reason}
        if not fine:
            return made
        ratings = {key: float(of.y[row]) for row, key in enumerate(self.table.rows) if of.rows[row]}
        both = joined(selected(self.table, list(fine)), {aspect: ratings}, None)
        self._correlate(fine, both, yes_no=of.yes_no, notes=notes)
        estimates = self._estimates(aspect, list(fine), notes)
        if len(fine) > 1:
            made.append(self._together(" + ".join(fine), both, of))
        for facts in made:
            estimate = estimates.get(facts.metric)
            facts.estimate = None if estimate is None or estimate.reason else estimate
        return made

    @cached_property
    def scored(self) -> int:
        """The number of scorers with at least one score. They share the error probability of certified thresholds."""
        return sum(bool(np.isfinite(column.values[:, 0]).any()) for column in self.table.columns.values())

    def rule(self, name: str, table: ScoreTable | None = None) -> Rule | None:
        """Return the rule by which a scorer decides.

        Args:
            name: the scorer.
            table: the scores and signature from which the scorer's own rule follows; by default those of this run.

        Returns:
            The rule with the threshold that the user gave for the scorer, or else the scorer's own rule; None if there
            is neither.
        """
        table = self.table if table is None else table
        facts = table.signatures[name].facts if name in table.signatures else {}
        column = table.columns[name]
        rule = rule_of(column, facts, self.thresholds.get(name), self._probable(name, column))
        return rule._replace(origin=FITTED) if rule and rule.origin == OWN and name in self.fitted_here else rule

    def _probable(self, name: str, column: Column) -> bool:
        """Return whether the scores of a scorer, if from 0 to 1, are read as probabilities that a row is good."""
        if name in self.probabilities or column.parts[0] == PROBABILITY:
            return True
        from_judge = name.partition("(")[0] in _JUDGES or name in self.table.run.get("joined", {})
        return from_judge and from_0_to_1(column)

    def _scorer(self, name: str, aspect: str, *, of: _Of, wording: Float | None, notes: list[str]) -> Facts:
        """Return the facts of one scorer, without those that also need other scorers.

        Args:
            name: the scorer.
            aspect: the aspect of the ratings.
            of: the rated rows of the aspect.
            wording: the share of each answer's longer words that its source contains: [rows]; None where it is not
                known.
            notes: a list to which notes for the reader are added.
        """
        column = self.table.columns[name]
        scores = turned(column, 0)
        facts = Facts(
            metric=name,
            aspect=aspect,
            rated=int(of.rows.sum()),
            rows=len(scores),
            unscored=int(np.isnan(scores[of.rows]).sum()),
        )
        values = np.unique(column.values[np.isfinite(column.values[:, 0]), 0])
        if not len(values):
            facts.reason = "no row has a score"
            return facts
        facts.single = float(values[0]) if len(values) == 1 else math.nan
        if not of.yes_no:
            return facts
        everything = np.ones(len(scores), bool)
        try:
            task = RatedTask.of(
                self.rated,
                aspect,
                scores=scores,
                below=self.limits[aspect],
                within=everything,
                seed=self.seed,
            )
        except InputError as error:
            facts.reason = f"{error.problem}: {error.remedy}" if error.remedy else error.problem
            return facts
        notes += task.notes
        sign = 1 if column.higher_is_better else -1
        rated = task.rows.tested & task.rows.rated
        tested = replace(task.rows, rated=rated, bad=task.rows.bad & rated)
        facts.probability = self._probability(name, column, scores, tested)
        apart, _ = task.rows.independent(task.rng)
        promised = apart.certified(self.risk, (1 - self.confidence) / self.scored)
        facts.promise = Promise(promised, sign, at_once=self.scored, blanks=task.rows.blanks)
        facts.ranking = Ranking(
            scores=tested.scores[rated],
            bad=tested.bad[rated],
            clusters=tested.clusters[rated],
            reliability=tuple(tested.reliability(sign)),
            bands=bands(tested.scores[rated], tested.bad[rated], tested.clusters[rated], wording[rated])
            if wording is not None
            else (),
        )
        facts.decisions = self._decisions(facts, column, tested, sign)
        if facts.decisions is not None and facts.decisions.rule.origin == CHOSEN and DECIDED in column.parts:
            notes.append(f"{name}: not both of its models have measured thresholds, so the ratings choose one for all")
        return facts

    def _decisions(self, facts: Facts, column: Column, tested: RatedScores, sign: int) -> Decisions | None:
        """Return a scorer's decisions; None if it gives all rows the same score, whose meaning is not known.

        Args:
            facts: the facts of the scorer so far.
            column: the scorer's column.
            tested: the scores, larger ones being better, with the ratings of good and bad.
            sign: 1 where higher scores of the scorer are better, else -1.
        """
        rule, scores = self.rule(facts.metric), tested.scores
        if rule is None and not math.isnan(facts.single):
            return None
        if rule is None:
            threshold, of_row = tested.cross_fitted("balanced", 1.0, 0.9, self.seed)
            rule = Rule(threshold, CHOSEN)
            with np.errstate(invalid="ignore"):
                fitted = scores >= of_row
            passed = rule.passes(scores)
        else:
            passed = fitted = rule.passes(scores, models_of(column))
        return Decisions(
            rule=rule,
            sign=sign,
            bad=tested.bad,
            good=tested.rated & ~tested.bad,
            passed=passed,
            fitted=fitted,
            clusters=tested.clusters,
            margin=self.margin,
        )

    def _probability(self, name: str, column: Column, scores: Float, tested: RatedScores) -> Probability | None:
        """Return the probabilities that rows are good, if a scorer's scores are such probabilities; else None.

        Args:
            name: the scorer.
            column: the scorer's column.
            scores: the scores, with the opposite sign where lower is better: [rows].
            tested: the same scores with the ratings of good and bad.

        Raises:
            InputError: the user said that the scores are probabilities, and some are not from 0 to 1.
        """
        finite = scores[np.isfinite(scores)]
        likely = finite if column.higher_is_better else 1 + finite
        within = bool(((likely >= 0) & (likely <= 1)).all())
        if name in self.probabilities and not within:
            raise InputError(f"{name} is no probability: it has scores that are not from 0 to 1")
        if not within or not self._probable(name, column):
            return None
        rows = replace(tested, rated=tested.rated & np.isfinite(scores))
        return Probability(scores if column.higher_is_better else 1 + scores, rows, self.seed)

    def _agreements(
        self, both: Joined, coefficient: str, *, level: str = "pooled", replicates: int | None = None
    ) -> Agreements:
        """Return the agreement of scorers with an aspect, with intervals for other items."""
        how = Measurement(
            level=level,
            coefficient=coefficient,
            resample="items",
            confidence=0.95,
            replicates=self.replicates if replicates is None else replicates,
            seed=self.seed,
        )
        return agreements_of(both, how)

    def _correlate(self, fine: Mapping[str, Facts], both: Joined, *, yes_no: bool, notes: list[str]) -> None:
        """Add to the facts the sentinels that a scorer does not beat and, where ratings are a scale, the correlations.

        Args:
            fine: the facts of each scorer that can be measured, by its name.
            both: the scores joined with the ratings of the aspect.
            yes_no: whether the ratings are good or bad, and not a scale.
            notes: a list to which notes for the reader are added.
        """
        (aspect,) = both.aspects
        with_columns = added(both.table, self.sentinels)
        tested = tuple(name for name in with_columns.columns if is_sentinel(name))
        if not tested:
            notes.append("Length and CopyRate need the texts of the outputs: give them too (--outputs)")
        with_sentinels = both.of(with_columns)
        pooled = self._agreements(with_sentinels, "pearson", replicates=0 if yes_no else None)
        behind = []
        if tested:
            behind = unbeaten(
                with_sentinels, pooled, level="pooled", coefficient="pearson", notes=notes, seed=self.seed
            )
        for name, facts in fine.items():
            facts.sentinels = () if is_sentinel(name) else tested
            facts.unbeaten = tuple(lost.sentinel for lost in behind if lost.metric == name)
        if yes_no:
            return
        notes += pooled.notes
        spearman, kendall = (self._agreements(both, kind, replicates=0) for kind in ("spearman", "kendall"))
        pairs = None
        if len(both.place.systems) > 1:
            pairs = self._agreements(both, "pairwise_difference", level="item")
        for name, facts in fine.items():
            facts.correlations = Correlations(
                pearson=_measured(pooled.get(name, aspect)),
                spearman=spearman.get(name, aspect).value,
                kendall=kendall.get(name, aspect).value,
                pdp=NOTHING if pairs is None else _measured(pairs.get(name, aspect)),
            )

    def _estimates(self, aspect: str, fine: Sequence[str], notes: list[str]) -> dict[str, Estimate]:
        """Return the estimated mean rating of all rows, by each scorer and by all scorers together."""
        table = selected(self.table, fine)
        try:
            estimates = estimated(table, self.rated.of(aspect), below=self.limits[aspect], pooled=True, seed=self.seed)
        except InputError as error:
            notes.append(f"no effective number of ratings, {error}")
            return {}
        return {
            estimate.metric: estimate
            for estimate in estimates
            if estimate.system == ALL or len(self.table.systems) == 1
        }

    def _together(self, name: str, both: Joined, of: _Of) -> Facts:
        """Return the facts of all scorers together, weighted by a fit to other items.

        Args:
            name: the name that the record has, with all scorers.
            both: the scores joined with the ratings of the aspect.
            of: the rated rows of the aspect.
        """
        (aspect,) = both.aspects
        facts = Facts(metric=name, aspect=aspect, rated=int(of.rows.sum()), rows=len(of.rows))
        if len(np.unique(self.clusters[of.rows])) < 2:
            return facts
        x, weights = self.weights(list(both.table.columns), of)
        scores, clusters = weights.of(x), self.clusters
        if of.yes_no:
            facts.ranking = Ranking(scores[of.rows], of.y[of.rows] == 0, clusters[of.rows])
            return facts
        table = replace(both.table, columns={name: Column(("score",), scores[:, None])})
        (agreement,) = self._agreements(both.of(table), "pearson")
        facts.correlations = Correlations(_measured(agreement))
        return facts

    @property
    def clusters(self) -> Integers:
        """The cluster of each row, by default its item: [rows]."""
        return self.rated.items if self.rated.clusters is None else self.rated.clusters

    def weights(self, fine: Sequence[str], of: _Of) -> tuple[Float, FoldWeights]:
        """Return scores by several scorers, larger ones being better, and weights that were fitted to ratings.

        Args:
            fine: the scorers. A row without a score counts with the mean score.
            of: the rated rows, which have at least two clusters.

        Returns:
            The scores [rows, scorers], and the weights of each fold of the ratings.
        """
        x = np.stack([turned(self.table.columns[name], 0) for name in fine], 1)
        finite = np.isfinite(x)
        x = np.where(finite, x, np.nanmean(np.where(finite, x, np.nan), 0))
        y = np.where(of.rows, of.y, 0.0)
        return x, fold_weights(x, y, rated=of.rows, items=self.clusters, seed=self.seed)

    def disputes(self, aspect: str) -> list[Dispute]:
        """Return the rows of an aspect on which a scorer and people differ most, the largest difference first."""
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
        for place, (gap, name) in sorted(most.items(), key=lambda dispute: -abs(dispute[1][0])):
            system, item = self.table.rows[rows[place]]
            shown = {name: float(column.values[rows[place], 0]) for name, column in self.table.columns.items()}
            rating = float(self.rated.values[aspect][rows[place]])
            made.append(
                Dispute(system=system, item=item, aspect=aspect, rating=rating, scores=shown, metric=name, apart=gap)
            )
        return made


def _measured(agreement: Agreement) -> Measured:
    return Measured(agreement.value, agreement.low, agreement.high)


def _ranks(values: Float) -> Float:
    """Return the rank of each value as a share of the rows, from 0 to 1; equal values have their mean rank."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray(((np.cumsum(counts) - (counts - 1) / 2)[place] - 0.5) / max(1, len(values)))


def stand_ins(lines: Lines, made: Sequence[Facts], of: Mapping[str, Any], epsilon: float, notes: list[str]) -> None:
    """Add to the facts whether each scorer may stand in for a rater.

    Args:
        lines: the scorers joined with the ratings.
        made: the facts of each scorer.
        of: the ratings of each rater, by the rater's name.
        epsilon: by how much a scorer may be worse than a rater whom it stands in for.
        notes: a list to which notes for the reader are added.
    """
    try:
        by_rater = raters(
            lines.table, of, list(of), epsilon=epsilon, level="pooled", resample="items", replicates=0, seed=lines.seed
        )
    except InputError as error:
        notes.append(f"whether a scorer may stand in for a rater is not tested: {error}")
        return
    constant = by_rater[-1]
    if constant.passed:
        notes.append("a constant may stand in for a rater too, so these ratings do not tell which scorer may")
    by_name: dict[str, StandIn] = {line.metric: line for line in by_rater}
    for facts in made:
        if (line := by_name.get(facts.metric)) is not None:
            facts.stand_in = MayStandIn(None if constant.passed else line.passed, f"{line.won} of {line.raters}")

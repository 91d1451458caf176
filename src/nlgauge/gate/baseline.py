"""The paired tests of systems against an earlier run, which is called the baseline."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.answers.compare import Difference, compare
from nlgauge.answers.signatures import refuse_other_numbers
from nlgauge.data import history as past
from nlgauge.data.renamed import now_of
from nlgauge.data.table import ScoreTable, Sums
from nlgauge.errors import InputError, SpecError
from nlgauge.gate.verdict import Regression
from nlgauge.maths.intervals import least_groups
from nlgauge.ratings.join import grid
from nlgauge.ratings.matching import questions_of, refuse_other_order
from nlgauge.stats.corrections import holm
from nlgauge.stats.interim import interim_of

_NOW, _BEFORE = "outputs", "baseline"
_AGAIN = "score the baseline's outputs again as these are scored"


class Terms(NamedTuple):
    """The conditions of the test for a loss: significance level, and largest loss that would not matter (or None)."""

    significance: float
    margin: float | None

    def refuse_wrong(self, with_history: bool) -> None:
        if not 0 < self.significance < 1:
            raise SpecError(f"the significance {self.significance!r} is not between 0 and 1: give 0.05, for one")
        if self.margin is not None and not self.margin > 0:
            raise SpecError(f"the margin {self.margin!r} is not above 0: give the largest loss that would not matter")
        if self.margin is not None and with_history:
            raise SpecError("a margin asks for proof on one day, and a history for a loss on any: give one of them")


LEAST = 5
"""With fewer items or clusters in common, no loss is significant, not even the largest loss of yes/no values on all
items"""


class TooFewItemsError(InputError):
    """Error: two runs have too few items in common for a test to show a loss of any size."""


class Baseline:
    """The comparison of a table with the table of an earlier run, by one sub-score of a metric."""

    def __init__(self, table: ScoreTable, earlier: ScoreTable, spec: str, part: str, upwards: bool) -> None:
        """Check that the two tables can be compared.

        Args:
            table: the scores of the present run.
            earlier: the scores of the earlier run.
            spec: the metric.
            part: the sub-score of the metric.
            upwards: whether a larger value is better.

        Raises:
            InputError: the two tables cannot be compared.
            SpecError: it is a corpus-level metric.
        """
        if spec not in earlier.columns:
            remedy = f"it has {', '.join(earlier.columns) or 'no metric'}"
            if any(now_of(old, part) and part in column.parts for old, column in earlier.columns.items()):
                remedy += f", which had this {part} before; give the outputs of the earlier run, or score them again"
            raise InputError(f"the baseline has no {spec}", remedy=remedy)
        self._now, self._before = table.columns[spec], earlier.columns[spec]
        if self._now.level == "system":
            raise SpecError(
                f"{spec} has one number a system, which no paired test can be made of: give a threshold alone"
            )
        if self._now.parts != self._before.parts:
            raise InputError(f"the baseline has other sub-scores of {spec}", remedy=_AGAIN)
        table, earlier = table.per_item(), earlier.per_item()
        self._now, self._before = table.columns[spec], earlier.columns[spec]
        self._table, self._earlier, self._spec, self._upwards = table, earlier, spec, upwards
        self._name = self._now.label(spec, part)
        self._part = self._now.parts.index(part)
        self.notes = refuse_other_numbers(table, earlier, spec)
        """Notes on how the scores of the two tables were computed in different ways"""
        self._systems = _paired_systems(table, earlier)

    def regressions(self, terms: Terms, history: str | os.PathLike[str] | None) -> tuple[Regression, ...]:
        """Return the paired test of every system that both runs have.

        Args:
            terms: the conditions of the test.
            history: the file of all interim analyses, to which the present one is added; None for a single test.

        Returns:
            A regression for each system.

        Raises:
            InputError: the runs have too few items in common to show a loss of any size, or the history cannot be used.
            SpecError: a value of the terms is not possible, or there is a history and the metric's value is not a mean
                over rows.
        """
        terms.refuse_wrong(history is not None)
        pairs = {now: self._pair(now, before) for now, before in self._systems.items()}
        if history is not None:
            with past.alone(history):
                return self._analysed(pairs, terms.significance, history)
        for now, pair in pairs.items():
            if pair.shared < LEAST:
                shared = f"{pair.shared} {'items' if pair.table.clusters is None else 'clusters'}"
                problem = f"system {now!r} has {shared} in common with the baseline, and a loss cannot be shown"
                raise TooFewItemsError(problem, remedy=f"at least {LEAST} are needed; or give a threshold alone")
        differences = {
            now: compare(pair.table, _NOW, _BEFORE, self._name, margin=terms.margin).records[0]
            for now, pair in pairs.items()
        }
        adjusted = holm([difference.p for difference in differences.values()]).tolist()
        return tuple(
            self._regression(system, difference, p, terms)
            for (system, difference), p in zip(differences.items(), adjusted, strict=True)
        )

    def _items(self, table: ScoreTable, system: str) -> dict[str, int]:
        """Return the row number of each item of a system."""
        return {item: index for index, (name, item) in enumerate(table.rows) if name == system}

    def _pair(self, now: str, before: str) -> _Pair:
        """Return a table in which the present and the earlier outputs of a system are two systems.

        Args:
            now: the name of the system in the present table.
            before: the name of the system in the baseline.

        Raises:
            InputError: the two runs have their items in different orders.
        """
        mine, theirs = questions_of(self._table)[now], questions_of(self._earlier)[before]
        refuse_other_order(mine, now, theirs, before)
        rows, values, counts, clusters = [], [], [], []
        tables = ((_NOW, self._table, self._now, now), (_BEFORE, self._earlier, self._before, before))
        of_rows = self._table.clusters or [""] * len(self._table.rows)
        names = {item: of_rows[row] for item, row in self._items(self._table, now).items()}
        for name, table, column, system in tables:
            items = self._items(table, system)
            rows += [(name, item) for item in items]
            clusters += [names.get(item, f"{item} of the baseline") for item in items]
            item_values = list(items.values())
            values.append(column.values[item_values])
            counts += [] if column.sums is None else [column.sums.counts[item_values]]
        formula = None if self._now.sums is None or self._before.sums is None else self._now.sums.formula
        sums = None if formula is None else Sums(formula, np.concatenate(counts))
        column = replace(self._now, values=np.concatenate(values), reasons={}, evidence={}, sums=sums)
        both = ScoreTable(rows, {self._spec: column}, {})
        return _Pair(both if self._table.clusters is None else both.clustered(clusters))

    def _regression(self, system: str, difference: Difference, p: float, terms: Terms) -> Regression:
        loss = -difference.difference if self._upwards else difference.difference
        # Not "loss > 0": a difference that cannot be told fails.
        worse = not loss <= 0 and (math.isnan(p) or p < terms.significance)
        if terms.margin is not None:
            worse = not (difference.no_worse < terms.significance)
        return Regression(
            system=system,
            baseline=self._systems[system],
            n=difference.n,
            now=difference.a,
            before=difference.b,
            difference=difference.difference,
            low=difference.low,
            high=difference.high,
            p=difference.p,
            adjusted=p,
            worse=worse,
            reason=difference.reason,
            no_worse=None if terms.margin is None else difference.no_worse,
            detectable=difference.detectable,
        )

    def _analysed(
        self, pairs: Mapping[str, _Pair], significance: float, path: str | os.PathLike[str]
    ) -> tuple[Regression, ...]:
        """Return the interim analysis of every system, after writing all of them to the history.

        Args:
            pairs: by name of a system, its outputs in both runs.
            significance: the significance level that all systems share.
            path: the file of the history.
        """
        if self._now.sums is not None:
            problem = f"{self._spec} has a value of all rows together, of which there is no interim analysis"
            raise SpecError(f"{problem}: give a metric whose value is the mean of its rows")
        earlier, time, level = past.read(path), past.now(), significance / len(pairs)
        analyses, regressions = [], []
        for system, pair in pairs.items():
            now, before, clusters = pair.values(self._spec, self._part)
            limits = pair.table.columns[self._spec].range(self._now.parts[self._part])
            if not len(now):
                problem = f"system {system!r} has no item with a value in both runs"
                raise InputError(problem, remedy="give the baseline the same items")
            series = (self._spec, self._now.parts[self._part], system, self._digest(system))
            number = 1 + sum(analysis.series == series for analysis in earlier)
            interim = interim_of(now, before, clusters=clusters, limits=limits, number=number, level=level)
            reason = (
                None
                if math.isfinite(interim.low)
                else f"at interim analysis {number} at least {least_groups(number, level)} are needed"
            )
            loss = interim.difference < 0 if self._upwards else interim.difference > 0
            alarm = loss and interim.p < level
            n, means = len(now), (float(now.mean()), float(before.mean()))
            analyses.append(
                past.InterimAnalysis(
                    time=time,
                    metric=series[0],
                    part=series[1],
                    system=system,
                    baseline=series[3],
                    look=number,
                    n=n,
                    now=means[0],
                    before=means[1],
                    difference=interim.difference,
                    low=interim.low,
                    high=interim.high,
                    p=interim.p,
                    significance=level,
                    alarm=alarm,
                    higher_is_better=self._upwards,
                    signature=str(self._table.signatures[self._spec]) if self._spec in self._table.signatures else None,
                )
            )
            regressions.append(
                Regression(
                    system=system,
                    baseline=self._systems[system],
                    n=n,
                    now=means[0],
                    before=means[1],
                    difference=interim.difference,
                    low=interim.low,
                    high=interim.high,
                    p=interim.p,
                    adjusted=min(1.0, interim.p * len(pairs)),
                    worse=alarm,
                    reason=reason,
                    look=number,
                )
            )
        past.append(path, analyses)
        return tuple(regressions)

    def _digest(self, system: str) -> str:
        """Return a digest of the items and values that a system has in the baseline."""
        rows = self._items(self._earlier, self._systems[system])
        values = [[item, repr(float(self._before.values[row, self._part]))] for item, row in sorted(rows.items())]
        return hashlib.sha256(json.dumps(values).encode()).hexdigest()[:12]

    def unmatched(self) -> tuple[list[tuple[str, str]], dict[str, int]]:
        """Return the baseline's rows that the outputs lack, and the number of rows that take no part in the test.

        Returns:
            The (system, item) of each row that has a value in the baseline and is not among the outputs. And, by
            reason, the number of the outputs' rows that take no part.
        """
        names = {before: now for now, before in self._systems.items()}
        there = [(names.get(system, system), item) for system, item in self._earlier.rows]
        has_value = dict(zip(there, (~np.isnan(self._before.values[:, self._part])).tolist(), strict=True))
        now = set(self._table.rows)
        gone = [key for key, valued in has_value.items() if valued and key not in now]
        counts = {
            "not in the baseline": len(now - has_value.keys()),
            "without a value in the baseline": sum(key in now and not valued for key, valued in has_value.items()),
        }
        return gone, {why: count for why, count in counts.items() if count}


class _Pair:
    """A table with two systems, which are the present and the earlier outputs of one system."""

    def __init__(self, table: ScoreTable) -> None:
        self.table = table
        self._place = grid(table)

    @property
    def shared(self) -> int:
        """The number of items, or of clusters, with an output in both runs."""
        there = ~np.isnan(self._place.of(np.zeros(len(self.table.rows)))).any(1)
        return int(there.sum()) if self._place.clusters is None else len(np.unique(self._place.clusters[there]))

    def values(self, spec: str, part: int) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.intp] | None]:
        """Return the values of the items that have one in both runs.

        Args:
            spec: the metric.
            part: the position of the sub-score among those of the metric.

        Returns:
            The present values, the earlier values, and the cluster of each item: [items] each. The clusters are None
            if the table has none. If a value is infinite, no item is returned.
        """
        now, before = self._place.of(self.table.columns[spec].values[:, part]).T
        both = ~(np.isnan(now) | np.isnan(before))
        now, before = now[both], before[both]
        if not (np.isfinite(now) & np.isfinite(before)).all():
            return now[:0], before[:0], None
        return now, before, None if self._place.clusters is None else self._place.clusters[both]


def _paired_systems(table: ScoreTable, earlier: ScoreTable) -> dict[str, str]:
    """Return the name that each system has in the baseline.

    Systems are matched by name. If both tables have a single system, these two are matched whatever their names are.
    """
    ours, theirs = table.systems, earlier.systems
    if len(ours) == len(theirs) == 1:
        return {ours[0]: theirs[0]}
    if shared := {system: system for system in ours if system in theirs}:
        return shared
    raise InputError(
        f"the baseline has none of the systems {', '.join(ours)}",
        remedy=f"it has {', '.join(theirs)}; give one system in each, or the same names",
    )

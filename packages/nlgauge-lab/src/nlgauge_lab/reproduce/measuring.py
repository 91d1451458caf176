"""Scores of the suites of the results page, and their correlation with people."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from nlgauge.answers.correlate import Agreement, correlate
from nlgauge.contract.base import Metric
from nlgauge.data.corpus import Corpus
from nlgauge.data.table import ScoreTable
from nlgauge.errors import InputError, SpecError
from nlgauge_lab.reproduce.columns import only, part_of, without
from nlgauge_lab.reproduce.rated import VIEWS, Data
from nlgauge_lab.reproduce.scoring import Job, Scores, read_aligner, read_model
from nlgauge_lab.reproduce.specs import metric_of, names_of, refusal
from nlgauge_lab.reproduce.suites import SUITES, Group, Suite

Key = tuple[str, str, str]
"""(aspect, level, coefficient)"""


@dataclass(frozen=True)
class Measured:
    """The numbers of one suite with one model."""

    suite: Suite
    rows: int
    items: int
    systems: int
    values: dict[str, dict[Key, Agreement]]
    """By name of a row and column. The name of a row is a metric, with the part if it is not the first"""
    reasons: dict[str, str]
    """For each metric without any number, the reason"""
    models: list[str]
    reading: frozenset[str]
    """Names of the rows whose metric reads the model"""
    partial: dict[str, int]
    """For each row that is not fully scored, the number of scored rows. Such numbers are never called the best"""
    missing: Mapping[tuple[str, Key], int]
    """By name of a row and column, how many rated rows with a text have no score; how many systems, for corpus-level
    metrics
    """
    aligners: Mapping[str, str]
    """By name of a row, the beginning of the digest of the trained aligner that was read"""

    def of(self, key: Key) -> dict[str, Agreement]:
        """Return the metrics that have a number in a column, with their agreement."""
        agreed = {name: by_key[key] for name, by_key in self.values.items() if key in by_key}
        return {name: one for name, one in agreed.items() if not math.isnan(one.value)}

    @property
    def keys(self) -> list[Key]:
        """The columns that the suite reports."""
        return [(aspect, *how) for how in self.suite.measured for aspect in self.suite.aspects]


def measure(
    data: Data,
    scores: Scores,
    model: str | None = None,
    metrics: Sequence[str] = (),
    replicates: int = 1000,
    suites: Sequence[Suite] | None = None,
    cached: bool = False,
) -> tuple[list[Measured], list[str]]:
    """Score suites and correlate them with people.

    Args:
        data: the rated data.
        scores: has or computes the scores.
        model: the model; None for the embedded one.
        metrics: names or specs; all if none is given.
        replicates: number of resamples for the intervals.
        suites: all of `suites.py` by default.
        cached: whether to score nothing and take only what the cache has.

    Returns:
        The numbers of the suites whose data are there, and the names of the files that are missing.

    Raises:
        InputError: no data are there.
        SpecError: no suite has one of `metrics`.
    """
    wanted = SUITES if suites is None else suites
    here = [suite for suite in wanted if not data.missing([source.file for source in suite.sources])]
    absent = [suite.sources[0].file for suite in wanted if suite not in here]
    if not here:
        remedy = f"put {', '.join(absent)} there, each as .jsonl or .jsonl.gz: see docs/reproduce.md"
        raise InputError("none of the rated data is there", file=data.folder, remedy=remedy)
    plans = [_plan(suite, data, model, metrics) for suite in here]
    asked = {spec for suite in here for spec in suite.specs}
    met = {name for plan in plans for spec, metric in plan.metrics.items() for name in names_of(spec, metric)}
    if unused := [name for name in metrics if name not in met | asked]:
        known = sorted({spec.partition("(")[0] for spec in asked})
        raise SpecError(f"--metrics {unused[0]}: no suite has it; there are {', '.join(known)}")
    jobs = [Job(plan.corpus, plan.suite.name, list(plan.metrics.values())) for plan in plans]
    if cached:
        for job in jobs:
            scores.look_up(job)
    else:
        scores.fill(jobs)
    return [_measured(plan, data, scores, replicates) for plan in plans], absent


class _Plan(NamedTuple):
    """The metrics of a suite that are to be scored."""

    suite: Suite
    corpus: Corpus
    metrics: dict[str, Metric]
    """By the spec that the suite gives"""
    refused: dict[str, str]
    """By spec, why a metric cannot be made"""


def _plan(suite: Suite, data: Data, model: str | None, only_these: Sequence[str]) -> _Plan:
    plan = _Plan(suite, VIEWS[suite.view](data.corpus(suite.sources))[0], {}, {})
    for spec in suite.specs:
        name = spec.partition("(")[0]
        if only_these and not {spec, name, name.rpartition("/")[2]}.intersection(only_these):
            continue
        try:
            plan.metrics[spec] = metric_of(spec, model, suite.defaults)
        except SpecError as error:
            plan.refused[spec] = refusal(error)
    return plan


def _measured(plan: _Plan, data: Data, scores: Scores, replicates: int) -> Measured:
    suite, corpus = plan.suite, plan.corpus
    reasons = dict(plan.refused)
    values: dict[str, dict[Key, Agreement]] = {}
    models: dict[str, None] = {}
    partial: dict[str, int] = {}
    missing: dict[tuple[str, Key], int] = {}
    aligners: dict[str, str] = {}
    reading: set[str] = set()
    for group in suite.groups:
        tables: dict[str, ScoreTable] = {}
        for spec in group.metrics:
            if (metric := plan.metrics.get(spec)) is None:
                continue
            if (table := scores.table(corpus, metric)) is None:
                reasons[spec] = scores.why(corpus, metric)
                continue
            tables[spec] = table
            models.update(dict.fromkeys(read_model(table)))
            for name, _ in _reported(spec, table, suite):
                if metric.reads is not None:
                    reading.add(name)
                if aligner := read_aligner(table):
                    aligners[name] = aligner
                if len(table.rows) < len(corpus):
                    partial[name] = len(table.rows)
        for name, key, agreed in _correlated(
            suite, group, tables=tables, rated=data.corpus(suite.sources), replicates=replicates
        ):
            values.setdefault(name, {})[key] = agreed
            spec = suite.spec_of(name)
            table = tables[spec if spec in tables else name]
            missing[name, key] = unscored(without(table, group.without), corpus, data.corpus(suite.sources), key[0])
    for name, by_key in values.items():
        if all(math.isnan(one.value) for one in by_key.values()):
            reasons[name] = next(one.reason for one in by_key.values()) or "no value"
    place = {spec: n for n, spec in enumerate(suite.specs)}
    ordered = {name: values[name] for name in sorted(values, key=lambda name: place[suite.spec_of(name)])}
    return Measured(
        suite=suite,
        rows=len(corpus),
        items=len({row.item for row in corpus}),
        systems=len(corpus.systems),
        values=ordered,
        reasons=reasons,
        models=list(models),
        reading=frozenset(reading),
        partial=partial,
        missing=missing,
        aligners=aligners,
    )


def unscored(table: ScoreTable, corpus: Corpus, rated: Corpus, aspect: str) -> int:
    """Return how many rows with a text and a rating have no score; how many systems, for a corpus-level metric.

    Args:
        table: the one column of a metric; its first sub-score counts.
        corpus: the texts that were scored.
        rated: the rows with their ratings.
        aspect: the rated aspect.
    """
    wanted = {(row.system, row.item) for row in rated if aspect in row.scores}
    wanted &= {(row.system, row.item) for row in corpus if row.candidate.strip()}
    column = only(table)
    if column.level == "system":
        systems = {system for system, _ in wanted}
        numbers = column.values[:, 0]
        return sum(
            math.isnan(number) for system, number in zip(table.systems, numbers, strict=True) if system in systems
        )
    return sum(math.isnan(number) for key, number in zip(table.rows, column.values[:, 0], strict=True) if key in wanted)


def _correlated(
    suite: Suite, group: Group, tables: Mapping[str, ScoreTable], rated: Corpus, replicates: int
) -> Iterator[tuple[str, Key, Agreement]]:
    """Yield the agreement with people of each metric of a group, and of each part that the suite reports besides.

    Args:
        suite: the rated data set, with the columns to report.
        group: the group of metrics.
        tables: by spec, the scores of the group's metrics.
        rated: the rows with their ratings.
        replicates: number of resamples for the intervals.

    Returns:
        For each metric or part and each column: (name of the row, column, agreement).
    """
    together: dict[tuple[tuple[str, str], ...], ScoreTable] = {}
    for spec, table in tables.items():
        rated_rows = without(table, group.without)
        # An interval is drawn for the parts that are reported, no others.
        reported = together.setdefault(tuple(rated_rows.rows), ScoreTable(rated_rows.rows, {}, {}))
        reported.columns.update({name: part_of(only(rated_rows), part) for name, part in _reported(spec, table, suite)})
    for reported in together.values():
        for level, coefficient in suite.measured:
            for one in correlate(
                reported,
                rated,
                level=level,
                coefficient=coefficient,
                aspects=suite.aspects,
                resample=suite.resample,
                replicates=replicates,
            ):
                yield one.metric, (one.aspect, level, coefficient), one


def _reported(spec: str, table: ScoreTable, suite: Suite) -> list[tuple[str, str]]:
    """Return (name of the row, part) for the first part of a metric and for each other part that the suite reports."""
    first, *others = only(table).parts
    return [(spec, first), *((f"{spec} {part}", part) for part in others if part in suite.parts)]

"""Suites of the results page with their numbers: scored, and correlated with people."""

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
    """A suite with its numbers."""

    suite: Suite
    rows: int
    items: int
    systems: int
    values: dict[str, dict[Key, Agreement]]
    """By the name of a row: a metric, with its part where that is not the first"""
    reasons: dict[str, str]
    """By metric: why there is no number at all"""
    models: list[str]
    reading: frozenset[str]
    """The metrics that read the model"""
    partial: dict[str, int]
    """By row's name: rows that are scored, where some are not; their numbers take no part in who wins"""
    missing: Mapping[tuple[str, Key], int]
    """By row's name and column: rated rows with a text that have no number; of corpus-level metrics, systems"""
    aligners: Mapping[str, str]
    """By row's name: the beginning of the digest of the trained aligner that was read"""

    def of(self, key: Key) -> dict[str, Agreement]:
        """The metrics that have a number in a column."""
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
    """Score and correlate the suites (all of `suites.py` by default) whose data are there; and what is not there.

    cached: score nothing, take what the cache has.

    Raises InputError where none is, SpecError where `metrics` (names or specs) name what no suite has.
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
    """What is to be scored of a suite."""

    suite: Suite
    corpus: Corpus
    metrics: dict[str, Metric]
    """By the spec that the suite gives"""
    refused: dict[str, str]
    """Why others cannot be had"""


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
    """Return how many rows that have a text and a rating lack a number; of a corpus-level metric, how many systems.

    Args:
        table: the one column of a metric; its first sub-score counts.
        corpus: the texts that were scored.
        rated: the rows with their ratings.
        aspect: what was rated.
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
    """The agreement of each metric of a group, and of those of its parts that are reported, in each column."""
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
    """(name of the row, part) of a metric: its first part, and what the suite reports besides."""
    first, *others = only(table).parts
    return [(spec, first), *((f"{spec} {part}", part) for part in others if part in suite.parts)]

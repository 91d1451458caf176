"""The section of the page on agreement: of metrics with each other, and with people where there are ratings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from nlgauge.answers.contrast import Contrast, contrast, takes_a_minute
from nlgauge.answers.correlate import Agreement, correlate
from nlgauge.answers.sentinels import beside, is_sentinel, unbeaten
from nlgauge.data.table import ScoreTable
from nlgauge.data.table.selection import label, selected
from nlgauge.errors import InputError
from nlgauge.ratings.rated import joined
from nlgauge.reports.page.scored import Scored
from nlgauge.reports.plots.pairwise import CorrelationMatrix, correlation_matrix
from nlgauge.stats.corrections import LEAST_DRAWS, draws_for

MOST_DRAWN = 50_000_000
"""Limit of rows times metrics, aspects and draws, beyond which fewer draws are made"""
_FEWEST_DRAWN = 200


@dataclass(frozen=True)
class WithPeople:
    """The agreement of one metric with people's ratings of one aspect."""

    agreement: Agreement
    name: str
    sentinel: bool
    """Whether the metric is a sentinel, such as the length of an output, which cannot know quality"""
    cluster: int | None
    """Number of the cluster, 1 for the best; None without one. Metrics of one cluster do not differ significantly"""


@dataclass(frozen=True)
class Aspect:
    """An aspect that people rated, with the metrics in the order of their agreement, the best first."""

    name: str
    lines: list[WithPeople]
    unrated: int
    better: list[tuple[str, str, Contrast]]
    """(better metric, worse metric, their test) for every two metrics that differ significantly"""
    tested: bool
    """Whether every two metrics were tested against each other"""
    behind: dict[str, list[str]]
    """By sentinel, the metrics that do not agree significantly better than the sentinel"""


@dataclass(frozen=True)
class Agreeing:
    """The contents of the section on agreement."""

    level: str
    coefficient: str
    aspects: list[Aspect]
    matrix: CorrelationMatrix | None
    scales: list[int]
    """For each metric or aspect of `matrix`, its index in `Scored.scales`; empty without a matrix"""
    notes: list[str]


def agreeing(scored: Scored, level: str | None, coefficient: str, replicates: int | None, seed: int) -> Agreeing:
    """Return the agreement of metrics with people and with each other. Each metric counts by its deciding score.

    Args:
        scored: the table, with people's ratings if there are any.
        level: as `nlgauge.correlate` takes it; by default 'item' for three systems or more, else 'pooled'.
        coefficient: as `nlgauge.correlate` takes it.
        replicates: the number of draws for intervals and tests; None for as many as `report` makes.
        seed: the seed of the draws.

    Returns:
        The contents of the section.
    """
    level = level or ("item" if len(scored.table.systems) >= 3 else "pooled")
    notes: list[str] = []
    aspects: list[Aspect] = []
    table = selected(scored.table)
    if scored.source is not None:
        try:
            aspects = _aspects(
                table, scored, level=level, coefficient=coefficient, replicates=replicates, seed=seed, notes=notes
            )
        except InputError as error:
            notes.append(f"Agreement with people is not known: {error}.")
    matrix = _matrix(table, scored, notes)
    firsts = [number for number, scale in enumerate(scored.scales) if scale.first]
    return Agreeing(
        level=level,
        coefficient=coefficient,
        aspects=aspects,
        matrix=matrix,
        scales=firsts if matrix else [],
        notes=notes,
    )


def _matrix(table: ScoreTable, scored: Scored, notes: list[str]) -> CorrelationMatrix | None:
    """Return the correlation of every two metrics or rated aspects over all rows, as a scatter plot shows them.

    Args:
        table: the table with the metrics to correlate.
        scored: the data of the page, with people's ratings if there are any.
        notes: gets a sentence if the correlations cannot be computed.

    Returns:
        The correlations; None if they cannot be computed, or for fewer than two metrics and aspects.
    """
    rows = [spec for spec, column in table.columns.items() if column.level == "item"]
    if len(rows) + len(scored.ratings) < 2:
        return None
    try:
        return correlation_matrix(table, scored.source, level="pooled")
    except InputError as error:
        notes.append(f"Metrics are not compared with each other: {error}.")
        return None


def _aspects(
    table: ScoreTable, scored: Scored, level: str, coefficient: str, replicates: int | None, seed: int, notes: list[str]
) -> list[Aspect]:
    assert scored.source is not None
    cells = len(table.rows) * len(scored.ratings)
    asked = LEAST_DRAWS if replicates is None else replicates
    draws = min(asked, max(_FEWEST_DRAWN, MOST_DRAWN // max(1, cells * len(table.columns))))
    whole = table if scored.outputs is None else beside(table, scored.outputs, coefficient)
    how: dict[str, Any] = {"level": level, "coefficient": coefficient, "seed": seed}
    agreements = correlate(whole, scored.source, replicates=draws, **how)
    notes.extend(agreements.notes)
    both = joined(whole.per_item(), scored.source, list(agreements.unrated))
    behind = unbeaten(both, agreements, notes=notes, replicates=replicates, **how)
    if draws < asked:
        notes.append(
            f"With so many rows, intervals and p of agreement come from {draws} draws; nlgauge correlate takes more."
        )
    clusters: dict[str, dict[tuple[str, str], int]] = {}
    tests: list[Contrast] = []
    pairs = len(table.columns) * (len(table.columns) - 1) // 2
    exchanges = draws_for(pairs) if replicates is None else replicates
    if takes_a_minute(cells, pairs, level=level, coefficient=coefficient, draws=exchanges):
        notes.append(
            "With so many rows and metrics, which metric agrees better than which is left to nlgauge correlate --pairs."
        )
    elif len(table.columns) > 1:
        contrasts = contrast(table, scored.source, replicates=replicates, intervals=False, **how)
        notes.extend(contrasts.notes)
        clusters, tests = contrasts.clusters, contrasts.records
    named = replace(whole, columns={**whole.columns, **scored.table.columns})
    by_sentinel: dict[str, dict[str, list[str]]] = {aspect: {} for aspect in agreements.unrated}
    for pair in behind:
        by_sentinel[pair.aspect].setdefault(pair.sentinel, []).append(pair.metric)
    return [
        Aspect(
            name=aspect,
            lines=_lines(
                named, [agreement for agreement in agreements if agreement.aspect == aspect], clusters.get(aspect, {})
            ),
            unrated=unrated,
            better=_better(scored.table, [test for test in tests if test.aspect == aspect]),
            tested=bool(tests),
            behind=by_sentinel[aspect],
        )
        for aspect, unrated in agreements.unrated.items()
    ]


def _lines(
    table: ScoreTable, agreements: Sequence[Agreement], clusters: dict[tuple[str, str], int]
) -> list[WithPeople]:
    ranked = sorted(agreements, key=lambda agreement: (math.isnan(agreement.value), -agreement.value))
    return [
        WithPeople(
            agreement,
            label(table, agreement.metric, agreement.part),
            is_sentinel(agreement.metric),
            None if math.isnan(agreement.value) else clusters.get((agreement.metric, agreement.part)),
        )
        for agreement in ranked
    ]


def _better(table: ScoreTable, tests: Sequence[Contrast]) -> list[tuple[str, str, Contrast]]:
    told = sorted((test for test in tests if test.adjusted < 0.05), key=lambda test: test.adjusted)
    ordered = [(test.first, test.second) if test.difference > 0 else (test.second, test.first) for test in told]
    return [(label(table, *a), label(table, *b), test) for (a, b), test in zip(ordered, told, strict=True)]

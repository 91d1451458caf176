"""Sentinels: metrics that cannot know quality, and that a metric has to beat before its agreement says anything.

Perrella, Proietti, Scire, Barba and Navigli, *Guardians of the Machine Translation Meta-Evaluation: Sentinel Metrics
Fall In!*, ACL 2024, arXiv:2408.13831. The paper trains its sentinels. Here they are the length of an output, the share
of it that is copied from its source, and a constant.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from nlgauge.answers.contrast import chances, takes_a_minute
from nlgauge.answers.correlate import Agreements
from nlgauge.data.corpus import Corpus
from nlgauge.data.table import Column, ScoreTable
from nlgauge.maths.text import copied
from nlgauge.ratings.join import Key
from nlgauge.ratings.matching import matched
from nlgauge.ratings.rated import Joined, Measurement
from nlgauge.stats.coefficients import SPECIAL
from nlgauge.stats.corrections import draws_for, holm, too_few_draws

SENTINELS = ("Length", "CopyRate", "Constant")
OF_TIES = ("accuracy", "accuracy_calibrated", "soft_accuracy", "kendall_eq")
"""Coefficients that are defined for a constant, because they count ties"""


class Unbeaten(NamedTuple):
    """A metric that is not shown to agree better with an aspect than a sentinel does."""

    metric: str
    part: str
    aspect: str
    sentinel: str
    value: float
    bound: float
    """The sentinel's agreement. If it is negative, its sign is changed here, and smaller numbers of the sentinel count
    as better"""
    p: float
    """The p of the hypothesis that both agree equally well, corrected by Holm for all pairs of the aspect; NaN if not
    tested"""


def beside(table: ScoreTable, outputs: Corpus, coefficient: str) -> ScoreTable:
    """Return a table with all sentinels; those that it lacks are computed from the texts of the outputs.

    Args:
        table: the scores.
        outputs: as `sentinels_of` takes them.
        coefficient: as `sentinels_of` takes it.

    Returns:
        The table with the sentinels.
    """
    return added(table, sentinels_of(table, outputs, coefficient))


def sentinels_of(table: ScoreTable, outputs: Corpus, coefficient: str) -> dict[str, Column]:
    """Return sentinels for the rows of a table, computed from the texts of its outputs.

    Args:
        table: the scores.
        outputs: the outputs, which are joined to the rows by system and item. A row without an output gets NaN.
        coefficient: the coefficient of the agreement. The constant is made only for a coefficient that counts ties,
            because a correlation with a constant is undefined.

    Returns:
        By name, a column for each sentinel that has a number on some row.
    """
    outputs = matched(table, outputs)
    places: dict[Key, list[int]] = {}
    for place, row in enumerate(outputs):
        places.setdefault((row.system, row.item), []).append(place)
    of_rows = [places.get(key, []) for key in table.rows]

    numbers = {
        "Length": [math.nan if row.missing else float(len(row.candidate.split())) for row in outputs],
        "CopyRate": copied([row.candidate for row in outputs], [row.source or "" for row in outputs]),
    }
    made = {
        name: [sum(of_output[place] for place in places) / len(places) if places else math.nan for places in of_rows]
        for name, of_output in numbers.items()
    }
    made["Constant"] = [0.0 if coefficient in OF_TIES else math.nan for _ in of_rows]
    return {
        name: Column(("score",), np.array(values)[:, None], details=("score",))
        for name, values in made.items()
        if not np.isnan(values).all()
    }


def added(table: ScoreTable, sentinels: Mapping[str, Column]) -> ScoreTable:
    """Return a table with the sentinels added that it does not have yet."""
    names = {spec.partition("(")[0] for spec in table.columns}
    more = {name: column for name, column in sentinels.items() if name not in names}
    return replace(table, columns={**table.columns, **more})


def is_sentinel(spec: str) -> bool:
    """Return whether a spec names a sentinel, with any parameters."""
    return spec.partition("(")[0] in SENTINELS


def unbeaten(
    both: Joined,
    agreements: Agreements,
    *,
    level: str,
    coefficient: str,
    notes: list[str],
    replicates: int | None = None,
    seed: int = 0,
) -> list[Unbeaten]:
    """Return the pairs of a metric and a sentinel in which the metric is not shown to agree better with people.

    Both are compared by their deciding sub-scores, for each aspect. A metric beats a sentinel if it agrees better and p
    of their difference (`nlgauge.answers.contrast`), corrected by Holm, is below 0.05. Where no test is made, the
    better agreement alone decides, and a note says so. A sentinel with a negative agreement has its sign changed,
    because it is as easy to prefer short outputs as long ones.

    Args:
        both: the scores with the sentinels (`beside`), joined with the ratings.
        agreements: the result of `nlgauge.correlate` for the same table and ratings.
        level: the level of `agreements`.
        coefficient: the coefficient of `agreements`.
        notes: a list to which notes on the tests are added.
        replicates: the number of random exchanges of each test; by default as many as the correction for all tests
            needs.
        seed: the seed of the exchanges.

    Returns:
        A record for each metric with a sentinel that it does not beat.
    """
    table = both.table
    sentinels = [spec for spec in table.columns if is_sentinel(spec)]
    metrics = [spec for spec in table.columns if spec not in sentinels]
    tests = len(metrics) * len(sentinels)
    draws = draws_for(tests) if replicates is None else replicates
    cells = len(table.rows) * len(agreements.unrated)
    test = coefficient not in SPECIAL and not takes_a_minute(
        cells, tests, level=level, coefficient=coefficient, draws=draws
    )
    how = Measurement(
        level=level, coefficient=coefficient, resample="both", confidence=0.95, replicates=draws, seed=seed
    )
    deciding = {spec: (spec, column.shown[0]) for spec, column in table.columns.items()}
    unshown: list[Unbeaten] = []
    for aspect in agreements.unrated:
        values = {spec: agreements.get(spec, aspect).value for spec in table.columns}
        turned = [spec for spec in sentinels if values[spec] < 0 and coefficient not in OF_TIES]
        tried = [(a, b) for a in metrics for b in sentinels if not math.isnan(values[a] + values[b])]
        lower = {spec: replace(table.columns[spec], higher_is_better=False) for spec in turned}
        with_turned = replace(table, columns={**table.columns, **lower}) if lower else table
        p = [math.nan] * len(tried)
        if test:
            of_pairs = [(deciding[a], deciding[b]) for a, b in tried]
            p = chances(both.of(with_turned), aspect, of_pairs, how=how, draws=draws)
        for (metric, sentinel), chance in zip(tried, holm(p).tolist(), strict=True):
            bound = -values[sentinel] if sentinel in turned else values[sentinel]
            if values[metric] <= bound or chance >= 0.05:
                unshown.append(
                    Unbeaten(
                        metric=metric,
                        part=deciding[metric][1],
                        aspect=aspect,
                        sentinel=sentinel,
                        value=values[metric],
                        bound=bound,
                        p=chance,
                    )
                )
    if tests and not test:
        notes.append("metrics and sentinels were compared by value alone: there is no test, or it would take long")
    elif few := too_few_draws(draws, tests):
        notes.append(f"metrics and sentinels: {few}")
    return unshown


def told_unbeaten(behind: Sequence[Unbeaten]) -> Iterator[str]:
    """Yield a sentence for each aspect and sentinel, with the metrics that are not shown to agree better."""
    by_aspect: dict[tuple[str, str], list[str]] = {}
    for record in behind:
        by_aspect.setdefault((record.aspect, record.sentinel), []).append(record.metric)
    for (aspect, sentinel), metrics in by_aspect.items():
        yield f"{aspect}: no significantly better agreement than {sentinel}: {', '.join(metrics)}"

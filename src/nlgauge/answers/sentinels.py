"""Sentinels: metrics that cannot know quality, and that a metric has to beat before its agreement says anything.

Perrella, Proietti, Scire, Barba and Navigli, *Guardians of the Machine Translation Meta-Evaluation: Sentinel Metrics
Fall In!*, ACL 2024, arXiv:2408.13831. Theirs are trained; these are the length of an output, how much of it is copied,
and one number for all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from nlgauge.answers.contrast import contrast, takes_a_minute
from nlgauge.answers.correlate import Agreements
from nlgauge.data.corpus import Corpus, Row
from nlgauge.data.table import Column, ScoreTable
from nlgauge.data.table.selection import selected
from nlgauge.maths.text import words
from nlgauge.ratings.join import Key, Source
from nlgauge.ratings.matching import matched
from nlgauge.stats.coefficients import SPECIAL
from nlgauge.stats.corrections import draws_for, holm, too_few_draws

SENTINELS = ("Length", "CopyRate", "Constant")
OF_TIES = ("accuracy", "accuracy_calibrated", "soft_accuracy", "kendall_eq")
"""Coefficients that say something of one number for all, because ties count"""


class Unbeaten(NamedTuple):
    """A metric that is not shown to agree better with an aspect than a sentinel does."""

    metric: str
    part: str
    aspect: str
    sentinel: str
    value: float
    bound: float
    """The sentinel's agreement, turned where less of it is better"""
    p: float
    """That the two agree alike, corrected by Holm for all metrics and sentinels of the aspect; NaN untested"""


def beside(table: ScoreTable, outputs: Corpus, coefficient: str) -> ScoreTable:
    """Return a table with those sentinels that it does not have, computed from the outputs' texts.

    Args:
        table: the scores.
        outputs: the outputs, which join by system and item; a row without an output has no number.
        coefficient: of the agreement. One number for all is there where the coefficient counts ties: a correlation with
            a constant does not exist.

    Returns:
        The table with the sentinels.
    """
    texts: dict[Key, list[Row]] = {}
    for row in matched(table, outputs):
        texts.setdefault((row.system, row.item), []).append(row)
    rows = [texts.get(key, []) for key in table.rows]

    def mean(of: Callable[[Row], float], some: Sequence[Row]) -> float:
        return sum(map(of, some)) / len(some) if some else math.nan

    made = {
        "Length": [
            mean(lambda row: math.nan if row.missing else float(len(row.candidate.split())), some) for some in rows
        ],
        "CopyRate": [mean(_copied, some) for some in rows],
        "Constant": [0.0 if coefficient in OF_TIES else math.nan for _ in rows],
    }
    names = {spec.partition("(")[0] for spec in table.columns}
    added = {
        name: Column(("score",), np.array(values)[:, None], details=("score",))
        for name, values in made.items()
        if name not in names and not np.isnan(values).all()
    }
    return replace(table, columns={**table.columns, **added})


def _copied(row: Row) -> float:
    """Return what the metric CopyRate has: the share of the output's words that stand in its source."""
    own, source = words(row.candidate), frozenset(words(row.source or ""))
    return sum(word in source for word in own) / len(own) if own and source else math.nan


def is_sentinel(spec: str) -> bool:
    """Return whether a metric of a table is one of them, whatever its parameters."""
    return spec.partition("(")[0] in SENTINELS


def unbeaten(
    table: ScoreTable,
    ratings: Source,
    found: Agreements,
    *,
    level: str,
    coefficient: str,
    notes: list[str],
    replicates: int | None = None,
    seed: int = 0,
) -> list[Unbeaten]:
    """Return which metrics do not beat which sentinels of the table (`beside`).

    They are compared by their deciding scores, aspect by aspect. A metric beats a sentinel where it agrees better and p
    of their difference (`nlgauge.answers.contrast`), corrected by Holm, is below 0.05. A sentinel of which less is
    better by an aspect is turned: short outputs are as easily told as long ones.

    Args:
        table: the scores, with the sentinels.
        ratings: as `nlgauge.correlate` takes them.
        found: what `nlgauge.correlate` says of the table.
        level: that of `found`.
        coefficient: that of `found`.
        notes: gets what is to be said of the tests.
        replicates: how many exchanges each test draws; by default as many as the number of tests needs.
        seed: of the draws.

    Returns:
        A record for each metric and sentinel that it does not beat.
    """
    table = table.per_item()
    sentinels = [spec for spec in table.columns if is_sentinel(spec)]
    metrics = [spec for spec in table.columns if spec not in sentinels]
    tests = len(metrics) * len(sentinels)
    draws = draws_for(tests) if replicates is None else replicates
    cells = len(table.rows) * len(found.unrated)
    test = coefficient not in SPECIAL and not takes_a_minute(
        cells, tests, level=level, coefficient=coefficient, draws=draws
    )
    unshown: list[Unbeaten] = []
    for aspect in found.unrated:
        values = {spec: found.get(spec, aspect).value for spec in table.columns}
        turned = [spec for spec in sentinels if values[spec] < 0 and coefficient not in OF_TIES]
        tried = [(a, b) for a in metrics for b in sentinels if not math.isnan(values[a] + values[b])]
        lower = {spec: replace(table.columns[spec], higher_is_better=False) for spec in turned}
        with_turned = replace(table, columns={**table.columns, **lower})
        p = [math.nan] * len(tried)
        for number, two in enumerate(tried if test else ()):
            (one,) = contrast(
                selected(with_turned, two),
                ratings,
                level=level,
                coefficient=coefficient,
                aspects=[aspect],
                replicates=draws,
                seed=seed,
                intervals=False,
            )
            p[number] = one.p
        for (metric, sentinel), chance in zip(tried, holm(p).tolist(), strict=True):
            bound = -values[sentinel] if sentinel in turned else values[sentinel]
            if values[metric] <= bound or chance >= 0.05:
                part = table.columns[metric].shown[0]
                unshown.append(
                    Unbeaten(
                        metric=metric,
                        part=part,
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
    """Yield which metrics are not shown to know more than a sentinel does."""
    by_aspect: dict[tuple[str, str], list[str]] = {}
    for one in behind:
        by_aspect.setdefault((one.aspect, one.sentinel), []).append(one.metric)
    for (aspect, sentinel), metrics in by_aspect.items():
        yield f"{aspect}: no significantly better agreement than {sentinel}: {', '.join(metrics)}"

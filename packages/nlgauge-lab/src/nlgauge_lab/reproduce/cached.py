"""Scores that the cache has for some metrics. Only scores that are faster to compute than to look up are computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from nlgauge.contract.base import Metric, RowMetric
from nlgauge.data.corpus import Corpus
from nlgauge.data.table import ScoreTable
from nlgauge.errors import NlgaugeError
from nlgauge.metrics.sets import SetMetric
from nlgauge.options import RunOptions
from nlgauge.run.plan import Plan
from nlgauge.run.runner import score
from nlgauge.run.sinks import TableBuilder
from nlgauge.run.store import opened

NOT_SCORED = "not scored"
"""The reason of a row or a system that has no score in the cache"""


def cached(
    corpus: Corpus, metrics: Mapping[str, Metric], cache: bool | str | Path
) -> Iterator[tuple[str, ScoreTable | NlgaugeError]]:
    """Yield for each metric its spec, and a table of its cached scores or the error why there is none for these rows.

    Args:
        corpus: the rows.
        metrics: the metrics, by spec.
        cache: as in `nlgauge.evaluate`. With False, all scores are missing.

    Returns:
        (spec, table or error) of each metric. A score that is not cached is NaN with the reason NOT_SCORED.
    """
    options = RunOptions(cache=cache)
    with opened(cache) as store:
        by_model: dict[str | None, dict[str, Metric]] = {}
        for spec, metric in metrics.items():
            by_model.setdefault(metric.reads, {})[spec] = metric
        for name, of_model in by_model.items():
            try:
                engine = None if name is None else options.engine(name, store)
            except NlgaugeError as error:
                yield from ((spec, error) for spec in of_model)
                continue
            for spec, metric in of_model.items():
                try:
                    yield spec, _table(corpus, spec, metric, Plan(corpus, {spec: metric}, engine, store=store))
                except NlgaugeError as error:
                    yield spec, error


def _table(corpus: Corpus, spec: str, metric: Metric, plan: Plan) -> ScoreTable:
    found, lookup = plan.look_up(range(len(corpus)))
    builder = TableBuilder(corpus, {spec: metric}, {}, False)
    missing = [] if lookup is None else [*lookup.missing.get(spec, ())]
    if isinstance(metric, SetMetric) and lookup is not None:
        column = builder.columns[spec]
        missing_systems = set(plan.sets[spec].missing)
        column.reasons = {n: NOT_SCORED for n, system in enumerate(corpus.systems) if system in missing_systems}
        return ScoreTable([(row.system, row.item) for row in corpus], {spec: column}, {spec: plan.signature(spec)})
    builder.take(found)
    if isinstance(metric, RowMetric) and (cheap := [n for n in missing if metric.is_cheap(corpus[n])]):
        score([plan], cheap, RunOptions(cache=False), builder)
        missing = sorted({*missing} - {*cheap})
    builder.finish(plan)
    table = builder.end({})
    table.columns[spec].reasons.update(dict.fromkeys(missing, NOT_SCORED))
    return table

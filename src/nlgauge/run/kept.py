"""What earlier runs left in the store of some metrics, told without scoring anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from nlgauge.data.corpus import Corpus
from nlgauge.data.table import Column, ScoreTable
from nlgauge.engine.engine import Engine
from nlgauge.engine.models import loading
from nlgauge.errors import NlgaugeError
from nlgauge.metrics.base import Metric, model_of
from nlgauge.metrics.sets import SetMetric
from nlgauge.run.filling import Filling
from nlgauge.run.job import Job
from nlgauge.run.store import Store, opened

NOT_SCORED = "not scored"
"""The reason of a row, or of a system, of which the store has nothing"""


def kept(
    corpus: Corpus, metrics: Mapping[str, Metric], cache: bool | str | Path
) -> Iterator[tuple[str, ScoreTable | NlgaugeError]]:
    """For each metric, by its spec, a table of what the store has; or why it cannot be had for these rows.

    What is missing is NaN with the reason NOT_SCORED. cache: as in `nlgauge.evaluate`; where it is False, all is
    missing.
    """
    with opened(cache) as store:
        for name in dict.fromkeys(map(model_of, metrics.values())):
            of_model = {spec: metric for spec, metric in metrics.items() if model_of(metric) == name}
            try:
                engine = None if name is None else Engine(loading.load(name), kept=store, load=loading.load)
            except NlgaugeError as error:
                yield from ((spec, error) for spec in of_model)
                continue
            for spec, metric in of_model.items():
                try:
                    yield spec, _table(corpus, spec, metric, engine, store)
                except NlgaugeError as error:
                    yield spec, error


def _table(corpus: Corpus, spec: str, metric: Metric, engine: Engine | None, store: Store | None) -> ScoreTable:
    job, filling = Job(corpus, {spec: metric}, engine, store=store), Filling(corpus, {spec: metric}, {}, False)
    block = next(job.blocks())
    if isinstance(metric, SetMetric):
        if job.sets[spec].missing:
            return _nothing(corpus, spec, metric, job)
        filling.take_sets(job)
        return filling.table()
    filling.take(block, {spec: job.signature(spec)})
    table = filling.table()
    missing = [number for number in range(len(corpus)) if number not in block.scored[spec]]
    table.columns[spec].reasons.update(dict.fromkeys(missing, NOT_SCORED))
    return table


def _nothing(corpus: Corpus, spec: str, metric: SetMetric, job: Job) -> ScoreTable:
    values = np.full((len(corpus.systems), len(metric.parts)), np.nan)
    reasons = dict.fromkeys(range(len(values)), NOT_SCORED)
    column = Column(metric.parts, values, reasons, {}, metric.higher_is_better, "system", details=metric.details)
    return ScoreTable([(row.system, row.item) for row in corpus], {spec: column}, {spec: job.signature(spec)})

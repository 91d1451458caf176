"""String metrics, each a job of its own: one after another here, or several at a time in other processes."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from nlgauge.data.corpus import Corpus
from nlgauge.data.signature import Signature
from nlgauge.metrics.base import Metric
from nlgauge.run.bound import Block
from nlgauge.run.job import Job
from nlgauge.run.store import Store


def string_jobs(
    metrics: Mapping[str, Metric], rows: Corpus, processes: int, store: Store | None, evidence: bool
) -> Iterator[tuple[Block, dict[str, Signature]]]:
    """Score all rows by each metric in turn: blocks, and at the end of each metric's its signature."""
    if processes < 2 or len(metrics) < 2:
        for spec, metric in metrics.items():
            yield from _blocks(spec, metric, rows, store, evidence)
        return
    # A process that is started anew: a forked one may hang on a lock that a thread of a model's library held.
    context, number = get_context("spawn"), min(processes, len(metrics))
    place = None if store is None else store.folder
    with ProcessPoolExecutor(number, context, _keep, (rows, place, evidence)) as pool:
        for blocks in pool.map(_blocks_there, metrics.items()):
            yield from blocks


def _blocks(
    spec: str, metric: Metric, rows: Corpus, store: Store | None, evidence: bool
) -> Iterator[tuple[Block, dict[str, Signature]]]:
    job = Job(rows, {spec: metric}, store=store, evidence=evidence)
    for block in job.blocks():
        yield block, {}
    yield Block((), {}), {spec: job.signature(spec)}


_there: list[tuple[Corpus, Store | None, bool]] = []
"""What a process was given when it was started"""


def _keep(rows: Corpus, place: Path | None, evidence: bool) -> None:
    """What a process does first: rows are handed over once, and not with every metric.

    It ends with its metrics, which make no cycles to speak of; to look for them again and again among millions of
    words takes a fifth of the time.
    """
    gc.disable()
    _there.append((rows, None if place is None else Store(place), evidence))


def _blocks_there(named: tuple[str, Metric]) -> list[tuple[Block, dict[str, Signature]]]:
    rows, store, evidence = _there[-1]
    return list(_blocks(*named, rows, store, evidence))

"""The runner, which all runs use: an executor scores the rows of each plan in blocks, and a sink takes the scores.

Blocks depend on corpus and metrics alone, and each block is cached as a whole. So a run that was killed continues where
it stopped, and ends with exactly the same numbers. Memory holds only the rows that are being scored.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, nullcontext
from typing import Any, TypeVar

from nlgauge.contract.base import Metric
from nlgauge.data.corpus import Corpus
from nlgauge.options import ROWS_PER_BLOCK, RunOptions
from nlgauge.run.block import CacheLookup, Executor, Rows, Task, score_here
from nlgauge.run.plan import Plan, plans_of
from nlgauge.run.sinks import Earlier, Sink

T = TypeVar("T")


def run(
    corpus: Corpus,
    metrics: Mapping[str, Metric],
    options: RunOptions,
    sink: Sink[T],
    *,
    against: Corpus | None = None,
    rows: Sequence[int] | None = None,
) -> T:
    """Score rows, give the scores to a sink, and return what the sink makes of them.

    Args:
        corpus: the rows.
        metrics: the metrics by spec.
        options: the options of the run.
        sink: takes the scores.
        against: the corpus that corpus-level metrics compare outputs with, instead of references.
        rows: the numbers of the rows that are scored; all rows by default.

    Returns:
        What the sink makes of the scores, such as a table.

    Raises:
        InputError: rows cannot be scored as given.
        SpecError: a model cannot be loaded.
    """
    began, ledgers = time.monotonic(), {}
    spent: dict[str, Mapping[str, int]] = {}
    with ExitStack() as held:
        store = None
        if options.cache is not False:
            from nlgauge.run.store import opened  # a database, which a run without a cache does not need

            store = held.enter_context(opened(options.cache))
        for plans in held.enter_context(
            closing(plans_of(corpus, metrics, options=options, store=store, against=against))
        ):
            scored_before = sink.begin(plans, held)
            wanted = range(len(corpus.rows)) if rows is None else rows
            score(plans, wanted, options=options, sink=sink, earlier=scored_before)
            for plan in plans:
                sink.finish(plan)
                spent |= {
                    spec: counts
                    for spec, entry in plan.metrics.items()
                    if (counts := entry.metric.spent(entry.prepared))
                }
                if plan.engine is not None:
                    ledgers[plan.engine.model.name] = vars(plan.engine.ledger)
        cost = {"asked": spent} if spent else {}
        return sink.end({"seconds": round(time.monotonic() - began, 3), "models": ledgers, **cost})


def score(
    plans: Sequence[Plan], wanted: Sequence[int], options: RunOptions, sink: Sink[T], earlier: Earlier | None = None
) -> None:
    """Score rows by the plans of a group, in tasks of the size that the options name. earlier: reads old scores."""
    execute: Executor = score_here
    if options.ray is not None:
        from nlgauge.run import ray

        execute = ray.score
    corpus = plans[0].corpus
    size = options.rows_per_block or ROWS_PER_BLOCK if options.in_blocks else max(len(wanted), 1)
    under_way: deque[Sequence[int]] = deque()

    def tasks() -> Iterator[Task]:
        for first in range(0, len(wanted), size):
            numbers = wanted[first : first + size]
            under_way.append(numbers)
            there = {} if earlier is None else earlier(numbers)
            lookups: list[CacheLookup | None] = []
            for plan in plans:
                scores, lookup = plan.look_up(numbers, there)
                sink.take(scores)
                lookups.append(lookup)
            rows: Rows = corpus.rows
            if options.in_blocks:  # what is known whole needs no rows, which are what a worker is sent
                asked = any(lookup is not None for lookup in lookups)
                rows = dict(zip(numbers, corpus.rows[numbers[0] : numbers[-1] + 1], strict=True)) if asked else {}
            yield Task(rows, numbers, lookups)

    bar: AbstractContextManager[Any] = nullcontext()
    if options.progress and options.in_blocks:  # on stderr, where that is a terminal
        from tqdm import tqdm

        bar = tqdm(total=len(wanted), unit="row", disable=None, leave=False)
    with bar as shown, closing(execute([plan.scorer for plan in plans], tasks(), options)) as blocks:
        for block in blocks:
            for plan in plans:
                plan.take(block)
            ended = under_way.popleft() if block.ended else ()
            sink.take(block.scored, ended)
            if shown is not None:
                shown.update(len(ended))

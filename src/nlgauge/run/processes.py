"""String metrics are scored several at a time, each in a process of its own; models use all processors anyway."""

from __future__ import annotations

import gc
from collections.abc import Generator, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from nlgauge.options import RunOptions
from nlgauge.run.block import BlockScorer, CacheLookup, Rows, ScoredBlock, Task, score_here


def score(
    scorers: Sequence[BlockScorer], tasks: Iterable[Task], options: RunOptions
) -> Generator[ScoredBlock, None, None]:
    """Yield an `Executor`."""
    if len(scorers) < 2 or any(scorer.engine is not None or scorer.remote for scorer in scorers):
        yield from score_here(scorers, tasks, options)
        return
    number = min(options.processes, len(scorers))
    for task in tasks:
        # A new process: a forked one may hang on a lock that a thread of a model's library held.
        with ProcessPoolExecutor(number, get_context("spawn"), _keep, (task.rows, task.wanted)) as pool:
            for blocks in pool.map(_scored, scorers, task.lookups):
                yield from blocks
        yield ScoredBlock({}, ended=True)


_there: list[tuple[Rows, Sequence[int]]] = []
"""What a process was given when it was started"""


def _keep(rows: Rows, wanted: Sequence[int]) -> None:
    """Prepare a process: rows are handed over once, and not with every metric.

    It ends with its metrics, which make no cycles to speak of; to look for them again and again among millions of
    words takes a fifth of the time.
    """
    gc.disable()
    _there.append((rows, wanted))


def _scored(scorer: BlockScorer, lookup: CacheLookup | None) -> list[ScoredBlock]:
    return list(score_here([scorer], [Task(*_there[-1], [lookup])], RunOptions()))[:-1]

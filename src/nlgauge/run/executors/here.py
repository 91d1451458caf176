"""Blocks are scored in this process, one after another; the other executors call this in theirs."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence

from nlgauge.options import RunOptions
from nlgauge.run.block import BlockScorer, Collector, ScoredBlock, Task


def score(
    scorers: Sequence[BlockScorer], tasks: Iterable[Task], options: RunOptions
) -> Generator[ScoredBlock, None, None]:
    """An `Executor`."""
    for task in tasks:
        collected: dict[str, Collector] = {}
        for scorer, lookup in zip(scorers, task.lookups, strict=True):
            if lookup is not None:
                alone = scorer.apart(scorer.engine)
                yield from alone.blocks(task.rows, task.wanted, lookup)
                collected.update(alone.collectors)
        yield ScoredBlock({}, collected, ended=True)

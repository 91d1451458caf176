"""Blocks are scored in this process, one after another."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence

from nlgauge.options import RunOptions
from nlgauge.run.block import Block, BlockScorer, Task, score_task


def score(scorers: Sequence[BlockScorer], tasks: Iterable[Task], options: RunOptions) -> Generator[Block, None, None]:
    """An `Executor`."""
    for task in tasks:
        yield from score_task(scorers, task)

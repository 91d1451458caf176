"""Where blocks are scored. A new place is one file with an `Executor`, which is named here."""

from __future__ import annotations

from functools import partial

from nlgauge.options import Cluster, RunOptions
from nlgauge.run.block import Executor
from nlgauge.run.executors import here


def executor_of(options: RunOptions) -> Executor:
    """Where a run is computed. Raises SpecError for an address that is none."""
    if options.ray is not None:
        from nlgauge.run.executors import ray

        return partial(ray.score, Cluster(options.ray) if isinstance(options.ray, str) else options.ray)
    if options.processes > 1:
        from nlgauge.run.executors import processes

        return processes.score
    return here.score

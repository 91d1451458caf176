"""Where blocks are scored. A new place is one file with an `Executor`, which is named here."""

from __future__ import annotations

from nlgauge.options import RunOptions
from nlgauge.run.block import Executor
from nlgauge.run.executors import here, processes
from nlgauge.run.executors.ray import Cluster


def executor_of(options: RunOptions) -> Executor:
    """Where a run is computed. Raises SpecError for an address that is none."""
    if options.ray is not None:
        return (Cluster(options.ray) if isinstance(options.ray, str) else options.ray).score
    return processes.score if options.processes > 1 else here.score

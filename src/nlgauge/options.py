"""The options of a run, which Python, the command and the service all pass to the engine."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from nlgauge.engine.windows import WINDOW_POLICIES, WindowPolicy
from nlgauge.errors import SpecError

if TYPE_CHECKING:
    from nlgauge.engine.engine import Engine, FeatureCache
    from nlgauge.engine.models.capabilities import Model

ROWS_PER_BLOCK = 4096
Repeats: TypeAlias = Literal["error", "mean"]
"""How several rows of one system and item are treated: they are refused, or their mean represents the item"""
LOCAL = "local"
PRECISION_CHANGE = 0.01
"""By default, the largest change of a score that precision='auto' accepts, as a share of the range of the scores"""


@dataclass(frozen=True)
class Cluster:
    """The Ray cluster on which a run is computed, and the workers on it.

    Args:
        address: the address of a Ray cluster, as ray.init takes it ('auto', 'ray://HEAD:10001'), or 'local' for
            processes on this machine.
        workers: the number of workers; by default as many as the cluster has room for.
        threads: the number of processors of each worker.
        gpus: the number of GPUs of each worker, which may be a share of a GPU.

    Raises:
        SpecError: the address is empty, or a number is too small.
    """

    address: str = LOCAL
    workers: int | None = None
    threads: int = 1
    gpus: float = 0.0

    def __post_init__(self) -> None:
        if not self.address:
            raise SpecError("ray: the address is empty; give 'local' or the address of a cluster")
        if (self.workers is not None and self.workers < 1) or self.threads < 1 or self.gpus < 0:
            raise SpecError("ray: workers and threads are at least 1, and gpus at least 0")


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """The options of a run. The fields without a docstring are arguments of `nlgauge.evaluate`, which describes them.

    Raises:
        SpecError: an option has a value that is not allowed.
    """

    model: str | None = None
    precision: str = "float32"
    precision_change: float = PRECISION_CHANGE
    backend: str = "auto"
    device: str | None = None
    batch_tokens: int | None = None
    window: WindowPolicy = "slide"
    evidence: bool = False
    progress: bool = False
    cache: bool | str | Path = True
    rows_per_block: int | None = None
    output: str | Path | None = None
    ray: str | Cluster | None = None
    repeats: Repeats = "error"
    backends: Mapping[str, str] = field(default_factory=dict)
    """The backends that precision='auto' chose, by model (`nlgauge.run.precision`)"""
    in_blocks: bool = field(init=False)
    """Whether a block of rows is scored by all metrics before the next block, instead of all rows by one model after
    another"""

    def __post_init__(self) -> None:
        in_blocks = any(option is not None for option in (self.rows_per_block, self.output, self.ray))
        object.__setattr__(self, "in_blocks", in_blocks)
        if isinstance(self.ray, str):
            object.__setattr__(self, "ray", Cluster(self.ray))
        if self.window not in WINDOW_POLICIES:
            raise SpecError(f"window {self.window!r} is not one of {', '.join(WINDOW_POLICIES)}")
        if not (math.isfinite(self.precision_change) and self.precision_change > 0):
            raise SpecError(f"precision_change is {self.precision_change}; give a share above 0, as 0.01")
        if self.repeats not in get_args(Repeats):
            raise SpecError(f"repeats {self.repeats!r} is not one of {', '.join(get_args(Repeats))}")
        if self.rows_per_block is not None and self.rows_per_block < 1:
            raise SpecError(f"rows_per_block is {self.rows_per_block}; a block has at least 1 row")

    def load(self, name: str) -> Model:
        """Return a model, loaded with these options. Raises as `nlgauge.engine.models.loading.load` does."""
        from nlgauge.engine.models import loading

        return loading.shared(name, self.precision, self.backends.get(name, self.backend), self.device)

    def engine(self, name: str, cache: FeatureCache | None = None) -> Engine:
        """Return an engine with a model, loaded with these options. Raises as `load` does."""
        from nlgauge.engine.engine import Engine  # which metrics of strings do without

        progress = self.progress and not self.in_blocks  # a bar of its own counts the rows of blocks
        return Engine(
            self.load(name), self.window, progress, batch_tokens=self.batch_tokens, cache=cache, load=self.load
        )

"""How a run is computed: what every door takes, carried whole to the engine."""

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
"""What is done with several rows of one system and item: refused, or their mean stands for the item"""
LOCAL = "local"
PRECISION_CHANGE = 0.01
"""By default, the largest change of a score that precision='auto' takes, as a share of the range of the scores"""


@dataclass(frozen=True)
class Cluster:
    """Where a run is computed.

    Args:
        address: of a Ray cluster, as ray.init takes it ('auto', 'ray://HEAD:10001'), or 'local' for processes of this
            machine.
        workers: how many; by default as many as fit.
        threads: processors of each worker.
        gpus: GPUs of each worker, or the share of a GPU.

    Raises:
        SpecError: the numbers make no sense.
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
    """How a run is computed; each field is an argument of `nlgauge.evaluate`, which says what it means.

    Raises:
        SpecError: the options make no sense.
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
    """By model, the backend that precision='auto' chose (`nlgauge.run.precision`)"""
    in_blocks: bool = field(init=False)
    """Whether some rows at a time are scored by all metrics, and not all rows by one model after another"""

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
        """Return a model for the run. Raises what `nlgauge.engine.models.loading.load` raises."""
        from nlgauge.engine.models import loading

        return loading.shared(name, self.precision, self.backends.get(name, self.backend), self.device)

    def engine(self, name: str, cache: FeatureCache | None = None) -> Engine:
        """Return an engine with a model. Raises as `load`."""
        from nlgauge.engine.engine import Engine  # which metrics of strings do without

        progress = self.progress and not self.in_blocks  # a bar of its own counts the rows of blocks
        return Engine(
            self.load(name), self.window, progress, batch_tokens=self.batch_tokens, cache=cache, load=self.load
        )

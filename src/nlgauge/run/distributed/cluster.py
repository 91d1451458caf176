"""Sections of a corpus are scored by actors of Ray, each with models of its own; their order is kept.

Ray's actors and not Ray Data: rows are read and checked at one door already, and a folder of scores needs its blocks in
order, with those left out that an earlier run wrote. What is sent is a section's rows and what came of them.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from nlgauge.errors import InputError, MissingExtraError, NlgaugeError, SpecError
from nlgauge.run.bound import Bindings
from nlgauge.run.distributed.worker import ModelSetting, Shared, Worker
from nlgauge.run.sections import Done, Scorer, Work

LOCAL = "local"
_AHEAD = 2
"""Sections that a worker has at a time: one that it scores, and the next"""
_WINDOW = 4
"""Sections a worker that may be under way before the first of them has ended: what is held here stays bounded"""
_TRIES = 3


@dataclass(frozen=True)
class Cluster:
    """Where a run is computed.

    address: of a Ray cluster, as ray.init takes it ('auto', 'ray://HEAD:10001'), or 'local' for processes of this
    machine. workers: how many; as many as have room by default. threads: processors of each. gpus: GPUs of each, or the
    share of one. Raises SpecError for numbers that make no sense.
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

    @contextmanager
    def scorer(self, bindings: Sequence[Bindings], settings: Sequence[ModelSetting | None]) -> Iterator[Scorer]:
        """What scores sections there, as long as the context lasts. Raises MissingExtraError, and NlgaugeError where
        the cluster cannot be reached or has no room for a worker."""
        ray = _ray()
        ours = not ray.is_initialized()
        self._begin(ray)
        try:
            shared = ray.put(Shared(tuple(bindings), tuple(settings), self.threads))
            yield _Workers(ray, self._workers(ray), partial(_fetched, [shared])).scored
        finally:
            if ours:
                ray.shutdown()

    def _begin(self, ray: Any) -> None:
        if ray.is_initialized():
            return
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nlgauge sends nothing home, and neither does this run
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        quiet = {"log_to_driver": False, "logging_level": "ERROR"}
        here = {"include_dashboard": False, "num_cpus": self._room()} if self.address == LOCAL else {}
        try:
            ray.init(address=self.address, **quiet, **here)
        except (ConnectionError, ValueError, RuntimeError, OSError) as bad:
            raise NlgaugeError(f"--ray {self.address}: no cluster there: {' '.join(str(bad).split())}") from None

    def _room(self) -> int:
        """Processors that Ray may hand out on this machine."""
        processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return max(processors, (self.workers or 1) * self.threads)

    def _workers(self, ray: Any) -> list[Any]:
        there = ray.cluster_resources()
        rooms = [int(there.get("CPU", 0) // self.threads)]
        rooms += [int(there.get("GPU", 0) / self.gpus)] if self.gpus else []
        number = self.workers or min(rooms)
        if not number or number > min(rooms):
            had = f"{there.get('CPU', 0):g} processors and {there.get('GPU', 0):g} GPUs"
            wanted = f"{number or 1} of {self.threads} processors and {self.gpus:g} GPUs"
            raise NlgaugeError(f"--ray {self.address}: has {had}, too few for workers: {wanted}")
        made = ray.remote(Worker).options(
            num_cpus=self.threads, num_gpus=self.gpus, max_restarts=-1, max_task_retries=_TRIES
        )
        return [made.remote() for _ in range(number)]


class _Under(NamedTuple):
    """A section that is under way."""

    answer: Any
    worker: int
    first: int
    rows: int


class _Workers:
    """Hands sections to the worker that has least to do, and gives what came of them in their order."""

    def __init__(self, ray: Any, workers: Sequence[Any], shared: Callable[[], Shared]) -> None:
        self._ray, self._workers, self._shared = ray, workers, shared

    def scored(self, works: Iterable[Work]) -> Iterator[Done]:
        under: deque[_Under] = deque()
        open_: set[Any] = set()
        for work in works:
            while len(under) >= _WINDOW * len(self._workers):
                yield self._done(under.popleft(), open_)
            worker = self._free(under, open_)
            answer = self._workers[worker].score.remote(self._shared, work)
            under.append(_Under(answer, worker, work.first, len(work.rows)))
            open_.add(answer)
        while under:
            yield self._done(under.popleft(), open_)

    def _free(self, under: Iterable[_Under], open_: set[Any]) -> int:
        """The worker that has least to do, when one has room."""
        while True:
            if open_:
                ready, _ = self._ray.wait(list(open_), num_returns=len(open_), timeout=0)
                open_.difference_update(ready)
            loads = [0] * len(self._workers)
            for one in under:
                loads[one.worker] += one.answer in open_
            if min(loads) < _AHEAD:
                return loads.index(min(loads))
            self._ray.wait(list(open_), num_returns=1)

    def _done(self, one: _Under, open_: set[Any]) -> Done:
        from ray.exceptions import RayError, RayTaskError

        try:
            done: Done = self._ray.get(one.answer)
        except RayTaskError as bad:
            if isinstance(bad.cause, NlgaugeError):
                raise bad.cause from None
            raise
        except RayError as bad:
            last = one.first + one.rows
            # A worker that dies takes along what it had scored and not handed over yet, and what waited for it.
            rows = f"rows {one.first + 1} to {last}, or rows that the same worker had beside them,"
            problem = f"{rows} ended it {_TRIES + 1} times"
            remedy = "look at its memory; fewer rows a block need less"
            raise InputError(f"{problem}: {' '.join(str(bad).split())[:200]}", remedy=remedy) from None
        open_.discard(one.answer)
        return done


def _fetched(shared: Sequence[Any]) -> Shared:
    """What lies in Ray's store. It is named in a list, so that Ray does not fetch it again for every section."""
    known: Shared = _ray().get(shared[0])
    return known


def _ray() -> Any:
    try:
        import ray
    except ImportError:
        raise MissingExtraError("--ray", "ray") from None
    return ray

"""Scoring with Ray (extra `ray`): actors score tasks with models of their own, and blocks come in the order of tasks.

It uses Ray's actors and not Ray Data, because the rows have already been read and checked, and because a folder of
scores needs its blocks in order, without those that an earlier run wrote. Only the rows of a task and their scores are
sent.
"""

from __future__ import annotations

import os
import platform
from collections import deque
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from nlgauge.errors import InputError, MissingExtraError, NlgaugeError
from nlgauge.options import LOCAL, Cluster, RunOptions
from nlgauge.run.block import BlockScorer, ScoredBlock, Task, score_here
from nlgauge.run.cache import can_be_cached, made_by

_AHEAD = 2
"""The number of tasks that a worker has at a time: the one that it scores, and the next"""
_WINDOW = 4
"""The largest number of tasks per worker that are under way while the first of them has not ended. It limits the memory
of the process that collects the scores"""
_TRIES = 3


def score(
    scorers: Sequence[BlockScorer], tasks: Iterable[Task], options: RunOptions
) -> Generator[ScoredBlock, None, None]:
    """Yield scored blocks, as an `Executor`. Raises MissingExtraError, or NlgaugeError for an unusable cluster."""
    cluster, ray = options.ray, _ray()
    assert isinstance(cluster, Cluster)
    ours = not ray.is_initialized()
    if ours:
        _begin(cluster, ray)
    try:
        facts = [None if scorer.engine is None else scorer.engine.facts for scorer in scorers]
        shared = ray.put(_Shared([scorer.apart(None) for scorer in scorers], facts, options, cluster.threads))
        yield from _Workers(ray, _started(cluster, ray), partial(_fetched, [shared])).scored(tasks)
    finally:
        if ours:
            ray.shutdown()


def _begin(cluster: Cluster, ray: Any) -> None:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nlgauge sends nothing home, and neither does this run
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    here: dict[str, Any] = {}
    if cluster.address == LOCAL:  # how many processors Ray may hand out on this machine
        there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        here = {"include_dashboard": False, "num_cpus": max(there, (cluster.workers or 1) * cluster.threads)}
    try:
        ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR", **here)
    except (ConnectionError, ValueError, RuntimeError, OSError) as bad:
        raise NlgaugeError(f"--ray {cluster.address}: no cluster there: {' '.join(str(bad).split())}") from None


def _started(cluster: Cluster, ray: Any) -> list[Any]:
    """Return the workers of a cluster, after starting them. Raises NlgaugeError for a cluster that is too small."""
    there, threads, gpus = ray.cluster_resources(), cluster.threads, cluster.gpus
    most = int(there.get("CPU", 0) // threads)
    if gpus:
        most = min(most, int(there.get("GPU", 0) / gpus))
    number = cluster.workers or most
    if not number or number > most:
        had = f"{there.get('CPU', 0):g} processors and {there.get('GPU', 0):g} GPUs"
        wanted = f"{number or 1} of {threads} processors and {gpus:g} GPUs"
        raise NlgaugeError(f"--ray {cluster.address}: has {had}, too few for workers: {wanted}")
    made = ray.remote(_Worker).options(num_cpus=threads, num_gpus=gpus, max_restarts=-1, max_task_retries=_TRIES)
    return [made.remote() for _ in range(number)]


class _Shared(NamedTuple):
    """The scorers and options that all tasks of a run share, in the form that is sent to workers."""

    scorers: Sequence[BlockScorer]
    """The scorers without their engines"""
    facts: Sequence[Mapping[str, Any] | None]
    """For each scorer, the facts of its engine in the process that prepared the run; None without an engine"""
    options: RunOptions
    threads: int

    def begun(self) -> list[BlockScorer]:
        """Return the scorers with engines. Raises NlgaugeError if model or code are not those that prepared the run."""
        os.environ["NLGAUGE_THREADS"] = str(self.threads)
        begun: list[BlockScorer] = []
        for scorer, facts in zip(self.scorers, self.facts, strict=True):
            engine = None if facts is None else self.options.engine(facts["model"]["name"])
            if engine is not None and facts is not None and engine.facts != facts:
                differ = ", ".join(key for key, fact in engine.facts.items() if facts.get(key) != fact)
                raise _other_versions(f"reads another {engine.model.name}: {differ} differ")
            for spec, prepared in scorer.metrics.items():
                # A class of the script itself is sent with the rows, and is the same everywhere.
                sent = any(kind.__module__ == "__main__" for kind in prepared.metric.scored_by)
                if (
                    not sent
                    and can_be_cached(prepared.facts)
                    and made_by(prepared.metric, engine) != prepared.facts["nlgauge"]
                ):
                    raise _other_versions(f"computes {spec} with other code")
            begun.append(scorer.apart(engine))
        return begun


class _Worker:
    """An actor that scores tasks in another process, with models that it loads once."""

    def __init__(self) -> None:
        self._shared: _Shared | None = None
        self._scorers: list[BlockScorer] = []

    def score(self, shared: Callable[[], _Shared], task: Task) -> list[ScoredBlock]:
        """Return the scored blocks of a task. shared: returns what all tasks share; called for the first task only."""
        if self._shared is None:
            sent = shared()
            self._scorers, self._shared = sent.begun(), sent
        return list(score_here(self._scorers, [task], self._shared.options))


class _Under(NamedTuple):
    """A task that is under way."""

    answer: Any
    worker: int
    wanted: Sequence[int]


class _Workers:
    """The workers of a run. A task goes to the worker with the fewest tasks, and blocks come in the order of tasks."""

    def __init__(self, ray: Any, workers: Sequence[Any], shared: Callable[[], _Shared]) -> None:
        self._ray, self._workers, self._shared = ray, workers, shared

    def scored(self, tasks: Iterable[Task]) -> Generator[ScoredBlock, None, None]:
        under: deque[_Under] = deque()
        open_: set[Any] = set()
        for task in tasks:
            while len(under) >= _WINDOW * len(self._workers):
                yield from self._done(under.popleft(), open_)
            worker = self._free(under, open_)
            answer = self._workers[worker].score.remote(self._shared, task)
            under.append(_Under(answer, worker, task.wanted))
            open_.add(answer)
        while under:
            yield from self._done(under.popleft(), open_)

    def _free(self, under: Iterable[_Under], open_: set[Any]) -> int:
        """Return the number of the worker with the fewest tasks, after waiting until one can take another task."""
        while True:
            if open_:
                ready, _ = self._ray.wait(list(open_), num_returns=len(open_), timeout=0)
                open_.difference_update(ready)
            loads = [0] * len(self._workers)
            for block in under:
                loads[block.worker] += block.answer in open_
            if min(loads) < _AHEAD:
                return loads.index(min(loads))
            self._ray.wait(list(open_), num_returns=1)

    def _done(self, block: _Under, open_: set[Any]) -> list[ScoredBlock]:
        from ray.exceptions import RayError, RayTaskError

        try:
            done: list[ScoredBlock] = self._ray.get(block.answer)
        except RayTaskError as bad:
            if isinstance(bad.cause, NlgaugeError):
                raise bad.cause from None
            raise
        except RayError as bad:
            # A worker that dies takes along what it had scored and not handed over yet, and what waited for it.
            rows = (
                f"rows {block.wanted[0] + 1} to {block.wanted[-1] + 1}, or rows that the same worker had beside them,"
            )
            problem = f"{rows} ended it {_TRIES + 1} times"
            remedy = "look at its memory; fewer rows a block need less"
            raise InputError(f"{problem}: {' '.join(str(bad).split())[:200]}", remedy=remedy) from None
        open_.discard(block.answer)
        return done


def _fetched(shared: Sequence[Any]) -> _Shared:
    """Return the shared objects in Ray's store. Their reference is in a list, so that Ray fetches them only once."""
    sent: _Shared = _ray().get(shared[0])
    return sent


def _other_versions(what: str) -> NlgaugeError:
    return NlgaugeError(f"the worker on {platform.node()} {what}; install the same versions on each machine")


def _ray() -> Any:
    try:
        import ray
    except ImportError:
        raise MissingExtraError("--ray", "ray") from None
    return ray

"""The thread that passes jobs on to be scored. Waiting jobs share an evaluation if they can; too many are refused."""

from __future__ import annotations

import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable
from typing import TypeAlias

from nlgauge.serve.answers import Refused
from nlgauge.serve.asking import Limits
from nlgauge.serve.batch import Job

Score: TypeAlias = Callable[[list[Job], Callable[[Job], object], Callable[[], bool]], object]
"""A function that scores jobs that share a run. It calls the second argument with each job that has ended, and the
third argument to learn whether other jobs wait"""


class Worker:
    """A thread that takes the first waiting job, with those that can share its evaluation, and has them scored.

    Args:
        score: scores the jobs of an evaluation.
        limits: the limits of time and size.
        told: called after each evaluation, with its jobs and its seconds.
    """

    def __init__(
        self,
        score: Score,
        limits: Limits,
        told: Callable[[list[Job], float], object] = lambda jobs, seconds: None,
    ) -> None:
        self._score_together, self._limits, self._told = score, limits, told
        self._waiting: deque[Job] = deque()
        self._change = threading.Condition()
        self._stopping = False
        self._began: float | None = None
        self.scoring = 0
        """The number of jobs that are being scored"""
        self._thread = threading.Thread(target=self._work, name="nlgauge-serve", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def submit(self, job: Job) -> None:
        """Add a job to the waiting jobs. Raises Refused if too many wait, or if the service is about to stop."""
        job.until = time.monotonic() + self._limits.seconds
        with self._change:
            if self._stopping:
                raise Refused(503, "the service is about to stop (ask another one, or later)")
            if len(self._waiting) >= self._limits.waiting:
                raise Refused(429, f"{len(self._waiting)} requests wait already (try again later)")
            self._waiting.append(job)
            self._change.notify()

    def stop(self, wait: float) -> None:
        """Accept no more jobs, and finish those that a client waits for, in at most `wait` seconds."""
        with self._change:
            self._stopping = True
            self._change.notify()
        if self._thread.ident is not None:  # else it was never started, and there is nothing to wait for
            self._thread.join(wait)

    @property
    def waiting(self) -> int:
        """The number of jobs that wait."""
        return len(self._waiting)

    @property
    def trouble(self) -> str | None:
        """The reason why a new job would not be scored in time; None if it would be scored in time."""
        began = self._began
        if self._stopping or not self._thread.is_alive():
            return "the service is about to stop"
        if self.waiting >= self._limits.waiting:
            return "as many requests wait as may"
        if began is not None and time.monotonic() - began > self._limits.seconds:
            return "one evaluation takes longer than any request may"
        return None

    def _work(self) -> None:
        while (jobs := self._next()) is not None:
            if jobs := [job for job in jobs if job.wanted]:
                self._score(jobs)

    def _next(self) -> list[Job] | None:
        """Return the first waiting job and all that can share its evaluation; None if no more jobs will come."""
        with self._change:
            self._change.wait_for(lambda: self._waiting or self._stopping)
            if not self._waiting:
                return None
            jobs = [self._waiting.popleft()]
            rows = len(jobs[0].corpus)
            for job in [job for job in self._waiting if job.shares_with(jobs[0])]:
                rows += len(job.corpus)
                if rows > self._limits.batch_rows:
                    break
                self._waiting.remove(job)
                jobs.append(job)
            return jobs

    def _score(self, jobs: list[Job]) -> None:
        def ended(job: Job) -> None:
            # Whoever came first is answered first, and does not wait for those who share the evaluation.
            self.scoring, self._began = self.scoring - 1, time.monotonic()

        self.scoring = len(jobs)
        began = self._began = time.monotonic()
        try:
            self._score_together(jobs, ended, lambda: bool(self._waiting))
        except BaseException as error:  # whatever it is, nobody is left waiting, and the thread goes on
            tell(error)
        self._told(jobs, time.monotonic() - began)
        for job in jobs:
            if not job.done.done():
                job.end(RuntimeError("the evaluation failed"))
        self._began, self.scoring = None, 0


def tell(error: BaseException) -> None:
    """Print on stderr where an unexpected error arose. Its message is left out, because it may quote a row."""
    places = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(error.__traceback__)]
    print(f"nlgauge: {type(error).__name__} at {'; '.join(places[-6:])}", file=sys.stderr, flush=True)

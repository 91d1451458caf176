"""Evaluations that jobs share: jobs with the same metrics are one run, and each job ends as it would end alone."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import NamedTuple

from nlgauge.contract.base import Metric, Value
from nlgauge.data.corpus import Corpus
from nlgauge.data.table import ScoreTable
from nlgauge.engine.models.capabilities import Model
from nlgauge.errors import SpecError
from nlgauge.options import RunOptions
from nlgauge.run.block import BLOCK_WEIGHT, ScoredBlock
from nlgauge.run.plan import Plan
from nlgauge.run.results import RowResult, Scores
from nlgauge.run.runner import run
from nlgauge.run.sinks import Earlier, Sink, TableBuilder
from nlgauge.serve.answers import TooMuchWorkError, Wanted, made

_ROWS_PER_BLOCK = 64
"""The number of rows that are scored before the run looks again which jobs a client still waits for"""
_NONE = RowResult(Value(()))


class _NobodyWaitsError(Exception):
    pass


@dataclass(eq=False)
class Job:
    """Rows and metrics that a client waits for, and their result."""

    corpus: Corpus
    metrics: Mapping[str, Metric]
    """The metrics by canonical spec"""
    asked: Mapping[str, str]
    """The canonical specs by the specs that the request wrote"""
    evidence: bool = False
    wanted_as: Wanted | None = None
    """The kind of answer that is made from the scores; None for the table alone"""
    until: float = math.inf
    """The time after which the client no longer waits, on the clock of time.monotonic"""
    done: Future[Job] = field(default_factory=Future)
    """A future that is done when the job has ended, with the job as its result. It is cancelled when the client no
    longer waits"""
    table: ScoreTable | None = None
    """The scores; None if there is an error, or if no client waited for them"""
    scored: dict[str, dict[int, RowResult]] = field(default_factory=dict)
    """The results that the table was made from, by canonical spec of the metric and index of the row"""
    answer: bytes = b""
    """The body of the answer; empty if there is an error"""
    error: Exception | None = None
    """The error with which the job failed; None if it has scores"""

    @property
    def given_up(self) -> bool:
        """Whether the client no longer waits. This does not change back."""
        return self.done.cancelled() or time.monotonic() > self.until

    @property
    def wanted(self) -> bool:
        """Whether a client waits for the job, and the job has not ended."""
        return not (self.done.done() or self.given_up)

    def shares_with(self, other: Job) -> bool:
        """Return whether two jobs can share a run: they have the same metrics, and no score depends on other rows."""
        same = (list(self.metrics), self.evidence) == (list(other.metrics), other.evidence)
        return same and not any(metric.uses_corpus for metric in self.metrics.values())

    def end(self, error: Exception | None = None) -> None:
        """End the job, and give its result to the client that waits."""
        self.error = error
        if self.done.set_running_or_notify_cancel():
            self.done.set_result(self)


@dataclass(frozen=True, kw_only=True)
class _Loaded(RunOptions):
    """The options of a run that uses loaded models and loads no other model."""

    models: Mapping[str, Model]

    def load(self, name: str) -> Model:
        if name not in self.models:
            raise SpecError(f"no model {name!r} is loaded here")
        return self.models[name]


def evaluate(
    jobs: Sequence[Job],
    models: Mapping[str, Model],
    work: float = math.inf,
    ended: Callable[[Job], object] = lambda job: None,
) -> None:
    """Score the rows of jobs that share a run. An error in one job is stored in that job, and is not raised.

    Args:
        jobs: at least one job.
        models: the models by name; no other model is loaded.
        work: the largest work for one model that a job may need, in blocks. A block takes seconds.
        ended: called with each job as soon as it has ended, in order, if a client still waits for it.
    """
    options = _Loaded(evidence=jobs[0].evidence, cache=False, rows_per_block=_ROWS_PER_BLOCK, models=models)
    try:
        run(
            Corpus(tuple(row for job in jobs for row in job.corpus)),
            jobs[0].metrics,
            options,
            _Shares(jobs, work, ended),
        )
    except _NobodyWaitsError:
        pass
    except Exception as error:
        left = [job for job in jobs if job.wanted]
        if len(jobs) > 1:  # whose fault it is shows where each is alone
            for job in left:
                evaluate([job], models, work, ended)
        elif left:
            jobs[0].end(error)
            ended(jobs[0])


class _Share(NamedTuple):
    """The part of one job in a shared run."""

    job: Job
    rows: range
    plans: Sequence[Plan]
    """Plans of the job's rows alone, so that the provenance of its scores does not depend on the other jobs"""
    table: TableBuilder


class _Shares(Sink[None]):
    """A sink that gives each job the scores of its rows, and ends the job after its last row."""

    def __init__(self, jobs: Sequence[Job], work: float, ended: Callable[[Job], object]) -> None:
        self._jobs, self._work, self._ended = jobs, work, ended
        self._shares: list[_Share] = []

    def begin(self, plans: Sequence[Plan], held: ExitStack) -> Earlier:
        at = 0
        for job in self._jobs:
            rows = range(at, at := at + len(job.corpus))
            table = TableBuilder(job.corpus, job.metrics, job.asked, job.evidence)
            try:
                plans_of_job = (
                    plans
                    if len(self._jobs) == 1
                    else [
                        Plan(job.corpus, {spec: job.metrics[spec] for spec in plan.facts}, plan.engine)
                        for plan in plans
                    ]
                )
                self._refuse_too_much(plans_of_job)
                self._shares.append(_Share(job, rows, plans_of_job, table))
            except Exception as error:
                job.end(error)
                self._ended(job)
        return self._unwanted

    def _refuse_too_much(self, plans: Sequence[Plan]) -> None:
        for plan in plans:
            blocks = plan.scorer.weight(plan.corpus.rows, range(len(plan.corpus))) / BLOCK_WEIGHT
            if blocks > self._work:
                raise TooMuchWorkError(
                    f"{', '.join(plan.facts)} would take {blocks:.3g} blocks of work, and the limit is {self._work:g}",
                    remedy="give fewer or shorter texts at a time, or cheaper metrics",
                )

    def _unwanted(self, rows: Sequence[int]) -> Scores:
        """Return empty results for rows that no client waits for, so that the run does not score them."""
        wanted = {n for share in self._shares if share.job.wanted for n in share.rows}
        if not wanted:
            raise _NobodyWaitsError
        none = dict.fromkeys(set(rows) - wanted, _NONE)
        return dict.fromkeys(self._jobs[0].metrics, none)

    def take(self, scored: Scores, ended: Sequence[int] = ()) -> None:
        for share in self._shares:
            if not share.job.wanted:
                continue
            results = {
                spec: {n - share.rows[0]: result for n, result in by_row.items() if n in share.rows}
                for spec, by_row in scored.items()
            }
            share.table.take(results)
            for spec, by_row in results.items():
                share.job.scored.setdefault(spec, {}).update(by_row)
            if len(self._jobs) > 1:  # else the runner does it
                for plan in share.plans:
                    plan.take(ScoredBlock(results))
                if ended and ended[-1] >= share.rows[-1]:
                    self._finish(share)

    def finish(self, plan: Plan) -> None:
        for share in self._shares:
            if plan is share.plans[-1] and share.job.wanted:
                self._finish(share)

    def _finish(self, share: _Share) -> None:
        for plan in share.plans:
            share.table.finish(plan)
        job, error = share.job, None
        job.table = share.table.end({})
        if job.wanted_as is not None:
            try:
                job.answer = made(job.wanted_as, job.table, corpus=job.corpus, metrics=job.metrics, scored=job.scored)
            except Exception as wrong:  # of a gate that cannot decide, say
                error = wrong
        job.end(error)
        self._ended(job)

    def end(self, spent: Mapping[str, object]) -> None: ...

"""Requests with the same metrics are one corpus and one run; each ends as it would have ended alone."""

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
"""Rows that are scored before it is asked again whether anybody waits for the others"""
_NONE = RowResult(Value(()))


class _NobodyWaitsError(Exception):
    pass


@dataclass(eq=False)
class Job:
    """Rows and metrics that a client waits for, and their result."""

    corpus: Corpus
    metrics: Mapping[str, Metric]
    """By canonical spec"""
    asked: Mapping[str, str]
    """Canonical specs by what was asked for"""
    evidence: bool = False
    wanted_as: Wanted | None = None
    """What is made of the scores; None for nothing but the table"""
    until: float = math.inf
    """When nobody waits any more, on the clock of time.monotonic"""
    done: Future[Job] = field(default_factory=Future)
    """Ends with this job; cancelled by who no longer waits"""
    table: ScoreTable | None = None
    """The scores, if there is no error and somebody waited for them"""
    scored: dict[str, dict[int, RowResult]] = field(default_factory=dict)
    """By metric of rows and number of the row: what the table was made of"""
    answer: bytes = b""
    """What is sent back, if there is no error"""
    error: Exception | None = None
    """Why there are no scores"""

    @property
    def given_up(self) -> bool:
        """Whether the client has given up, which it cannot take back."""
        return self.done.cancelled() or time.monotonic() > self.until

    @property
    def wanted(self) -> bool:
        """Whether a client waits for the job, and the job has not ended."""
        return not (self.done.done() or self.given_up)

    def shares_with(self, other: Job) -> bool:
        """Return whether two jobs can share a run, because no score depends on the rows of the other job."""
        same = (list(self.metrics), self.evidence) == (list(other.metrics), other.evidence)
        return same and not any(metric.uses_corpus for metric in self.metrics.values())

    def end(self, error: Exception | None = None) -> None:
        """End the job, and give its result to the client that waits."""
        self.error = error
        if self.done.set_running_or_notify_cancel():
            self.done.set_result(self)


@dataclass(frozen=True, kw_only=True)
class _Loaded(RunOptions):
    """Options of a run that loads no model."""

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
    """Score the rows of jobs that share a run. An error of a job is stored in it and not raised; the others go on.

    Args:
        jobs: at least one.
        models: the models by name; no other model is loaded.
        work: the most work of one model that a job may ask for, in blocks. A block takes seconds.
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
    """The rows of one job among those of the run."""

    job: Job
    rows: range
    plans: Sequence[Plan]
    """Made of its rows alone: the provenance of its scores does not depend on its company"""
    table: TableBuilder


class _Shares(Sink[None]):
    """Gives each job the scores of its rows, and ends it after its last one."""

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
        """Rows that nobody waits for need not be scored."""
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

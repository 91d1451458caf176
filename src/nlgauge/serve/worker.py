"""One thread that owns the models. Requests that wait are put into one evaluation; more than may wait are sent away."""

from __future__ import annotations

import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field

from nlgauge.data.corpus import Corpus
from nlgauge.engine.engine import Engine
from nlgauge.engine.models.capabilities import Model
from nlgauge.options import RunOptions
from nlgauge.run.executors.together import JointRun, score_together
from nlgauge.serve.answers import Refused
from nlgauge.serve.asking import Limits
from nlgauge.serve.menu import Menu


@dataclass(eq=False)
class Ticket:
    """A run that somebody waits for."""

    run: JointRun
    until: float
    """On the clock of time.monotonic"""
    done: Future[JointRun] = field(default_factory=Future)

    def given_up(self) -> bool:
        """Whether nobody waits any more."""
        return self.done.cancelled() or time.monotonic() > self.until


class Worker:
    """Scores runs in the order in which they came, as many at a time as wait.

    models: by name; no other is ever loaded. told: takes the runs of each evaluation and its seconds.
    """

    def __init__(
        self,
        models: Mapping[str, Model],
        limits: Limits,
        told: Callable[[list[JointRun], float], object] = lambda runs, seconds: None,
    ) -> None:
        self._models, self._limits, self._told = models, limits, told
        self._waiting: deque[Ticket] = deque()
        self._change = threading.Condition()
        self._stopping = False
        self._began: float | None = None
        self.scoring = 0
        """How many runs are being scored"""
        self._thread = threading.Thread(target=self._work, name="nlgauge-serve", daemon=True)

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def submit(self, run: JointRun) -> Ticket:
        """Let a run wait. Raises Refused where too many wait, or where the service is about to stop."""
        ticket = Ticket(run, time.monotonic() + self._limits.seconds)
        run.given_up = ticket.given_up
        with self._change:
            if self._stopping:
                raise Refused(503, "the service is about to stop (ask another one, or later)")
            if len(self._waiting) >= self._limits.waiting:
                raise Refused(429, f"{len(self._waiting)} requests wait already (try again later)")
            self._waiting.append(ticket)
            self._change.notify()
        return ticket

    def stop(self, wait: float) -> None:
        """Take nothing more, and finish what somebody waits for, in so many seconds at most."""
        with self._change:
            self._stopping = True
            self._change.notify()
        if self._thread.ident is not None:  # else it was never started, and there is nothing to wait for
            self._thread.join(wait)

    @property
    def at_work(self) -> bool:
        """Whether it still computes, also what nobody waits for any more: a step of it cannot be interrupted."""
        return self._thread.is_alive()

    @property
    def waiting(self) -> int:
        """How many runs wait."""
        return len(self._waiting)

    @property
    def trouble(self) -> str | None:
        """Why a new run would not be scored in time; None where it would."""
        began = self._began
        if self._stopping or not self._thread.is_alive():
            return "the service is about to stop"
        if self.waiting >= self._limits.waiting:
            return "as many requests wait as may"
        if began is not None and time.monotonic() - began > self._limits.seconds:
            return "one evaluation takes longer than any request may"
        return None

    def _work(self) -> None:
        while (tickets := self._next()) is not None:
            self._score([ticket for ticket in tickets if not ticket.given_up()])

    def _next(self) -> list[Ticket] | None:
        """Those that wait, as many as fit into one evaluation; None where there is no more to do."""
        with self._change:
            self._change.wait_for(lambda: self._waiting or self._stopping)
            tickets: list[Ticket] = []
            rows = 0
            while self._waiting:
                rows += len(self._waiting[0].run.corpus)
                if tickets and rows > self._limits.batch_rows:
                    break
                tickets.append(self._waiting.popleft())
            return tickets or None

    def _score(self, tickets: list[Ticket]) -> None:
        runs = [ticket.run for ticket in tickets]
        if not runs:
            return
        waiting = {id(ticket.run): ticket for ticket in tickets}

        def ended(run: JointRun) -> None:
            # Whoever came first is answered first, and does not wait for those who share the evaluation.
            self.scoring, self._began = self.scoring - 1, time.monotonic()
            _hand_over(waiting.pop(id(run)))

        self.scoring = len(runs)
        began = self._began = time.monotonic()
        try:
            # An engine holds nothing of the texts but its counts, and these would grow for ever.
            engines = {name: Engine(model, load=self._models.__getitem__) for name, model in self._models.items()}
            score_together(runs, engines, ended)
        except BaseException as error:  # whatever it is, nobody is left waiting, and the thread goes on
            tell(error)
        self._told(runs, time.monotonic() - began)
        for ticket in waiting.values():
            ticket.run.error = ticket.run.error or RuntimeError("the evaluation failed")
            _hand_over(ticket)
        self._began, self.scoring = None, 0


def _hand_over(ticket: Ticket) -> None:
    if ticket.done.set_running_or_notify_cancel():
        ticket.done.set_result(ticket.run)


def tell(error: BaseException) -> None:
    """Say on stderr where an error arose that nobody expected; not what it says, which may hold words of a row."""
    places = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(error.__traceback__)]
    print(f"nlgauge: {type(error).__name__} at {'; '.join(places[-6:])}", file=sys.stderr, flush=True)


_SAMPLE = {
    "candidate": "The ferry was late again.",
    "references": ["Once more the ferry was late."],
    "source": "The morning ferry left an hour late, for the third time this week.",
    "context": "How was the ferry?",
}


def load_models(menu: Menu, options: RunOptions) -> dict[str, Model]:
    """Every model that a request can lead to, by name. Raises what `nlgauge.engine.models.loading.load` raises."""
    return {name: options.load(name) for name in menu.models}


def try_out(menu: Menu, models: dict[str, Model]) -> None:
    """Score one row by every metric that was named: what a metric reads at its first use is read now.

    Raises what a metric raises, a library that is missing for instance.
    """
    run = JointRun(Corpus.from_records([_SAMPLE]), menu.named, menu.asked, evidence=True)
    score_together([run], {name: Engine(model, load=models.__getitem__) for name, model in models.items()})
    if run.error is not None:
        raise run.error

"""Where scores go. A new place is one file with a subclass of Sink."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Generic, TypeVar

from nlgauge.run.plan import Plan
from nlgauge.run.results import Scores

T = TypeVar("T")


class Sink(ABC, Generic[T]):
    """What takes the scores of a run, in the order of these methods."""

    def begin(self, plans: Sequence[Plan], held: ExitStack) -> None:
        """Make ready for the metrics of some plans. held: lasts as long as the run."""

    def known(self, rows: Sequence[int]) -> Scores:
        """What is there of some rows already, by all metrics of rows or by none."""
        return {}

    @abstractmethod
    def take(self, scored: Scores, ended: Sequence[int] = ()) -> None:
        """Take some scores, each of which may come again. ended: rows of which nothing more comes by these plans."""

    def finish(self, plan: Plan) -> None:
        """Take what is known when all rows of a plan have come: signatures, and the scores of systems."""

    @abstractmethod
    def end(self, spent: Mapping[str, object]) -> T:
        """What the run comes to. spent: its seconds, and what each model did."""

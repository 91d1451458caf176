"""What passes between the parts of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from nlgauge.data.corpus import Row
from nlgauge.engine.features.request import AnyRequest
from nlgauge.metrics.base import Prepared, RowMetric
from nlgauge.run.scored import Scored
from nlgauge.run.sets import Gathered


@dataclass(frozen=True, eq=False)
class Bound:
    """A metric of rows with what it prepared."""

    metric: RowMetric
    prepared: Prepared
    facts: Mapping[str, object]
    """All that its numbers depend on beside its spec"""

    def requests(self, row: Row) -> Sequence[AnyRequest]:
        """What the row's score is first computed from."""
        return self.metric.requests(row, self.prepared)


class Block(NamedTuple):
    """Rows that were scored together, or came from the store."""

    rows: Sequence[int]
    """Their numbers in the corpus"""
    scored: Mapping[str, Mapping[int, Scored]]
    """By metric and row number"""


class Found(NamedTuple):
    """What is known of some rows before any is scored."""

    block: Block
    missing: Mapping[str, Sequence[int]]
    """The rows that have to be scored, by metric"""
    damaged: frozenset[int] = frozenset()
    """Rows of which the store had something that was damaged: nothing of theirs is taken from it"""


class Bindings(NamedTuple):
    """Metrics with what they prepared on the whole corpus, enough to score rows of it anywhere."""

    bound: Mapping[str, Bound]
    sets: Mapping[str, Gathered]
    evidence: bool

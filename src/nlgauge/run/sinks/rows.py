"""Scores stay as they come: by metric, and by number of the row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nlgauge.run.results import RowResult, Scores
from nlgauge.run.sinks import Sink


class RowCollector(Sink[dict[str, dict[int, RowResult]]]):
    """The scores of rows with all that came with each."""

    def __init__(self) -> None:
        self.scored: dict[str, dict[int, RowResult]] = {}

    def take(self, scored: Scores, ended: Sequence[int] = ()) -> None:
        """Take some scores."""
        for spec, found in scored.items():
            self.scored.setdefault(spec, {}).update(found)

    def end(self, spent: Mapping[str, object]) -> dict[str, dict[int, RowResult]]:
        """All of them."""
        return self.scored

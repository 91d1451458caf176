"""Systems by metrics: bars with intervals, the best marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nlgauge.data.table import ScoreTable, SystemScore
from nlgauge.render.tables import Cell, Number
from nlgauge.reports import figures
from nlgauge.stats.best import Mark, by_part, compared
from nlgauge.stats.selection import directed, selected

_SIGNS: dict[Mark, str] = {"": "", "best": "*", "alike": "~"}


@dataclass(frozen=True)
class Bar:
    """One system by one part of a metric."""

    name: str
    """Metric and part, with an arrow that says which way is better"""
    score: SystemScore
    mark: Mark
    """'best'; 'alike': it does not differ significantly from the best (paired test, corrected by Holm)"""


@dataclass(frozen=True)
class Summary:
    """What `summary` found."""

    systems: tuple[str, ...]
    bars: tuple[Bar, ...]
    """By metric and part, then by system"""

    @property
    def names(self) -> list[str]:
        """What is measured, in order."""
        return list(dict.fromkeys(bar.name for bar in self.bars))

    def tables(self) -> list[list[list[Cell]]]:
        """A row a system, a column a metric."""
        cells: list[list[Cell]] = [["system", *self.names]]
        for system in self.systems:
            own = [bar for bar in self.bars if bar.score.system == system]
            numbers = [Number(bar.score.mean, bar.score.low, bar.score.high, mark=bar.mark) for bar in own]
            cells.append([system, *numbers])
        return [cells]

    def draw(self, path: Path) -> None:
        """A panel a metric, a bar a system."""
        panels = {}
        for name in self.names:
            own = [bar for bar in self.bars if bar.name == name]
            panels[name] = figures.Bars(
                [bar.score.mean for bar in own],
                [bar.score.low for bar in own],
                [bar.score.high for bar in own],
                [_SIGNS[bar.mark] for bar in own],
            )
        figures.bars(path, panels, self.systems)


def summary(
    table: ScoreTable, *, metrics: Sequence[str] | None = None, every_part: bool = False, seed: int = 0
) -> Summary:
    """Every system's value by each metric, with its interval, and which are best.

    metrics and every_part as in `nlgauge.stats.selection.selected`. Raises InputError for what the table does not hold.
    """
    chosen = selected(table, metrics, every_part)
    scores = [
        score
        for score in table.by_system(seed=seed)
        if score.metric in chosen.columns and score.part in chosen.columns[score.metric].parts
    ]
    found = by_part(table, scores, compared(table, seed=seed))
    bars = [
        Bar(
            directed(table, one.metric, one.part), one,
            found[one.metric, one.part].mark(one.system) if (one.metric, one.part) in found else "",
        )
        for one in scores
    ]  # fmt: skip
    return Summary(tuple(table.systems), tuple(bars))

"""How reliable a score is: which share of the rated rows is good, by score."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from nlgauge.data.table import ScoreTable
from nlgauge.render.tables import Cell, Number
from nlgauge.reports import figures
from nlgauge.stats.certified import Bin, Calibration, calibrate
from nlgauge.stats.join import Source


@dataclass(frozen=True)
class Reliability:
    """The fifths of the rated rows, from the lowest scores to the highest."""

    metric: str
    aspect: str
    bins: tuple[Bin, ...]

    @classmethod
    def of(cls, found: Calibration) -> Reliability:
        """That of a calibration."""
        return cls(found.metric, found.aspect, found.reliability)

    def tables(self) -> list[list[list[Cell]]]:
        """A row a fifth: ends and mean of its scores, its size, and the share of good rows with its interval."""
        cells: list[list[Cell]] = [["score", "", "mean", "rated", "good"]]
        for one in self.bins:
            ends = (one.good, one.good_low, one.good_high)
            cells.append(
                [*map(Number, (one.low, one.high, one.mean)), Number(one.n, digits=0), Number(*ends, digits=2)]
            )
        return [cells]

    def draw(self, path: Path) -> None:
        """The share of good rows against the mean score, with its band; and the diagonal, where scores are 0 to 1."""
        at = [one.mean for one in self.bins]
        good, low, high = ([getattr(one, name) for one in self.bins] for name in ("good", "good_low", "good_high"))
        lines = {"rated rows": figures.Curve(at, good, low, high)}
        if all(one.low >= 0 and one.high <= 1 for one in self.bins):
            lines["share of good rows = score"] = figures.Curve((0, 1), (0, 1))
        across, up = "mean score of a fifth of the rated rows", f"share of good rows, {self.aspect}"
        figures.curves(path, {self.metric: lines}, across, up)


def reliability(
    table: ScoreTable,
    ratings: Source,
    *,
    metric: str | None = None,
    aspect: str | None = None,
    below: float | None = None,
) -> Reliability:
    """The table of `nlgauge.calibrate` as a figure. Its arguments, and the errors that it raises, are the same."""
    return Reliability.of(calibrate(table, ratings, metric=metric, aspect=aspect, below=below))

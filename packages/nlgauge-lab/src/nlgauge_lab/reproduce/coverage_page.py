"""The page of coverage in Markdown: whether the intervals of `estimate` and the thresholds of `calibrate` hold."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from nlgauge._version import __version__
from nlgauge_lab.reproduce.coverage import ALONE, PROMISED, RATINGS, TOGETHER, Cell, Tried
from nlgauge_lab.reproduce.differences import RATINGS as OF_EACH
from nlgauge_lab.reproduce.markdown import beside, render, table

LOW, HIGH = 0.93, 0.97
"""The coverage of a 95 % interval should be between these two"""
_MOST_REFUSED = 0.5
"""A kind of interval is called refused if a larger share of its draws is refused"""


def page(tried: Sequence[Tried], absent: Sequence[str], draws: int) -> str:
    """Return the page in Markdown.

    Args:
        tried: the rated sets with their results.
        absent: names of the sets that were missing.
        draws: number of draws from each set.
    """
    cells = [(one, cell) for one in tried for cell in one.cells if not cell.bare]
    judged = [(one, cell) for one, cell in cells if _judged(cell)]
    of_two = [cell.covered for one in tried for cell in one.differences if _judged(cell)]
    return render(
        "coverage.md",
        draws=draws,
        chance=100 * 1.96 * math.sqrt(0.95 * 0.05 / draws),
        version=__version__,
        absent=absent,
        overview=_overview(tried),
        judged=judged,
        wrong=[(one, cell) for one, cell in judged if not LOW <= cell.covered <= HIGH],
        refused=[(one, cell) for one, cell in cells if not _judged(cell)],
        low=LOW,
        high=HIGH,
        most_refused=_MOST_REFUSED,
        sections=[_section(one) for one in tried],
        differences=_differences(tried),
        of_two=of_two,
        outside=sum(not LOW <= covered <= HIGH for covered in of_two),
        confidence=PROMISED,
        promises=_promises(tried),
    )


def _overview(tried: Sequence[Tried]) -> list[str]:
    """Return a table with a line for each set.

    A line has the range of the coverages and the effective number of ratings with the best metric.
    """
    lines = []
    for one in tried:
        held = [cell.covered for cell in one.cells if _judged(cell)]
        worth = {
            (cell.aspect, cell.metric): _worth(one, cell)
            for cell in one.cells
            if not cell.bare and cell.metric not in (ALONE, TOGETHER) and cell.ratings == 100
        }
        aspect, metric = max(worth, key=lambda key: worth[key])
        sizes = f"{len(one.population.clusters):,}", f"{one.items:,}"
        ends = f"{100 * min(held):.1f} to {100 * max(held):.1f} %"
        best = f"`{metric}`, {aspect}", f"{worth[aspect, metric]:.0f}"
        lines.append([one.population.title, *sizes, ends, *best])
    heads = [
        "set",
        "rows",
        "items",
        "intervals that hold",
        "best metric, at 100 ratings",
        "effective number of ratings",
    ]
    return table(heads, "lrrrlr", lines)


def _judged(cell: Cell) -> bool:
    """Return whether a cell is about intervals of `estimate`, and most of its draws gave one."""
    return not cell.bare and cell.refused <= _MOST_REFUSED


def _worth(one: Tried, cell: Cell) -> float:
    """Return the effective number of ratings: how many ratings alone would give an interval of the same length."""
    alone = next(
        other
        for other in one.cells
        if (other.aspect, other.metric, other.ratings) == (cell.aspect, ALONE, cell.ratings)
    )
    return cell.ratings * (alone.half / cell.half) ** 2


def _section(one: Tried) -> tuple[str, list[str], float]:
    """Return the title of a set, its table, and the largest share of draws without an interval.

    A kind of interval counts for this share only if most draws gave such an interval.
    """
    order = list(one.population.ratings)
    rows = _lines(sorted(one.cells, key=lambda cell: order.index(cell.aspect)))
    lines = table(["aspect", "by", *_heads(RATINGS)], "ll" + "rr" * len(RATINGS), rows)
    return (
        one.population.title,
        beside(one.population.name, lines),
        max(cell.refused for cell in one.cells if cell.refused <= _MOST_REFUSED),
    )


def _lines(cells: Iterable[Cell]) -> list[list[str]]:
    """Return the cells of a table: a line for each aspect and metric, with its intervals by the number of ratings."""
    groups: dict[tuple[str, str, bool], list[Cell]] = {}
    for cell in cells:
        groups.setdefault((cell.aspect, cell.metric, cell.bare), []).append(cell)
    rows = []
    for (aspect, metric, bare), own in groups.items():
        name = metric if metric in (ALONE, TOGETHER) else f"`{metric}`" + (", its bare mean" if bare else "")
        rows.append([aspect, name, *(text for cell in own for text in _numbers(cell))])
    return rows


def _heads(ratings: Sequence[int]) -> list[str]:
    return [head for n in ratings for head in (f"{n}: holds", "±")]


def _numbers(cell: Cell) -> tuple[str, str]:
    if cell.refused > _MOST_REFUSED:
        return "refused", "-"
    return ("-", "-") if math.isnan(cell.covered) else (f"{100 * cell.covered:.1f}", f"{cell.half:.3g}")


def _differences(tried: Sequence[Tried]) -> list[str]:
    """Return a table of the intervals for the difference of two systems; empty if there are none."""
    rows = [[one.population.title, *line] for one in tried for line in _lines(one.differences)]
    heads = ["set", "aspect", "by", *_heads(OF_EACH)]
    return beside("differences", table(heads, "lll" + "rr" * len(OF_EACH), rows)) if rows else []


def _promises(tried: Sequence[Tried]) -> list[str]:
    rows = []
    for one in tried:
        for threshold in one.promises:
            passing = "-" if math.isnan(threshold.passing) else f"{threshold.passing:.0%}"
            shares = f"{threshold.risk:.0%}", f"{threshold.certified:.1%}", passing, f"{threshold.broken:.1%}"
            rows.append([one.population.title, f"`{threshold.metric}`", threshold.ratings, *shares])
    heads = ["set", "metric", "ratings", "risk", "draws with a threshold", "rows that pass it", "guarantee broken"]
    return beside("guarantees", table(heads, "llrrrrr", rows)) if rows else []

"""nlgauge contrast."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import nlgauge
from nlgauge.cli.options import ASPECT, MEASURED_ON_RATINGS, PARTS
from nlgauge.cli.streams import remark, show_json
from nlgauge.cli.terminal import read_rated, show_tables
from nlgauge.errors import InputError
from nlgauge.render.tables import Cell, Number

if TYPE_CHECKING:
    from nlgauge.stats.contrast import Contrasts


@click.command(short_help="Which metrics agree with people significantly better.")
@MEASURED_ON_RATINGS
@PARTS
@ASPECT
@click.option("--test", default="permutation", show_default=True, help="permutation, or williams (Pearson only).")
@click.option("--df", default="n-3", show_default=True, help="For williams: n-3, or n-2 as R's psych has it.")
@click.option("--correction", default="holm", show_default=True, help="holm, benjamini_hochberg or none.")
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Confidence of intervals and clusters.")
def contrast(
    scores: Path, outputs: Path, metrics: Sequence[str], parts: bool, aspects: Sequence[str], add: Sequence[str],
    lower: Sequence[str], columns: Sequence[str], cluster: str | None, layout: str, **how: Any,
) -> None:  # fmt: skip
    """Which metrics of a scores file agree with people significantly better than which?

    Prints the metrics by aspect with their cluster, from 1 for the best. Metrics of one cluster do not differ
    significantly. Then it prints every pair: the difference of the two coefficients with its interval, two-sided p,
    and p corrected for all pairs of the aspect. `nlgauge study significance` draws it. It is for research on metrics;
    how far to trust one scorer is a question for nlgauge trust.
    """
    from nlgauge.stats.contrast import contrast as run
    from nlgauge.stats.matching import by_position
    from nlgauge.stats.selection import selected

    table, rated = read_rated(scores, outputs, columns, add, lower, cluster)
    remark(*by_position(table, rated))
    table = selected(table, metrics or None, parts)
    if sum(len(column.shown) for column in table.columns.values()) < 2:
        problem = "one metric has nothing to be compared with"
        raise InputError(problem, file=scores, remedy="score another, or --add one")
    contrasts = run(table, rated, aspects=aspects or None, **how)
    if layout == "json":
        ranked = [
            {"metric": spec, "part": part, "aspect": aspect, "value": value, "cluster": cluster[spec, part]}
            for aspect, cluster in contrasts.clusters.items()
            for (spec, part), value in contrasts.values[aspect].items()
        ]
        show_json("contrast", **how, metrics=ranked, contrasts=contrasts.records)
    else:
        show_tables([_ranked(table, contrasts, how["coefficient"]), _pairs(table, contrasts)], layout, keys=2)
    sets = [spec for spec, column in table.columns.items() if column.level == "system"]
    if left := sets if how["level"] != "system" else []:
        remark(f"metrics of sets have a system level only, left out: {', '.join(left)}")


def _ranked(table: nlgauge.ScoreTable, contrasts: Contrasts, coefficient: str) -> list[list[Cell]]:
    """The metrics by aspect with their cluster, the best first."""
    cells: list[list[Cell]] = [["aspect", "metric", coefficient, "cluster"]]
    for aspect, values in contrasts.values.items():
        clusters = contrasts.clusters[aspect]
        for key in sorted(values, key=lambda key: (clusters[key], -values[key])):
            name = table.columns[key[0]].label(*key)
            cells.append([aspect, name, Number(values[key]), Number(clusters[key], digits=0)])
    return cells


def _pairs(table: nlgauge.ScoreTable, contrasts: Contrasts) -> list[list[Cell]]:
    """Every two metrics."""
    cells: list[list[Cell]] = [["aspect", "metric", "against", "difference", "p", "corrected"]]
    for one in contrasts:
        names = [table.columns[key[0]].label(*key) for key in (one.first, one.second)]
        numbers = [Number(one.difference, one.low, one.high), Number(one.p), Number(one.adjusted)]
        cells.append([one.aspect, *names, *numbers])
    return cells

"""nlgauge correlate and contrast: how well metrics agree with people."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import nlgauge
from nlgauge.cli.options import ASPECT, MEASURED_ON_RATINGS, PARTS
from nlgauge.cli.streams import remark, show_json
from nlgauge.cli.terminal import read_rated, show_tables
from nlgauge.errors import InputError
from nlgauge.render.tables import Cell, Chance, Number

if TYPE_CHECKING:
    from nlgauge.stats.agreement import Agreements
    from nlgauge.stats.contrast import Contrasts
    from nlgauge.stats.raters import StandIn
    from nlgauge.stats.sentinels import Unbeaten


@click.command(short_help="How well the metrics of a scores file agree with people.")
@MEASURED_ON_RATINGS
@click.option("--rater", "names", multiple=True, help="Aspect that holds one rater's ratings; give it for each rater.")
@click.option(
    "--epsilon", type=float, default=0.2, show_default=True,
    help="With --rater: by how much a stand-in may be worse; 0.2 for experts, 0.1 for the crowd.",
)  # fmt: skip
def correlate(
    scores: Path, outputs: Path, add: Sequence[str], lower: Sequence[str], columns: Sequence[str],
    cluster: str | None, layout: str, names: Sequence[str], epsilon: float, **how: Any,
) -> None:  # fmt: skip
    """How the metrics of a scores file agree with people: 95 % interval and p against no agreement.

    Positive is agreement, also where lower is better. Beside the metrics stand sentinels, which cannot know quality:
    the length of an output, how much of it is copied, and a constant where ties count. With --rater: how metrics agree
    with raters beside how raters agree with each other, and which metric may stand in for a rater. It is for research
    on metrics; whether a scorer may decide about single rows is a question for nlgauge trust.
    """
    from nlgauge.stats.sentinels import beside, unbeaten

    table, rated = read_rated(scores, outputs, columns, add, lower, cluster)
    if names:
        from nlgauge.stats.matching import by_position
        from nlgauge.stats.raters import raters

        remark(*by_position(table, rated))
        lines = raters(table, rated, names, epsilon=epsilon, **how)
        named = {"level": how["level"], "coefficient": how["coefficient"], "epsilon": epsilon}
        _show_raters(table, lines, names, layout, named)
        return
    table = beside(table, rated, how["coefficient"])
    agreements = nlgauge.correlate(table, rated, **how)
    behind = unbeaten(table, rated, agreements, **{name: how[name] for name in how if name != "resample"})
    if layout == "json":
        show_json(
            "correlate",
            agreements.notes,
            **how,
            cluster=cluster,
            unbeaten=[one._asdict() for one in behind],
            agreements=agreements.records,
            unrated=agreements.unrated,
            unscored=agreements.unscored,
            joined=table.run.get("joined", {}),
        )
    else:
        aspects = list(agreements.unrated)
        cells: list[list[Cell]] = [["metric", *aspects]]
        for number, one in enumerate(agreements):
            if number % len(aspects) == 0:
                cells.append([table.columns[one.metric].label(one.metric, one.part)])
            cells[-1].append(Number(one.value, one.low, one.high, one.p))
        show_tables([cells], layout)
    _tell_unbeaten(behind)
    _tell_agreements(table, agreements)


def _tell_unbeaten(behind: Sequence[Unbeaten]) -> None:
    """Which metrics are not shown to know more than a sentinel does."""
    by_aspect: dict[tuple[str, str], list[str]] = {}
    for one in behind:
        by_aspect.setdefault((one.aspect, one.sentinel), []).append(one.metric)
    for (aspect, sentinel), metrics in by_aspect.items():
        remark(f"{aspect}: no significantly better agreement than {sentinel}: {', '.join(metrics)}")
    if behind and all(math.isnan(one.p) for one in behind):
        remark("metrics and sentinels were compared by value alone: there is no test, or it would take long")


def _show_raters(
    table: nlgauge.ScoreTable, lines: Sequence[StandIn], names: Sequence[str], layout: str, options: dict[str, object]
) -> None:
    """Metrics beside the raters: agreement with the mean of all raters but one, and the alternative-annotator test."""
    if layout == "json":
        made = [{**vars(one), "passed": one.passed} for one in lines]
        show_json("correlate", [], raters=list(names), **options, lines=made)
        return
    cells: list[list[Cell]] = [["", "agreement", "advantage", "wins against", "may stand in"]]
    for one in lines:
        if not one.metric:
            cells.append(["a rater, with the others", Number(one.value, one.low, one.high), Number(math.nan), "-", "-"])
            continue
        several = one.metric in table.columns and len(table.columns[one.metric].parts) > 1
        wins = f"{one.won} of {one.raters}"
        numbers = [Number(one.value, one.low, one.high), Number(one.advantage)]
        name = one.metric + (f" {one.part}" if several else "")
        told = "not told" if lines[-1].passed and one.passed else "yes" if one.passed else "no"
        cells.append([name, *numbers, wins, told])
    show_tables([cells], layout)
    remark(
        f"agreement with the mean of all raters but one; wins: no worse than that one by {options['epsilon']} of the"
        " rows (p < 0.05, one-sided, corrected by Benjamini and Yekutieli)"
    )
    if lines[-1].passed:
        remark("a constant passes too, so these ratings do not tell which metric may stand in for a rater")


def _tell_agreements(table: nlgauge.ScoreTable, agreements: Agreements) -> None:
    if turned := dict.fromkeys(one.metric for one in agreements if one.turned):
        remark(f"lower is better, so the sign is turned: {', '.join(turned)}")
    for aspect, count in agreements.unrated.items():
        if count:
            remark(f"{aspect}: {count} of {len(table.rows)} rows have no rating")
    if agreements.unscored:
        first = ", ".join(f"{system}/{item}" for system, item in agreements.unscored[:5])
        more = ", ..." if len(agreements.unscored) > 5 else ""
        remark(f"{len(agreements.unscored)} rated outputs are not in the scores ({first}{more})")
    for one in agreements:
        if one.reason:
            remark(f"{one.metric} {one.part}, {one.aspect}: no value: {one.reason}")
        elif one.undefined:
            which = f"{one.undefined} of {one.n + one.undefined} items"
            remark(f"{one.metric} {one.part}, {one.aspect}: no value within {which}, left out")
    remark(*agreements.notes)


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
        remark(f"corpus-level metrics have a system level only, left out: {', '.join(left)}")


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
        numbers = [Number(one.difference, one.low, one.high), Chance(one.p), Chance(one.adjusted)]
        cells.append([one.aspect, *names, *numbers])
    return cells

"""nlgauge compare."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nlgauge._version import __version__
from nlgauge.cli.terminal import PLACE, aligned, plainly, with_interval

if TYPE_CHECKING:
    from nlgauge.meta.comparison import Comparison, Difference
    from nlgauge.table import ScoreTable


@click.command()
@click.argument("scores", type=PLACE)
@click.argument("a")
@click.argument("b")
@click.option("--metric", help="This metric alone, by its spec or name; or 'spec part'.")
@click.option(
    "--replicates",
    type=click.IntRange(min=0),
    default=1000,
    show_default=True,
    help="How many resamples interval and p rest on.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--format", "layout", type=click.Choice(["text", "json"]), default="text", show_default=True)
def compare(scores: Path, a: str, b: str, metric: str | None, replicates: int, seed: int, layout: str) -> None:
    """Is system A better than system B by a scores file, or is that noise?

    Per score of a metric: both means over the items that both have, their difference with its 95 % interval, p
    (approximate randomisation), effect size, and about how many items would show a difference of this size in 80 % of
    studies.
    """
    import json

    from nlgauge import ScoreTable
    from nlgauge import compare as run

    table = ScoreTable.load(scores)
    comparison = run(table, a, b, metric, replicates=replicates, seed=seed)
    if layout == "json":
        record = {"nlgauge": __version__, "a": a, "b": b, "replicates": replicates, "seed": seed}
        record["differences"] = [plainly(difference) for difference in comparison]
        click.echo(json.dumps(record, ensure_ascii=False, indent=2))
    else:
        head = ["metric", "n", a, b, "difference", "p", "effect", "items needed", "better"]
        for line in aligned([head, *(_cells(table, difference) for difference in comparison)]):
            click.echo(line)
    for note in _notes(comparison):
        click.echo(note, err=True)


def _cells(table: ScoreTable, difference: Difference) -> list[str]:
    column = table.columns[difference.metric]
    arrow = "" if difference.part in column.details else " ↑" if column.higher_is_better else " ↓"
    return [
        difference.metric + (f" {difference.part}" if len(column.parts) > 1 else "") + arrow,
        str(difference.n) if column.level == "item" else "-",
        with_interval(difference.a),
        with_interval(difference.b),
        with_interval(difference.difference, difference.low, difference.high),
        with_interval(difference.p),
        "-" if math.isnan(difference.effect) else f"{difference.effect:.2f}",
        f"{difference.needed:.0f}" if math.isfinite(difference.needed) else "-",
        difference.better or "-",
    ]


def _notes(comparison: Comparison) -> Iterator[str]:
    """What a reader has to know beside the table."""
    if wholes := list(dict.fromkeys(difference.metric for difference in comparison if difference.whole)):
        yield f"of all items together, and not means of their values: {', '.join(wholes)}"
    parts: dict[tuple[str, str], list[str]] = {}  # by metric and what is to be said of them
    for one in comparison:
        left_out = f"{one.undefined} of {one.n + one.undefined} items left out, where one of the two has no value"
        for note in (left_out if one.undefined else None, one.reason):
            if note:
                parts.setdefault((one.metric, note), []).append(one.part)
    for (metric, note), names in parts.items():
        yield f"{metric} {', '.join(names)}: {note}"
    yield from comparison.notes

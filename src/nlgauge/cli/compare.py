"""nlgauge compare."""

from __future__ import annotations

import math
from pathlib import Path

import click

from nlgauge._version import __version__
from nlgauge.cli.terminal import PLACE, aligned, plainly, with_interval


@click.command()
@click.argument("scores", type=PLACE)
@click.argument("a")
@click.argument("b")
@click.option("--metric", help="This metric alone, by its spec or name.")
@click.option("--replicates", type=click.IntRange(min=0), default=1000, show_default=True, help="Of interval and p.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--format", "layout", type=click.Choice(["text", "json"]), default="text", show_default=True)
def compare(scores: Path, a: str, b: str, metric: str | None, replicates: int, seed: int, layout: str) -> None:
    """Is system A better than system B by a scores file, or is that noise?

    Per metric: both means over the items that both have, their difference with its 95 % interval, p (approximate
    randomisation), effect size, and about how many items would show a difference of this size in 80 % of studies.
    """
    import json

    from nlgauge import ScoreTable
    from nlgauge import compare as run

    table = ScoreTable.load(scores)
    found = run(table, a, b, metric, replicates=replicates, seed=seed)
    if layout == "json":
        record = {"nlgauge": __version__, "a": a, "b": b, "replicates": replicates, "seed": seed}
        record["differences"] = [plainly(one) for one in found]
        click.echo(json.dumps(record, ensure_ascii=False, indent=2))
    else:
        cells = [["metric", "n", a, b, "difference", "p", "effect", "items needed", "better"]]
        for one in found:
            column = table.columns[one.metric]
            label = one.metric + (f" {one.part}" if len(column.parts) > 1 else "")
            cells.append(
                [
                    f"{label} {'↑' if column.higher_is_better else '↓'}",
                    str(one.n) if column.level == "item" else "-",
                    with_interval(one.a),
                    with_interval(one.b),
                    with_interval(one.difference, one.low, one.high),
                    with_interval(one.p),
                    "-" if math.isnan(one.effect) else f"{one.effect:.2f}",
                    f"{one.needed:.0f}" if math.isfinite(one.needed) else "-",
                    one.better or "-",
                ]
            )
        for line in aligned(cells):
            click.echo(line)
    if wholes := list(dict.fromkeys(one.metric for one in found if one.whole)):
        click.echo(f"of all items together, and not means of their values: {', '.join(wholes)}", err=True)
    for one in found:
        if one.undefined:
            items = f"{one.undefined} of {one.n + one.undefined} items"
            click.echo(f"{one.metric} {one.part}: {items} left out, where one of the two has no value", err=True)
        if one.reason:
            click.echo(f"{one.metric} {one.part}: {one.reason}", err=True)
    for note in found.notes:
        click.echo(note, err=True)

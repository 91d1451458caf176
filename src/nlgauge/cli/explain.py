"""nlgauge explain."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nlgauge._version import __version__
from nlgauge.cli.drawing import drawn, harmless
from nlgauge.cli.keeping import cache_of, keeping
from nlgauge.cli.terminal import PLACE, plain, read_outputs
from nlgauge.errors import InputError, SpecError

if TYPE_CHECKING:
    from nlgauge.corpus import Corpus


@click.command()
@click.argument("outputs", type=PLACE)
@click.option("-m", "--metric", "spec", help="Metric spec, e.g. Consistency.")
@click.option("--row", type=click.IntRange(min=1), help="This row alone, counted from 1.")
@click.option("--item", help="Rows of this item.")
@click.option("--system", help="Rows of this system.")
@click.option("--map", "columns", multiple=True, metavar="OURS=THEIRS", help="Column names; repeatable.")
@click.option("--model", help="Model, where the metric names none.")
@keeping
@click.option("--format", "layout", type=click.Choice(["text", "json"]), default="text", show_default=True)
def explain(
    outputs: Path, spec: str | None, row: int | None, item: str | None, system: str | None, columns: Sequence[str],
    model: str | None, cache: Path | None, no_cache: bool, layout: str,
) -> None:  # fmt: skip
    """Show what the scores of single rows rest on.

    Words: those that the other text bears out are green, half-way ones yellow, weakly aligned ones red and underlined;
    words that do not count have no colour. Without colours (NO_COLOR is set, or stdout is no terminal) the weakly
    aligned ones stand in [brackets]. Matches, flows and items stand in tables, what matters most first. JSON holds all.
    """
    import json

    if spec is None:
        raise SpecError("no metric was given: add -m Consistency, for one; nlgauge list shows them all")
    corpus = read_outputs(outputs, None, (), None, None, None, columns)
    rows = _rows(corpus, outputs, row, item, system)
    records = _explained(corpus, rows, spec, model, cache_of(cache, no_cache))
    if layout == "json":
        click.echo(json.dumps({"nlgauge": __version__, "rows": records}, ensure_ascii=False, indent=2))
        return
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    for record in records:
        for line in _shown(record, colour):
            click.echo(line, color=colour)
    shown = [record["evidence"] for record in records if record["reason"] is None]
    if shown and not any(shown):
        click.echo(f"{records[0]['metric']} has nothing to show of these rows", err=True)


def _rows(corpus: Corpus, outputs: Path, row: int | None, item: str | None, system: str | None) -> list[int]:
    if row is not None and (item is not None or system is not None):
        raise SpecError("--row names one row; leave out --item and --system")
    wanted = {"row": row, "item": item, "system": system}
    rows = [
        number
        for number, one in enumerate(corpus)
        if row in (None, number + 1) and item in (None, one.item) and system in (None, one.system)
    ]
    if not rows:
        asked = " and ".join(f"{name} {value}" for name, value in wanted.items() if value is not None)
        systems = ", ".join(corpus.systems[:5])
        raise InputError(f"there is no {asked}", file=outputs, remedy=f"it has {len(corpus)} rows, of {systems}")
    return rows


def _explained(
    corpus: Corpus, rows: Sequence[int], spec: str, model: str | None, cache: bool | Path
) -> list[dict[str, Any]]:
    from nlgauge.evaluation import explained

    metric, scored = explained(corpus, spec, rows, model=model, progress=True, cache=cache)
    return [
        {
            "row": number + 1,
            "system": corpus[number].system,
            "item": corpus[number].item,
            "metric": str(metric),
            "values": dict(zip(metric.parts, map(plain, one.value.parts), strict=True)),
            "reason": one.value.reason,
            "notes": list(one.value.notes),
            "evidence": one.evidence or {},
        }
        for number, one in zip(rows, scored, strict=True)
    ]


def _shown(record: Mapping[str, Any], colour: bool) -> Iterator[str]:
    """The lines of one row."""
    several = len(record["values"]) > 1
    values = [
        (f"{part} " if several else "")
        + (f"{value:.4f}" if isinstance(value, float) else "none" if value is None else str(value))
        for part, value in record["values"].items()
    ]
    head = f"row {record['row']}, system {record['system']}, item {record['item']}: {record['metric']} "
    if all(value is None for value in record["values"].values()):
        yield harmless(f"{head}has no value: {record['reason']}")
    else:
        yield harmless(head + ", ".join(values) + (f" ({record['reason']})" if record["reason"] else ""))
    yield from (f"  note: {note}" for note in record["notes"])
    for line in drawn(record["evidence"], colour):
        yield "  " + line.replace("\n", "\n  ")

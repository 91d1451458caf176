"""nlgauge explain."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nlgauge._version import __version__
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
@click.option("--format", "layout", type=click.Choice(["text", "json"]), default="text", show_default=True)
def explain(
    outputs: Path, spec: str | None, row: int | None, item: str | None, system: str | None, columns: Sequence[str],
    model: str | None, layout: str,
) -> None:  # fmt: skip
    """Show the words that the scores of single rows rest on.

    Words that the other text bears out are green, half-way ones yellow, weakly aligned ones red and underlined; words
    that do not count have no colour. Without colours (NO_COLOR is set, or stdout is no terminal) the weakly aligned
    ones stand in [brackets]. JSON holds whatever evidence the metric has.
    """
    import json

    if spec is None:
        raise SpecError("no metric was given: add -m Consistency, for one; nlgauge list shows them all")
    corpus = read_outputs(outputs, None, (), None, None, None, columns)
    records = _explained(corpus, _rows(corpus, outputs, row, item, system), spec, model)
    if layout == "json":
        click.echo(json.dumps({"nlgauge": __version__, "rows": records}, ensure_ascii=False, indent=2))
        return
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    for record in records:
        for line in _shown(record, colour):
            click.echo(line, color=colour)
    evidence = [record["evidence"] for record in records if record["reason"] is None]
    if evidence and not any("texts" in found for found in evidence):
        rest = "--format json writes its evidence" if any(evidence) else "it keeps no evidence"
        click.echo(f"{records[0]['metric']} has no words to show: {rest}", err=True)


def _rows(corpus: Corpus, outputs: Path, row: int | None, item: str | None, system: str | None) -> list[int]:
    if row is not None and (item is not None or system is not None):
        raise SpecError("--row names one row; leave out --item and --system")
    wanted = {"row": row, "item": item, "system": system}
    found = [
        number
        for number, one in enumerate(corpus)
        if row in (None, number + 1) and item in (None, one.item) and system in (None, one.system)
    ]
    if not found:
        asked = " and ".join(f"{name} {value}" for name, value in wanted.items() if value is not None)
        systems = ", ".join(corpus.systems[:5])
        raise InputError(f"there is no {asked}", file=outputs, remedy=f"it has {len(corpus)} rows, of {systems}")
    return found


def _explained(corpus: Corpus, rows: Sequence[int], spec: str, model: str | None) -> list[dict[str, Any]]:
    """Values and evidence of some rows; what a metric counts on the corpus is counted on the whole of it."""
    from nlgauge import registry
    from nlgauge.engine.engine import Engine
    from nlgauge.metrics.base import RowMetric, TextMetric

    metric = registry.metric(spec, model=model)
    if isinstance(metric, TextMetric):
        raise SpecError(f"{metric} counts strings, and keeps nothing to show: take a metric that reads a model")
    if not isinstance(metric, RowMetric):
        raise SpecError(f"{metric} measures sets of texts and no single rows: see nlgauge score --evidence")
    engine = Engine(registry.model(metric.model), progress=True)
    scorer = metric.scorer(corpus, engine)
    records: dict[int, dict[str, Any]] = {}
    for group, features in engine.stream([scorer.needs(corpus[number]) for number in rows]):
        some = [corpus[rows[index]] for index in group]
        for index, one, value in zip(group, some, scorer.score(some, features), strict=True):
            records[index] = {
                "row": rows[index] + 1,
                "system": one.system,
                "item": one.item,
                "metric": str(metric),
                "values": dict(zip(metric.parts, map(plain, value.parts), strict=True)),
                "reason": value.reason,
                "notes": list(value.notes),
                "evidence": scorer.evidence(one, features),
            }
    return [records[index] for index in range(len(rows))]


def _shown(record: Mapping[str, Any], colour: bool) -> Iterator[str]:
    """The lines of one row. A word list stands in the evidence as docs/ctc.md describes, under 'texts'."""
    several = len(record["values"]) > 1
    values = [
        (f"{part} " if several else "") + (f"{value:.4f}" if isinstance(value, float) else str(value))
        for part, value in record["values"].items()
    ]
    head = f"row {record['row']}, system {record['system']}, item {record['item']}: {record['metric']} "
    yield _harmless(head + (", ".join(values) if record["reason"] is None else f"has no value: {record['reason']}"))
    yield from (f"  note: {note}" for note in record["notes"])
    for text in record["evidence"].get("texts", []):
        yield f"  {text['name']}, against the {text['against']}:"
        yield "    " + _painted(text, colour).replace("\n", "\n    ")


def _painted(text: Mapping[str, Any], colour: bool) -> str:
    content, weak = _harmless(text["text"]), text["weak"]
    out, at = [], 0
    for word in text["words"]:
        begin, end, alignment = max(at, word["begin"]), word["end"], word["alignment"]
        piece = content[begin:end]
        if colour:
            shade = "red" if alignment < weak else "yellow" if alignment < (1 + weak) / 2 else "green"
            piece = click.style(piece, fg=shade, underline=alignment < weak or None)
        elif alignment < weak:
            piece = f"[{piece}]"
        out += [content[at:begin], piece]
        at = max(at, end)
    return "".join([*out, content[at:]])


def _harmless(text: str) -> str:
    """Control characters replaced, one by one: a text must not steer the terminal that shows it."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", "\ufffd", text)

"""nlgauge explain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nlgauge._version import __version__
from nlgauge.cli.drawing import drawn
from nlgauge.cli.heartbeat import tell_long
from nlgauge.cli.keeping import cache_of, keeping
from nlgauge.cli.loading import loading
from nlgauge.cli.streams import remark, show_json
from nlgauge.cli.terminal import ADDRESS, PLACE, beside, coloured, one_metric, read_outputs
from nlgauge.data.atomic_write import refuse_place
from nlgauge.data.to_json import plain
from nlgauge.errors import InputError, SpecError
from nlgauge.show.tables import harmless

if TYPE_CHECKING:
    from nlgauge.data.corpus import Corpus
    from nlgauge.explanation import Explanation, Explanations


@click.command(short_help="Show why a metric gave its scores, word by word.")
@click.argument("outputs", type=PLACE)
@click.option("-m", "--metric", "specs", multiple=True, help="Metric spec, e.g. Consistency.")
@click.option("--row", type=click.IntRange(min=1), help="This row alone, counted from 1.")
@click.option("--item", help="Rows of this item.")
@click.option("--system", help="Rows of this system.")
@click.option("--map", "columns", multiple=True, metavar="OURS=THEIRS", help="Column names; repeatable.")
@click.option("--model", help="Model of metrics that name none: pocket, base, a Hugging Face name or a folder.")
@loading
@click.option("--batch-tokens", type=click.IntRange(min=1), help="How many tokens a batch holds.")
@click.option(
    "--window", default="slide", show_default=True, help="Texts longer than the model's window: slide, cut or error."
)
@click.option(
    "--against", type=ADDRESS, help="Table of texts that metrics of sets compare outputs with, instead of references."
)
@click.option(
    "--scores", type=PLACE, help="Explain the numbers of this scores file, with the model and settings that made them."
)
@click.option("-o", "--output", type=PLACE, help="Write a page of HTML here that draws all, instead of printing it.")
@keeping
@click.option("--format", "layout", type=click.Choice(["text", "json"]), default="text", show_default=True)
def explain(
    outputs: Path, specs: Sequence[str], row: int | None, item: str | None, system: str | None, columns: Sequence[str],
    model: str | None, precision: str, backend: str, device: str | None, batch_tokens: int | None, window: Any,
    against: Path | str | None, scores: Path | None, output: Path | None, cache: Path | None, no_cache: bool,
    layout: str,
) -> None:  # fmt: skip
    """Show why a metric gave its scores, for single rows, or for systems where a metric measures sets.

    Words that the other text supports are green. Partly supported words are yellow, and unsupported words are red and
    underlined. Words that do not count have no colour. Without colours (NO_COLOR is set, or stdout is no terminal)
    unsupported words stand in [brackets]. Matches, flows and items stand in tables, the most important first. JSON
    holds everything.
    """

    from nlgauge import Corpus, ScoreTable

    spec = one_metric(specs, "Consistency, for one")
    refuse_place(output)
    corpus = read_outputs(outputs, (), (), None, None, (), columns, on_missing="skip")
    rows = _rows(corpus, outputs, row, item, system)
    tell_long(corpus, rows)
    options = {
        "model": model, "precision": precision, "backend": backend, "device": device,
        "batch_tokens": batch_tokens, "window": window, "against": None if against is None else Corpus.read(against),
        "cache": cache_of(cache, no_cache), "scores": None if scores is None else ScoreTable.load(scores),
    }  # fmt: skip
    found = _explained(corpus, spec, rows, row is not None or item is not None, options)
    if output is not None:
        found.save(output)
        with beside(output):
            click.echo(output)
    elif layout == "json":
        records = [one.record for one in found]
        show_json({"nlgauge": __version__, "rows": records})
    else:
        colour = coloured()
        for one in found:
            for line in _shown(one, colour):
                click.echo(line, color=colour)
    shown = [one.evidence for one in found if one.reason is None]
    if shown and not any(shown) and layout == "text":
        remark(f"{found.metric} has nothing to show of these rows")


def _rows(corpus: Corpus, outputs: Path, row: int | None, item: str | None, system: str | None) -> list[int]:
    if row is not None and (item is not None or system is not None):
        raise SpecError("--row names one row; leave out --item and --system")
    wanted = {"row": row, "item": item, "system": system}
    rows = [
        number
        for number, one in enumerate(corpus, 1)
        if row in (None, number) and item in (None, one.item) and system in (None, one.system)
    ]
    if not rows:
        asked = " and ".join(f"{name} {value}" for name, value in wanted.items() if value is not None)
        systems = ", ".join(corpus.systems[:5])
        there = f"there are {len(corpus)} rows; systems: {systems}"
        raise InputError(f"there is no {asked}", file=outputs, remedy=there)
    return rows


def _explained(
    corpus: Corpus, spec: str, rows: Sequence[int], single: bool, options: Mapping[str, Any]
) -> Explanations:
    """What some rows' scores are based on; by a metric of sets, those of their systems.

    single: whether single rows were asked for. options: of `nlgauge.explain`.
    """
    from nlgauge import explain
    from nlgauge.catalogue import registry
    from nlgauge.metrics.sets import SetMetric

    metric = registry.metric(spec, model=options["model"])
    if not isinstance(metric, SetMetric):
        return explain(corpus, spec, rows, progress=True, **options)
    if single:
        raise SpecError(f"{metric} measures sets of texts and no single rows: name a --system, or none")
    found = explain(corpus, spec, progress=True, **options)
    systems = {corpus[number - 1].system for number in rows}
    return replace(found, records=[one for one in found if one.system in systems])


def _shown(one: Explanation, colour: bool) -> Iterator[str]:
    """The lines of one score."""
    several = len(one.values) > 1
    values = [(f"{part} " if several else "") + _number(value) for part, value in one.values.items()]
    place = f"system {one.system}" if one.row is None else f"row {one.row}, system {one.system}, item {one.item}"
    head = f"{place}: {one.metric} "
    if not one.defined:
        yield harmless(f"{head}has no value: {one.reason}", lines=True)
    else:
        yield harmless(head + ", ".join(values) + (f" ({one.reason})" if one.reason else ""), lines=True)
    yield from (f"  note: {note}" for note in one.notes)
    for line in drawn(one.evidence, colour):
        yield "  " + line.replace("\n", "\n  ")


def _number(value: float) -> str:
    shown = plain(value)
    return "none" if shown is None else f"{shown:.4f}" if isinstance(shown, float) else str(shown)

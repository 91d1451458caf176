"""The command nlgauge explain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import nlgauge
from nlgauge.cli.options import AGAINST, IN_FORMATS, LOADING, MAP, PLACE, READING, SPEC, caching, example
from nlgauge.cli.outputs import loaded, one_metric, read_outputs, tell_hard
from nlgauge.cli.streams import remark
from nlgauge.cli.terminal import beside, show
from nlgauge.data.atomic_write import refuse_place
from nlgauge.errors import InputError, SpecError

if TYPE_CHECKING:
    from nlgauge.explanation import Explanations


@click.command(epilog=example("nlgauge explain answers.jsonl -m Faithfulness --row 1"))
@click.argument("outputs", type=PLACE)
@click.option("-m", "--metric", "specs", type=SPEC, multiple=True, help="Metric spec, e.g. Faithfulness.")
@click.option("--row", type=click.IntRange(min=1), help="This row alone, counted from 1.")
@click.option("--item", help="Rows of this item.")
@click.option("--system", help="Rows of this system.")
@MAP
@LOADING
@READING
@AGAINST
@click.option(
    "--scores", type=PLACE, help="Explain the numbers of this scores file, with the model and settings that made them."
)
@click.option("-o", "--output", type=PLACE, help="Write a page of HTML here that draws all, instead of printing it.")
@caching
@IN_FORMATS
def explain(
    outputs: Path,
    specs: Sequence[str],
    row: int | None,
    item: str | None,
    system: str | None,
    columns: Sequence[str],
    against: Path | str | None,
    scores: Path | None,
    output: Path | None,
    layout: str,
    **how: Any,
) -> None:
    """Show why a metric gave its scores, for single rows, or for systems where a metric measures sets.

    Words that the other text supports are green. Partly supported words are yellow, and unsupported words are red and
    underlined. Words that do not count have no colour. Without colours (NO_COLOR is set, or stdout is no terminal)
    unsupported words are in [brackets]. Matches, flows and items are in tables, the most important first. JSON
    holds everything.
    """
    spec = one_metric(specs, "Faithfulness, for one")
    refuse_place(output)
    corpus = read_outputs(outputs, columns, on_missing="skip")
    rows = _rows(corpus, outputs, row=row, item=item, system=system)
    tell_hard(corpus, [spec], how["model"], rows)
    how["against"] = None if against is None else nlgauge.Corpus.read(against)
    how["scores"] = None if scores is None else loaded(scores)
    explanations = _explained(corpus, spec, rows=rows, single=row is not None or item is not None, options=how)
    if output is None:
        show(explanations, layout)
        return
    explanations.save(output)
    with beside(output):
        click.echo(output)
    remark(*explanations.to_answer().notes)


def _rows(corpus: nlgauge.Corpus, outputs: Path, row: int | None, item: str | None, system: str | None) -> list[int]:
    if row is not None and (item is not None or system is not None):
        raise SpecError("--row names one row; leave out --item and --system")
    wanted = {"row": row, "item": item, "system": system}
    rows = [
        number
        for number, output in enumerate(corpus, 1)
        if row in (None, number) and item in (None, output.item) and system in (None, output.system)
    ]
    if not rows:
        asked = " and ".join(f"{name} {value}" for name, value in wanted.items() if value is not None)
        systems = ", ".join(corpus.systems[:5])
        there = f"there are {len(corpus)} rows; systems: {systems}"
        raise InputError(f"there is no {asked}", file=outputs, remedy=there)
    return rows


def _explained(
    corpus: nlgauge.Corpus, spec: str, rows: Sequence[int], single: bool, options: Mapping[str, Any]
) -> Explanations:
    """Return explanations of the scores of rows; for a corpus-level metric, of the scores of their systems.

    Args:
        corpus: the rows.
        spec: the spec of the metric.
        rows: the numbers of the rows to explain, counted from 1.
        single: whether the user asked for single rows.
        options: the options of `nlgauge.explain`.
    """
    from nlgauge import registry
    from nlgauge.metrics.sets import SetMetric

    metric = registry.metric(spec, model=options["model"])
    if not isinstance(metric, SetMetric):
        return nlgauge.explain(corpus, spec, rows, progress=True, **options)
    if single:
        raise SpecError(f"{metric} measures sets of texts and no single rows: name a --system, or none")
    explanations = nlgauge.explain(corpus, spec, progress=True, **options)
    systems = {corpus[number - 1].system for number in rows}
    return replace(explanations, records=[of_system for of_system in explanations if of_system.system in systems])

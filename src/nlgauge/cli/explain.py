"""nlgauge explain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import nlgauge
from nlgauge.cli.options import AGAINST, LOADING, MAP, PLACE, READING, SPEC, caching, example
from nlgauge.cli.streams import remark, show_json
from nlgauge.cli.terminal import aligned, beside, coloured, loaded, one_metric, read_outputs, tell_hard
from nlgauge.data.atomic_write import refuse_place
from nlgauge.data.jsonable import plain
from nlgauge.errors import InputError, SpecError
from nlgauge.render.numbers import fixed
from nlgauge.render.tables import harmless
from nlgauge.render.words import nearest

if TYPE_CHECKING:
    from nlgauge.explanation import Explanation, Explanations


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
@click.option("--format", "layout", type=click.Choice(["text", "json"]), default="text", show_default=True)
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
    unsupported words stand in [brackets]. Matches, flows and items stand in tables, the most important first. JSON
    holds everything.
    """

    spec = one_metric(specs, "Faithfulness, for one")
    refuse_place(output)
    corpus = read_outputs(outputs, columns, on_missing="skip")
    rows = _rows(corpus, outputs, row=row, item=item, system=system)
    tell_hard(corpus, [spec], how["model"], rows)
    how["against"] = None if against is None else nlgauge.Corpus.read(against)
    how["scores"] = None if scores is None else loaded(scores)
    found = _explained(corpus, spec, rows=rows, single=row is not None or item is not None, options=how)
    if output is not None:
        found.save(output)
        with beside(output):
            click.echo(output)
    elif layout == "json":
        show_json("explain", rows=[one.record for one in found])
    else:
        colour = coloured()
        for one in found:
            for line in _shown(one, colour):
                click.echo(line, color=colour)
    shown = [one.evidence for one in found if one.reason is None]
    if shown and not any(shown) and layout == "text":
        remark(f"{found.metric} has nothing to show of these rows")


def _rows(corpus: nlgauge.Corpus, outputs: Path, row: int | None, item: str | None, system: str | None) -> list[int]:
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
    corpus: nlgauge.Corpus, spec: str, rows: Sequence[int], single: bool, options: Mapping[str, Any]
) -> Explanations:
    """Return what some rows' scores are based on; by a corpus-level metric, those of their systems.

    Args:
        corpus: the rows.
        spec: the metric.
        rows: the numbers of the rows, counted from 1.
        single: whether single rows were asked for.
        options: of `nlgauge.explain`.
    """
    from nlgauge import registry
    from nlgauge.metrics.sets import SetMetric

    metric = registry.metric(spec, model=options["model"])
    if not isinstance(metric, SetMetric):
        return nlgauge.explain(corpus, spec, rows, progress=True, **options)
    if single:
        raise SpecError(f"{metric} measures sets of texts and no single rows: name a --system, or none")
    found = nlgauge.explain(corpus, spec, progress=True, **options)
    systems = {corpus[number - 1].system for number in rows}
    return replace(found, records=[one for one in found if one.system in systems])


def _shown(one: Explanation, colour: bool) -> Iterator[str]:
    """Return the lines of one score."""
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
    return "none" if shown is None else fixed(shown) if isinstance(shown, float) else str(shown)


_SHOWN = 12
_WIDE = 48
_FEW = 3
Record = Mapping[str, Any]


def drawn(evidence: Record, colour: bool) -> Iterator[str]:
    """Yield the lines of a row's evidence.

    Args:
        evidence: as JSON has it.
        colour: whether words have colours; else weakly aligned words stand in [brackets].

    Returns:
        The lines.
    """
    if "reference" in evidence:
        yield f"reference {evidence['reference'] + 1}:"
    for text in evidence.get("texts", []):
        yield f"{text['name']}, against the {text['against']}:"
        yield "  " + _painted(text, colour).replace("\n", "\n  ")
        spans = text.get("unsupported", [])
        cells = [_span(text, *span) for span in spans[:_SHOWN]]
        yield from _table(["characters", "not supported", "the nearest sentence"], cells, len(spans), "spans")
        reasons = [[f"{one['begin']}-{one['end']}", _short(one["said"])] for one in text.get("reasons", [])[:_SHOWN]]
        yield from _table(["characters", "checked without a model"], reasons)
        several = text.get("stretches", [])
        if len(several) > 1 and all("supported" in one for one in several):
            worst = min(several, key=lambda one: float(one["supported"]))
            against = (
                f"; contradicted, if not supported: {_cell(worst['contradicted'])}" if "contradicted" in worst else ""
            )
            yield f"  least supported: characters {worst['begin']}-{worst['end']}, {_cell(worst['supported'])}{against}"
    for side in ("candidate", "reference"):
        matches = [match for match in evidence.get("matches", []) if match["side"] == side]
        weakest = sorted(matches, key=lambda match: match["similarity"])[:_SHOWN]
        heads = [f"of the {side}", "matched with", "similarity", "weight"]
        cells = _cells(weakest, ("token", "match", "similarity", "weight"))
        yield from _table(heads, cells, len(matches), "matches, the least similar first")
    left_out = evidence.get("left_out", 0)
    if flows := evidence.get("flows", []):
        costliest = sorted(flows, key=lambda flow: -flow["share"] * flow["distance"])[:_SHOWN]
        heads = ["of the candidate", "moved to", "share", "distance"]
        cells = _cells(costliest, ("candidate", "reference", "share", "distance"))
        yield from _table(heads, cells, len(flows) + left_out, "flows, the costliest first")
    if items := evidence.get("items", []):
        known = list(dict.fromkeys(name for item in items[:_SHOWN] for name in item))
        cells = [[_cell(item.get(name)) for name in known] for item in items[:_SHOWN]]
        yield from _table(["" if name == "name" else name for name in known], cells, len(items) + left_out, "items")


def _painted(text: Record, colour: bool) -> str:
    content, weak = harmless(text["text"], lines=True), text["weak"]
    pieces, at = [], 0
    for word in text["words"]:
        begin, end, alignment = max(at, word["begin"]), word["end"], word["alignment"]
        piece = content[begin:end]
        if colour:
            shade = "red" if alignment < weak else "yellow" if alignment < (1 + weak) / 2 else "green"
            piece = click.style(piece, fg=shade, underline=alignment < weak or None)
        elif alignment < weak:
            piece = f"[{piece}]"
        pieces += [content[at:begin], piece]
        at = max(at, end)
    return "".join([*pieces, content[at:]])


def _span(text: Record, begin: int, end: int) -> list[str]:
    """Return the cells of a span of words that are not supported."""
    quote = nearest(text, begin, end)
    place = "" if quote is None else f"{quote['name']} {quote['begin']}-{quote['end']}: {_short(quote['text'])}"
    return [f"{begin}-{end}", _short(text["text"][begin:end]), place]


def _short(text: str) -> str:
    line = " ".join(harmless(text, lines=True).split())
    return line if len(line) <= _WIDE else line[: _WIDE - 1] + "…"


def _cells(links: Sequence[Record], names: Sequence[str]) -> list[list[str]]:
    """Return two places in texts each, and two numbers."""
    return [[*(_place(link[name]) for name in names[:2]), *(_cell(link[name]) for name in names[2:])] for link in links]


def _place(place: Record) -> str:
    return harmless(place.get("text") or "(special token)", lines=True).replace("\n", " ")


def _cell(value: object) -> str:
    if isinstance(value, float):
        return fixed(value)
    if isinstance(value, Mapping):
        return " ".join(_cell(inner) for inner in value.values())
    if isinstance(value, list) and len(value) > _FEW:
        return f"{len(value)} from {_cell(value[0])} to {_cell(value[-1])}"
    return "" if value is None else harmless(str(value), lines=True).replace("\n", " ")


def _table(heads: list[str], cells: list[list[str]], count: int = 0, what: str = "") -> Iterator[str]:
    """Return the lines of a table, if it has any; and how many there are, where not all are shown."""
    if cells:
        yield from (f"  {line}" for line in aligned([heads, *cells]))
    if count > _SHOWN:
        yield f"  ({_SHOWN} of {count} {what}; --format json has them all)"

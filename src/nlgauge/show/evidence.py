"""Evidence (what a score is based on) as HTML, drawn alike in the report, by `nlgauge explain` and in notebooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

from nlgauge.show.environment import number, render
from nlgauge.show.words import (
    LISTED,
    Record,
    Table,
    flow_panes,
    flow_table,
    legend,
    match_panes,
    match_tables,
    word_panes,
    word_tables,
)

_COVERING = {"side", "covered", "nearest", "item", "distance", "nearest_item"}


def drivers(items: Sequence[Record]) -> list[Record]:
    """Return the items if each has a number for candidate and reference, as InfoLM's items have; else an empty list."""
    right = all(
        all(isinstance(item.get(side), int | float) for side in ("candidate", "reference"))
        and isinstance(item.get("share", ""), int | float | None)
        for item in items
    )
    return list(items) if right else []


def covering(items: Sequence[Record]) -> dict[str, list[Record]]:
    """Return, by side, the items that say how far a text of this side is covered; empty without such items."""
    sides: dict[str, list[Record]] = {}
    for item in items:
        if item.keys() >= _COVERING and isinstance(item["side"], str) and isinstance(item["covered"], int | float):
            sides.setdefault(item["side"], []).append(item)
    return sides


def curve(items: Sequence[Record]) -> str:
    """Return a curve of precision over recall as the `points` of an SVG polyline; '' if no item has such a curve.

    It is the curve of the first item of evidence with two lists of numbers of equal length, "precision" and "recall".
    x is 100 * recall, and y is 100 - 100 * precision, because SVG counts downwards.
    """
    for item in items:
        precision, recall = item.get("precision"), item.get("recall")
        if _are_numbers(precision) and _are_numbers(recall) and len(precision) == len(recall):
            return " ".join(f"{100 * x:.1f},{100 - 100 * y:.1f}" for x, y in zip(recall, precision, strict=True))
    return ""


def item_table(items: Sequence[Record], left_out: int) -> Table:
    """Return a table of items for which there is no drawing, with a column for each of their facts.

    Args:
        items: the items as JSON, each with its facts by name.
        left_out: the number of items that the evidence does not list.

    Returns:
        The table, with `LISTED` items at most.
    """
    names = list(dict.fromkeys(name for item in items[:LISTED] for name in item))
    rows = [[_cell(item.get(name)) for name in names] for item in items[:LISTED]]
    heads = ["item" if name == "name" else name for name in names]
    return Table("What the score is based on", heads, rows, len(items) - len(rows) + left_out)


def _are_numbers(values: object) -> TypeGuard[list[float]]:
    return isinstance(values, list) and all(isinstance(value, int | float) for value in values)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return number(value)
    if isinstance(value, Mapping):
        return " ".join(map(_cell, value.values()))
    if isinstance(value, list):
        return " ".join(map(_cell, value))
    return "" if value is None else str(value)


_LEGENDS = {
    "matches": ("alike", "less alike", "unlike"),
    "flows": ("cheap to move", "costlier", "costliest"),
}


def drawn(evidence: Mapping[str, Any], texts: Mapping[str, Any] | None = None, titles: bool = False) -> str:
    """Return the evidence of a row, or of a system, as HTML.

    Args:
        evidence: the evidence as JSON.
        texts: the texts of the row by name: 'candidate', 'source', 'context', and 'references', a list. Of a text that
            is not given, only the words in the evidence are drawn.
        titles: whether the note on a word is the title of its HTML element, for a place that runs no script.

    Returns:
        HTML.
    """
    beside = dict(texts or {})
    reference = evidence.get("reference")
    references = beside.get("references") or []
    if reference is not None and reference < len(references):
        beside["reference"] = references[reference]
    judged, matches, flows, items = (evidence.get(name, []) for name in ("texts", "matches", "flows", "items"))
    left_out = evidence.get("left_out", 0)
    driving, sides, line = drivers(items), covering(items), curve(items)
    panes = word_panes(judged, beside)
    tables = [*word_tables(judged), *match_tables(matches)]
    if matches:
        panes += match_panes(matches, beside)
    if flows:
        panes += flow_panes(flows, beside)
        tables.append(flow_table(flows, left_out))
    if items and not (driving or sides or line):
        tables.append(item_table(items, left_out))
    kind = "words" if judged else "flows" if flows else "matches"
    return render(
        "evidence.html",
        reference=None if reference is None else reference + 1,
        of=len(references),
        kind=kind,
        legend=legend(judged) if kind == "words" else _LEGENDS[kind],
        panes=panes,
        tables=tables,
        drivers=driving[:LISTED],
        most=max((item[side] for item in driving for side in ("candidate", "reference")), default=0) or 1,
        sides=sides,
        curve=line,
        left_out=left_out,
        titles=titles,
    )

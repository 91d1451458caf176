"""What a score is based on, as HTML: one drawing for the report, for `nlgauge explain` and for notebooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nlgauge.show.markup.environment import render
from nlgauge.show.markup.items import covering, curve, drivers, item_table
from nlgauge.show.markup.links import flow_panes, flow_table, match_panes, match_tables
from nlgauge.show.markup.words import Pane, Table, legend, word_panes, word_tables

_LEGENDS = {
    "matches": ("alike", "less alike", "unlike"),
    "flows": ("cheap to move", "dearer", "dearest"),
}


def drawn(evidence: Mapping[str, Any], texts: Mapping[str, Any] | None = None, titles: bool = False) -> str:
    """A row's, or a system's, evidence as JSON has it.

    texts: what is known of the row, by name: 'candidate', 'source', 'context' and 'references', a list. What is not
    known is drawn without the words around it. titles: what is said of a word stands in its title, for a place that
    runs no script.
    """
    known = dict(texts or {})
    reference = evidence.get("reference")
    references = known.get("references") or []
    if reference is not None and reference < len(references):
        known["reference"] = references[reference]
    items, left_out = evidence.get("items", []), evidence.get("left_out", 0)
    found, sides, line = drivers(items), covering(items), curve(items)
    return render(
        "evidence.html",
        reference=None if reference is None else reference + 1,
        of=len(references),
        kind=(kind := "words" if evidence.get("texts") else "flows" if evidence.get("flows") else "matches"),
        legend=legend(evidence["texts"]) if kind == "words" else _LEGENDS[kind],
        panes=_panes(evidence, known),
        tables=_tables(evidence, [] if found or sides or line else items, left_out),
        drivers=found,
        sides=sides,
        curve=line,
        left_out=left_out,
        titles=titles,
    )


def _panes(evidence: Mapping[str, Any], known: Mapping[str, Any]) -> list[Pane]:
    panes = word_panes(evidence.get("texts", []), known)
    if evidence.get("matches"):
        panes += match_panes(evidence["matches"], known)
    if evidence.get("flows"):
        panes += flow_panes(evidence["flows"], known)
    return panes


def _tables(evidence: Mapping[str, Any], items: Sequence[Mapping[str, Any]], left_out: int) -> list[Table]:
    tables = [*word_tables(evidence.get("texts", [])), *match_tables(evidence.get("matches", []))]
    if evidence.get("flows"):
        tables.append(flow_table(evidence["flows"], left_out))
    if items:
        tables.append(item_table(items, left_out))
    return tables

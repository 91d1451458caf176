"""The directive `metric`: what a metric's class says of it. So no page repeats a parameter, a default or a part."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Sequence
from dataclasses import MISSING
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from nlgauge._plugins import LAB_METRICS
from nlgauge.contract.base import Metric
from nlgauge.contract.parameters import Parameter, literal, parameters_of
from nlgauge.registry import project_metrics, typical

_COSTS = {
    "strings": "no model",
    "static": "a lookup in the model's table of words, without a pass",
    "encoding": "a pass of the model for each distinct text",
    "pairs": "a pass of the model for each pair of texts",
    "masking": "a pass of the model for each sub-word of each distinct text, or fewer by `stride`",
    "asking": "a request to a server for each distinct question",
    "masked pairs": "a pass of the model for each word of both texts, or fewer by `stride`",
}


@cache
def _kinds() -> dict[str, type[Metric]]:
    """Return the metrics by name, once for a build: each call reads the metadata of all installed packages."""
    return dict(project_metrics())


def facts(name: str) -> str:
    """Return what a metric's class says, as Markdown tables; of a published variant its docstring too."""
    kind = _kinds()[name]
    told = [inspect.cleandoc(kind.__doc__ or "")] if name.startswith("published/") else []
    return "\n\n".join([*told, _facts(name, kind), _parameters(kind), *_presets(kind)])


def _facts(name: str, kind: type[Metric]) -> str:
    metric = typical(kind)  # one that needs a parameter has no facts before it is given
    told = kind if metric is None else metric
    better = "Higher is better." if told.higher_is_better else "Lower is better."
    if set(told.parts) <= set(told.details):
        better = "Neither is better: the number says nothing of quality."
    rows = [("better", better), ("sub-scores", ", ".join(f"`{part}`" for part in told.parts))]
    if metric is not None:
        if metric.limits:
            rows.append(("values", _limits(metric)))
        rows.append(("reads", ", ".join(f"`{column}`" for column in metric.columns)))
        rows.append(("cost", _COSTS[metric.cost]))
        other = "the texts of other rows too" if metric.uses_corpus else "that row alone"
        rows.append(("a row's score depends on", other))
        if metric.libraries:
            rows.append(("libraries", ", ".join(metric.libraries) + _extra(metric.libraries)))
    if of := kind.short or kind.subject:
        rows.append(("short spelling", f"`{name}:VALUE` sets `{of}`"))
    if name in LAB_METRICS:
        rows.append(("package", "`nlgauge-lab`"))
    if kind.citation:
        rows.append(("source", kind.citation))
    return "\n".join(["| | |", "|---|---|", *(f"| {head} | {value} |" for head, value in rows)])


def _limits(metric: Metric) -> str:
    """From where to where the sub-scores go, those together that are alike."""
    alike: dict[str, list[str]] = {}
    for part, limits in metric.limits.items():
        alike.setdefault(_span(*limits), []).append(f"`{part}`")
    if len(alike) == 1:
        return next(iter(alike)).capitalize() + "."
    return "; ".join(f"{', '.join(parts)}: {span}" for span, parts in alike.items()) + "."


def _span(low: float, high: float) -> str:
    if math.isinf(low) and math.isinf(high):
        return "any number"
    if math.isinf(high):
        return f"{low:g} or more"
    return f"{high:g} or less" if math.isinf(low) else f"from {low:g} to {high:g}"


def _extra(libraries: Sequence[str]) -> str:
    """Where the libraries come from that nlgauge does not bring."""
    return ", of the extra `strings`" if set(libraries) - {"sacrebleu", "rouge-score-rs"} else ""


def _parameters(kind: type[Metric]) -> str:
    rows = []
    for name, one in parameters_of(kind).items():
        given = "needed" if one.default is MISSING else f"`{literal(one.default)}`"
        rows.append(f"| `{name}` | {given} | {_cell(one.help)}{_values(one)} |")
    return "\n".join(["| parameter | default | |", "|---|---|---|", *rows]) if rows else "It has no parameters."


def _values(one: Parameter) -> str:
    """The values that a parameter may have, where its text does not name them all."""
    if not one.values or (one.choices and all(str(value) in one.help for value in one.choices)):
        return ""
    values = ", ".join(f"`{value!r}`" for value in one.choices)
    return f" One of {values}." if values else f" {one.values.capitalize()}."


def _presets(kind: type[Metric]) -> list[str]:
    return ["Presets: " + ", ".join(f"`{name!r}`" for name in kind.presets) + "."] if kind.presets else []


def _cell(text: str) -> str:
    """A text as a table's cell takes it."""
    text = text.strip().replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;")
    first = text.partition(" ")[0]
    begun = text if "_" in first else text[:1].upper() + text[1:]  # a value keeps its letters
    return begun + ("" if not text or text.endswith(".") else ".")


class MetricDirective(SphinxDirective):
    """`{metric} Name`: the facts of a built-in metric."""

    required_arguments: ClassVar[int] = 1

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        if name not in _kinds():
            raise self.error(f"there is no metric {name!r}")
        lines = StringList(facts(name).splitlines(), source=self.get_source_info()[0])
        holder = nodes.Element()
        self.state.nested_parse(lines, self.content_offset, holder)
        return holder.children


def places(docs: Path) -> dict[str, str]:
    """By metric, the page and the heading that describe it."""
    found: dict[str, str] = {}
    for page in docs.glob("*.md"):
        heading = ""
        for line in page.read_text(encoding="utf-8").splitlines():
            if told := re.fullmatch(r"##+ (.+)", line):
                heading = re.sub(r"[^\w -]", "", told[1].lower()).replace(" ", "-")
            elif named := re.fullmatch(r"```\{metric\} (\S+)", line):
                found[named[1]] = f"{page.name}#{heading}"
    return found


def overview(docs: Path) -> str:
    """The built-in metrics as a table in Markdown, with the first line of each docstring and the columns it reads."""
    home = places(docs)
    rows = [
        f"| [{name}]({home[name]}) | {_cell(inspect.cleandoc(kind.__doc__ or name).splitlines()[0])} | {_reads(kind)} |"
        for name, kind in _kinds().items()
        if not name.startswith("published/")
    ]
    return "\n".join(["| metric | what it says | reads |", "|---|---|---|", *rows])


def _reads(kind: type[Metric]) -> str:
    metric = typical(kind)
    return "" if metric is None else ", ".join(f"`{column}`" for column in metric.columns)


class MetricsDirective(SphinxDirective):
    """`{metrics}`: all built-in metrics in a table."""

    def run(self) -> list[nodes.Node]:
        holder = nodes.Element()
        lines = StringList(overview(Path(self.env.srcdir)).splitlines(), source="")
        self.state.nested_parse(lines, self.content_offset, holder)
        return holder.children


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("metric", MetricDirective)
    app.add_directive("metrics", MetricsDirective)
    return {"parallel_read_safe": True}

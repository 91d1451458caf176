"""The directive `metric`: what a metric's class says of it. So no page repeats a parameter, a default or a part."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, ClassVar

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from extension.docstrings import parameters, prose
from nlgauge._plugins import LAB_METRICS
from nlgauge.errors import NlgaugeError
from nlgauge.metrics.base import Metric
from nlgauge.metrics.parameters import literal
from nlgauge.metrics.registry import parameters_of, project_metrics

_COSTS = {
    "strings": "no model",
    "static": "a look into the model's table of words, without a pass",
    "encoding": "a pass of the model for each distinct text",
    "pairs": "a pass of the model for each pair of texts",
    "masking": "a pass of the model for each sub-word of each distinct text, or fewer by `stride`",
    "masked pairs": "a pass of the model for each word of both texts, or fewer by `stride`",
}


def facts(name: str) -> str:
    """A metric's facts as Markdown: what its docstring says, a table of facts, a table of parameters."""
    kind = project_metrics()[name]
    told = prose(kind.__doc__ or "", parameters_of(kind))
    return "\n\n".join([*told, _facts(name, kind), _parameters(kind), *_presets(kind)])


def _facts(name: str, kind: type[Metric]) -> str:
    metric: Metric | None = None
    with suppress(NlgaugeError):  # a metric that needs a parameter has no facts before it is given
        metric = kind()
    told = kind if metric is None else metric
    better = "Higher is better." if told.higher_is_better else "Lower is better."
    if set(told.parts) <= set(told.details):
        better = "Neither is better: the number says nothing of quality."
    rows = [("better", better), ("parts", ", ".join(f"`{part}`" for part in told.parts))]
    if metric is not None:
        rows.append(("reads", ", ".join(f"`{column}`" for column in metric.columns)))
        rows.append(("cost", _COSTS[metric.cost]))
        other = "the texts of other rows too" if metric.uses_corpus else "that row alone"
        rows.append(("a row's score depends on", other))
        if metric.libraries:
            rows.append(("libraries", ", ".join(metric.libraries) + _extra(metric.libraries)))
    if name in LAB_METRICS:
        rows.append(("package", "`nlgauge-lab`: `pip install nlgauge-lab`, or `./packages/nlgauge-lab` in a clone"))
    if kind.citation:
        rows.append(("source", kind.citation))
    return "\n".join(["| | |", "|---|---|", *(f"| {head} | {value} |" for head, value in rows)])


def _extra(libraries: Sequence[str]) -> str:
    """Where the libraries come from that nlgauge does not bring."""
    return ", of the extra `strings`" if set(libraries) - {"sacrebleu", "rouge-score-rs"} else ""


def _parameters(kind: type[Metric]) -> str:
    told = parameters(kind)
    rows = []
    for name, default in parameters_of(kind).items():
        given = "needed" if default is inspect.Parameter.empty else f"`{literal(default)}`"
        rows.append(f"| `{name}` | {given} | {_cell(told[name])}{_choices(kind, name, told[name])} |")
    return "\n".join(["| parameter | default | |", "|---|---|---|", *rows]) if rows else "It has no parameters."


def _choices(kind: type[Metric], name: str, told: str) -> str:
    """The values of a parameter that its text does not name."""
    values = [repr(value) for value in kind.choices.get(name, ())]
    if not values or all(value.strip("'") in told for value in values) or sorted(values) == ["False", "True"]:
        return ""
    return " One of " + ", ".join(f"`{value}`" for value in values) + "."


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
        if name not in project_metrics():
            raise self.error(f"there is no metric {name!r}")
        lines = StringList(facts(name).splitlines(), source=self.get_source_info()[0])
        holder = nodes.Element()
        self.state.nested_parse(lines, self.content_offset, holder)
        return holder.children


def overview() -> str:
    """The built-in metrics as a table in Markdown, with the first line of each docstring and the columns it reads."""
    rows = [
        f"| [{name}]({name.lower()}.md) | {_cell(inspect.cleandoc(kind.__doc__ or name).splitlines()[0])} "
        f"| {_reads(kind)} |"
        for name, kind in project_metrics().items()
        if not name.startswith("published/")
    ]
    return "\n".join(["| metric | what it says | reads |", "|---|---|---|", *rows])


def _reads(kind: type[Metric]) -> str:
    try:
        return ", ".join(f"`{column}`" for column in kind().columns)
    except NlgaugeError:  # it needs a parameter, and what it reads depends on it
        return ""


class MetricsDirective(SphinxDirective):
    """`{metrics}`: all built-in metrics in a table."""

    def run(self) -> list[nodes.Node]:
        holder = nodes.Element()
        self.state.nested_parse(StringList(overview().splitlines(), source=""), self.content_offset, holder)
        return holder.children


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("metric", MetricDirective)
    app.add_directive("metrics", MetricsDirective)
    return {"parallel_read_safe": True}

"""What /metrics-list says: the metrics that a request may ask for, and what it may say of them."""

from __future__ import annotations

import inspect
from typing import Any

from nlgauge._version import __version__
from nlgauge.catalogue import registry
from nlgauge.metrics.base import Metric, model_of
from nlgauge.serve.menu import Menu, closed

Record = dict[str, Any]


def listing(menu: Menu) -> Record:
    """The metrics that were named at the start; where any may be asked for, the names of all with their parameters."""
    named = [_named(spec, metric) for spec, metric in menu.named.items()]
    others = [_kind(name, kind) for name, kind in registry.built_in_metrics().items()] if menu.any_metric else []
    return {"nlgauge": __version__, "metrics": named, "others": others}


def _named(spec: str, metric: Metric) -> Record:
    return {
        "metric": spec,
        "about": _about(type(metric)),
        "higher_is_better": None if set(metric.parts) <= set(metric.details) else metric.higher_is_better,
        "parts": list(metric.parts),
        "reads": list(metric.columns),
        "uses_corpus": metric.uses_corpus,
        "model": model_of(metric),
    }


def _kind(name: str, kind: type[Metric]) -> Record:
    parameters = {
        parameter: {
            "default": None if default is inspect.Parameter.empty else default,
            "choices": list(kind.choices.get(parameter, [])),
        }
        for parameter, default in registry.parameters_of(kind).items()
        if parameter in kind.choices or isinstance(default, bool) or closed(kind, parameter, 0.5)
    }
    return {"metric": name, "about": _about(kind), "parameters": parameters, "presets": list(kind.presets)}


def _about(kind: type[Metric]) -> str:
    return (inspect.getdoc(kind) or "").partition("\n")[0]

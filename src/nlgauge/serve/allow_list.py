"""The allow-list: which metrics a request may use, and with which parameters. A request never names what is opened.

The metrics that are named when the service starts may have any parameters: files, folders, models. A request repeats
such a spec. Or it writes a spec of another metric of nlgauge, with allowed parameters only: True or False, a number
where the metric takes any number, None, or a value that the metric itself lists. All other texts are refused before the
metric is made, because a metric might take them for a file, a model or a package. Whole numbers are refused too,
because they set how much is computed. For a new metric the same rule holds: a value that it does not list is refused.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass
from typing import Any

from nlgauge import registry
from nlgauge._version import __version__
from nlgauge.contract.base import POCKET, Metric, gives_no_probability
from nlgauge.contract.parameters import parameters_of
from nlgauge.errors import SpecError
from nlgauge.gate.thresholds import METRIC, PART

LONGEST_SPEC = 500
_LARGEST = 1e6


@dataclass(frozen=True)
class AllowList:
    """The allow-list: the metrics that were named at the start, and which others a request may use."""

    named: Mapping[str, Metric]
    """The named metrics by canonical spec"""
    asked: Mapping[str, str]
    """The canonical specs by the specs that were written at the start"""
    model: str | None
    """The model of metrics that name none; None for the embedded model"""
    any_metric: bool = False
    """Whether a request may use metrics of nlgauge that were not named, with allowed parameters"""

    @classmethod
    def of(cls, specs: Sequence[str], model: str | None, any_metric: bool = False) -> AllowList:
        """Return the allow-list of metrics, from their specs. Raises SpecError for a spec that cannot be read."""
        made = {spec: registry.metric(spec, model=model) for spec in specs}
        named = {str(metric): metric for metric in made.values()}
        return cls(named, {spec: str(metric) for spec, metric in made.items()}, model, any_metric)

    @property
    def models(self) -> tuple[str, ...]:
        """The names of all models that a request can use."""
        default = [self.model or POCKET] if self.any_metric else []
        named = [name for metric in self.named.values() if (name := metric.reads) is not None]
        others = [name for metric in self.named.values() for name in metric.other_models]
        return tuple(dict.fromkeys([*named, *default, *others]))

    @property
    def grounded(self) -> str:
        """The spec of the metric for a grounded check whose request names no metric.

        It is the first metric named at the start that gives the probability of support. If no metric does, and the only
        metric of the service reads sources and gives values from 0 to 1, as a Judge may do, it is that metric.
        Otherwise it is Faithfulness, which a request may use only if it is allowed.
        """
        if (first := next((spec for spec, metric in self.named.items() if PART in metric.parts), None)) is not None:
            return first
        if len(self.named) == 1 and not self.any_metric:
            ((spec, metric),) = self.named.items()
            if "source" in metric.columns and not gives_no_probability(metric):
                return spec
        return METRIC

    def metric(self, spec: str) -> Metric:
        """Return the metric of a request's spec. Raises SpecError for a metric that the request may not use."""
        if len(spec) > LONGEST_SPEC:
            raise SpecError(f"a metric's spec has {len(spec)} characters, and at most {LONGEST_SPEC} are read")
        if (named := self.asked.get(spec, spec)) in self.named:
            return self.named[named]
        name, arguments = registry.parsed(spec)
        kind = self._kind(name)
        for parameter, value in registry.named(kind, arguments, spec).items():
            self._refuse_open(kind, name, parameter, value)
        metric = registry.metric(spec, model=self.model)
        if str(metric) not in self.named and not self.any_metric:
            raise SpecError(f"{metric} is not offered here; there is {', '.join(self.named)}")
        return metric

    def _kind(self, name: str) -> type[Metric]:
        """Return the class of an allowed metric by its name. A name from a request never imports a package."""
        kinds = {metric.name: type(metric) for metric in self.named.values()}
        if self.any_metric:
            kinds = {**registry.built_in_metrics(), **kinds}
        if name not in kinds:
            raise SpecError(f"no metric {name!r} is offered here; there is {', '.join(self.named)}")
        return kinds[name]

    def _refuse_open(self, kind: type[Metric], name: str, parameter: str, value: Any) -> None:
        if parameter == "preset" and kind.presets:
            return
        parameters = parameters_of(kind)
        if parameter not in parameters:
            raise SpecError(f"{name} has no parameter {parameter!r}; it has {', '.join(parameters)}")
        if parameter == "model" and value in self.models:
            return
        if may_be_set(kind, parameter, value) or _same(value, parameters[parameter].default):
            return
        if parameters[parameter].choices:
            raise SpecError(f"{name}: {parameter}={value!r} is not {parameters[parameter].values}")
        raise SpecError(
            f"{name}: a request cannot set {parameter} so; whoever starts the service can: nlgauge serve -m "
            f'"{name}({parameter}=...)"'
        )


def may_be_set(kind: type[Metric], parameter: str, value: object) -> bool:
    """Return whether a client may give a parameter this value: it neither names a resource nor raises the cost."""
    if value is None or isinstance(value, bool):
        return True
    declared = parameters_of(kind)[parameter]
    if declared.choices:
        return any(_same(value, allowed) for allowed in declared.choices)
    any_number = declared.kind in (float, float | None)
    return any_number and isinstance(value, int | float) and abs(value) <= _LARGEST


def _same(value: object, other: object) -> bool:
    return type(value) is type(other) and value == other


Record = dict[str, Any]


def listing(allowed: AllowList) -> Record:
    """Return which metrics a request may use, as a record.

    Args:
        allowed: the allow-list.

    Returns:
        `metrics`: facts about each metric that was named at the start. `others`: all metrics of nlgauge, each with the
        parameters that a request may set; empty if a request may use only the named metrics.
    """
    named = [_named(spec, metric) for spec, metric in allowed.named.items()]
    others = [_kind(name, kind) for name, kind in registry.built_in_metrics().items()] if allowed.any_metric else []
    return {"nlgauge": __version__, "metrics": named, "others": others}


def _named(spec: str, metric: Metric) -> Record:
    return {
        "metric": spec,
        "about": _about(type(metric)),
        "higher_is_better": None if set(metric.parts) <= set(metric.details) else metric.higher_is_better,
        "parts": list(metric.parts),
        "reads": list(metric.columns),
        "uses_corpus": metric.uses_corpus,
        "model": metric.reads,
    }


def _kind(name: str, kind: type[Metric]) -> Record:
    parameters = {
        parameter: {
            "default": None if declared.default is MISSING else declared.default,
            "choices": list(declared.choices),
        }
        for parameter, declared in parameters_of(kind).items()
        if declared.choices or declared.kind is bool or may_be_set(kind, parameter, 0.5)
    }
    return {"metric": name, "about": _about(kind), "parameters": parameters, "presets": list(kind.presets)}


def _about(kind: type[Metric]) -> str:
    return (inspect.getdoc(kind) or "").partition("\n")[0]

"""Specs to metrics: what ships here first, then what installed packages offer.

A package offers metrics under the entry point group ``nlgauge.metrics`` (a subclass of Metric). They are called
``package/Name``, so they can never be mistaken for ours or for each other's. Those of nlgauge-lab have bare names, and
``published/Name`` where they repeat published errors.
"""

from __future__ import annotations

import ast
import inspect
import os
import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from typing import Any

from nlgauge._plugins import LAB_METRICS, in_the_lab, load_offered, offered
from nlgauge.errors import SpecError
from nlgauge.metrics.base import Metric, registered_name

LONGEST_SPEC = 4096
"""Characters: a spec holds words and numbers, and at most the path of a file"""
_SHOWN = 100
_OTHER_NAMES = dict.fromkeys(
    (
        "faithfulness", "hallucination", "hallucinations", "hallucinationdetection", "factuality", "factualconsistency",
        "rag", "ragevaluation", "llmasajudge", "judge", "entailment",
    ),
    "Consistency(aligner='D')",
)  # fmt: skip
"""What people ask for by the name of what is measured"""


@cache
def built_in_metrics() -> Mapping[str, type[Metric]]:
    """The metrics of nlgauge by name, in alphabetical order."""
    kinds = [kind for module in _files() for kind in _metrics_in(module)]
    return {registered_name(kind): kind for kind in sorted(kinds, key=lambda kind: registered_name(kind).lower())}


def names() -> list[str]:
    """The names of all metrics: those of nlgauge in alphabetical order, then those that installed packages offer."""
    return [*built_in_metrics(), *(name for name, _ in offered("nlgauge.metrics"))]


def project_metrics() -> dict[str, type[Metric]]:
    """Return the metrics of nlgauge, and those of nlgauge-lab where it is installed, by name."""
    lab = {name for name, _ in offered("nlgauge.metrics")} & LAB_METRICS
    return {**built_in_metrics(), **{name: metric_class(name) for name in sorted(lab, key=str.lower)}}


def parameters_of(kind: type[Metric]) -> dict[str, Any]:
    """The parameters that a metric's spec may set, with their defaults; inspect.Parameter.empty for one without."""
    parameters = list(inspect.signature(kind.__init__).parameters.values())[1:]
    return {parameter.name: parameter.default for parameter in parameters}


def metric(spec: str | Metric, *, model: str | None = None) -> Metric:
    """A metric from its spec, ``Name`` or ``Name(param=value, ...)``, values being Python literals; nothing is run.

    model: for a metric that reads one and names none, given as a spec or as an object; by default what the variable
    NLGAUGE_MODEL of the environment names, else the embedded one.
    Raises SpecError for what does not parse, is not known, or is outside its domain.

    >>> str(metric("InfoLM( alpha = 3, beta=0.25, measure='ab')"))
    "InfoLM(measure='ab', alpha=3, beta=0.25)"
    """
    if isinstance(spec, str):
        made = _made(spec)
    elif isinstance(spec, Metric):
        made = spec
    else:
        raise SpecError(f"{_shown(spec)} is not a metric; give a spec such as 'InfoLM', or a Metric")
    if model is None:
        model = os.environ.get("NLGAUGE_MODEL") or None
    if model is not None and getattr(made, "model", model) is None:
        made = replace(made, model=model)  # type: ignore[call-arg]  # which a metric that reads one has
    _refuse_class(made)
    return made


def parsed(spec: str) -> tuple[str, dict[str, Any]]:
    """The name and the parameters that a spec writes; neither is looked up. Raises SpecError for what is no spec."""
    if len(spec) > LONGEST_SPEC:
        limit = f"it has {len(spec):,} characters, and the limit is {LONGEST_SPEC:,}"
        raise SpecError(f"cannot read the metric spec {_shown(spec)}: {limit}; write Name or Name(param=value, ...)")
    name, bracket, rest = spec.strip().partition("(")
    name = name.strip()
    if not bracket:
        return name, {}
    wrong = SpecError(
        f"cannot read the metric spec {_shown(spec)}: write Name or Name(param=value, ...) with literal values"
    )
    try:
        call = ast.parse(f"f({rest}", mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise wrong from None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
        raise wrong
    parameters: dict[str, Any] = {}
    for keyword in call.keywords:
        if keyword.arg is None or keyword.arg in parameters:
            raise wrong
        if isinstance(keyword.value, ast.Name):
            named = f"{keyword.arg}={keyword.value.id}"
            quoted = f"{keyword.arg}='{keyword.value.id}'"
            shell = f'-m "{name}({quoted})"'
            raise SpecError(f"{name}: {named} has no quotes: write {quoted}, and on a command line {shell}")
        try:
            parameters[keyword.arg] = ast.literal_eval(keyword.value)
        except (ValueError, TypeError, SyntaxError):
            raise wrong from None
    return name, parameters


def _made(spec: str) -> Metric:
    name, given = parsed(spec)
    kind = metric_class(name)
    known = parameters_of(kind)
    preset = given.pop("preset", None) if kind.presets else None
    for parameter in given:
        if parameter not in known:
            has = ", ".join([*known, *(["preset"] if kind.presets else [])])
            raise SpecError(f"{name} has no parameter {_shown(parameter)}; it has {has}")
    if preset is not None:
        return kind.preset(preset, **given)
    for parameter, default in known.items():
        if default is inspect.Parameter.empty and parameter not in given:
            raise SpecError(f"{name} needs the parameter {parameter!r}")
    return kind(**given)


def _refuse_class(metric: Metric) -> None:
    """Raise SpecError for a metric whose class is not as a metric's has to be."""
    kind = type(metric)
    if "__dataclass_params__" not in vars(kind):
        raise SpecError(f"{metric.name}: its class has no @dataclass(frozen=True), so that its parameters are not read")
    if own := {"parts", "details"} & vars(metric).keys():
        how = "are set on the object; make them a class variable, or a property of the parameters"
        raise SpecError(f"{metric.name}: its {' and '.join(sorted(own))} {how}")
    if not metric.parts or len(set(metric.parts)) < len(metric.parts) or not set(metric.details) <= {*metric.parts}:
        raise SpecError(f"{metric.name}: parts are one or more different names, and details are some of them")


def _files() -> Iterator[str]:
    """The modules that may hold metrics."""
    found = pkgutil.iter_modules(import_module("nlgauge.metrics").__path__)
    yield from (f"nlgauge.metrics.{module.name}" for module in found if not module.ispkg)


def _metrics_in(module: str) -> Iterator[type[Metric]]:
    for name, thing in vars(import_module(module)).items():
        public = not name.startswith("_") and inspect.isclass(thing) and issubclass(thing, Metric)
        if public and thing is not Metric and not inspect.isabstract(thing) and thing.__module__ == module:
            yield thing


@cache
def _in_own_file(name: str) -> type[Metric] | None:
    """The metric of a file of its name. Most metrics are found so, and the files of all others are not loaded."""
    own = [module for module in _files() if _plainly(module.rpartition(".")[2]) == _plainly(name)]
    return next((kind for module in own for kind in _metrics_in(module) if registered_name(kind) == name), None)


def metric_class(name: str) -> type[Metric]:
    """The class of a metric, by its name. Raises SpecError for one that is not known."""
    if name not in LAB_METRICS:
        built_in = _in_own_file(name) or built_in_metrics().get(name)
        if built_in is not None:
            return built_in
    points = dict(offered("nlgauge.metrics"))
    if name in points:
        loaded = load_offered(name, points[name])
        if not (inspect.isclass(loaded) and issubclass(loaded, Metric)):
            raise SpecError(f"{name}: the package offers {loaded!r}, which is not a Metric")
        return loaded
    if name in LAB_METRICS:
        raise SpecError(in_the_lab(name))
    known = [*names(), *LAB_METRICS.difference(names())]
    same = [one for one in known if _plainly(one) == _plainly(name)]
    near = get_close_matches(_plainly(name), map(_plainly, known), 1, cutoff=0.85)
    same = same or [one for one in known if _plainly(one) in near]
    meant = _OTHER_NAMES.get(_plainly(name)) or next(iter(same), None)
    hint = f"did you mean {meant}?" if meant else f"there are {', '.join(names())}"
    raise SpecError(f"no metric {_shown(name)}; {hint}")


def _plainly(name: str) -> str:
    """A name as others spell it too: bert_score and bert-score are BERTScore."""
    return name.lower().replace("_", "").replace("-", "").replace(" ", "")


def _shown(value: object) -> str:
    """A value as an error shows it: in one line that can be read."""
    text = " ".join(repr(value).split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."

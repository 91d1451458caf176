"""The way from specs to metrics: first those of nlgauge, then those that installed packages offer.

A package offers metrics under the entry point group ``nlgauge.metrics`` (a subclass of Metric). They are called
``package/Name``, so they are never mistaken for those of nlgauge or of another package. The metrics of nlgauge-lab have
bare names, or ``published/Name`` if they repeat errors of published code.
"""

from __future__ import annotations

import ast
import inspect
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, replace
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, TypeGuard, cast

from nlgauge._plugins import LAB_METRICS, in_the_lab, load_offered, offered
from nlgauge.contract.base import Metric, registered_name
from nlgauge.contract.parameters import parameters_of
from nlgauge.data.renamed import now_of
from nlgauge.errors import SpecError

LONGEST_SPEC = 4096
"""The largest number of characters in a spec, which holds words, numbers, and at most the path of a file"""
FIRST, SHORT = "", ":"
"""The keys of a parameter that a spec gives without its name: FIRST for one in brackets, SHORT for one after a colon"""
_SHOWN = 100
_HERE = Path(__file__).parent
_OTHER_NAMES = dict.fromkeys(
    (
        "faithfulness",
        "hallucination",
        "hallucinations",
        "hallucinationdetection",
        "factuality",
        "factualconsistency",
        "rag",
        "ragevaluation",
        "llmasajudge",
        "judge",
        "entailment",
    ),
    "Faithfulness",
)
"""Names under which people look for Faithfulness, after what it measures"""
_FAMILIES = {
    **dict.fromkeys(("BLEU", "CER", "ChrF", "TER", "WER"), "translation"),
    **dict.fromkeys(("Column", "CopyRate", "Length"), "simple"),
    "Faithfulness": "metric",
    "MarkEvaluateText": "mark_evaluate",
    **dict.fromkeys(("MoverScore", "SentenceMovers", "WordMovers"), "movers"),
    "ImprovedPrecisionRecall": "prd",
    **dict.fromkeys(
        ("Consistency", "Engagingness", "Groundedness", "MeanAlignment", "Preservation", "Relevance"), "ctc"
    ),
}
"""The file of each metric whose file has another name than the metric"""


@cache
def built_in_metrics() -> Mapping[str, type[Metric]]:
    """Return the metrics of nlgauge by name, in alphabetical order."""
    kinds = [kind for module in _files() for kind in _metrics_in(module)]
    return {registered_name(kind): kind for kind in sorted(kinds, key=lambda kind: registered_name(kind).lower())}


def names() -> list[str]:
    """Return the names of all metrics.

    Returns:
        The names of nlgauge in alphabetical order, then the names that installed packages offer.
    """
    return [*built_in_metrics(), *(name for name, _ in offered("nlgauge.metrics"))]


def project_metrics() -> dict[str, type[Metric]]:
    """Return the metrics of nlgauge, and those of nlgauge-lab where it is installed, by name."""
    lab = {name: point for name, point in offered("nlgauge.metrics") if name in LAB_METRICS}
    return {**built_in_metrics(), **{name: _offered_metric(name, lab[name]) for name in sorted(lab, key=str.lower)}}


def typical(kind: type[Metric]) -> Metric | None:
    """Return a metric with its default parameters or its example, for descriptions; None if it needs another one."""
    try:
        return kind(**{kind.subject: kind.example} if kind.example else {})
    except (SpecError, TypeError):
        return None


def metric(spec: str | Metric, *, model: str | None = None) -> Metric:
    """Return a metric from its spec: ``Name``, ``Name:value`` or ``Name(param=value, ...)``. No code in it is run.

    In brackets, values are Python literals. After a colon, the rest of the spec is the text of the parameter that the
    metric's class names as `short`: ``Consistency:D`` is ``Consistency(aligner='D')``.

    Args:
        spec: the spec, or a Metric.
        model: the model of a metric that reads a model and names none, whether it is given as a spec or as an object.
            By default, it is the environment variable NLGAUGE_MODEL, else the embedded model.

    Returns:
        The metric.

    Raises:
        SpecError: the spec cannot be read, no metric has this name, or a parameter is unknown or not allowed.

    >>> str(metric("InfoLM( alpha = 3, beta=0.25, measure='ab')"))
    "InfoLM(measure='ab', alpha=3, beta=0.25)"
    """
    if isinstance(spec, str):
        made = _bare(spec) if spec.isidentifier() else _made(spec)
    elif isinstance(spec, Metric):
        made = spec
        _refuse_class(made)
    else:
        raise SpecError(f"{_shown(spec)} is not a metric; give a spec such as 'InfoLM', or a Metric")
    if model is None:
        model = os.environ.get("NLGAUGE_MODEL") or None
    if model is not None and not made.remote and getattr(made, "model", model) is None:
        made = replace(made, model=model)  # type: ignore[call-arg]  # which a metric that reads one has
    return made


@cache
def _bare(name: str) -> Metric:
    """Return a metric with its defaults. A metric never changes, so each one is made only once."""
    return _made(name)


def parsed(spec: str) -> tuple[str, dict[str, Any]]:
    """Return the name and the parameters that a spec writes, without checking that they exist.

    One parameter may be given without its name. It is called FIRST, or SHORT if it comes after a colon.

    Args:
        spec: the text of the spec.

    Returns:
        The name, and the values by parameter.

    Raises:
        SpecError: the text is not a spec.
    """
    if len(spec) > LONGEST_SPEC:
        limit = f"it has {len(spec):,} characters, and the limit is {LONGEST_SPEC:,}"
        raise SpecError(f"cannot read the metric spec {_shown(spec)}: {limit}; write Name or Name(param=value, ...)")
    name, sign, rest = _split(spec.strip())
    if sign == SHORT:
        if not rest:
            raise SpecError(f"cannot read the metric spec {_shown(spec)}: write Name, or Name:value")
        return name, {SHORT: rest}
    if not sign:
        return name, {}
    wrong = SpecError(
        f"cannot read the metric spec {_shown(spec)}: write Name or Name(param=value, ...) with literal values"
    )
    try:
        call = ast.parse(f"f({rest}", mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise wrong from None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or len(call.args) > 1:
        raise wrong
    parameters: dict[str, Any] = {}
    for keyword in [*(ast.keyword(FIRST, value) for value in call.args), *call.keywords]:
        if keyword.arg is None or keyword.arg in parameters:
            raise wrong
        if isinstance(keyword.value, ast.Name):
            if keyword.arg == FIRST:
                raise SpecError(
                    f"{name}: {keyword.value.id} has no name and no quotes: write {name}:{keyword.value.id}"
                )
            named, quoted = f"{keyword.arg}={keyword.value.id}", f"{keyword.arg}='{keyword.value.id}'"
            shell = f'-m "{name}({quoted})"'
            raise SpecError(f"{name}: {named} has no quotes: write {quoted}, and on a command line {shell}")
        try:
            parameters[keyword.arg] = ast.literal_eval(keyword.value)
        except (ValueError, TypeError, SyntaxError):
            raise wrong from None
    return name, parameters


def named(kind: type[Metric], values: dict[str, Any], spec: str) -> dict[str, Any]:
    """Return the parameters of a spec, all by their names. Raises SpecError for a value that needs a name."""
    names = {FIRST: kind.subject, SHORT: kind.short or kind.subject}
    for sign in names.keys() & values.keys():
        if not names[sign] or names[sign] in values:
            problem = "it takes no value after a colon" if sign == SHORT else f"{_shown(values[sign])} has no name"
            write = f"write {_written(kind, values[sign])}, or in general Name(param=value, ...) with literal values"
            raise SpecError(f"cannot read the metric spec {_shown(spec)}: {problem}; {write}")
    return {names.get(name, name): value for name, value in values.items()}


def _split(spec: str) -> tuple[str, str, str]:
    """Return the name in a spec, the sign after the name (a bracket, SHORT or nothing), and the text after the sign."""
    sign = re.search(r"[(:]", spec)
    if sign is None:
        return spec, "", ""
    return spec[: sign.start()].strip(), sign[0], spec[sign.end() :]


def _written(kind: type[Metric], value: object) -> str:
    """Return how a spec writes, with its parameter, a value that was given without one."""
    name, parameters = registered_name(kind), parameters_of(kind)
    if kind.short and isinstance(value, str):
        return f"{name}:{value}"
    having = [parameter for parameter, how in parameters.items() if value in how.choices or parameter == "model"]
    return f"{name}({having[0]}={_shown(value)})" if having else name


def _made(spec: str) -> Metric:
    name, values = parsed(spec)
    kind = metric_class(name)
    parameters = parameters_of(kind)
    values = named(kind, values, spec)
    preset = values.pop("preset", None) if kind.presets else None
    for parameter in values:
        if parameter not in parameters:
            if (other := now_of(name, parameter)) is not None:
                raise SpecError(f"{name} has no parameter {_shown(parameter)} any more: {other} has it")
            has = ", ".join([*parameters, *(["preset"] if kind.presets else [])])
            raise SpecError(f"{name} has no parameter {_shown(parameter)}; it has {has}")
    for parameter, how in parameters.items():
        if preset is None and how.default is MISSING and parameter not in values:
            raise SpecError(f"{name} needs the parameter {parameter!r}")
    made = kind(**values) if preset is None else kind.preset(preset, **values)
    _refuse_class(made)
    return made


def _refuse_class(metric: Metric) -> None:
    """Raise SpecError for a metric whose class does not follow the rules for metrics."""
    kind = type(metric)
    if "__dataclass_params__" not in vars(kind):
        raise SpecError(f"{metric.name}: its class has no @dataclass(frozen=True), so that its parameters are not read")
    if overridden := {"parts", "details"} & vars(metric).keys():
        how = "are set on the object; make them a class variable, or a property of the parameters"
        raise SpecError(f"{metric.name}: its {' and '.join(sorted(overridden))} {how}")
    if not metric.parts or len(set(metric.parts)) < len(metric.parts) or not set(metric.details) <= {*metric.parts}:
        raise SpecError(f"{metric.name}: parts are one or more different names, and details are some of them")


def _files() -> Iterator[str]:
    """Yield the names of the modules that may hold metrics."""
    yield from (f"nlgauge.metrics.{file.stem}" for file in sorted((_HERE / "metrics").glob("[!_]*.py")))
    yield "nlgauge.faithfulness.metric"


def _is_metric(thing: object) -> TypeGuard[type[Metric]]:
    """Return whether an object is a class of metrics. In Python 3.10, list[int] is a class, but not a subclass."""
    return issubclass(type(thing), type) and issubclass(cast(type, thing), Metric)


def _metrics_in(module: str) -> Iterator[type[Metric]]:
    for name, thing in vars(import_module(module)).items():
        public = not name.startswith("_") and _is_metric(thing)
        if public and thing is not Metric and not inspect.isabstract(thing) and thing.__module__ == module:
            yield thing


@cache
def _in_own_file(name: str) -> type[Metric] | None:
    """Return the class of a metric from the file of its name or family; None if that file does not have it."""
    file = _FAMILIES.get(name, name)
    modules = [module for module in _files() if _plainly(module.rpartition(".")[2]) == _plainly(file)]
    return next((kind for module in modules for kind in _metrics_in(module) if registered_name(kind) == name), None)


def _offered_metric(name: str, point: EntryPoint) -> type[Metric]:
    """Return the class of metrics that an entry point names. Raises SpecError for any other object."""
    loaded = load_offered(name, point)
    if not _is_metric(loaded):
        raise SpecError(f"{name}: the package offers {loaded!r}, which is not a Metric")
    return loaded


def metric_class(name: str) -> type[Metric]:
    """Return the class of a metric, by its name.

    Args:
        name: the name, without parameters.

    Returns:
        The class.

    Raises:
        SpecError: no metric has the name.
    """
    if name not in LAB_METRICS:
        built_in = _in_own_file(name) or built_in_metrics().get(name)
        if built_in is not None:
            return built_in
    points = dict(offered("nlgauge.metrics"))
    if name in points:
        return _offered_metric(name, points[name])
    if name in LAB_METRICS:
        raise SpecError(in_the_lab(name))
    from nlgauge.engine.models.packing import PREFIXES

    if name in PREFIXES:
        raise SpecError(f"{name}: is the name of a model, not of a metric: -m Faithfulness --model {name}:FOLDER")
    every = [*names(), *LAB_METRICS.difference(names())]
    same = [other for other in every if _plainly(other) == _plainly(name)]
    from difflib import get_close_matches

    near = get_close_matches(_plainly(name), map(_plainly, every), 1, cutoff=0.85)
    same = same or [other for other in every if _plainly(other) in near]
    meant = _OTHER_NAMES.get(_plainly(name)) or next(iter(same), None)
    hint = f"did you mean {meant}?" if meant else f"there are {', '.join(names())}"
    raise SpecError(f"no metric {_shown(name)}; {hint}")


def _plainly(name: str) -> str:
    """Return a name without case, spaces, hyphens and underscores, so that bert_score equals BERTScore."""
    return name.lower().replace("_", "").replace("-", "").replace(" ", "")


def _shown(value: object) -> str:
    """Return a value as an error shows it: in one line of at most 100 characters."""
    text = " ".join(repr(value).split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."

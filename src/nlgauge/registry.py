"""Specs to metrics, names to models: what ships here first, then what installed packages offer.

A package offers metrics under the entry point group ``nlgauge.metrics`` (a subclass of Metric) and models under
``nlgauge.models`` (a callable ``(precision) -> LanguageModel``). They are called ``package/Name``, so they can never
be mistaken for ours or for each other's.
"""

from __future__ import annotations

import ast
import inspect
import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nlgauge.metrics
from nlgauge.errors import SpecError
from nlgauge.metrics.base import Metric

if TYPE_CHECKING:
    from nlgauge.engine.model import LanguageModel

PRECISIONS = ("float32", "bfloat16")
BACKENDS = ("auto", "onnx", "torch")


@cache
def built_in_metrics() -> Mapping[str, type[Metric]]:
    """The metrics of nlgauge by name, in alphabetical order."""
    found: dict[str, type[Metric]] = {}
    for module in pkgutil.iter_modules(nlgauge.metrics.__path__):
        for name, thing in vars(import_module(f"nlgauge.metrics.{module.name}")).items():
            public = not name.startswith("_") and inspect.isclass(thing) and issubclass(thing, Metric)
            if public and not inspect.isabstract(thing) and thing.__module__.endswith(f".{module.name}"):
                found[name] = thing
    return dict(sorted(found.items(), key=lambda pair: pair[0].lower()))


def offered(group: str) -> Iterator[tuple[str, EntryPoint]]:
    """What installed packages offer under an entry point group, by ``package/Name``."""
    for point in entry_points(group=group):
        yield f"{point.dist.name if point.dist else 'unknown'}/{point.name}", point


def parameters_of(kind: type[Metric]) -> dict[str, Any]:
    """The parameters that a metric's spec may set, with their defaults."""
    own = list(inspect.signature(kind.__init__).parameters.values())[1:]
    return {parameter.name: parameter.default for parameter in own}


def metric(spec: str | Metric, **defaults: Any) -> Metric:
    """A metric from its spec, ``Name`` or ``Name(param=value, ...)``, values being Python literals; nothing is run.

    defaults: parameters for metrics that have them and whose spec does not set them, or, of a Metric object, whose
    value is the default one.
    Raises SpecError for what does not parse, is not known, or is outside its domain.

    >>> str(metric("InfoLM( alpha = 3, beta=0.25, measure='ab')"))
    "InfoLM(measure='ab', alpha=3, beta=0.25)"
    """
    if isinstance(spec, Metric):
        unset = {name: value for name, value in defaults.items() if value is not None and _is_default(spec, name)}
        return replace(spec, **unset) if unset else spec
    if not isinstance(spec, str):
        raise SpecError(f"{spec!r} is not a metric; give a spec such as 'InfoLM', or a Metric")
    name, parameters = _parse(spec)
    kind = _metric_class(name)
    known = parameters_of(kind)
    for parameter in parameters:
        if parameter not in known:
            raise SpecError(f"{name} has no parameter {parameter!r}; it has {', '.join(known)}")
    given = {**{key: value for key, value in defaults.items() if key in known and value is not None}, **parameters}
    try:
        return kind(**given)
    except TypeError as error:
        raise SpecError(f"{spec}: {error}") from None


def _is_default(metric: Metric, parameter: str) -> bool:
    field = type(metric).__dataclass_fields__.get(parameter)
    return field is not None and getattr(metric, parameter) == field.default


def _metric_class(name: str) -> type[Metric]:
    built_in = built_in_metrics()
    if name in built_in:
        return built_in[name]
    points = dict(offered("nlgauge.metrics"))
    if name in points:
        loaded = _load(name, points[name])
        if not (inspect.isclass(loaded) and issubclass(loaded, Metric)):
            raise SpecError(f"{name}: the package offers {loaded!r}, which is not a Metric")
        return loaded
    same = [known for known in [*built_in, *points] if known.lower() == name.lower()]
    hint = f"did you mean {same[0]}?" if same else f"there are {', '.join([*built_in, *points])}"
    raise SpecError(f"no metric {name!r}; {hint}")


def _load(name: str, point: EntryPoint) -> Any:
    try:
        return point.load()
    except Exception as error:  # another package's code: whatever it raises, the user has to know which package
        raise SpecError(f"{name} cannot be loaded: {type(error).__name__}: {error}") from error


def _parse(spec: str) -> tuple[str, dict[str, Any]]:
    name, bracket, rest = spec.strip().partition("(")
    name = name.strip()
    if not bracket:
        return name, {}
    wrong = SpecError(f"cannot read the metric spec {spec!r}: write Name or Name(param=value, ...) with literal values")
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
        try:
            parameters[keyword.arg] = ast.literal_eval(keyword.value)
        except (ValueError, TypeError, SyntaxError):
            raise wrong from None
    return name, parameters


def pocket_folder() -> Path:
    """Where the embedded model lies."""
    return Path(str(files("nlgauge") / "models" / "pocket"))


def model(name: str, precision: str = "float32", backend: str = "auto") -> LanguageModel:
    """A model by name: 'pocket', a folder, ``package/Name`` of an installed package, or a Hugging Face name.

    backend: 'onnx' or 'torch'; 'auto' takes onnx where the folder holds its graphs and float32 is asked for.
    Raises SpecError for an unknown name or precision, MissingExtraError where torch is needed and absent.
    """
    if precision not in PRECISIONS:
        raise SpecError(f"precision {precision!r} is not one of {', '.join(PRECISIONS)}")
    if backend not in BACKENDS:
        raise SpecError(f"backend {backend!r} is not one of {', '.join(BACKENDS)}")
    points = dict(offered("nlgauge.models"))
    if name in points:
        made: LanguageModel = _load(name, points[name])(precision)
        return made
    if backend == "onnx" and precision != "float32":
        raise SpecError(f"the torch-free backend computes in float32; for {precision} choose backend='torch' or 'auto'")
    folder = pocket_folder() if name == "pocket" else Path(name)
    has_graphs = (folder / "masked.onnx").exists()
    if backend == "onnx" or (backend == "auto" and has_graphs and precision == "float32"):
        from nlgauge.engine.onnx import OnnxModel

        return OnnxModel(folder, name)
    from nlgauge.engine.kinds import open_model

    return open_model(str(folder) if folder.is_dir() else name, name, precision)

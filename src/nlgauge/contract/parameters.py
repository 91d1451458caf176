"""The parameters of a metric, declared once by `param`: checks, completion, `nlgauge list` and the docs read them."""

from __future__ import annotations

import math
import types
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, field, fields
from functools import cache
from typing import Any, NamedTuple, Union, get_args, get_origin, get_type_hints

from nlgauge.data.corpus.place import shown
from nlgauge.errors import SpecError

_WORDS = {str: "a text", bool: "True or False", int: "a whole number", float: "a number", type(None): "None"}


class Parameter(NamedTuple):
    """The declaration of a metric's parameter."""

    kind: Any
    """The type of the parameter's values"""
    default: Any
    """The default value; `dataclasses.MISSING` if a spec has to set the parameter"""
    choices: tuple[object, ...] = ()
    """The allowed values, if these are a fixed list"""
    minimum: float | None = None
    maximum: float | None = None
    help: str = ""

    @property
    def completions(self) -> list[str]:
        """The values that a shell offers: the choices, or True and False."""
        return [repr(value) for value in (self.choices or ((True, False) if self.kind is bool else ()))]

    @property
    def values(self) -> str:
        """The allowed values in words: ``one of 'a', 'b'``, ``at least 1``; empty if the type says all."""
        if self.choices:
            return f"one of {', '.join(map(repr, self.choices))}"
        bounds = [("at least", self.minimum), ("at most", self.maximum)]
        return " and ".join(f"{word} {bound}" for word, bound in bounds if bound is not None)


def param(
    default: Any = MISSING,
    *,
    choices: Iterable[object] = (),
    minimum: float | None = None,
    maximum: float | None = None,
    help: str = "",
    **of_field: Any,
) -> Any:
    """Declare a parameter of a metric.

    For example: ``ngram: int = param(4, minimum=1, help="maximum length of n-grams")``. A subclass that gives the
    parameter another default without `param` keeps the rest of the declaration.

    Args:
        default: the value where a spec does not set the parameter. Without a default, each spec has to set it.
        choices: the allowed values, if these are a fixed list.
        minimum: the least allowed number. With a minimum, infinite numbers and NaN are refused; None is allowed if the
            type allows it.
        maximum: the greatest allowed number, by the same rules as `minimum`.
        help: what the parameter does, for a reader who knows the metric's name alone.
        of_field: what else `dataclasses.field` takes, such as hash=False for a mapping.

    Returns:
        The field of a dataclass, with the declaration as its metadata.
    """
    declared = {"choices": tuple(choices), "minimum": minimum, "maximum": maximum, "help": help}
    return field(default=default, metadata=declared, **of_field)


@cache
def parameters_of(kind: type) -> Mapping[str, Parameter]:
    """Return the parameters that a metric's spec may set, by name."""
    hints = get_type_hints(kind)
    parameters = {
        parameter.name: Parameter(hints[parameter.name], parameter.default, **_declared(kind, parameter))
        for parameter in fields(kind)
    }
    # As metrics of 0.1 declared it.
    choices, least = (dict(getattr(kind, name, {})) for name in ("choices", "least"))
    if choices or least:
        old = f"{kind.__name__}: the class variables choices and least are deprecated: use nlgauge.metrics.param"
        warnings.warn(old, DeprecationWarning, stacklevel=2)
    for name in {**choices, **least}.keys() & parameters.keys():
        parameters[name] = parameters[name]._replace(choices=tuple(choices.get(name, ())), minimum=least.get(name))
    return parameters


def _declared(kind: type, parameter: Field[Any]) -> Mapping[str, Any]:
    declarations = (vars(base).get("__dataclass_fields__", {}).get(parameter.name) for base in kind.__mro__)
    model = "name or folder of the model; None is the model of the run, by default the embedded 'pocket'"
    undeclared = {"help": model} if parameter.name == "model" else {}
    return next(
        (declared.metadata for declared in declarations if declared is not None and declared.metadata), undeclared
    )


def check_parameters(metric: Any, name: str) -> None:
    """Raise SpecError for a parameter whose value is not an allowed choice, of a wrong type, or outside its limits.

    Texts, numbers, None, and tuples and unions of them are checked; fields of other types are left to the metric.

    Args:
        metric: the metric.
        name: its name, for the error.
    """
    kind: Any = type(metric)
    for parameter, allowed in parameters_of(kind).items():
        value = getattr(metric, parameter)
        if allowed.choices and value not in allowed.choices:
            raise SpecError(f"{name}: {parameter}={shown(value)} is not {allowed.values}")
        if not _fits(value, allowed.kind):
            raise SpecError(f"{name}: {parameter}={shown(value)} is not {_described(allowed.kind)}")
        if value is None or (allowed.minimum is None and allowed.maximum is None):
            continue
        if not -math.inf < value < math.inf:
            raise SpecError(f"{name}: {parameter} must be a finite number, not {shown(value)}")
        low, high = (value if limit is None else limit for limit in (allowed.minimum, allowed.maximum))
        if not low <= value <= high:
            raise SpecError(f"{name}: {parameter} must be {allowed.values}, not {shown(value)}")


def literal(value: object) -> str:
    """Return a value as a spec writes it. Equal numbers, such as 1 and 1.0, are written in the same way."""
    return repr(int(value)) if isinstance(value, float) and value.is_integer() else repr(value)


def _fits(value: object, kind: Any) -> bool:
    if get_origin(kind) in (Union, types.UnionType):
        return any(_fits(value, choice) for choice in get_args(kind))
    if get_origin(kind) is tuple:
        inner = get_args(kind)[0]
        return isinstance(value, tuple) and all(_fits(element, inner) for element in value)
    if kind not in _WORDS:
        return True
    if isinstance(value, bool) or kind is bool:
        return isinstance(value, bool) and kind is bool
    return isinstance(value, int | float) if kind is float else isinstance(value, kind)


def _described(kind: Any) -> str:
    if get_origin(kind) in (Union, types.UnionType):
        return " or ".join(_described(choice) for choice in get_args(kind))
    if get_origin(kind) is tuple:
        return f"a tuple of {_described(get_args(kind)[0])}"
    return _WORDS[kind]

"""The parameters of a metric: their types, their ranges, and how they are written in a spec."""

from __future__ import annotations

import math
import types
from collections.abc import Sequence
from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin, get_type_hints

from nlgauge.data.corpus.place import shown
from nlgauge.errors import SpecError

if TYPE_CHECKING:
    from nlgauge.engine.models.capabilities import Model
    from nlgauge.metrics.base import Metric

_WORDS = {str: "a text", bool: "True or False", int: "a whole number", float: "a number", type(None): "None"}


def check_parameters(metric: Metric) -> None:
    """Raise SpecError for a parameter that is none of its `choices`, not of its field's type, or below its `least`.

    Texts, numbers, None, and tuples and unions of them are checked; fields of other types are left to the metric. A
    parameter with a minimum has to be finite, or None.
    """
    for name, allowed in metric.choices.items():
        if (value := getattr(metric, name)) not in allowed:
            raise SpecError(f"{metric.name}: {name}={shown(value)} is not one of {', '.join(map(repr, allowed))}")
    for name, kind in _kinds(type(metric)).items():
        value = getattr(metric, name)
        if not _fits(value, kind):
            raise SpecError(f"{metric.name}: {name}={shown(value)} is not {_described(kind)}")
    for name, lowest in metric.least.items():
        value = getattr(metric, name)
        if value is not None and not lowest <= value < math.inf:
            whole = "whole number" if isinstance(value, int) else "number"
            raise SpecError(f"{metric.name}: {name}={shown(value)} is not a {whole} of at least {lowest}")


def check_layers(metric: Metric) -> None:
    """Raise SpecError if `layers` is neither a positive number nor a tuple of layers."""
    layers: int | tuple[int, ...] = getattr(metric, "layers")  # noqa: B009
    if (layers if isinstance(layers, int) else min(layers, default=-1) + 1) < 1:
        raise SpecError(f"{metric.name}: layers={shown(layers)} is neither a number of layers nor a tuple of them")


def layer_read(layer: int | None, families: Sequence[str], model: Model, rule: int) -> tuple[int, dict[str, object]]:
    """Return the layer that is used, and the facts that name it for the signature.

    Args:
        layer: the one that was asked for; None for the one that the model's card or published code names.
        families: the metric's names in the card, the first that is there counts.
        rule: the layer where nothing names one, counted from the last if it is below 0.
    """
    from nlgauge.engine.models.capabilities import ENCODER

    origin = None
    if layer is None:
        layer, origin = model.card.layer(*families) or (model[ENCODER].layers + 1 + rule, None)
    return layer, {"layer": layer, **layer_origin(origin)}


def layer_origin(origin: str | None) -> dict[str, object]:
    """Return the fact that says of which checkpoint a layer is published; nothing if the layer is not."""
    return {} if origin is None else {"layer_from": origin}


def layers_read(layers: int | tuple[int, ...], family: str, model: Model) -> tuple[tuple[int, ...], dict[str, object]]:
    """Return the layers that are used, and the facts that name them. A tuple is used as it is.

    A number is how many layers (or all, if there are fewer), up to the one that the model's card names for the family,
    or else the last one.
    """
    from nlgauge.engine.models.capabilities import ENCODER

    most = model[ENCODER].layers
    origin = None
    if isinstance(layers, int):
        top, origin = model.card.layer(family) or (most, None)
        layers = tuple(range(max(0, top + 1 - layers), top + 1))
    return layers, {"layers": ",".join(map(str, layers)), **layer_origin(origin)}


def literal(value: object) -> str:
    """A value as written in a spec, the same for equal numbers."""
    return repr(int(value)) if isinstance(value, float) and value.is_integer() else repr(value)


@cache
def _kinds(kind: type[Metric]) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {one.name: hints[one.name] for one in fields(kind)}


def _fits(value: object, kind: Any) -> bool:
    if get_origin(kind) in (Union, types.UnionType):
        return any(_fits(value, one) for one in get_args(kind))
    if get_origin(kind) is tuple:
        inner = get_args(kind)[0]
        return isinstance(value, tuple) and all(_fits(one, inner) for one in value)
    if kind not in _WORDS:
        return True
    if isinstance(value, bool) or kind is bool:
        return isinstance(value, bool) and kind is bool
    return isinstance(value, int | float) if kind is float else isinstance(value, kind)


def _described(kind: Any) -> str:
    if get_origin(kind) in (Union, types.UnionType):
        return " or ".join(_described(one) for one in get_args(kind))
    if get_origin(kind) is tuple:
        return f"a tuple of {_described(get_args(kind)[0])}"
    return _WORDS[kind]

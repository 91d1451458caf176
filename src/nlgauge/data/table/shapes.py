"""Shapes of JSON values, as data: what a file that anybody may have edited has to hold before it is believed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Shape: TypeAlias = "type | tuple[Any, ...] | list[Any] | Mapping[str, Any] | None"
"""A type; None for null; a tuple of these, one of which it is; a list of one shape, that of all entries; a mapping of
shapes by name, those whose name ends in "?" for values that may be absent and "*" for all other names"""
NUMBER: Shape = (int, float)
_SHOWN = 80
_NAMES = {str: "a text", bool: "true or false", int: "a whole number", float: "a number", None: "null"}


def mismatch(value: object, shape: Any, where: str) -> str | None:
    """What is wrong with a value that has not a shape, and where; None where it has it."""
    if _fit([value], shape):
        return None
    inside: list[tuple[object, Any, str]] = []
    if isinstance(shape, list) and isinstance(value, list):
        inside = [(inner, shape[0], f"{where}[{number}]") for number, inner in enumerate(value)]
    if isinstance(shape, Mapping) and isinstance(value, dict):
        for name, inner in shape.items():
            found = _named([value], name, shape)
            inside += [(one, inner, f"{where}.{plain(key)}") for key, one in found]
            if not found and name[-1] not in "?*":
                return f"{where}.{name} is missing"
    return next(filter(None, (mismatch(*one) for one in inside)), f"{where} is not {_called(shape)}")


def plain(name: str) -> str:
    """A name out of a file as an error shows it: in one line, and not more of it than can be read."""
    text = repr(name)[1:-1]
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def _fit(values: Sequence[Any], shape: Any) -> bool:
    """Whether all of some values have a shape: looked at together, since a file holds millions of a kind."""
    found = set(map(type, values))
    if isinstance(shape, list):
        return found <= {list} and _fit([inner for value in values for inner in value], shape[0])
    if isinstance(shape, Mapping):
        if not found <= {dict}:
            return False
        columns = {name: [value for _, value in _named(values, name, shape)] for name in shape}
        whole = all(name[-1] in "?*" or len(column) == len(values) for name, column in columns.items())
        return whole and all(_fit(column, shape[name]) for name, column in columns.items() if column)
    kinds = set(shape) if isinstance(shape, tuple) else {shape}
    allowed = {type(None) if kind is None else kind for kind in kinds}
    finite = float not in found or all(math.isfinite(value) for value in values if type(value) is float)
    return finite and (object in allowed or found <= allowed)


def _named(values: Sequence[Mapping[str, Any]], name: str, shape: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """What objects have under a name of their shape."""
    if name == "*":
        own = {one.removesuffix("?") for one in shape}
        return [(key, inner) for value in values for key, inner in value.items() if key not in own]
    key = name.removesuffix("?")
    return [(key, value[key]) for value in values if key in value]


def _called(shape: Any) -> str:
    if isinstance(shape, tuple):
        return " or ".join(dict.fromkeys(map(_called, shape)))
    return "a list" if isinstance(shape, list) else "an object" if isinstance(shape, Mapping) else _NAMES[shape]

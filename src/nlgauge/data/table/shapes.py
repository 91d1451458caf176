"""Shapes of JSON values, as data: what a file that anybody may have edited has to hold before it is believed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeAlias

Shape: TypeAlias = "type | tuple[Any, ...] | list[Any] | Mapping[str, Any] | None"
"""A type; None for null; a tuple of shapes, one of which it is; a list of one shape, that of all entries; a mapping of
shapes by name, those whose name ends in "?" for values that may be absent and "*" for all other names"""
NUMBER: Shape = (int, float)
_SHOWN = 80
_NAMES = {str: "a text", bool: "true or false", int: "a whole number", float: "a number", None: "null"}


def mismatch(value: object, shape: Any, where: str) -> str | None:
    """What is wrong with a value that has not a shape, and where; None where it has it."""
    if isinstance(shape, tuple):
        return None if any(mismatch(value, one, where) is None for one in shape) else f"{where} is not {_named(shape)}"
    if isinstance(shape, list):
        if not isinstance(value, list):
            return f"{where} is not a list"
        found = (mismatch(inner, shape[0], f"{where}[{number}]") for number, inner in enumerate(value))
        return next(filter(None, found), None)
    if isinstance(shape, Mapping):
        return _of_object(value, shape, where)
    return None if _is(value, shape) else f"{where} is not {_named(shape)}"


def plain(name: str) -> str:
    """A name out of a file as an error shows it: in one line, and not more of it than can be read."""
    text = repr(name)[1:-1]
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def _of_object(value: object, shape: Mapping[str, Any], where: str) -> str | None:
    if not isinstance(value, dict):
        return f"{where} is not an object"
    for name, inner in shape.items():
        key = name.removesuffix("?")
        if name == "*":
            others = value.keys() - {one.removesuffix("?") for one in shape}
            found = next(filter(None, (mismatch(value[one], inner, f"{where}.{plain(one)}") for one in others)), None)
        elif key in value:
            found = mismatch(value[key], inner, f"{where}.{key}")
        else:
            found = None if key != name else f"{where}.{key} is missing"
        if found:
            return found
    return None


def _is(value: object, kind: type | None) -> bool:
    if kind is None or isinstance(value, bool):
        return value is None if kind is None else kind in (bool, object)
    return isinstance(value, kind) and not (isinstance(value, float) and not math.isfinite(value))


def _named(shape: Any) -> str:
    if isinstance(shape, tuple):
        return " or ".join(dict.fromkeys(map(_named, shape)))
    return "a list" if isinstance(shape, list) else _NAMES.get(shape, "an object")

"""Values as JSON has them, and the shapes that a JSON file has to have before it is believed.

JSON has no NaN and no infinity, so that these are null and a word, as in a scores file. Shapes are data.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, TypeAlias, TypeVar, cast, get_args, get_origin, get_type_hints

from nlgauge.data.signature import Signature
from nlgauge.errors import InputError

T = TypeVar("T")
INFINITE = {"Infinity": math.inf, "-Infinity": -math.inf}
INTERVAL = ("value", "low", "high")
"""The fields of `nlgauge.maths.inference.Measured`, which is not imported here because numpy comes with it"""
_LARGEST = 10**300


def plain(value: Any) -> Any:
    """A number, or what stands for one that JSON does not have; anything else as it is."""
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return None if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")


def number_of(value: object) -> float:
    """Return the number that `plain` made a JSON value of. Raises ValueError for anything else."""
    if value is None:
        return math.nan
    if isinstance(value, str) and value in INFINITE:
        return INFINITE[value]
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _LARGEST:
        return float(value)
    from nlgauge.data.corpus.place import shown  # with it comes numpy

    raise ValueError(f"the value {shown(value)} is not a number")


def values_of(record: Any) -> Iterator[tuple[str, Any]]:
    """Yield name and value of each field of a record; of a number with its interval all three, as x, x_low, x_high."""
    for field in fields(record):
        value = getattr(record, field.name)
        if getattr(value, "_fields", ()) == INTERVAL:
            yield from zip((field.name, f"{field.name}_low", f"{field.name}_high"), value, strict=True)
        else:
            yield field.name, value


def jsonable(value: Any) -> Any:
    """A value of records, mappings, lists and numbers, all of them `plain`; a signature is its text.

    A number with its interval (`nlgauge.maths.inference.Measured`) is three values of its record, and else a record.
    """
    if value is None or isinstance(value, str | int | float):
        return plain(value)
    if isinstance(value, Signature):
        return str(value)
    if is_dataclass(value):
        return {name: jsonable(inner) for name, inner in values_of(value)}
    if getattr(value, "_fields", ()) == INTERVAL:
        value = value._asdict()
    if isinstance(value, Mapping):
        return {key: jsonable(inner) for key, inner in value.items()}
    return [jsonable(inner) for inner in value] if isinstance(value, list | tuple) else plain(value)


Shape: TypeAlias = "type | tuple[Any, ...] | list[Any] | Mapping[str, Any] | None"
"""A type; None for null; a tuple of these, one of which it is; a list of one shape, that of all entries; a mapping of
shapes by name, those whose name ends in "?" for values that may be absent and "*" for all other names"""
NUMBER: Shape = (int, float)
_SHOWN = 80
_NAMES = {str: "a text", bool: "true or false", int: "a whole number", float: "a number", None: "null"}


def mismatch(value: object, shape: Any, where: str) -> str | None:
    """Return what is wrong with a value that has not a shape, and where; None where it has it."""
    if _fit([value], shape):
        return None
    inside: list[tuple[object, Any, str]] = []
    if isinstance(shape, list) and isinstance(value, list):
        inside = [(inner, shape[0], f"{where}[{number}]") for number, inner in enumerate(value)]
    if isinstance(shape, Mapping) and isinstance(value, dict):
        for name, inner in shape.items():
            found = _named([value], name, shape)
            inside += [(one, inner, f"{where}.{named(key)}") for key, one in found]
            if not found and name[-1] not in "?*":
                return f"{where}.{name} is missing"
    return next(filter(None, (mismatch(*one) for one in inside)), f"{where} is not {_called(shape)}")


def named(name: str) -> str:
    """A name out of a file as an error shows it: in one line, and not more of it than can be read."""
    text = repr(name)[1:-1]
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def _fit(values: Sequence[Any], shape: Any) -> bool:
    """Return whether all of some values have a shape: looked at together, since a file holds millions of a kind."""
    found = set(map(type, values))
    if isinstance(shape, list):
        return found <= {list} and _fit([inner for value in values for inner in value], shape[0])
    if isinstance(shape, Mapping):
        if not found <= {dict}:
            return False
        columns = {name: [value for _, value in _named(values, name, shape)] for name in shape}
        whole = all(name[-1] in "?*" or len(column) == len(values) for name, column in columns.items())
        return whole and all(_fit(column, shape[name]) for name, column in columns.items() if column)
    if isinstance(shape, tuple) and any(isinstance(kind, list) for kind in shape):
        return all(any(_fit([value], kind) for kind in shape) for value in values)
    kinds = set(shape) if isinstance(shape, tuple) else {shape}
    allowed = {type(None) if kind is None else kind for kind in kinds}
    finite = float not in found or all(math.isfinite(value) for value in values if type(value) is float)
    return finite and (object in allowed or found <= allowed)


def _named(values: Sequence[Mapping[str, Any]], name: str, shape: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return what objects have under a name of their shape."""
    if name == "*":
        own = {one.removesuffix("?") for one in shape}
        return [(key, inner) for value in values for key, inner in value.items() if key not in own]
    key = name.removesuffix("?")
    return [(key, value[key]) for value in values if key in value]


def _called(shape: Any) -> str:
    if isinstance(shape, tuple):
        return " or ".join(dict.fromkeys(map(_called, shape)))
    return "a list" if isinstance(shape, list) else "an object" if isinstance(shape, Mapping) else _NAMES[shape]


def read_record(kind: type[T], path: str | Path, what: str, remedy: str) -> T:
    """Return the record (a dataclass) that a JSON file holds.

    Raises InputError: the file cannot be read, or it is not `what` it should be; `remedy` says what to do.
    """
    try:
        return record_of(kind, json.loads(Path(path).read_text(encoding="utf-8")))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path, remedy=remedy) from None
    except (ValueError, RecursionError):
        raise InputError(f"is not {what}", file=path, remedy=remedy) from None


def record_of(kind: type[T], value: Any) -> T:
    """Return the record (a dataclass) that `jsonable` made a value of: a number that is null is NaN.

    Raises ValueError: the value is of another shape.
    """
    if wrong := mismatch(value, shape_of(kind), "the record"):
        raise ValueError(wrong)
    hints = {one.name: get_type_hints(kind)[one.name] for one in fields(cast(Any, kind))}
    if unknown := value.keys() - hints.keys():
        raise ValueError(f"the record has no {min(unknown)}")
    return kind(**{name: _made(hints[name], inner) for name, inner in value.items()})


def _made(hint: Any, value: Any) -> Any:
    """Return what a field of a type holds, made of JSON of its shape."""
    if hint is float:
        return number_of(value)
    if is_dataclass(hint):
        return record_of(cast(type, hint), value)
    if get_origin(hint) is UnionType and value is not None:
        return next(_made(one, value) for one in get_args(hint) if one is not NoneType)
    return tuple(_made(get_args(hint)[0], one) for one in value) if isinstance(value, list) else value


def shape_of(kind: type, left_out: bool = False) -> dict[str, Shape]:
    """Return the shape of the JSON of a record (a dataclass), by its fields.

    left_out: a field that is None, or has its default, may be absent, and floats are finite. Else it is as `jsonable`
    writes it: null for None and for NaN, and absent only where None is the default, as in files of earlier versions.
    """
    hints = get_type_hints(kind)
    shape: dict[str, Shape] = {}
    for one in fields(kind):
        found, default = _shape(hints[one.name], left_out), one.default is not MISSING
        optional = NoneType in get_args(hints[one.name])
        if left_out and default and optional:
            found = _either([one for one in found if one is not None] if isinstance(found, tuple) else [found])
        absent = (default or optional) if left_out else (default and optional)
        shape[f"{one.name}?" if absent else one.name] = found
    return shape


def _shape(hint: Any, left_out: bool) -> Shape:
    if is_dataclass(hint):
        return shape_of(cast(type, hint), left_out)
    if get_origin(hint) is UnionType:
        return _either([None if one is NoneType else _shape(one, left_out) for one in get_args(hint)])
    if get_origin(hint) in (tuple, Sequence):
        return [_shape(get_args(hint)[0], left_out)]
    if get_origin(hint) is Mapping:
        return {"*": _shape(get_args(hint)[1], left_out)}
    if hint is float:
        return NUMBER if left_out else (int, float, str, None)
    return object if hint is Any else cast(type, hint)


def _either(kinds: Sequence[Any]) -> Shape:
    flat = [one for kind in kinds for one in (kind if isinstance(kind, tuple) else (kind,))]
    return flat[0] if len(flat) == 1 else tuple(flat)

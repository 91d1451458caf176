"""Conversion of values and records (dataclasses) to JSON, and of the JSON of a file back to records.

JSON has no NaN and no infinity. NaN is written as null, and infinity as a word, as in a scores file.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from nlgauge.data.seal import refuse_changed
from nlgauge.data.signature import Signature
from nlgauge.errors import InputError

T = TypeVar("T")
INFINITE = {"Infinity": math.inf, "-Infinity": -math.inf}
INTERVAL = ("value", "low", "high")
"""The fields of `nlgauge.maths.inference.Measured`, which is not imported here because numpy comes with it"""
LARGEST = 1e300
"""A number of this size or larger is too large for arithmetic, and is refused in files"""


def plain(value: Any) -> Any:
    """Return a value for JSON: None for NaN, "Infinity" or "-Infinity" for an infinite number, others unchanged."""
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return None if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")


def number_of(value: object) -> float:
    """Return the number that `plain` wrote as a JSON value. Raises ValueError for any other value."""
    if value is None:
        return math.nan
    if isinstance(value, str) and value in INFINITE:
        return INFINITE[value]
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < LARGEST:
        return float(value)
    from nlgauge.data.corpus.place import shown  # with it comes numpy

    raise ValueError(f"the value {shown(value)} is not a number")


def values_of(record: Any) -> Iterator[tuple[str, Any]]:
    """Yield name and value of each field of a record. A number with its interval becomes three: x, x_low and x_high."""
    for field in fields(record):
        value = getattr(record, field.name)
        if getattr(value, "_fields", ()) == INTERVAL:
            yield from zip((field.name, f"{field.name}_low", f"{field.name}_high"), value, strict=True)
        else:
            yield field.name, value


def jsonable(value: Any) -> Any:
    """Return a value as JSON can hold it: records become objects, signatures texts, and numbers what `plain` returns.

    Args:
        value: any value. A number with its interval (`nlgauge.maths.inference.Measured`) becomes three fields of the
            record that holds it; outside of a record, it becomes an object.

    Returns:
        A value that `json.dumps` can write.
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


if TYPE_CHECKING:
    Number: TypeAlias = float
else:

    class _Number(type):
        def __instancecheck__(cls, value: object) -> bool:
            return isinstance(value, float)

    class Number(metaclass=_Number):
        """A float of a record, which may be NaN or infinite. msgspec does not know this type and asks `converted`."""


def converted(value: object, kind: type[T]) -> T:
    """Return a JSON value converted to a record (a dataclass), or to another type that msgspec knows.

    Args:
        value: the value.
        kind: the type. A float that may be NaN or infinite has to be annotated as `Number`.

    Returns:
        The value as that type.

    Raises:
        ValueError: the value has another shape. The message names the place in it.
    """
    import msgspec  # where there is a file

    return msgspec.convert(value, kind, dec_hook=lambda _, inner: number_of(inner))


def record_of(kind: type[T], data: bytes) -> T:
    """Return the record (a dataclass) that `jsonable` wrote as JSON.

    A field whose default is None may be absent, as in files of earlier versions.

    Args:
        kind: the dataclass.
        data: JSON in UTF-8.

    Returns:
        The record.

    Raises:
        ValueError: the JSON is broken, or of another shape; the message names the place.
        RecursionError: the JSON is nested too deep.
    """
    import msgspec

    value = msgspec.json.decode(data)
    made = converted(value, kind)
    absent = {field.name: None for field in fields(cast(Any, made)) if field.default is None}
    if jsonable(made) != absent | value:
        raise ValueError("it has other fields than this version writes")
    return made


def read_record(kind: type[T], path: str | Path, what: str, remedy: str) -> T:
    """Return the record (a dataclass) that a JSON file holds.

    Args:
        kind: the dataclass.
        path: the file.
        what: the expected content of the file, for the error, such as 'a threshold of ratings'.
        remedy: what the error says to do.

    Returns:
        The record.

    Raises:
        InputError: the file cannot be read, holds no such record, or was changed after it was sealed.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path, remedy=remedy) from None
    data = refuse_changed(data, path, what, remedy)
    try:
        return record_of(kind, data)
    except (ValueError, RecursionError) as bad:
        raise InputError(f"is not {what}: {bad}", file=path, remedy=remedy) from None

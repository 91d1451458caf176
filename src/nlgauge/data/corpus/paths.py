"""A value inside a record, by the path of its keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_DEEPEST = 3


def looked_up(record: object, path: str, otherwise: object = None) -> object:
    """Return record[path], or where that is not there record[a][b][c] of the path a.b.c; else `otherwise`.

    A part of the path that is a whole number counts the entries of a list, from 0: choices.0.message.content.
    """
    if isinstance(record, Mapping) and path in record:
        return record[path]
    first, dot, rest = path.partition(".")
    if isinstance(record, Mapping) and dot:
        return looked_up(record[first], rest, otherwise) if first in record else otherwise
    if isinstance(record, Sequence) and not isinstance(record, str | bytes) and first.isdecimal():
        if int(first) >= len(record):
            return otherwise
        entry = record[int(first)]
        return looked_up(entry, rest, otherwise) if dot else entry
    return otherwise


def paths_in(record: Mapping[Any, object], depth: int = _DEEPEST) -> Iterator[str]:
    """Yield the names of a record, each before the paths into the record that it may hold."""
    for name, value in record.items():
        yield str(name)
        if isinstance(value, Mapping) and depth > 1:
            yield from (f"{name}.{path}" for path in paths_in(value, depth - 1))

"""A parser of JSON that is as strict as the standard."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from nlgauge.data.corpus.place import JSON_REMEDY, InputPlace, shown

_DEEPEST = 64


def _refused(constant: str) -> None:
    raise ValueError(f"{constant} is not in JSON, write null")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"{shown(digits)} is too large a number")
    return number


class _RepeatedError(ValueError):
    """The error for an object that has a key twice, because programs differ in which of the two values they use."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        name, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise _RepeatedError(f"the key {shown(name)} is given twice in an object")
    return record


_DECODER = json.JSONDecoder(parse_constant=_refused, parse_float=_finite, object_pairs_hook=_once)


def parsed(text: str, place: InputPlace) -> Any:
    """Return the value that a JSON text stands for.

    Args:
        text: the JSON.
        place: the file and the row of the text, for errors.

    Returns:
        The value: a dict, a list, a text, a number, a truth value or None.

    Raises:
        InputError: the JSON is broken or nested too deep, an object has a key twice, or a number is NaN, infinite or
            too large.
    """
    try:
        value = msgspec.json.decode(text)
        # If an object has a key twice, the value has it once, and as JSON fewer quotation marks than the text.
        doubtful = "\\u0022" in text or text.count('"') != msgspec.json.encode(value).count(b'"')
    except (ValueError, RecursionError):
        doubtful = True
    if doubtful:
        value = _strictly(text, place)
    # To count brackets is cheap, and most lines have few.
    if text.count("[") + text.count("{") > _DEEPEST and _deep(value):
        raise place.error(f"JSON nested more than {_DEEPEST} deep", "rows hold texts, and lists of texts")
    return value


def _strictly(text: str, place: InputPlace) -> Any:
    """Return the value of a JSON text. Raises InputError, which says where and why the text is not valid."""
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as bad:
        line = "" if place.row else f"line {bad.lineno}, "
        remedy = _remedy(text, bad.pos, place.row is not None)
        raise place.error(f"broken JSON at {line}column {bad.colno}: {bad.msg}", remedy) from None
    except _RepeatedError as bad:
        raise place.error(str(bad), "leave one of them, or give them names of their own") from None
    except (ValueError, RecursionError) as bad:
        raise place.error(f"broken JSON: {bad}", JSON_REMEDY) from None


def _remedy(text: str, at: int, is_line: bool) -> str:
    """Return how to correct broken JSON, because the messages of a parser do not name the commonest mistakes.

    Args:
        text: the JSON.
        at: the index of the character at which the parser stopped.
        is_line: whether the text is a line of a .jsonl file.

    Returns:
        What the error says to do.
    """
    if text[at:].strip() == ",":
        return "remove the comma after the record" + (": in .jsonl each line is one record alone" if is_line else "")
    if re.match(r",\s*[}\]]", text[len(text[:at].rstrip().removesuffix(",")) :]):
        return "remove the comma before the closing bracket"
    if is_line and at >= len(text.rstrip()):
        begins = "list" if text.lstrip().startswith("[") else "record"
        return f"the {begins} does not end on its line: a .jsonl has one whole record a line, a .json a list"
    return JSON_REMEDY


def _deep(value: object) -> bool:
    """Return whether a value is nested more than `_DEEPEST` levels deep, so that printing or saving it may fail."""
    level: list[Any] = [value]
    for _ in range(_DEEPEST):
        lists = (value.values() if isinstance(value, dict) else value for value in level)
        level = [inner for values in lists for inner in values if isinstance(inner, dict | list)]
    return bool(level)


def json_lines(lines: Iterable[str], file: str) -> Iterator[object]:
    """Yield the JSON value of each line. Blank lines are refused, except at the end of the file."""
    blank = 0
    for number, line in enumerate(lines, 1):
        if not line.strip():
            blank = blank or number
        elif blank:
            raise InputPlace(file, blank).error("the line is blank", "remove it, or write a record")
        else:
            yield parsed(line.removesuffix("\n"), InputPlace(file, number))

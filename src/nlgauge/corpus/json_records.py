"""JSON, as strict as its standard."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from nlgauge.corpus.place import JSON_REMEDY, Place


def parsed(text: str, place: Place) -> Any:
    """The value. Raises InputError where it is broken, and for NaN and infinities."""

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is not in JSON, write null")

    try:
        return json.loads(text, parse_constant=refuse)
    except json.JSONDecodeError as bad:
        line = "" if place.row else f"line {bad.lineno}, "
        raise place.error(f"broken JSON at {line}column {bad.colno}: {bad.msg}", JSON_REMEDY) from None
    except (ValueError, RecursionError) as bad:
        raise place.error(f"broken JSON: {bad}", JSON_REMEDY) from None


def json_lines(text: str, file: str) -> Iterator[object]:
    """The value of each line."""
    lines = text.split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            raise Place(file, number).error("the line is blank", "remove it, or write a record")
        yield parsed(line, Place(file, number))

"""JSON inside a text: in the cell of a table, or in a text field of a record."""

from __future__ import annotations

import ast
import json
from functools import lru_cache
from typing import Any

_LONGEST = 4_000_000
_LONGEST_PRINTED = 200_000
_PAIRS = {"{": "}", "[": "]"}


@lru_cache(maxsize=32)
def held_in(cell: str) -> Any:
    """Return the object or list that a text holds, as JSON or as Python prints it; None for other or too long texts."""
    text = cell.strip()
    if len(text) > _LONGEST or not text or _PAIRS.get(text[0]) != text[-1]:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = _printed(text)
    return value if isinstance(value, dict | list) else None


def _printed(text: str) -> Any:
    if len(text) > _LONGEST_PRINTED or ("'" not in text and '"' not in text):
        return None
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def path_inside(cell: str) -> str | None:
    """Return the path to the likeliest text inside the JSON that a cell holds; None where the cell is plain text.

    An empty object, an empty list, and a list with values other than texts and objects, such as [1], are plain text.
    """
    value = held_in(cell)
    if isinstance(value, dict) and value:
        names = [str(name) for name, inner in value.items() if isinstance(inner, str)]
        preferred = (name for name in ("answer", "output", "response", "text", "content") if name in names)
        return next(preferred, names[0] if names else str(next(iter(value))))
    if isinstance(value, list) and value and all(isinstance(inner, str | dict) for inner in value):
        inside = path_inside(json.dumps(value[-1])) if isinstance(value[-1], dict) else None
        return f"{len(value) - 1}" + (f".{inside}" if inside else "")
    return None

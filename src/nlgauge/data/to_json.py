"""Values as JSON has them: it has no NaN and no infinity, so that these are null and a word, as in a scores file."""

from __future__ import annotations

import math
from typing import Any


def plain(value: Any) -> Any:
    """A number, or what stands for one that JSON does not have; anything else as it is."""
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return None if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")


def plainly(record: object) -> dict[str, Any]:
    """The fields of an object, each `plain`."""
    return {key: plain(value) for key, value in vars(record).items()}


def jsonable(value: Any) -> Any:
    """A value of dicts, lists and numbers, all of them `plain`."""
    if isinstance(value, dict):
        return {key: jsonable(inner) for key, inner in value.items()}
    return [jsonable(inner) for inner in value] if isinstance(value, list | tuple) else plain(value)

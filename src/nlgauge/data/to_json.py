"""Values as JSON has them: it has no NaN and no infinity, so that these are null and a word, as in a scores file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from nlgauge.data.signature import Signature


def plain(value: Any) -> Any:
    """A number, or what stands for one that JSON does not have; anything else as it is."""
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return None if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")


def jsonable(value: Any) -> Any:
    """A value of records, mappings, lists and numbers, all of them `plain`; a signature is its text."""
    if value is None or isinstance(value, str | int | float):
        return plain(value)
    if isinstance(value, Signature):
        return str(value)
    if is_dataclass(value):
        return {field.name: jsonable(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {key: jsonable(inner) for key, inner in value.items()}
    return [jsonable(inner) for inner in value] if isinstance(value, list | tuple) else plain(value)

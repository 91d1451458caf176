"""Which rows of a log are trials: the same system was asked the same thing again, and the log does not say so."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any


def trials_of(asked: Sequence[object], items: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """Return the item and the trial of each row, where something was asked more than once.

    Args:
        asked: the system and what it was asked, as JSON has it, by row.
        items: the names of the rows; by default their numbers, from 1.

    Returns:
        For each row its item, named as the first row of it, and its trial, counted from 1; nothing where each row was
        asked something else.
    """
    names = [str(number) for number in range(1, len(asked) + 1)] if items is None else items
    keys = [json.dumps(each, sort_keys=True, default=str) for each in asked]
    item_of: dict[str, str] = {}
    counts: Counter[str] = Counter()
    numbered = []
    for key, name in zip(keys, names, strict=True):
        counts[key] += 1
        numbered.append({"item": item_of.setdefault(key, name), "trial": str(counts[key])})
    return numbered if len(item_of) < len(keys) else [{} for _ in keys]

"""Trials in logs that do not name them: rows in which a system got the same input again."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any


def trials_of(asked: Sequence[object], items: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """Return the item and the trial of each row, where a system got the same input more than once.

    Args:
        asked: for each row, the system and its input, as JSON values.
        items: the name of each row; by default its number, from 1.

    Returns:
        A dict for each row: "item" is the name of the first row with the same input, and "trial" counts these rows from
        1. All dicts are empty where no input repeats.
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

"""Recipes: files that hold the values of a training run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from nlgauge.errors import InputError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def flat_recipe(path: Path, *sections: str) -> dict[str, Any]:
    """What a recipe says, the values of its [data] and of these sections among the others."""
    tree = read_recipe(path)
    flat: dict[str, Any] = {"groups": {"*": 1.0}, **tree.pop("data", {})}
    for section in sections:
        flat.update(tree.pop(section, {}))
    return {**flat, **tree}


def factor(step: int, steps: int, warmup: int, decay_share: float) -> float:
    """The factor on the learning rate at a step: warm-up, constant, linear fall to zero over the last share."""
    return min(1.0, (step + 1) / warmup, (steps - step) / max(1, round(steps * decay_share)))


def read_recipe(path: Path) -> dict[str, Any]:
    """The tables of a TOML file.

    One that begins with like = "other.toml" has what that recipe beside it has; its own values take their place, in
    tables one by one. Raises InputError for a file that is none.
    """
    try:
        own = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be read: {error}", file=path, remedy="give a recipe in TOML") from None
    if (like := own.pop("like", None)) is None:
        return own
    found = read_recipe(path.parent / str(like))
    for key, value in own.items():
        both = isinstance(value, dict) and isinstance(found.get(key), dict)
        found[key] = {**found[key], **value} if both else value
    return found

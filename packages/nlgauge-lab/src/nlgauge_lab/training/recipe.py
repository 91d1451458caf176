"""Recipes: files that hold the values of a training run."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nlgauge.errors import InputError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def flat_recipe(path: Path, *sections: str) -> dict[str, Any]:
    """Return the values of a recipe in one dictionary, with lists as tuples.

    Values of the table [data] and of the tables in `sections` are in it without the name of their table.
    """
    tree = read_recipe(path)
    flat: dict[str, Any] = {"groups": {"*": 1.0}, **tree.pop("data", {})}
    for section in sections:
        flat.update(tree.pop(section, {}))
    return {name: _fixed(value) for name, value in {**flat, **tree}.items()}


def _fixed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _fixed(one) for key, one in value.items()}
    return tuple(map(_fixed, value)) if isinstance(value, list) else value


def read_recipe(path: Path) -> dict[str, Any]:
    """Return the tables of a TOML file.

    A file that begins with like = "other.toml" takes the values of that recipe in the same folder. Its own values
    replace them one by one, also within tables.

    Raises:
        InputError: the file cannot be read as TOML.
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


class _Schedule:
    """The schedule of the learning rate, given by numbers of steps in a recipe."""

    steps: int
    warmup_steps: int
    decay_share: float

    def factor(self, step: int) -> float:
        """Return the factor on the learning rate at a step.

        It is warm-up, then constant, then a linear fall to zero at the end.
        """
        falling = (self.steps - step) / max(1, round(self.steps * self.decay_share))
        return min(1.0, (step + 1) / self.warmup_steps, falling)


@dataclass(frozen=True)
class MaskedLMConfig(_Schedule):
    """The settings of a masked LM's training, as in a recipe file; ``pocket.toml`` explains each."""

    body: str
    groups: dict[str, float]
    seed: int = 0
    held_out_every: int = 250
    short: tuple[int, int] = (64, 48)
    long: tuple[int, int] = (192, 16)
    long_every: int = 4
    masked_share: float = 0.2
    sentence_weight: float = 3.0
    sentence_rows: float = 0.34
    head_rate: float = 2e-3
    body_rate: float = 7e-4
    rank: int = 0
    weight_decay: float = 0.01
    warmup_steps: int = 60
    decay_share: float = 0.3
    steps: int = 2400
    original: str = ""
    temperature: float = 1.0
    precision: str = "float32"

    @classmethod
    def read(cls, path: Path) -> MaskedLMConfig:
        """Read a recipe in TOML. Raises InputError if it cannot be read, or has an unknown or lacks a necessary key."""
        try:
            return cls(**flat_recipe(path, "batches", "loss", "optimizer"))
        except TypeError as error:
            raise InputError(str(error), file=path, remedy="compare with the recipe pocket.toml") from None


@dataclass(frozen=True)
class Stage:
    """A part of the run, with the rows that its steps read."""

    until: float
    """Share of the run's steps at which the stage ends"""
    shares: tuple[float, ...]
    """For each length of rows, the share of the steps that have it"""
    copied: float = 0.0
    """Share of the rows whose masked text is made of excerpts of the other text"""
    runs: int = 1
    """The largest number of word groups that such excerpts have"""


@dataclass(frozen=True)
class PairsConfig(_Schedule):
    """The settings of the training of weights for pairs, as in a recipe file; ``pairs.toml`` explains each."""

    body: str
    groups: dict[str, float]
    start: str = "body"
    seed: int = 0
    segmentation: str = "plain"
    held_out_every: int = 50
    longest: int = 4000
    least_overlap: float = 0.0
    words: float = 0.25
    stretch: int = 96
    sizes: tuple[tuple[int, int], ...] = ((64, 32), (128, 16), (256, 8), (512, 4))
    stages: tuple[Stage, ...] = ()
    rate: float = 4e-4
    rank: int = 0
    weight_decay: float = 0.01
    warmup_steps: int = 30
    decay_share: float = 0.8
    steps: int = 800
    epochs: int = 0
    held_rows: int = 0
    precision: str = "float32"

    @classmethod
    def read(cls, path: Path) -> PairsConfig:
        """Read a recipe in TOML. Raises InputError if it cannot be read, or has an unknown or lacks a necessary key."""
        flat = flat_recipe(path, "masking", "batches", "optimizer")
        try:
            stages = tuple(Stage(**stage) for stage in flat.pop("stage", ()))
            return cls(**flat, stages=stages)
        except TypeError as error:
            raise InputError(str(error), file=path, remedy="compare with the recipe pairs.toml") from None

    def stage(self, step: int) -> Stage:
        """Return the stage of a step. If the recipe has no stages, all lengths are equally frequent."""
        found = (stage for stage in self.stages if step < round(self.steps * stage.until))
        return next(found, self.stages[-1] if self.stages else Stage(1.0, (1.0,) * len(self.sizes)))

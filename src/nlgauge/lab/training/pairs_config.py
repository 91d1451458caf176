"""The recipe that a masked LM is adapted to pairs by."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from nlgauge.errors import InputError
from nlgauge.lab.training.recipe import factor, flat_recipe


@dataclass(frozen=True)
class Stage:
    """What the steps of a part of the run read."""

    until: float
    """Share of the run's steps at which it ends"""
    shares: tuple[float, ...]
    """The share of its steps, at each length"""
    copied: float = 0.0
    """Share of the rows whose masked side is made of excerpts of the other text itself"""
    runs: int = 1
    """From how many runs of words such excerpts are made at most"""


@dataclass(frozen=True)
class PairsConfig:
    """The values of a recipe file; see ``pairs.toml`` for what each one means."""

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
    precision: str = "float32"

    @classmethod
    def read(cls, path: Path) -> PairsConfig:
        """Read a TOML recipe. Raises InputError for a file that is none, or an unknown or missing key."""
        flat = flat_recipe(path, "masking", "batches", "optimizer")
        if "sizes" in flat:
            flat["sizes"] = tuple((int(length), int(rows)) for length, rows in flat["sizes"])
        try:
            stages = [Stage(**{**stage, "shares": tuple(stage["shares"])}) for stage in flat.pop("stage", [])]
            return cls(**flat, stages=tuple(stages))
        except (TypeError, KeyError) as error:
            raise InputError(str(error), file=path, remedy="compare with the recipe pairs.toml") from None

    def stage(self, step: int) -> Stage:
        """The stage of a step; all lengths alike where the recipe has none."""
        found = (stage for stage in self.stages if step < round(self.steps * stage.until))
        return next(found, self.stages[-1] if self.stages else Stage(1.0, (1.0,) * len(self.sizes)))

    def factor(self, step: int) -> float:
        """The factor on the learning rate at ``step``."""
        return factor(step, self.steps, self.warmup_steps, self.decay_share)

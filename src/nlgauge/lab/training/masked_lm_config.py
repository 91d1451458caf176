"""The recipe that a masked LM is trained by."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from nlgauge.errors import InputError
from nlgauge.lab.training.recipe import factor, flat_recipe


@dataclass(frozen=True)
class MaskedLMConfig:
    """The values of a recipe file; see ``pocket.toml`` for what each one means."""

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
        """Read a TOML recipe. Raises InputError for a file that is none, or an unknown or missing key."""
        flat = flat_recipe(path, "batches", "loss", "optimizer")
        flat |= {name: tuple(flat[name]) for name in ("short", "long") if name in flat}
        try:
            return cls(**flat)
        except TypeError as error:
            raise InputError(str(error), file=path, remedy="compare with the recipe pocket.toml") from None

    def rate(self, step: int) -> float:
        """The factor on both learning rates at ``step``."""
        return factor(step, self.steps, self.warmup_steps, self.decay_share)

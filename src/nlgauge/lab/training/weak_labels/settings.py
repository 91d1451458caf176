"""How weakly labelled examples are corrupted: the shares of the kinds."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from nlgauge.errors import SpecError


@dataclass(frozen=True)
class Settings:
    """Shares of the kinds of examples. What is left of 1 is corrupted as published: masked and filled.

    clean: nothing is corrupted. foreign: the context is another record's. withheld: the context lacks some of the
    sentences that the text was taken from (tasks that choose sentences). exchanged: names, numbers and phrases are
    exchanged for others of their kind, from the same context or from other records.
    verbatim: of the texts that should be paraphrased, how many are left as they are (0 as published).
    spared: how often a sentence beside other corrupted ones stays whole (0 as published).
    near: how often a span that is exchanged comes from the same context.
    added: how often a sentence to infill only gets a word put in before a noun (0 as published).
    """

    clean: float = 0.08
    foreign: float = 0.05
    withheld: float = 0.12
    exchanged: float = 0.30
    verbatim: float = 0.2
    spared: float = 0.3
    near: float = 0.35
    added: float = 0.15

    def __post_init__(self) -> None:
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        for name, value in values.items():
            if not 0 <= value <= 1:
                raise SpecError(f"{name}={value} is no share: give a number from 0 to 1")
        if self.clean + self.foreign + self.withheld + self.exchanged > 1:
            raise SpecError("clean, foreign, withheld and exchanged together are more than 1")

    def draw(self, rng: np.random.Generator) -> str:
        """How an example is corrupted."""
        shares = {name: getattr(self, name) for name in ("clean", "foreign", "withheld", "exchanged")}
        draw = rng.random()
        for name, share in shares.items():
            if draw < share:
                return name
            draw -= share
        return "infilled"


DEFAULTS = Settings()

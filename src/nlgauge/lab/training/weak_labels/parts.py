"""What does each step of a construction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nlgauge.engine.models.capabilities import Model
from nlgauge.lab.training.weak_labels.attempts import Source
from nlgauge.lab.training.weak_labels.infilling import Infiller, spellings
from nlgauge.lab.training.weak_labels.lexicon import Lexicon
from nlgauge.lab.training.weak_labels.paraphrase import Paraphraser
from nlgauge.lab.training.weak_labels.syntax import SpacyParser
from nlgauge.lab.training.weak_labels.targets import Targets

_SPELT = 400


@dataclass(frozen=True)
class Parts:
    """What does each step."""

    parser: SpacyParser
    targets: Targets
    paraphraser: Paraphraser
    infiller: Infiller

    @classmethod
    def usual(cls, sources: Sequence[Source], model: Model, seed: int, parser: SpacyParser | None = None) -> Parts:
        """The parts with a masked LM; how words are spelt is read from some hundred records drawn by the seed."""
        records = [record for source in sources for record in source.records]
        order = np.random.default_rng([seed, 3]).permutation(len(records))[:_SPELT]
        spelt = spellings(records[i].document or records[i].knowledge or records[i].text for i in order)
        parser = parser or SpacyParser()
        return cls(parser, Targets(), Paraphraser(Lexicon.read(), model), Infiller(model, spelt))

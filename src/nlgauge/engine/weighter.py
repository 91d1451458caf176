"""Learned token weights (MaskEval, section 3.3.1): a vector that weighs hidden states, and the candidate's share.

They are stored in a file NAME.safetensors with `weight` [width] and `share` [1], the log-odds of the candidate's share.
Its metadata says what they were trained on. The weights that come with a model are in its folder, under weighters/.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save

from nlgauge.engine.features.pair_states import states_digest
from nlgauge.engine.learned import LearnedKind, read_learned
from nlgauge.engine.models.capabilities import ENCODER, Model

WEIGHTERS = LearnedKind(
    what="learned token weights",
    folder="weighters",
    trained_by="weighter",
    states="states",
    words=("uniform", "candidate"),
)


@dataclass(frozen=True)
class Weighter:
    """Learned token weights, which weigh the sub-words of both texts of a pair."""

    weight: NDArray[np.float32] = field(repr=False)
    """[width]: the vector that weighs hidden states"""
    share: float
    """The candidate's share of the score, from 0 to 1"""
    states: str
    """The digest of the model weights whose hidden states the vector weighs"""
    aspect: str = ""
    digest: str = ""

    def logits(self, states: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the logit of each sub-word, before the softmax: [tokens, width] -> [tokens]."""
        logits: NDArray[np.float32] = states @ self.weight
        return logits


def write_weighter(path: Path, weighter: Weighter) -> None:
    """Write learned token weights to a file."""
    tensors = {
        "weight": weighter.weight.astype(np.float32),
        "share": np.array([np.log(weighter.share / (1 - weighter.share))], np.float32),
    }
    path.write_bytes(save(tensors, metadata={WEIGHTERS.states: weighter.states, "aspect": weighter.aspect}))


def read_weighter(name: str, model: Model) -> Weighter:
    """Return learned token weights by name, file or folder.

    Args:
        name: the name of weights that come with the model, a file, or a folder.
        model: the model that reads texts.

    Returns:
        The weights.

    Raises:
        SpecError: there are no such weights, or they are for another model.
    """
    learned = read_learned(name, model, kind=WEIGHTERS, tensors=("weight", "share"), states=states_digest(model))
    weight, share = learned.tensors["weight"], learned.tensors["share"]
    if weight.shape != (model[ENCODER].width,) or share.shape != (1,):
        raise learned.wrong(f"its shapes are {weight.shape} and {share.shape}")
    return Weighter(
        weight=weight,
        share=float(1 / (1 + np.exp(-share[0]))),
        states=learned.facts[WEIGHTERS.states],
        aspect=learned.facts.get("aspect", ""),
        digest=learned.digest,
    )

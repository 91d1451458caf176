"""Learned token weights (MaskEval, section 3.3.1): a vector that weighs hidden states, and the candidate's share.

They are stored in a file NAME.safetensors with `weight` [width] and `share` [1], the log-odds of the candidate's share.
Its metadata says what they were trained on. The weights that come with a model are in its folder, under weighters/.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from nlgauge.engine.features.pair_states import states_digest
from nlgauge.engine.models.capabilities import ENCODER, Model
from nlgauge.engine.models.stored import one_line
from nlgauge.errors import SpecError

WEIGHTERS = "weighters"
_SUFFIX = ".safetensors"


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
    path.write_bytes(save(tensors, metadata={"states": weighter.states, "aspect": weighter.aspect}))


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
    path = _find(name, model)
    try:
        with safe_open(path, "np") as file:
            weight, share = file.get_tensor("weight"), float(file.get_tensor("share")[0])
            facts = file.metadata() or {}
    except (OSError, SafetensorError, IndexError, TypeError, ValueError) as error:
        raise SpecError(f"{path} holds no learned token weights: {one_line(error)}") from None
    if not (np.isfinite(weight).all() and np.isfinite(share)):
        raise SpecError(f"{path} holds no learned token weights: it has numbers that are not finite")
    width = model[ENCODER].width
    if facts.get("states") != states_digest(model) or weight.shape != (width,):
        raise SpecError(
            f"weights {name!r} were trained on the states of another model than {model.name!r}: "
            "train some with nlgauge train weighter"
        )
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return Weighter(
        weight=weight,
        share=float(1 / (1 + np.exp(-share))),
        states=facts["states"],
        aspect=facts.get("aspect", ""),
        digest=digest,
    )


def _find(name: str, model: Model) -> Path:
    path = Path(name)
    shipped = model.folder / WEIGHTERS if model.folder is not None else None
    places = [shipped / f"{name}{_SUFFIX}"] if shipped is not None else []
    places += [path, path / f"weighter{_SUFFIX}"]
    for place in places:
        if place.is_file():
            return place
    names = sorted(path.stem for path in shipped.glob(f"*{_SUFFIX}")) if shipped is not None else []
    choices = ", ".join(map(repr, ["uniform", "candidate", *names]))
    raise SpecError(f"no weights {name!r}: give {choices}, or a file of learned token weights")

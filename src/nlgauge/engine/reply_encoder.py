"""Reply encoders: learned maps that put a reply near the turns of a dialogue that it answers.

Each text is read by itself. Its vector x joins, layer by layer, the mean state of its tokens, minus the mean over the
texts of training, brought to length 1. With the last turn x1, the turn before it x2 and the reply y, the score is the
cosine of A x1 + B x2 + a and C y + c. B x2 is left out where there is one turn alone. Two encoders whose vectors are
compared are the usual way to find a reply among many (Lowe et al. 2015, arXiv:1506.08909).

The maps are stored in a file NAME.safetensors. Those that come with a model are in its folder, under replies/.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save

from nlgauge.engine.learned import LearnedKind, read_learned
from nlgauge.engine.models.capabilities import ENCODER, Model

REPLIES = LearnedKind(what="reply encoder", folder="replies", trained_by="replies", states="model")
TURNS = 2
"""The number of turns before the reply that are read"""
_MAPS = ("last", "earlier", "reply")

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class ReplyEncoder:
    """Learned maps of turns and replies into one space."""

    layers: tuple[int, ...]
    """The layers of the model that are read"""
    center: Floats = field(repr=False)
    """The mean state of the texts of training: [layers, width]"""
    maps: Mapping[str, Floats] = field(repr=False)
    """The maps A ('last'), B ('earlier') and C ('reply'): [size, layers * width] each"""
    history_bias: Floats = field(repr=False)
    """The bias a: [size]"""
    reply_bias: Floats = field(repr=False)
    """The bias c: [size]"""
    model: str
    """The digest of the model whose states are read"""
    digest: str = ""

    def fit(self, turns: Sequence[Floats], reply: Floats) -> float:
        """Return the cosine of a reply and the turns before it, from -1 to 1.

        Args:
            turns: the mean states of the last turns, [layers, width] each, the last turn at the end.
            reply: the mean states of the reply: [layers, width].

        Returns:
            The cosine; NaN if one of the two mapped vectors is 0.
        """
        history = self.maps["last"] @ self._vector(turns[-1]) + self.history_bias
        if len(turns) > 1:
            history = history + self.maps["earlier"] @ self._vector(turns[-2])
        answer = self.maps["reply"] @ self._vector(reply) + self.reply_bias
        size = float(np.linalg.norm(history) * np.linalg.norm(answer))
        return min(1.0, max(-1.0, float(history @ answer) / size)) if size else float("nan")

    def _vector(self, states: Floats) -> NDArray[np.float64]:
        return joined(states - self.center)


def joined(states: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the vector of a text: its states, centered, at length 1 in each layer, one layer after another.

    Args:
        states: [..., layers, width].

    Returns:
        [..., layers * width]. A layer whose states are all 0 stays 0.
    """
    double = states.astype(np.float64)
    lengths = np.linalg.norm(double, axis=-1, keepdims=True)
    at_length_one = np.divide(double, lengths, out=np.zeros_like(double), where=lengths > 0)
    vectors: NDArray[np.float64] = at_length_one.reshape(*states.shape[:-2], -1)
    return vectors


def write_reply_encoder(path: Path, encoder: ReplyEncoder) -> None:
    """Write a reply encoder to a file. Its maps are rounded to float16, which halves the file."""
    tensors: dict[str, NDArray[Any]] = {
        **{name: array.astype(np.float16) for name, array in encoder.maps.items()},
        "layers": np.array(encoder.layers, np.int32),
        "center": encoder.center,
        "history_bias": encoder.history_bias,
        "reply_bias": encoder.reply_bias,
    }
    # One fact, because the library writes several in any order, and equal encoders are to be equal files.
    facts = {REPLIES.states: encoder.model}
    path.write_bytes(save({name: np.ascontiguousarray(array) for name, array in tensors.items()}, metadata=facts))


def read_reply_encoder(name: str, model: Model) -> ReplyEncoder:
    """Return a reply encoder by name, file or folder.

    Args:
        name: the name of an encoder that comes with the model, a file, or a folder.
        model: the model that reads texts.

    Returns:
        The encoder.

    Raises:
        SpecError: there is no such encoder, or it is for another model.
    """
    names = ("layers", "center", *_MAPS, "history_bias", "reply_bias")
    learned = read_learned(name, model, kind=REPLIES, tensors=names, states=model.digest)
    tensors, layers = learned.tensors, learned.tensors["layers"].size
    size, width = tensors["reply_bias"].size, model[ENCODER].width
    shapes = {"layers": (layers,), "center": (layers, width), "history_bias": (size,), "reply_bias": (size,)}
    for key, tensor in tensors.items():
        if tensor.shape != (wanted := shapes.get(key, (size, layers * width))):
            raise learned.wrong(f"{key} has the shape {tensor.shape} and not {wanted}")
    return ReplyEncoder(
        layers=tuple(tensors["layers"].tolist()),
        center=tensors["center"],
        maps={key: tensors[key].astype(np.float32) for key in _MAPS},
        history_bias=tensors["history_bias"],
        reply_bias=tensors["reply_bias"],
        model=model.digest,
        digest=learned.digest,
    )

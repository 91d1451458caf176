"""Layers with frozen weights that learn a difference of low rank (Hu et al. 2021, LoRA).

A large body learns a task with a few per cent of its weights. So the difference is small to ship, and training needs no
gradients of whole matrices.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from nlgauge.engine.models.adaptation import DOWN, UP, read_delta
from nlgauge.engine.models.folder import read_weights
from nlgauge.errors import InputError


class LowRank(nn.Module):
    """A linear layer x -> x (weight + up down)^T + bias.

    The matrices down [rank, inputs] and up [outputs, rank], and the bias, learn. At the start it computes the same as
    the layer that it is made of.
    """

    def __init__(self, layer: nn.Linear, rank: int, dtype: torch.dtype) -> None:
        super().__init__()
        self.register_buffer("weight", layer.weight.detach().to(dtype), persistent=False)
        self.bias = layer.bias
        self.down = nn.Parameter(torch.empty(rank, layer.in_features))
        self.up = nn.Parameter(torch.zeros(layer.out_features, rank))
        nn.init.kaiming_uniform_(self.down, a=math.sqrt(5))

    def forward(self, x: Tensor) -> Tensor:
        whole = nn.functional.linear(x, self.weight, self.bias)  # type: ignore[arg-type]
        return whole + nn.functional.linear(nn.functional.linear(x, self.down), self.up)


def make_low_rank(net: nn.Module, rank: int, dtype: torch.dtype = torch.float32) -> None:
    """Replace every linear layer of a network by a `LowRank`. dtype: number type of the frozen weights."""
    for part in list(net.modules()):
        for name, child in list(part.named_children()):
            if isinstance(child, nn.Linear):
                setattr(part, name, LowRank(child, rank, dtype))


def learned(
    net: nn.Module, stored: Callable[[str], str] = str
) -> tuple[dict[str, NDArray[np.float32]], dict[str, tuple[NDArray[np.float32], NDArray[np.float32]]]]:
    """Return the weights of a network that learn, in the form of `write_delta`'s arguments `tuned` and `low_rank`.

    Args:
        net: the network.
        stored: turns a name in the network into a name in a folder.

    Returns:
        The weights that are stored whole, and the pairs (down, up) of low rank. Both are by the name in a folder.
    """
    low = {name: part for name, part in net.named_modules() if isinstance(part, LowRank)}
    inside = {f"{name}.{part}" for name in low for part in ("down", "up")}
    whole = {
        stored(name): parameter.detach().cpu().numpy()
        for name, parameter in net.named_parameters()
        if parameter.requires_grad and name not in inside
    }
    pairs = {
        stored(name) + ".weight": (part.down.detach().cpu().numpy(), part.up.detach().cpu().numpy())
        for name, part in low.items()
    }
    return whole, pairs


def load_learned(
    net: nn.Module, path: Path, base: Mapping[str, NDArray[Any]], stored: Callable[[str], str] = str
) -> set[str]:
    """Load weights that `write_delta` wrote into a network, and return the stored names that the network does not have.

    Args:
        net: the network.
        path: the file.
        base: the folder's base weights.
        stored: turns a name in the network into a name in a folder.

    Raises:
        InputError: the file has another rank than the network's layers.
    """
    tensors, dense = read_weights(path), read_delta(path, base)
    places = {stored(name): parameter for name, parameter in net.named_parameters()}
    low = {stored(name) + ".weight": part for name, part in net.named_modules() if isinstance(part, LowRank)}
    with torch.no_grad():
        for name, part in low.items():
            if name + DOWN not in tensors:
                continue
            down, up = (torch.from_numpy(tensors[name + end]) for end in (DOWN, UP))
            if down.shape != part.down.shape:
                raise InputError(
                    f"holds differences of rank {len(down)}", file=path, remedy=f"give rank = {len(down)} in the recipe"
                )
            part.down.copy_(down)
            part.up.copy_(up)
        for name in dense.keys() & places.keys():
            places[name].copy_(torch.from_numpy(dense[name]))
    return set(dense) - places.keys() - low.keys()

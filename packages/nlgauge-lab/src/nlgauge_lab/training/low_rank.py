"""Layers that learn a difference of low rank to weights that stay as they are (Hu et al. 2021, LoRA).

A large body learns a task by a few per cent of its weights: the difference is small to ship, and its training spares
the products that gradients of whole matrices cost.
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
    """A linear layer: x -> x (weight + up down)^T + bias; down [rank, inputs], up [outputs, rank] and bias learn.

    Starts as the layer that it is made of.
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
    """Put a `LowRank` in place of every linear layer of a network. dtype: in which the frozen weights are kept."""
    for part in list(net.modules()):
        for name, child in list(part.named_children()):
            if isinstance(child, nn.Linear):
                setattr(part, name, LowRank(child, rank, dtype))


def learned(
    net: nn.Module, stored: Callable[[str], str] = str
) -> tuple[dict[str, NDArray[np.float32]], dict[str, tuple[NDArray[np.float32], NDArray[np.float32]]]]:
    """What learns of a network, as `write_delta` takes it: tensors, and low-rank pairs, by their names in a folder.

    stored: from a name in the network to the one in a folder.
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
    """Put what `write_delta` wrote into a network; returns the names in the folder that it has no place for.

    base: the folder's own weights. Raises InputError for differences of a rank that the network's layers do not have.
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

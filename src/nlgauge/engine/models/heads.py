"""Networks adapted from a folder's body, run by torch: its masked LM, its weights for pairs, and its aligner."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open

from nlgauge.engine.models.adaptation import read_delta
from nlgauge.engine.models.capabilities import Floats, Ints
from nlgauge.engine.models.card import ALIGNER_FACTS
from nlgauge.engine.models.folder import ADAPTED_LAYERS, WEIGHTS_FILE, digest_of, read_weights
from nlgauge.engine.models.torch_model import Net, Runtime
from nlgauge.errors import SpecError

if TYPE_CHECKING:
    from torch import Tensor

    from nlgauge.engine.models.bert import Bert, Head

Seen: TypeAlias = "list[tuple[Tensor, Tensor]]"
"""For each layer, the keys and values of a text, [1, heads, length, width of a head] each"""
Weights: TypeAlias = "Mapping[str, NDArray[np.float32]]"
_OPTIONAL = ("text", "against")
"""Heads that an aligner may lack"""


def adapted_layers(config: Mapping[str, Any]) -> int:
    """Return the number of a network's layers, from the first, that masked LM, aligner and pairs use."""
    return int(config.get(ADAPTED_LAYERS, config["num_hidden_layers"]))


def filled(runtime: Runtime, net: Net, weights: Weights) -> Net:
    """Return the network with these weights, on the runtime's device and in its precision.

    Args:
        runtime: where torch runs it.
        net: the network.
        weights: its arrays by name.

    Returns:
        The same network.

    Raises:
        ValueError: the weights do not fit.
        RuntimeError: the weights do not fit.
    """
    from nlgauge.engine.models.bert import load_weights

    load_weights(net, weights)
    net.to(runtime.device).eval()
    runtime.narrow(net)
    return net


def decoder(runtime: Runtime, body: Bert) -> Tensor:
    """Return the embedding table in the runtime's precision, as output weights. Embeddings stay in float32."""
    table = body.embeddings.word_embeddings.weight.detach()
    return table.to(runtime.torch.bfloat16) if runtime.precision == "bfloat16" else table


def masked_logits(
    runtime: Runtime, body: Bert, head: Head, table: Tensor, asked: tuple[Ints, Ints, Ints], layers: int | None = None
) -> Floats:
    """Return logits as `MaskedLM.masked_logits` does, by a head on `layers` layers. asked: ids, attend and at."""
    ids, attend, at = map(runtime.tensor, asked)
    with runtime.computing():
        last = body(ids, attend, layers=layers)[-1]
        # The head runs only at the masked positions: at all positions it would cost as much as the body.
        logits = head(last.reshape(-1, last.shape[-1])[at], table)
    return runtime.numbers(logits)


class _Adapted:
    """A network some of whose weights are replaced by those in a file.

    path: the file, in the folder with the model's own weights. name: the name of the model.
    """

    def __init__(self, runtime: Runtime, config: Mapping[str, Any], path: Path, name: str) -> None:
        self._runtime, self._config, self._path, self._name = runtime, config, path, name

    @cached_property
    def digest(self) -> str:
        return digest_of([self._path])

    def _filled(self, net: Net, parts: Mapping[str, str], optional: tuple[str, ...] = ()) -> Net:
        """Return a network with the folder's weights and their adapted versions.

        parts: prefixes of names in the files, each with the prefix that replaces it in the network. optional: prefixes
        in the network for which the files may have no weights.
        """
        base = read_weights(self._path.parent / WEIGHTS_FILE)
        of_net = net.state_dict()
        weights = {name: value for name, value in _renamed(base, parts).items() if name in of_net}
        if optional:
            weights |= {name: value.numpy() for name, value in of_net.items() if name.startswith(optional)}
        try:
            delta = {name: value for name, value in read_delta(self._path, base).items() if name not in ALIGNER_FACTS}
            return filled(self._runtime, net, {**weights, **_renamed(delta, parts)})
        except SpecError:
            raise
        except (KeyError, ValueError, RuntimeError) as error:
            reason = str(error).splitlines()[-1]
            raise SpecError(f"model {self._name!r}: adapted weights do not fit: {reason}") from None


def _renamed(weights: Weights, parts: Mapping[str, str]) -> dict[str, NDArray[np.float32]]:
    renamed: dict[str, NDArray[np.float32]] = {}
    for name, value in weights.items():
        old = next((old for old in parts if name.startswith(old)), "")
        renamed[parts.get(old, "") + name.removeprefix(old)] = value
    return renamed


class TorchMasked(_Adapted):
    """The capability `MaskedLM`, computed with weights that differ from the body's."""

    @cached_property
    def _net(self) -> Net:
        from nlgauge.engine.models.bert import MaskedBert

        return self._filled(MaskedBert(self._config, adapted_layers(self._config)), {})

    @cached_property
    def _table(self) -> Tensor:
        return decoder(self._runtime, self._net.bert)

    def masked_logits(self, ids: Ints, attend: Ints, at: Ints) -> Floats:
        net = self._net
        return masked_logits(self._runtime, net.bert, head=net.cls, table=self._table, asked=(ids, attend, at))


class TorchPairs(TorchMasked):
    """The capability `MaskedPairs`, computed by a body: each layer also attends to the other text's keys and values."""

    def other_text(self, ids: Ints) -> Seen:
        from nlgauge.engine.models.bert import attended

        bert, ones_like = self._net.bert, self._runtime.torch.ones_like
        row = self._runtime.tensor(ids)[None]
        with self._runtime.computing():
            x = bert.embeddings(row, ones_like(row), self._positions(row))
            bias = bert.relative(row.shape[1])
            offered: Seen = []
            layers = bert.encoder.layer
            for layer in layers:
                attention = layer.attention.self
                offered.append((attention.by_head(attention.key(x)), attention.by_head(attention.value(x))))
                if layer is not layers[-1]:
                    x = layer.after(attended(attention.by_head(attention.query(x)), *offered[-1], bias), x)
        return offered

    def pair_logits(self, ids: Ints, attend: Ints, at: Ints, other: Seen) -> Floats:
        net = self._net
        with self._runtime.computing():
            logits = net.cls(self._states(ids, attend, at, other), self._table)
        return self._runtime.numbers(logits.reshape(len(at), -1))

    def pair_states(self, ids: Ints, attend: Ints, other: Seen) -> Floats:
        with self._runtime.computing():
            states = self._states(ids, attend, np.arange(ids.size), other)
        return self._runtime.numbers(states)

    def _states(self, ids: Ints, attend: Ints, at: Ints, other: Seen) -> Tensor:
        """Return the last states [rows, positions per row, width] at flat positions, equally many in each row."""
        from nlgauge.engine.models.bert import attended

        runtime, bert = self._runtime, self._net.bert
        rows, length = ids.shape
        row, places = runtime.tensor(ids), runtime.tensor(at)
        x: Tensor = bert.embeddings(row, runtime.torch.zeros_like(row), self._positions(row))
        relative = self._relative(length, int(other[0][0].shape[2]))
        hidden = self._hidden(attend, int(other[0][0].shape[2]))
        layers = bert.encoder.layer
        for number, (layer, offered) in enumerate(zip(layers, other, strict=True)):
            attention = layer.attention.self
            keys, values = (
                runtime.torch.cat([theirs.expand(rows, -1, -1, -1), attention.by_head(part(x))], dim=2)
                for theirs, part in zip(offered, (attention.key, attention.value), strict=True)
            )
            asking, counted = x, relative
            if number == len(layers) - 1:
                asking = x.reshape(-1, x.shape[-1])[places].reshape(rows, -1, x.shape[-1])
                if relative is not None:
                    counted = relative[0][:, (places % length).reshape(rows, -1)].transpose(0, 1)
            bias = hidden if counted is None else counted if hidden is None else counted + hidden
            x = layer.after(attended(attention.by_head(attention.query(asking)), keys, values, bias), asking)
        return x

    def _relative(self, length: int, seen: int) -> Tensor | None:
        """Return the bias of relative positions, 0 for the other text's tokens: [1, heads, length, seen + length]."""
        relative: Tensor | None = self._net.bert.relative(length)
        return None if relative is None else self._runtime.torch.nn.functional.pad(relative, (seen, 0))

    def _hidden(self, attend: Ints, seen: int) -> Tensor | None:
        """Return the bias that hides padding, not the other text: [rows, 1, 1, seen + length]; None without padding."""
        if attend.all():
            return None
        torch = self._runtime.torch
        visible = np.concatenate([np.ones((len(attend), seen), np.bool_), attend.astype(np.bool_)], axis=1)
        hidden: Tensor = torch.where(self._runtime.tensor(visible), 0.0, torch.finfo(torch.float32).min / 2)
        return hidden[:, None, None]

    def _positions(self, row: Tensor) -> Tensor:
        positions: Tensor = self._runtime.torch.arange(row.shape[1], device=row.device)
        return positions


class TorchAligner(_Adapted):
    """The capability `Aligner`, computed by a body."""

    def align(self, ids: Ints, attend: Ints, side: Ints) -> tuple[Floats, Floats, Floats, Floats]:
        net, unknown = self._net, np.full(len(ids), np.nan, np.float32)
        with self._runtime.computing():
            outputs = net(*map(self._runtime.tensor, (ids, attend, side)))
        logits, share, text, against = map(self._runtime.numbers, outputs)
        return (
            logits,
            share,
            text if "text" in self._heads else unknown,
            against if "against" in self._heads else unknown,
        )

    @cached_property
    def _heads(self) -> set[str]:
        """The optional heads with which the aligner was trained."""
        with safe_open(self._path, "np") as weights:
            names = set(weights.keys())
        return {head for head in _OPTIONAL if f"aligner.{head}_outer.weight" in names}

    @cached_property
    def _net(self) -> Net:
        from nlgauge.engine.models.aligner_net import AlignerNet
        from nlgauge.engine.models.bert import Bert

        # Names in the file have the prefix of their part of the whole model.
        body = Bert(self._config, adapted_layers(self._config))
        return self._filled(
            AlignerNet(body), {"bert.": "body.", "aligner.": ""}, optional=tuple(f"{head}_" for head in _OPTIONAL)
        )

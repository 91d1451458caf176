"""A folder that nlgauge trained, run by torch: the model, and what was adapted from it for pairs and for alignment.

The torch-free backend answers the same in float32; here the products may be in bfloat16, and on a GPU.
"""

from __future__ import annotations

import copy
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file

from nlgauge.engine.models.adaptation import read_delta
from nlgauge.engine.models.capabilities import Floats, Ints, Model
from nlgauge.engine.models.card import ALIGNER_FILE, ALIGNER_THRESHOLD
from nlgauge.engine.models.folder import PAIRS_FILE, WEIGHTS_FILE, digest_of
from nlgauge.engine.models.torch_model import Checkpoint, Net, Runtime
from nlgauge.engine.models.transformers import TorchEncoder, masked_network
from nlgauge.errors import SpecError

if TYPE_CHECKING:
    from torch import Tensor

Seen: TypeAlias = "list[tuple[Tensor, Tensor]]"
"""Keys and values of a text at each layer, [1, heads, length, width of a head] each"""


def open_adapted(checkpoint: Checkpoint) -> Model:
    """The model of a BERT-shaped folder, as `nlgauge.training.export` writes it, with all that was adapted from it.

    Raises SpecError for what cannot be loaded, and for adapted weights that do not fit when they are first needed.
    """
    runtime, folder, name = checkpoint.runtime, Path(checkpoint.source), checkpoint.name
    net, masked_lm = masked_network(checkpoint)
    pairs, aligner = folder / PAIRS_FILE, folder / ALIGNER_FILE
    has_pairs = pairs.is_file() and masked_lm is not None
    return checkpoint.model(
        net,
        encoder=TorchEncoder(runtime, net, net.base_model),
        masked_lm=masked_lm,
        masked_pairs=TorchPairs(runtime, net, pairs, name) if has_pairs else None,
        aligner=TorchAligner(runtime, net, aligner, name) if aligner.is_file() else None,
    )


class _Adapted:
    """A copy of a network, some of whose weights a file replaces.

    path: lies beside the weights of the network. name: of the model.
    """

    def __init__(self, runtime: Runtime, net: Net, path: Path, name: str) -> None:
        self._runtime, self._base, self._path, self._name = runtime, net, path, name

    @cached_property
    def digest(self) -> str:
        return digest_of([self._path])

    def _weights(self) -> dict[str, NDArray[np.float32]]:
        return read_delta(self._path, load_file(self._path.parent / WEIGHTS_FILE))

    def _put(self, net: Net, weights: dict[str, NDArray[np.float32]]) -> Net:
        """The network, with these of its weights replaced."""
        tensors = {name: self._runtime.torch.from_numpy(value) for name, value in weights.items()}
        try:
            net.load_state_dict({**net.state_dict(), **tensors})
        except RuntimeError as error:
            reason = str(error).splitlines()[-1]
            raise SpecError(f"model {self._name!r}: adapted weights do not fit: {reason}") from None
        self._runtime.narrow(net)
        return net


class TorchPairs(_Adapted):
    """`MaskedPairs` of a BERT: each layer of a row attends to the other text's keys and values as well."""

    @cached_property
    def _net(self) -> Net:
        return self._put(copy.deepcopy(self._base), self._weights())

    def other_text(self, ids: Ints) -> Seen:
        bert = self._net.bert
        row = self._runtime.tensor(ids)[None]
        with self._runtime.computing():
            x = bert.embeddings(input_ids=row, token_type_ids=self._runtime.torch.ones_like(row))
            offered: Seen = []
            layers = bert.encoder.layer
            for layer in layers:
                attention = layer.attention.self
                offered.append((self._heads(attention.key(x)), self._heads(attention.value(x))))
                if layer is not layers[-1]:
                    x = self._after(layer, self._heads(attention.query(x)), *offered[-1], None, x)
        return offered

    def pair_logits(self, ids: Ints, attend: Ints, at: Ints, other: Seen) -> Floats:
        with self._runtime.computing():
            logits = self._net.cls(self._states(ids, attend, at, other))
        return self._runtime.numbers(logits.reshape(len(at), -1))

    def pair_states(self, ids: Ints, attend: Ints, other: Seen) -> Floats:
        with self._runtime.computing():
            states = self._states(ids, attend, np.arange(ids.size), other)
        return self._runtime.numbers(states)

    def _states(self, ids: Ints, attend: Ints, at: Ints, other: Seen) -> Tensor:
        """Last states at the flat positions `at`, as many of each row: [rows, positions of a row, width]."""
        runtime, bert = self._runtime, self._net.bert
        rows = len(ids)
        seen = int(other[0][0].shape[2])
        visible = np.concatenate([np.ones((rows, seen), np.bool_), attend.astype(np.bool_)], axis=1)
        mask = None if visible.all() else runtime.tensor(visible)[:, None, None]
        x: Tensor = bert.embeddings(input_ids=runtime.tensor(ids))
        layers = bert.encoder.layer
        for number, (layer, offered) in enumerate(zip(layers, other, strict=True)):
            attention = layer.attention.self
            keys, values = (
                runtime.torch.cat([theirs.expand(rows, -1, -1, -1), self._heads(part(x))], dim=2)
                for theirs, part in zip(offered, (attention.key, attention.value), strict=True)
            )
            asking = x
            if number == len(layers) - 1:
                asking = x.reshape(-1, x.shape[-1])[runtime.tensor(at)].reshape(rows, -1, x.shape[-1])
            x = self._after(layer, self._heads(attention.query(asking)), keys, values, mask, asking)
        return x

    def _heads(self, x: Tensor) -> Tensor:
        """[rows, length, width] -> [rows, heads, length, width of a head]."""
        return x.reshape(*x.shape[:-1], self._base.config.num_attention_heads, -1).transpose(1, 2)

    def _after(
        self, layer: Net, queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None, asking: Tensor
    ) -> Tensor:
        """A layer's output for the states `asking`, what its attention asks, finds and may see being given."""
        attention = self._runtime.torch.nn.functional.scaled_dot_product_attention
        mixed = attention(queries, keys, values, attn_mask=mask).transpose(1, 2).flatten(2)
        attended = layer.attention.output(mixed, asking)
        output: Tensor = layer.output(layer.intermediate(attended), attended)
        return output


class TorchAligner(_Adapted):
    """`Aligner` of a BERT's body."""

    def align(self, ids: Ints, attend: Ints, side: Ints) -> tuple[Floats, Floats]:
        net = self._net
        with self._runtime.computing():
            logits, share = net(*map(self._runtime.tensor, (ids, attend, side)))
        return self._runtime.numbers(logits), self._runtime.numbers(share)

    @cached_property
    def _net(self) -> Net:
        from nlgauge.engine.models.aligner_net import Aligner

        weights = self._weights()
        weights.pop(ALIGNER_THRESHOLD)
        # The network names its parts by themselves; the file says which part of the whole model each one is.
        body = {f"body.{key.removeprefix('bert.')}": weights[key] for key in weights if key.startswith("bert.")}
        heads = {key.removeprefix("aligner."): weights[key] for key in weights if not key.startswith("bert.")}
        net = self._put(Aligner(copy.deepcopy(self._base.base_model)), {**body, **heads})
        return net.to(self._runtime.device).eval()

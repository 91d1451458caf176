"""A folder of ours run by torch: the model itself, and what was adapted from it for pairs and for alignment.

The torch-free backend answers the same in float32; here the products may be in bfloat16, and on a GPU.
"""

from __future__ import annotations

import copy
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file

from nlgauge.engine.adaptation import read_delta
from nlgauge.engine.folder import (
    ALIGNER_FILE,
    ALIGNER_THRESHOLD,
    PAIRS_FILE,
    WEIGHTS_FILE,
    file_digest,
    read_aligner_threshold,
)
from nlgauge.engine.model import no_aligner, no_pairs
from nlgauge.engine.torch_model import Ints
from nlgauge.engine.transformers import TransformersModel
from nlgauge.errors import SpecError


class AdaptedModel(TransformersModel):
    """A LanguageModel on torch with weights for pairs, an aligner, or both.

    folder: BERT-shaped, as `nlgauge.training.export` writes it. Raises SpecError, when they are first needed, for
    adapted weights that do not fit the model.
    """

    def __init__(self, folder: str, name: str, precision: str = "float32") -> None:
        super().__init__(folder, name, precision)
        assert self.folder is not None
        self._own = self.folder
        self.pairs_digest = file_digest(self._own / PAIRS_FILE)
        self.aligner_digest = file_digest(self._own / ALIGNER_FILE)
        if self.aligner_digest is not None:
            self.aligner_threshold = read_aligner_threshold(self._own)

    def other_text(self, ids: Ints) -> Any:
        """Keys and values of the text at each layer, [1, heads, length, width of a head] each."""
        bert = self._pairs.bert
        row = self._tensor(ids)[None]
        with self._computing():
            x = bert.embeddings(input_ids=row, token_type_ids=self._torch.ones_like(row))
            offered: list[tuple[Any, Any]] = []
            layers = bert.encoder.layer
            for layer in layers:
                own = layer.attention.self
                offered.append((self._heads(own.key(x)), self._heads(own.value(x))))
                if layer is not layers[-1]:
                    x = self._after(layer, self._heads(own.query(x)), *offered[-1], None, x)
        return offered

    def pair_logits(self, ids: Ints, attend: Ints, at: Ints, other: Any) -> NDArray[np.float32]:
        with self._computing():
            logits = self._pairs.cls(self._states(ids, attend, at, other))
        return np.asarray(logits.reshape(len(at), -1).float().cpu().numpy())

    def pair_states(self, ids: Ints, attend: Ints, other: Any) -> NDArray[np.float32]:
        with self._computing():
            states = self._states(ids, attend, np.arange(ids.size), other)
        return np.asarray(states.float().cpu().numpy())

    def align(self, ids: Ints, attend: Ints, side: Ints) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        net = self._aligner
        with self._computing():
            logits, share = net(*map(self._tensor, (ids, attend, side)))
        return np.asarray(logits.float().cpu().numpy()), np.asarray(share.float().cpu().numpy())

    def _states(self, ids: Ints, attend: Ints, at: Ints, other: Any) -> Any:
        """Last states at the flat positions `at`, as many of each row: [rows, positions of a row, width]."""
        bert = self._pairs.bert
        rows = len(ids)
        seen = int(other[0][0].shape[2])
        visible = np.concatenate([np.ones((rows, seen), np.bool_), attend.astype(np.bool_)], axis=1)
        mask = None if visible.all() else self._tensor(visible)[:, None, None]
        x = bert.embeddings(input_ids=self._tensor(ids))
        layers = bert.encoder.layer
        for number, (layer, offered) in enumerate(zip(layers, other, strict=True)):
            own = layer.attention.self
            keys, values = (
                self._torch.cat([theirs.expand(rows, -1, -1, -1), self._heads(ours(x))], dim=2)
                for theirs, ours in zip(offered, (own.key, own.value), strict=True)
            )
            asking = x
            if number == len(layers) - 1:
                asking = x.reshape(-1, x.shape[-1])[self._tensor(at)].reshape(rows, -1, x.shape[-1])
            x = self._after(layer, self._heads(own.query(asking)), keys, values, mask, asking)
        return x

    def _heads(self, x: Any) -> Any:
        """[rows, length, width] -> [rows, heads, length, width of a head]."""
        return x.unflatten(-1, (self._net.config.num_attention_heads, -1)).transpose(1, 2)

    def _after(self, layer: Any, queries: Any, keys: Any, values: Any, mask: Any, asking: Any) -> Any:
        """A layer's output for the states `asking`, what its attention asks, finds and may see being given."""
        attention = self._torch.nn.functional.scaled_dot_product_attention
        mixed = attention(queries, keys, values, attn_mask=mask).transpose(1, 2).flatten(2)
        attended = layer.attention.output(mixed, asking)
        return layer.output(layer.intermediate(attended), attended)

    @cached_property
    def _pairs(self) -> Any:
        if self.pairs_digest is None:
            raise no_pairs(self.name)
        return self._put(copy.deepcopy(self._net), self._adapted(PAIRS_FILE))

    @cached_property
    def _aligner(self) -> Any:
        if self.aligner_digest is None:
            raise no_aligner(self.name)
        from nlgauge.engine.aligner_net import Aligner

        adapted = self._adapted(ALIGNER_FILE)
        adapted.pop(ALIGNER_THRESHOLD)
        # The network names its parts by themselves; the file says which part of the whole model each one is.
        own = {f"body.{key.removeprefix('bert.')}" if key.startswith("bert.") else key: adapted[key] for key in adapted}
        named = {key.removeprefix("aligner."): value for key, value in own.items()}
        return self._put(Aligner(copy.deepcopy(self._body)), named).to(self._device).eval()

    def _adapted(self, file: str) -> dict[str, NDArray[np.float32]]:
        return read_delta(self._own / file, load_file(self._own / WEIGHTS_FILE))

    def _put(self, net: Any, weights: dict[str, NDArray[np.float32]]) -> Any:
        """The network, with these of its weights replaced."""
        tensors = {name: self._torch.from_numpy(value) for name, value in weights.items()}
        try:
            net.load_state_dict({**net.state_dict(), **tensors})
        except RuntimeError as error:
            raise SpecError(f"model {self.name!r}: adapted weights do not fit: {str(error).splitlines()[-1]}") from None
        self._narrow(net)
        return net

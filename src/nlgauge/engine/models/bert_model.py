"""A folder that nlgauge trained, run by torch: its encoder and its masked LM, and what `adapted.py` makes of the rest.

The torch-free backend answers the same in float32; here the products may be in bfloat16, and on a GPU. The network is
ours (`bert.py`), so that transformers is not needed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.models.adapted import TorchAligner, TorchPairs, Weights, adapted_layers, decoder, filled
from nlgauge.engine.models.capabilities import Floats, Ints, Model
from nlgauge.engine.models.card import ALIGNER_FILE, read_card
from nlgauge.engine.models.device import choose_device, tokens_that_fit
from nlgauge.engine.models.folder import (
    CONFIG_FILE,
    PAIRS_FILE,
    TOKENIZER_FILE,
    WEIGHTS_FILE,
    digest_of,
    read_weights,
)
from nlgauge.engine.models.torch_model import Runtime
from nlgauge.engine.tokens import SubwordTokenizer
from nlgauge.errors import MissingExtraError, SpecError

if TYPE_CHECKING:
    from torch import Tensor

    from nlgauge.engine.models.bert import Bert, Head


def open_bert(folder: Path, name: str, precision: str = "float32", device: str | None = None) -> Model:
    """The model of a folder as `nlgauge.training.export` writes it, with all that was adapted from it.

    Raises SpecError for what cannot be loaded, and for adapted weights that do not fit when they are first needed;
    MissingExtraError without torch.
    """
    try:
        import torch
    except ImportError:
        raise MissingExtraError(f"model {name!r}", "torch") from None
    from nlgauge.engine.models.bert import Bert, Head

    runtime = Runtime(torch, choose_device(torch, device), precision)
    try:
        config = json.loads((folder / CONFIG_FILE).read_text(encoding="utf-8"))
        weights = read_weights(folder / WEIGHTS_FILE)
        body, head = Bert(config), Head(config) if any(key.startswith("cls.") for key in weights) else None
        filled(runtime, body, _below("bert.", weights))
        if head is not None:
            filled(runtime, head, _below("cls.", weights))
        tokenizer = SubwordTokenizer.read(str(folder / TOKENIZER_FILE))
    except (OSError, KeyError, TypeError, ValueError, RuntimeError) as error:
        raise SpecError(f"cannot load model {name!r}: {str(error).strip().splitlines()[-1]}") from None
    shape: Any = SimpleNamespace(**config)
    free = runtime.torch.cuda.mem_get_info(runtime.device)[0] if runtime.device.type == "cuda" else None
    window, layers = int(config["max_position_embeddings"]), adapted_layers(config)
    pairs, aligner = folder / PAIRS_FILE, folder / ALIGNER_FILE
    return Model(
        name=name,
        digest=digest_of([folder / WEIGHTS_FILE]),
        backend=runtime.name,
        precision=precision,
        tokenizer=tokenizer,
        window=window,
        card=read_card(folder),
        folder=folder,
        batch_tokens=None if free is None else tokens_that_fit(free, shape, window),
        encoder=TorchBert(runtime, body),
        masked_lm=TorchHead(runtime, body, head, layers) if head is not None else None,
        masked_pairs=TorchPairs(runtime, config, pairs, name) if pairs.is_file() else None,
        aligner=TorchAligner(runtime, config, aligner, name) if aligner.is_file() else None,
    )


def _below(prefix: str, weights: Weights) -> dict[str, NDArray[np.float32]]:
    """The tensors of a part, by their names within it."""
    return {name.removeprefix(prefix): value for name, value in weights.items() if name.startswith(prefix)}


class TorchBert:
    """`Encoder` of a body."""

    def __init__(self, runtime: Runtime, body: Bert) -> None:
        self.layers, self.width = len(body.encoder.layer), body.width
        self._runtime, self._body = runtime, body

    def hidden(self, ids: Ints, attend: Ints, layers: Sequence[int]) -> Floats:
        with self._runtime.computing():
            states = self._body(*map(self._runtime.tensor, (ids, attend)), layers=max(layers))
            stacked = self._runtime.torch.stack([states[layer].float() for layer in layers])
        return self._runtime.numbers(stacked)

    def static(self, ids: NDArray[np.int32]) -> Floats:
        table = self._body.embeddings.word_embeddings.weight
        return self._runtime.numbers(table[self._runtime.tensor(ids.astype(np.int64))].detach())


class TorchHead:
    """`MaskedLM` of a body with such a head.

    layers: how many of the body's the head stands on.
    """

    def __init__(self, runtime: Runtime, body: Bert, head: Head, layers: int) -> None:
        self._runtime, self._body, self._head, self._layers = runtime, body, head, layers

    def masked_logits(self, ids: Ints, attend: Ints, at: Ints) -> Floats:
        runtime = self._runtime
        with runtime.computing():
            last = self._body(*map(runtime.tensor, (ids, attend)), layers=self._layers)[-1]
            # The head at the masked positions only: it would cost as much as the body at all of them.
            logits = self._head(last.reshape(-1, last.shape[-1])[runtime.tensor(at)], self._table)
        return runtime.numbers(logits)

    @cached_property
    def _table(self) -> Tensor:
        return decoder(self._runtime, self._body)

"""A model folder that nlgauge trained, run by torch: its encoder and masked LM. Other parts are in `heads.py`.

The backend without torch gives the same numbers in float32. The torch backend also computes in bfloat16 and on a GPU.
The network is that of `bert.py`, so transformers is not needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.models.capabilities import (
    ALIGNER,
    ENCODER,
    MASKED_LM,
    MASKED_PAIRS,
    TOKENIZER,
    Floats,
    Ints,
    Model,
)
from nlgauge.engine.models.card import ALIGNER_FILE, read_card
from nlgauge.engine.models.device import choose_device, tokens_that_fit
from nlgauge.engine.models.folder import (
    MASKED_FILE,
    PAIRS_FILE,
    TOKENIZER_FILE,
    WEIGHTS_FILE,
    files_digest,
    model_digest,
    read_config,
    read_weights,
)
from nlgauge.engine.models.heads import (
    TorchAligner,
    TorchMasked,
    TorchPairs,
    Weights,
    adapted_layers,
    decoder,
    filled,
    masked_logits,
)
from nlgauge.engine.models.torch_model import Runtime
from nlgauge.engine.tokens import SubwordTokenizer
from nlgauge.errors import MissingExtraError, SpecError

if TYPE_CHECKING:
    from torch import Tensor

    from nlgauge.engine.models.bert import Bert, Head


def open_bert(folder: Path, name: str, precision: str = "float32", device: str | None = None) -> Model:
    """Return the model of a folder that `nlgauge_lab.training.export` wrote, with all adapted weights.

    Args:
        folder: the folder.
        name: the name of the model in signatures.
        precision: 'float32' or 'bfloat16'.
        device: 'cpu', 'cuda', 'cuda:1' or 'mps'; by default a GPU if there is one.

    Returns:
        The model. Adapted weights that do not fit raise SpecError when they are first needed.

    Raises:
        SpecError: the folder cannot be loaded.
        MissingExtraError: torch is not installed.
    """
    try:
        import torch
    except ImportError:
        wish = f" on device {device!r}" if device else f" in {precision}" if precision != "float32" else ""
        raise MissingExtraError(f"model {name!r}{wish}", "torch") from None
    from nlgauge.engine.models.bert import Bert, Head

    runtime = Runtime(torch, choose_device(torch, device), precision)
    try:
        config = read_config(folder)
        weights = read_weights(folder / WEIGHTS_FILE)
        body = filled(runtime, Bert(config), _below("bert.", weights))
        own_head = filled(runtime, Head(config), head) if (head := _below("cls.", weights)) else None
        tokenizer = SubwordTokenizer.read(str(folder / TOKENIZER_FILE)).fit(config["vocab_size"])
    except SpecError as error:
        raise SpecError(f"cannot load model {name!r}: {error}") from None
    except (ValueError, RuntimeError) as error:
        raise SpecError(f"cannot load model {name!r}: {str(error).strip().splitlines()[-1]}") from None
    shape: Any = SimpleNamespace(**config)
    free = runtime.torch.cuda.mem_get_info(runtime.device)[0] if runtime.device.type == "cuda" else None
    window: int = config["max_position_embeddings"]
    masked, pairs, aligner = (folder / file for file in (MASKED_FILE, PAIRS_FILE, ALIGNER_FILE))
    masked_lm: TorchMasked | TorchHead | None = None
    if masked.is_file():
        masked_lm = TorchMasked(runtime, config, masked, name)
    elif own_head is not None:
        masked_lm = TorchHead(runtime, body, own_head, adapted_layers(config))
    return Model(
        name=name,
        digest=model_digest(folder),
        files=files_digest(folder),
        backend=runtime.name,
        precision=precision,
        window=window,
        card=read_card(folder, precision),
        folder=folder,
        batch_tokens=None if free is None else tokens_that_fit(free, shape, window),
        apart=runtime.apart,
        abilities={
            TOKENIZER: tokenizer,
            ENCODER: TorchBert(runtime, body),
            MASKED_LM: masked_lm,
            MASKED_PAIRS: TorchPairs(runtime, config, pairs, name) if pairs.is_file() else None,
            ALIGNER: TorchAligner(runtime, config, aligner, name) if aligner.is_file() else None,
        },
    )


def _below(prefix: str, weights: Weights) -> dict[str, NDArray[np.float32]]:
    """Return the tensors whose names begin with a prefix, by their names without the prefix."""
    return {name.removeprefix(prefix): value for name, value in weights.items() if name.startswith(prefix)}


class TorchBert:
    """The capability `Encoder`, computed by a body."""

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
    """The capability `MaskedLM`, computed by a body with a masked-LM head.

    Args:
        runtime: runs the network in torch.
        body: the encoder.
        head: computes logits from hidden states.
        layers: the number of layers of the body that the head uses.
    """

    def __init__(self, runtime: Runtime, body: Bert, head: Head, layers: int) -> None:
        self._runtime, self._body, self._head, self._layers = runtime, body, head, layers

    def masked_logits(self, ids: Ints, attend: Ints, at: Ints) -> Floats:
        return masked_logits(
            self._runtime,
            self._body,
            head=self._head,
            table=self._table,
            asked=(ids, attend, at),
            layers=self._layers,
        )

    @cached_property
    def _table(self) -> Tensor:
        return decoder(self._runtime, self._body)

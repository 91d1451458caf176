"""Hugging Face encoders, masked LMs and causal LMs with a fast tokenizer, run by torch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.models.capabilities import CAUSAL_LM, ENCODER, MASKED_LM, TOKENIZER, Capability, Floats, Ints, Model
from nlgauge.engine.models.detector import with_detector
from nlgauge.engine.models.torch_model import Checkpoint, Net, Runtime
from nlgauge.errors import SpecError


def open_stack(checkpoint: Checkpoint) -> Model:
    """A checkpoint's model: an encoder, with a masked-LM head if the weights have one, or with a causal head.

    A network that could be both (BERT) is a masked LM. Raises SpecError for a checkpoint that cannot be loaded.
    """
    runtime, masked_lm, causal_lm = checkpoint.runtime, None, None
    if checkpoint.is_kind("MODEL_FOR_MASKED_LM_MAPPING"):
        net, masked_lm = masked_network(checkpoint)
    elif checkpoint.is_kind("MODEL_FOR_CAUSAL_LM_MAPPING"):
        net = checkpoint.network("AutoModelForCausalLM")
        causal_lm = TorchCausalLM(runtime, net, _first_token(checkpoint))
    else:
        net = checkpoint.network("AutoModel")
    encoder = TorchEncoder(runtime, net, net.base_model)
    parts: dict[Capability[Any], object] = {TOKENIZER: checkpoint.tokenizer, ENCODER: encoder}
    model = checkpoint.model(net, {**parts, MASKED_LM: masked_lm, CAUSAL_LM: causal_lm})
    return with_detector(model, checkpoint, net)


def masked_network(checkpoint: Checkpoint) -> tuple[Net, TorchMaskedLM | None]:
    """The network of a masked language model, without its head if the checkpoint has no weights for it."""
    net = checkpoint.network_with_head("AutoModelForMaskedLM")
    if net is None:
        return checkpoint.network("AutoModel"), None
    return net, TorchMaskedLM(checkpoint.runtime, net)


class TorchEncoder:
    """`Encoder` of a network.

    body: the part that gives hidden states.
    """

    def __init__(self, runtime: Runtime, net: Net, body: Net) -> None:
        self.layers, self.width = int(net.config.num_hidden_layers), int(net.config.hidden_size)
        self._runtime, self._net, self._body = runtime, net, body

    def hidden(self, ids: Ints, attend: Ints, layers: Sequence[int], types: Ints | None = None) -> Floats:
        with self._runtime.computing():
            out = self._body(**self._runtime.inputs(ids, attend, types), output_hidden_states=True)
        return self._runtime.numbers(self._runtime.torch.stack([out.hidden_states[layer] for layer in layers]))

    def static(self, ids: NDArray[np.int32]) -> Floats:
        table = self._net.get_input_embeddings().weight
        return self._runtime.numbers(table[self._runtime.tensor(ids.astype(np.int64))].detach())


class TorchMaskedLM:
    """`MaskedLM` of a network with a masked-LM head."""

    def __init__(self, runtime: Runtime, net: Net) -> None:
        self._runtime, self._net = runtime, net

    def masked_logits(self, ids: Ints, attend: Ints, at: Ints, types: Ints | None = None) -> Floats:
        places = self._runtime.tensor(at)

        def keep_masked(module: object, arguments: object, output: Any) -> Any:
            """Give the head only the masked positions: at all positions it would cost as much as the body."""
            states = output.last_hidden_state
            output.last_hidden_state = states.reshape(1, -1, states.shape[-1])[:, places]
            return output

        hook = self._net.base_model.register_forward_hook(keep_masked)
        try:
            with self._runtime.computing():
                logits = self._net(**self._runtime.inputs(ids, attend, types)).logits
        finally:
            hook.remove()
        return self._runtime.numbers(logits[0])


class TorchCausalLM:
    """`CausalLM` of a network.

    first: a token put before each text, so that the text's first token has a probability too.
    """

    def __init__(self, runtime: Runtime, net: Net, first: int) -> None:
        self._runtime, self._net, self._first = runtime, net, first

    def causal_logs(self, ids: Ints) -> NDArray[np.float64]:
        begun = np.insert(ids[:, :-1], 0, self._first, axis=1)
        inputs = self._runtime.inputs(begun, np.ones_like(begun))  # padding comes after the text, so it changes nothing
        with self._runtime.computing():
            logs = self._runtime.true_logs(self._net(**inputs).logits, self._runtime.tensor(ids))
        return np.asarray(logs.cpu().numpy())


def _first_token(checkpoint: Checkpoint) -> int:
    config = checkpoint.config
    known = [*checkpoint.tokenizer.prefix, config.bos_token_id, config.eos_token_id]
    first = next((token for token in known if isinstance(token, int)), None)
    if first is None:
        raise SpecError(f"model {checkpoint.name!r} has no token for the beginning of a text")
    return first

"""Hugging Face encoders, masked, causal and encoder-decoder LMs with a fast tokenizer, run by torch.

An encoder-decoder model generates one text from another. Models with T5's sentinels also fill gaps: the sentinel
<extra_id_0> stands for a gap of any length, and the model generates its content, up to <extra_id_1>.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.models.capabilities import (
    CAUSAL_LM,
    ENCODER,
    GAP_FILLER,
    MASKED_LM,
    SEQ2SEQ_LM,
    TOKENIZER,
    Capability,
    Floats,
    Ints,
    Model,
)
from nlgauge.engine.models.detector import with_detector
from nlgauge.engine.models.torch_model import Checkpoint, Net, Runtime
from nlgauge.errors import SpecError

if TYPE_CHECKING:
    from torch import Tensor
    from transformers.modeling_outputs import BaseModelOutput


def open_stack(checkpoint: Checkpoint) -> Model:
    """Return a checkpoint's model: an encoder, with a masked-LM head if the weights have one, or with a causal head.

    A network that could be both (BERT) is a masked LM.

    Args:
        checkpoint: the checkpoint.

    Returns:
        The model.

    Raises:
        SpecError: the checkpoint cannot be loaded.
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
    """Return the network of a masked language model, without its head if the checkpoint has no weights for it."""
    net = checkpoint.network_with_head("AutoModelForMaskedLM")
    if net is None:
        return checkpoint.network("AutoModel"), None
    return net, TorchMaskedLM(checkpoint.runtime, net)


class TorchEncoder:
    """The capability `Encoder`, computed by a network.

    Args:
        runtime: runs the network in torch.
        net: the network.
        body: the part of the network that gives hidden states.
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
    """The capability `MaskedLM`, computed by a network with a masked-LM head."""

    def __init__(self, runtime: Runtime, net: Net) -> None:
        self._runtime, self._net = runtime, net

    def masked_logits(self, ids: Ints, attend: Ints, at: Ints, types: Ints | None = None) -> Floats:
        places = self._runtime.tensor(at)

        def keep_masked(module: object, arguments: object, output: Any) -> Any:
            """Return only the masked positions to the head, which would cost as much as the body at all positions."""
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
    """The capability `CausalLM`, computed by a network.

    Args:
        runtime: runs the network in torch.
        net: the network.
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
    candidates = [*checkpoint.tokenizer.prefix, config.bos_token_id, config.eos_token_id]
    first = next((token for token in candidates if isinstance(token, int)), None)
    if first is None:
        raise SpecError(f"model {checkpoint.name!r} has no token for the beginning of a text")
    return first


_SENTINELS = ("<extra_id_0>", "<extra_id_1>")
_SPARE = 2


def open_seq2seq(checkpoint: Checkpoint) -> Model:
    """Return a checkpoint's model: its encoder gives hidden states, and its decoder generates text.

    Args:
        checkpoint: the checkpoint.

    Returns:
        The model.

    Raises:
        SpecError: the checkpoint cannot be loaded.
    """
    runtime, net = checkpoint.runtime, checkpoint.network("AutoModelForSeq2SeqLM")
    gap, after = (checkpoint.tokenizer.token_id(token) for token in _SENTINELS)
    parts: dict[Capability[Any], object] = {
        TOKENIZER: checkpoint.tokenizer,
        ENCODER: TorchEncoder(runtime, net, net.get_encoder()),
        SEQ2SEQ_LM: TorchSeq2SeqLM(runtime, net),
        GAP_FILLER: None if gap is None or after is None else TorchGapFiller(runtime, net, (gap, after)),
    }
    return with_detector(checkpoint.model(net, parts), checkpoint, net)


class _Decoder:
    """The decoder of a network, which reads the output of the encoder."""

    def __init__(self, runtime: Runtime, net: Net) -> None:
        self._runtime, self._net = runtime, net
        self._start = int(net.config.decoder_start_token_id)

    def _logs(self, encoded: BaseModelOutput, attention: Tensor, targets: Tensor) -> Tensor:
        """Return the log-probability of each target given the targets before it: [rows, length]."""
        begin = targets.new_full((len(targets), 1), self._start)
        decoder_ids = self._runtime.torch.cat([begin, targets[:, :-1]], 1)
        return self._runtime.true_logs(self._decoded(encoded, attention, decoder_ids), targets)

    def _decoded(self, encoded: BaseModelOutput, attention: Tensor, decoder_ids: Tensor) -> Tensor:
        logits: Tensor = self._net(
            encoder_outputs=encoded, attention_mask=attention, decoder_input_ids=decoder_ids, use_cache=False
        ).logits
        return logits


class TorchSeq2SeqLM(_Decoder):
    """The capability `Seq2SeqLM`, computed by a network."""

    def seq2seq_logs(self, ids: Ints, given: Ints, attend: Ints) -> NDArray[np.float64]:
        inputs = self._runtime.inputs(given, attend)
        with self._runtime.computing():
            encoded = self._net.get_encoder()(**inputs)
            logs = self._logs(encoded, inputs["attention_mask"], self._runtime.tensor(ids))
        return np.asarray(logs.cpu().numpy())


class TorchGapFiller(_Decoder):
    """The capability `GapFiller`, computed by a network."""

    def __init__(self, runtime: Runtime, net: Net, sentinels: tuple[int, int]) -> None:
        super().__init__(runtime, net)
        self.sentinels = sentinels
        self._end = net.config.eos_token_id

    def fill(
        self, ids: Ints, attend: Ints, truths: Sequence[Sequence[int]]
    ) -> tuple[NDArray[np.float64], list[list[int]]]:
        gap, after = self.sentinels
        wanted = [[gap, *truth, after] for truth in truths]
        longest = max(map(len, wanted))
        padded = [row + [0] * (longest - len(row)) for row in wanted]
        targets = self._runtime.torch.tensor(padded, device=self._runtime.device)
        inputs = self._runtime.inputs(ids, attend)
        with self._runtime.computing():
            encoded = self._net.get_encoder()(**inputs)
            logs = self._logs(encoded, inputs["attention_mask"], targets).cpu().numpy()
            written = self._written(encoded, inputs["attention_mask"], longest - 2 + _SPARE)
        # The first sentinel does not count as part of the word; the one that ends it does.
        return np.array([row[1 : len(tokens)].sum() for row, tokens in zip(logs, wanted, strict=True)]), written

    def _written(self, encoded: BaseModelOutput, attention: Tensor, steps: int) -> list[list[int]]:
        """Return the greedily generated content of each row's gap, up to a sentinel, the end or `steps` tokens."""
        gap, after = self.sentinels
        torch, device, rows = self._runtime.torch, self._runtime.device, attention.shape[0]
        decoder_ids = torch.tensor([[self._start, gap]] * rows, device=device)
        open_rows = torch.ones(rows, dtype=torch.bool, device=device)
        written: list[list[int]] = [[] for _ in range(rows)]
        for _ in range(steps):
            tokens = self._decoded(encoded, attention, decoder_ids)[:, -1].argmax(-1)
            open_rows &= (tokens != after) & (tokens != (after if self._end is None else self._end))
            if not bool(open_rows.any()):
                break
            for row in torch.nonzero(open_rows)[:, 0].tolist():
                written[row].append(int(tokens[row]))
            decoder_ids = torch.cat([decoder_ids, tokens[:, None]], dim=1)
        return written

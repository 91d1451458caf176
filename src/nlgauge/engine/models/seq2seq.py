"""Encoder-decoder models, run by torch: any Hugging Face checkpoint with a fast tokenizer.

They generate one text from another. Models with T5's sentinels also fill gaps: the sentinel <extra_id_0> stands for a
gap of any length, and the model generates its content, up to <extra_id_1>.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.models.capabilities import ENCODER, GAP_FILLER, SEQ2SEQ_LM, TOKENIZER, Capability, Ints, Model
from nlgauge.engine.models.detector import with_detector
from nlgauge.engine.models.torch_model import Checkpoint, Net, Runtime
from nlgauge.engine.models.transformers import TorchEncoder

if TYPE_CHECKING:
    from torch import Tensor
    from transformers.modeling_outputs import BaseModelOutput

_SENTINELS = ("<extra_id_0>", "<extra_id_1>")
_SPARE = 2


def open_seq2seq(checkpoint: Checkpoint) -> Model:
    """A checkpoint's model: its encoder gives hidden states, and its decoder generates text.

    Raises SpecError for what cannot be loaded.
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
    """A decoder, given the output of its encoder."""

    def __init__(self, runtime: Runtime, net: Net) -> None:
        self._runtime, self._net = runtime, net
        self._start = int(net.config.decoder_start_token_id)

    def _logs(self, encoded: BaseModelOutput, attention: Tensor, targets: Tensor) -> Tensor:
        """Log-probability of each target given the targets before it: [rows, length]."""
        begin = targets.new_full((len(targets), 1), self._start)
        given = self._runtime.torch.cat([begin, targets[:, :-1]], 1)
        return self._runtime.true_logs(self._decoded(encoded, attention, given), targets)

    def _decoded(self, encoded: BaseModelOutput, attention: Tensor, given: Tensor) -> Tensor:
        logits: Tensor = self._net(
            encoder_outputs=encoded, attention_mask=attention, decoder_input_ids=given, use_cache=False
        ).logits
        return logits


class TorchSeq2SeqLM(_Decoder):
    """`Seq2SeqLM` of a network."""

    def seq2seq_logs(self, ids: Ints, given: Ints, attend: Ints) -> NDArray[np.float64]:
        inputs = self._runtime.inputs(given, attend)
        with self._runtime.computing():
            encoded = self._net.get_encoder()(**inputs)
            logs = self._logs(encoded, inputs["attention_mask"], self._runtime.tensor(ids))
        return np.asarray(logs.cpu().numpy())


class TorchGapFiller(_Decoder):
    """`GapFiller` of a network."""

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
        """The greedily generated content of each row's gap, up to the next sentinel, the end or `steps` tokens."""
        gap, after = self.sentinels
        torch, device, rows = self._runtime.torch, self._runtime.device, attention.shape[0]
        given = torch.tensor([[self._start, gap]] * rows, device=device)
        open_rows = torch.ones(rows, dtype=torch.bool, device=device)
        written: list[list[int]] = [[] for _ in range(rows)]
        for _ in range(steps):
            tokens = self._decoded(encoded, attention, given)[:, -1].argmax(-1)
            open_rows &= (tokens != after) & (tokens != (after if self._end is None else self._end))
            if not bool(open_rows.any()):
                break
            for row in torch.nonzero(open_rows)[:, 0].tolist():
                written[row].append(int(tokens[row]))
            given = torch.cat([given, tokens[:, None]], dim=1)
        return written

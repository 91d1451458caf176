"""Models with an encoder and a decoder, run by torch: any Hugging Face checkpoint with a fast tokenizer.

They write one text from another. Those with T5's sentinels also fill gaps: a gap of any length is one sentinel,
<extra_id_0>, and the model writes what stood there, up to <extra_id_1>.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.model import no_gaps, no_writing
from nlgauge.engine.torch_model import Given, Ints, TorchModel

_SENTINELS = ("<extra_id_0>", "<extra_id_1>")
_SPARE = 2


class Seq2SeqModel(TorchModel):
    """A LanguageModel on torch whose encoder gives hidden states and whose decoder writes; it predicts no masks.

    source: a folder or a Hugging Face name.
    """

    writes: str | None = "from another text"

    def __init__(self, source: str, name: str, precision: str = "float32") -> None:
        super().__init__(source, name, precision)
        gap, after = (self.tokenizer.token_id(token) for token in _SENTINELS)
        if gap is not None and after is not None:
            self.sentinels = (gap, after)
        self._start = int(self._net.config.decoder_start_token_id)
        self._end = self._net.config.eos_token_id

    def _load(self, source: str, config: Any) -> Any:
        import transformers

        return transformers.AutoModelForSeq2SeqLM.from_pretrained(source, **self._safely)

    def hidden(self, ids: Ints, attend: Ints, layers: Sequence[int]) -> NDArray[np.float32]:
        with self._computing():
            out = self._net.get_encoder()(**self._inputs(ids, attend), output_hidden_states=True)
        states = self._torch.stack([out.hidden_states[layer] for layer in layers])
        return np.asarray(states.float().cpu().numpy())

    def written_logs(self, ids: Ints, given: Given | None) -> NDArray[np.float64]:
        if given is None:
            raise no_writing(self.name)
        inputs = self._inputs(*given)
        with self._computing():
            encoded = self._net.get_encoder()(**inputs)
            logs = self._logs(encoded, inputs["attention_mask"], self._tensor(ids))
        return np.asarray(logs.cpu().numpy())

    def fill(
        self, ids: Ints, attend: Ints, truths: Sequence[Sequence[int]]
    ) -> tuple[NDArray[np.float64], list[list[int]]]:
        if self.sentinels is None:
            raise no_gaps(self.name)
        gap, after = self.sentinels
        wanted = [[gap, *truth, after] for truth in truths]
        longest = max(map(len, wanted))
        targets = self._torch.tensor([row + [0] * (longest - len(row)) for row in wanted], device=self._device)
        inputs = self._inputs(ids, attend)
        with self._computing():
            encoded = self._net.get_encoder()(**inputs)
            logs = self._logs(encoded, inputs["attention_mask"], targets).cpu().numpy()
            said = self._written(encoded, inputs["attention_mask"], longest - 2 + _SPARE)
        # The sentinel before the gap is no part of the word; the one that ends it is.
        return np.array([row[1 : len(own)].sum() for row, own in zip(logs, wanted, strict=True)]), said

    def _logs(self, encoded: Any, attention: Any, targets: Any) -> Any:
        """Log-probability of each target, the targets before it being given: [rows, length]."""
        begin = targets.new_full((len(targets), 1), self._start)
        return self._true_logs(self._decoded(encoded, attention, self._torch.cat([begin, targets[:, :-1]], 1)), targets)

    def _written(self, encoded: Any, attention: Any, steps: int) -> list[list[int]]:
        """What is written in each row's gap, greedily, until the next sentinel or the end; a few tokens at most."""
        assert self.sentinels is not None
        gap, after = self.sentinels
        torch, rows = self._torch, attention.shape[0]
        given = torch.tensor([[self._start, gap]] * rows, device=self._device)
        open_rows = torch.ones(rows, dtype=torch.bool, device=self._device)
        said: list[list[int]] = [[] for _ in range(rows)]
        for _ in range(steps):
            tokens = self._decoded(encoded, attention, given)[:, -1].argmax(-1)
            open_rows &= (tokens != after) & (tokens != (after if self._end is None else self._end))
            if not bool(open_rows.any()):
                break
            for row in torch.nonzero(open_rows)[:, 0].tolist():
                said[row].append(int(tokens[row]))
            given = torch.cat([given, tokens[:, None]], dim=1)
        return said

    def _decoded(self, encoded: Any, attention: Any, given: Any) -> Any:
        return self._net(
            encoder_outputs=encoded, attention_mask=attention, decoder_input_ids=given, use_cache=False
        ).logits

"""Models of one stack run by torch: any Hugging Face encoder, masked LM or causal LM with a fast tokenizer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.model import no_head, no_writing
from nlgauge.engine.torch_model import Given, Ints, TorchModel
from nlgauge.errors import SpecError


class TransformersModel(TorchModel):
    """A LanguageModel on torch.

    source: a folder or a Hugging Face name.
    """

    def __init__(self, source: str, name: str, precision: str = "float32") -> None:
        self._has_head = False
        super().__init__(source, name, precision)
        self._body = self._net.base_model
        self._start = self._first_token() if self.writes else None

    def _load(self, source: str, config: Any) -> Any:
        """With its masked-LM head where the weights hold one, or its causal one where it reads from left to right."""
        import transformers

        masks = type(config) in transformers.MODEL_FOR_MASKED_LM_MAPPING
        if not masks and type(config) in transformers.MODEL_FOR_CAUSAL_LM_MAPPING:
            self.writes = "alone"
            return transformers.AutoModelForCausalLM.from_pretrained(source, **self._safely)
        try:
            net, report = transformers.AutoModelForMaskedLM.from_pretrained(
                source, output_loading_info=True, **self._safely
            )
            body = net.base_model_prefix + "."
            if all(key.startswith(body) for key in report["missing_keys"]):
                self._has_head = True
                return net
        except ValueError as error:
            if "AutoModelForMaskedLM" not in str(error):
                raise
        return transformers.AutoModel.from_pretrained(source, **self._safely)

    def _first_token(self) -> int:
        """What stands before the first token of a text, so that it too has a probability."""
        config = self._net.config
        known = [*self.tokenizer.prefix, config.bos_token_id, config.eos_token_id]
        first = next((token for token in known if isinstance(token, int)), None)
        if first is None:
            raise SpecError(f"model {self.name!r} names no token with which a text begins")
        return first

    def hidden(self, ids: Ints, attend: Ints, layers: Sequence[int]) -> NDArray[np.float32]:
        with self._computing():
            out = self._body(**self._inputs(ids, attend), output_hidden_states=True)
        states = self._torch.stack([out.hidden_states[layer] for layer in layers])
        return np.asarray(states.float().cpu().numpy())

    def masked_logits(self, ids: Ints, attend: Ints, at: Ints) -> NDArray[np.float32]:
        if not self._has_head:
            raise no_head(self.name)
        places = self._tensor(at)

        def keep_masked(module: Any, arguments: Any, output: Any) -> Any:
            """Hand the head the masked positions only: it would cost as much as the body at all of them."""
            states = output.last_hidden_state
            output.last_hidden_state = states.reshape(1, -1, states.shape[-1])[:, places]
            return output

        hook = self._body.register_forward_hook(keep_masked)
        try:
            with self._computing():
                logits = self._net(**self._inputs(ids, attend)).logits
        finally:
            hook.remove()
        return np.asarray(logits[0].float().cpu().numpy())

    def written_logs(self, ids: Ints, given: Given | None) -> NDArray[np.float64]:
        if self._start is None or given is not None:
            raise no_writing(self.name)
        begun = np.insert(ids[:, :-1], 0, self._start, axis=1)
        inputs = self._inputs(begun, np.ones_like(begun))  # what pads a row stands after it, where nobody looks
        with self._computing():
            logs = self._true_logs(self._net(**inputs).logits, self._tensor(ids))
        return np.asarray(logs.cpu().numpy())

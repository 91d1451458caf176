"""Models run by torch: any Hugging Face encoder or masked LM with a fast tokenizer.

The only file that knows torch and transformers, whose interfaces change from year to year.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.folder import (
    DocumentFrequencies,
    read_bertscore_baseline,
    read_document_frequencies,
    recommended_temperature,
)
from nlgauge.engine.model import no_gaps, no_pairs
from nlgauge.engine.seq2seq import Seq2SeqModel
from nlgauge.engine.tokens import SubwordTokenizer
from nlgauge.errors import MissingExtraError, SpecError


class TransformersModel:
    """A LanguageModel on torch; on the GPU where there is one.

    source: a folder or a Hugging Face name. Only safetensors weights are read, and no code that comes with them is run.
    """

    def __init__(self, source: str, name: str, precision: str = "float32") -> None:
        try:
            import torch
            import transformers
        except ImportError:
            raise MissingExtraError(f"model {name!r}", "torch") from None
        self.name, self.precision = name, precision
        self.backend = f"torch-{torch.__version__}"
        self._torch = torch
        quiet: Any = transformers.logging
        quiet.set_verbosity_error()
        quiet.disable_progress_bar()
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(source)
            config = transformers.AutoConfig.from_pretrained(source)
            self._net, self._has_head = _load(transformers, torch, source)
        except (OSError, ValueError) as error:
            reason = str(error).strip().splitlines()[0]
            raise SpecError(f"cannot load model {name!r}: {reason}") from None
        if not getattr(tokenizer, "is_fast", False):
            raise SpecError(f"model {name!r} has no fast tokenizer; convert it to a tokenizer.json")
        self.tokenizer = SubwordTokenizer(tokenizer.backend_tokenizer, tokenizer.mask_token, tokenizer.pad_token)
        self._device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self._net = self._net.to(self._device).eval()
        self._body = self._net.base_model
        self.layers, self.width = int(config.num_hidden_layers), int(config.hidden_size)
        self.window = _window(self._body, config, tokenizer)
        self.digest = _digest(source, self._net)
        folder = Path(source)
        self.folder: Path | None = folder if folder.is_dir() else None
        self.temperature = recommended_temperature(folder)
        self.document_frequencies: DocumentFrequencies | None = read_document_frequencies(folder)
        self.bertscore_baseline = read_bertscore_baseline(folder)

    def hidden(self, ids: NDArray[np.int64], attend: NDArray[np.int64], layers: Sequence[int]) -> NDArray[np.float32]:
        with self._computing():
            out = self._body(**self._inputs(ids, attend), output_hidden_states=True)
        states = self._torch.stack([out.hidden_states[layer] for layer in layers])
        return np.asarray(states.float().cpu().numpy())

    def static(self, ids: NDArray[np.int32]) -> NDArray[np.float32]:
        table = self._net.get_input_embeddings().weight
        rows = table[self._torch.from_numpy(ids.astype(np.int64)).to(self._device)]
        return np.asarray(rows.detach().float().cpu().numpy())

    def masked_logits(
        self, ids: NDArray[np.int64], attend: NDArray[np.int64], at: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        if not self._has_head:
            raise SpecError(f"model {self.name!r} has no masked-LM head; choose a masked language model")
        places = self._torch.from_numpy(at).to(self._device)

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

    pairs_digest: str | None = None

    def other_text(self, ids: NDArray[np.int64]) -> Any:
        raise no_pairs(self.name)

    def pair_logits(
        self, ids: NDArray[np.int64], attend: NDArray[np.int64], at: NDArray[np.int64], other: Any
    ) -> NDArray[np.float32]:
        raise no_pairs(self.name)

    def pair_states(self, ids: NDArray[np.int64], attend: NDArray[np.int64], other: Any) -> NDArray[np.float32]:
        raise no_pairs(self.name)

    sentinels: tuple[int, int] | None = None

    def fill(
        self, ids: NDArray[np.int64], attend: NDArray[np.int64], truths: Sequence[Sequence[int]]
    ) -> tuple[NDArray[np.float64], list[list[int]]]:
        raise no_gaps(self.name)

    aligner_digest: str | None = None
    aligner_threshold: float = 0.5

    def align(
        self, ids: NDArray[np.int64], attend: NDArray[np.int64], side: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        raise SpecError(f"model {self.name!r} has no aligner: train one with nlgauge train aligner")

    def _inputs(self, ids: NDArray[np.int64], attend: NDArray[np.int64]) -> dict[str, Any]:
        return {
            "input_ids": self._torch.from_numpy(ids).to(self._device),
            "attention_mask": self._torch.from_numpy(attend).to(self._device),
        }

    def _computing(self) -> Any:
        from contextlib import ExitStack

        stack = ExitStack()
        stack.enter_context(self._torch.inference_mode())
        if self.precision == "bfloat16":
            stack.enter_context(self._torch.autocast(self._device.type, dtype=self._torch.bfloat16))
        return stack


def open_model(source: str, name: str, precision: str) -> TransformersModel | Seq2SeqModel:
    """The model of a folder or Hugging Face name, by what kind it says that it is."""
    try:
        import transformers

        config = transformers.AutoConfig.from_pretrained(source)
    except (ImportError, OSError, ValueError):
        return TransformersModel(source, name, precision)  # which says what is wrong
    masks = type(config) in transformers.MODEL_FOR_MASKED_LM_MAPPING
    gaps = type(config) in transformers.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING
    return Seq2SeqModel(source, name, precision) if gaps and not masks else TransformersModel(source, name, precision)


def _load(transformers: Any, torch: Any, source: str) -> tuple[Any, bool]:
    """The network, with its masked-LM head where the weights hold one."""
    options = {"dtype": torch.float32, "use_safetensors": True, "trust_remote_code": False}
    try:
        net, report = transformers.AutoModelForMaskedLM.from_pretrained(source, output_loading_info=True, **options)
        body = net.base_model_prefix + "."
        if all(key.startswith(body) for key in report["missing_keys"]):
            return net, True
    except ValueError as error:
        if "AutoModelForMaskedLM" not in str(error):
            raise
    return transformers.AutoModel.from_pretrained(source, **options), False


def _window(body: Any, config: Any, tokenizer: Any) -> int:
    """Sub-words that fit a row, by the tokenizer and the table of positions less those for padding (RoBERTa)."""
    table: Any = getattr(getattr(body, "embeddings", None), "position_embeddings", None)
    padding = getattr(table, "padding_idx", None)
    reserved = 0 if padding is None else padding + 1
    limits = [getattr(config, "max_position_embeddings", None), tokenizer.model_max_length + reserved]
    return int(min(limit for limit in limits if limit)) - reserved if any(limits) else 512


def _digest(source: str, net: Any) -> str:
    """SHA-256 of the weights: of the file where it is at hand, of the tensors in order of name otherwise."""
    digest = hashlib.sha256()
    file = Path(source) / "model.safetensors"
    if file.exists():
        digest.update(file.read_bytes())
        return digest.hexdigest()
    for key, tensor in sorted(net.state_dict().items()):
        digest.update(key.encode())
        digest.update(tensor.detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()

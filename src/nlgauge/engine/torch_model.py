"""What models run by torch have in common: loading, precision, device, and a plain answer to what a kind cannot do.

Their interfaces change from year to year: of the engine this file, `transformers.py`, `adapted.py`, `aligner_net.py`
and `seq2seq.py` alone know torch and transformers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.folder import (
    WEIGHTS_FILE,
    DocumentFrequencies,
    file_digest,
    read_bertscore_baseline,
    read_document_frequencies,
    recommended_temperature,
)
from nlgauge.engine.model import no_aligner, no_gaps, no_head, no_pairs, no_writing
from nlgauge.engine.tokens import SubwordTokenizer
from nlgauge.errors import MissingExtraError, SpecError

Ints = NDArray[np.int64]
Given = tuple[Ints, Ints]

_WINDOW = 512


class TorchModel:
    """A LanguageModel of a folder or Hugging Face name; on the GPU where there is one.

    Only safetensors weights are read, and no code that comes with them is run. Raises SpecError for what cannot be
    loaded, MissingExtraError without torch.
    """

    pairs_digest: str | None = None
    aligner_digest: str | None = None
    aligner_threshold: float = 0.5
    sentinels: tuple[int, int] | None = None
    writes: str | None = None

    def __init__(self, source: str, name: str, precision: str = "float32") -> None:
        try:
            import torch
            import transformers
        except ImportError:
            raise MissingExtraError(f"model {name!r}", "torch") from None
        self.name, self.precision, self.backend = name, precision, f"torch-{torch.__version__}"
        self._torch = torch
        quiet: Any = transformers.logging
        quiet.set_verbosity_error()
        quiet.disable_progress_bar()
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(source)
            config = transformers.AutoConfig.from_pretrained(source)
            net = self._load(source, config)
        except (OSError, ValueError) as error:
            raise SpecError(f"cannot load model {name!r}: {str(error).strip().splitlines()[0]}") from None
        if not getattr(tokenizer, "is_fast", False):
            raise SpecError(f"model {name!r} has no fast tokenizer; convert it to a tokenizer.json")
        self.tokenizer = SubwordTokenizer(tokenizer.backend_tokenizer, tokenizer.mask_token, tokenizer.pad_token)
        self._device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self._net = net.to(self._device).eval()
        self.layers, self.width = int(config.num_hidden_layers), int(config.hidden_size)
        self.window = _window(self._net.base_model, config, tokenizer)
        self.digest = _digest(source, self._net)
        self._narrow(self._net)
        folder = Path(source)
        self.folder: Path | None = folder if folder.is_dir() else None
        self.temperature = recommended_temperature(folder)
        self.document_frequencies: DocumentFrequencies | None = read_document_frequencies(folder)
        self.bertscore_baseline = read_bertscore_baseline(folder)

    def _load(self, source: str, config: Any) -> Any:
        """The network."""
        raise NotImplementedError

    @property
    def _safely(self) -> dict[str, Any]:
        """How every network is loaded: weights that are no programs, and no code that comes with them."""
        return {"dtype": self._torch.float32, "use_safetensors": True, "trust_remote_code": False}

    def _tensor(self, values: NDArray[Any]) -> Any:
        return self._torch.from_numpy(values).to(self._device)

    def static(self, ids: NDArray[np.int32]) -> NDArray[np.float32]:
        table = self._net.get_input_embeddings().weight
        rows = table[self._tensor(ids.astype(np.int64))]
        return np.asarray(rows.detach().float().cpu().numpy())

    def masked_logits(self, ids: Ints, attend: Ints, at: Ints) -> NDArray[np.float32]:
        raise no_head(self.name)

    def other_text(self, ids: Ints) -> Any:
        raise no_pairs(self.name)

    def pair_logits(self, ids: Ints, attend: Ints, at: Ints, other: Any) -> NDArray[np.float32]:
        raise no_pairs(self.name)

    def pair_states(self, ids: Ints, attend: Ints, other: Any) -> NDArray[np.float32]:
        raise no_pairs(self.name)

    def fill(
        self, ids: Ints, attend: Ints, truths: Sequence[Sequence[int]]
    ) -> tuple[NDArray[np.float64], list[list[int]]]:
        raise no_gaps(self.name)

    def written_logs(self, ids: Ints, given: Given | None) -> NDArray[np.float64]:
        raise no_writing(self.name)

    def align(self, ids: Ints, attend: Ints, side: Ints) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        raise no_aligner(self.name)

    def _true_logs(self, logits: Any, ids: Any) -> Any:
        """Log-probability of each token: logits [rows, length, vocabulary], ids [rows, length] -> [rows, length]."""
        logits = logits.float()
        return (logits.gather(-1, ids[..., None])[..., 0] - logits.logsumexp(-1)).double()

    def _inputs(self, ids: Ints, attend: Ints) -> dict[str, Any]:
        return {"input_ids": self._tensor(ids), "attention_mask": self._tensor(attend)}

    def _narrow(self, net: Any) -> None:
        """Weights of products in the width that they are computed in: autocast converts others for every batch.

        A decoder that shares the vocabulary's table gets its own, so that embeddings stay as they are.
        """
        if self.precision == "bfloat16":
            for module in net.modules():
                if isinstance(module, self._torch.nn.Linear):
                    for name, weight in list(module.named_parameters(recurse=False)):
                        narrow = weight.detach().to(self._torch.bfloat16)
                        setattr(module, name, self._torch.nn.Parameter(narrow, requires_grad=False))

    def _computing(self) -> ExitStack:
        stack = ExitStack()
        stack.enter_context(self._torch.inference_mode())
        if self.precision == "bfloat16":
            stack.enter_context(self._torch.autocast(self._device.type, dtype=self._torch.bfloat16))
        return stack


def _window(body: Any, config: Any, tokenizer: Any) -> int:
    """Sub-words that fit a row, by the tokenizer and the table of positions less those for padding (RoBERTa)."""
    table: Any = getattr(getattr(body, "embeddings", None), "position_embeddings", None)
    padding = getattr(table, "padding_idx", None)
    reserved = 0 if padding is None else padding + 1
    told = [getattr(config, "max_position_embeddings", None), tokenizer.model_max_length + reserved]
    limit = min(limit for limit in told if limit)
    return int(limit) - reserved if limit < 1e9 else _WINDOW


def _digest(source: str, net: Any) -> str:
    """SHA-256 of the weights: of the file where it is at hand, of the tensors in order of name otherwise."""
    if (found := file_digest(Path(source) / WEIGHTS_FILE)) is not None:
        return found
    digest = hashlib.sha256()
    for key, tensor in sorted(net.state_dict().items()):
        digest.update(key.encode())
        digest.update(tensor.detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()

"""Models that fill gaps, run by torch: any Hugging Face checkpoint with T5's sentinels and a fast tokenizer.

A gap of any length is one sentinel, <extra_id_0>; the model writes what stood there, up to <extra_id_1>.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.folder import DocumentFrequencies, read_document_frequencies
from nlgauge.engine.model import no_pairs
from nlgauge.engine.tokens import SubwordTokenizer
from nlgauge.errors import MissingExtraError, SpecError

_SENTINELS = ("<extra_id_0>", "<extra_id_1>")
_WINDOW = 512
_SPARE = 2


class Seq2SeqModel:
    """A LanguageModel on torch whose encoder gives hidden states and whose decoder fills gaps; it has no mask.

    source: a folder or a Hugging Face name. Only safetensors weights are read, and no code that comes with them is run.
    """

    temperature = 1.0
    bertscore_baseline: dict[int, tuple[float, float, float]] | None = None
    aligner_digest: str | None = None
    aligner_threshold: float = 0.5
    pairs_digest: str | None = None

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
        options = {"dtype": torch.float32, "use_safetensors": True, "trust_remote_code": False}
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(source)
            self._net = transformers.AutoModelForSeq2SeqLM.from_pretrained(source, **options).eval()
        except (OSError, ValueError) as error:
            raise SpecError(f"cannot load model {name!r}: {str(error).strip().splitlines()[0]}") from None
        if not getattr(tokenizer, "is_fast", False):
            raise SpecError(f"model {name!r} has no fast tokenizer; convert it to a tokenizer.json")
        self.tokenizer = SubwordTokenizer(tokenizer.backend_tokenizer, None, tokenizer.pad_token)
        known = [self.tokenizer.token_id(token) for token in _SENTINELS]
        if known[0] is None or known[1] is None:
            raise SpecError(f"model {name!r} has no sentinels {' and '.join(_SENTINELS)}: it fills no gaps")
        self.sentinels: tuple[int, int] | None = (known[0], known[1])
        self._gap, self._after = known[0], known[1]
        self._device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self._net = self._net.to(self._device)
        config = self._net.config
        self.layers, self.width = int(config.num_layers), int(config.d_model)
        self.window = min(int(tokenizer.model_max_length), _WINDOW)
        self._start = int(config.decoder_start_token_id)
        self._end = config.eos_token_id
        self.digest = _digest(source, self._net)
        folder = Path(source)
        self.folder: Path | None = folder if folder.is_dir() else None
        self.document_frequencies: DocumentFrequencies | None = read_document_frequencies(folder)

    def hidden(self, ids: NDArray[np.int64], attend: NDArray[np.int64], layers: Sequence[int]) -> NDArray[np.float32]:
        with self._computing():
            out = self._net.get_encoder()(**self._inputs(ids, attend), output_hidden_states=True)
        states = self._torch.stack([out.hidden_states[layer] for layer in layers])
        return np.asarray(states.float().cpu().numpy())

    def static(self, ids: NDArray[np.int32]) -> NDArray[np.float32]:
        rows = self._net.get_input_embeddings().weight[self._torch.from_numpy(ids.astype(np.int64)).to(self._device)]
        return np.asarray(rows.detach().float().cpu().numpy())

    def masked_logits(
        self, ids: NDArray[np.int64], attend: NDArray[np.int64], at: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        raise SpecError(f"model {self.name!r} has no masked-LM head; choose a masked language model")

    def fill(
        self, ids: NDArray[np.int64], attend: NDArray[np.int64], truths: Sequence[Sequence[int]]
    ) -> tuple[NDArray[np.float64], list[list[int]]]:
        inputs = self._inputs(ids, attend)
        with self._computing():
            encoded = self._net.get_encoder()(**inputs)
            logs = self._true_logs(encoded, inputs["attention_mask"], truths)
            said = self._written(encoded, inputs["attention_mask"], max(map(len, truths)) + _SPARE)
        return logs, said

    def _true_logs(self, encoded: Any, attention: Any, truths: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """Log-probability of each row's true tokens and of their end, the true ones before each being given."""
        torch = self._torch
        wanted = [[self._gap, *truth, self._after] for truth in truths]
        length = max(map(len, wanted))
        targets = torch.full((len(wanted), length), -1, dtype=torch.long, device=self._device)
        for row, tokens in enumerate(wanted):
            targets[row, : len(tokens)] = torch.tensor(tokens)
        begin = torch.full((len(wanted), 1), self._start, device=self._device)
        given = torch.cat([begin, targets[:, :-1].clamp(min=0)], dim=1)
        logits = self._decoded(encoded, attention, given)
        logs = torch.log_softmax(logits.double(), dim=-1).gather(-1, targets.clamp(min=0)[..., None])[..., 0]
        counted = targets >= 0
        counted[:, 0] = False  # the sentinel itself is no part of the word
        return np.asarray((logs * counted).sum(dim=1).cpu().numpy())

    def _written(self, encoded: Any, attention: Any, steps: int) -> list[list[int]]:
        """What is written in each row's gap, greedily, until the next sentinel or the end; a few tokens at most."""
        torch = self._torch
        rows = attention.shape[0]
        given = torch.tensor([[self._start, self._gap]] * rows, device=self._device)
        open_rows = torch.ones(rows, dtype=torch.bool, device=self._device)
        said: list[list[int]] = [[] for _ in range(rows)]
        for _ in range(steps):
            tokens = self._decoded(encoded, attention, given)[:, -1].argmax(-1)
            open_rows &= (tokens != self._after) & (tokens != (self._after if self._end is None else self._end))
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

    def other_text(self, ids: NDArray[np.int64]) -> Any:
        raise no_pairs(self.name)

    def pair_logits(
        self, ids: NDArray[np.int64], attend: NDArray[np.int64], at: NDArray[np.int64], other: Any
    ) -> NDArray[np.float32]:
        raise no_pairs(self.name)

    def pair_states(self, ids: NDArray[np.int64], attend: NDArray[np.int64], other: Any) -> NDArray[np.float32]:
        raise no_pairs(self.name)

    def align(
        self, ids: NDArray[np.int64], attend: NDArray[np.int64], side: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        raise SpecError(f"model {self.name!r} has no aligner: train one with nlgauge train aligner")


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

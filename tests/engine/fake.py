"""A small deterministic LanguageModel: what it says of a token depends on the whole row, never on padding."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from nlgauge.engine.folder import DocumentFrequencies
from nlgauge.engine.tokens import SubwordTokenizer

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *(f"w{i}" for i in range(40))]


def tiny_tokenizer() -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.add_special_tokens(WORDS[:5])
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return tokenizer


def save_tokenizer(folder: Path, **options: Any) -> None:
    """The tiny tokenizer, as a Hugging Face checkpoint has it."""
    from transformers import PreTrainedTokenizerFast

    special = {f"{kind}_token": f"[{kind.upper()}]" for kind in ("cls", "sep", "mask", "pad", "unk")}
    PreTrainedTokenizerFast(tokenizer_object=tiny_tokenizer(), **special, **options).save_pretrained(folder)


class FakeModel:
    """Rows are mixed by fixed random matrices; `rows_seen` records how many rows of which length went through."""

    name, digest, backend, precision = "fake", "00" * 32, "numpy", "float32"
    layers, width, temperature = 3, 8, 1.0
    document_frequencies: DocumentFrequencies | None = None
    bertscore_baseline: dict[int, tuple[float, float, float]] | None = None
    aligner_digest: str | None = "ab" * 32
    aligner_threshold: float = 0.7
    folder: Path | None = None
    pairs_digest: str | None = None
    sentinels: tuple[int, int] | None = None
    writes: str | None = None

    def __init__(self, window: int = 16) -> None:
        generator = np.random.default_rng(5)
        self.tokenizer = SubwordTokenizer(tiny_tokenizer(), "[MASK]", "[PAD]")
        self.window = window
        self._words = generator.normal(size=(len(WORDS), self.width))
        self._places = generator.normal(size=(window, self.width)) / 4
        self._head = generator.normal(size=(self.width, len(WORDS)))
        self.rows_seen: list[tuple[int, int]] = []

    def hidden(self, ids: NDArray[np.int64], attend: NDArray[np.int64], layers: Sequence[int]) -> NDArray[np.float32]:
        assert ids.shape[1] <= self.window
        self.rows_seen.append(ids.shape)
        states = [self._words[ids] + self._places[: ids.shape[1]]]
        weight = attend[..., None].astype(float)
        for _ in range(self.layers):
            mean = (states[-1] * weight).sum(1, keepdims=True) / weight.sum(1, keepdims=True)
            states.append(np.tanh(states[-1] + mean))
        return np.stack([states[layer] for layer in layers]).astype(np.float32)

    def static(self, ids: NDArray[np.int32]) -> NDArray[np.float32]:
        return self._words[ids].astype(np.float32)

    def masked_logits(
        self, ids: NDArray[np.int64], attend: NDArray[np.int64], at: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        assert (ids.reshape(-1)[at] == self.tokenizer.mask_id).all()
        assert (attend.reshape(-1)[at] == 1).all()
        last = self.hidden(ids, attend, [self.layers])[0]
        return (last.reshape(-1, self.width)[at] @ self._head).astype(np.float32)

    def align(
        self, ids: NDArray[np.int64], attend: NDArray[np.int64], side: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """A token is supported, at log-odds 2, where the context holds it, and at -2 where it does not."""
        assert ids.shape == attend.shape == side.shape and ids.shape[1] <= self.window
        self.rows_seen.append(ids.shape)
        logits = np.full(ids.shape, -2, np.float32)
        for row, others in enumerate(side):
            logits[row, np.isin(ids[row], ids[row][others == 1])] = 2
        own = (attend == 1) & (side == 0) & (ids != 2) & (ids != 3)
        return logits, np.array([(row[mine] > 0).mean() for row, mine in zip(logits, own, strict=True)], np.float32)


class PairsModel(FakeModel):
    """With weights for pairs: a row sees the mean of the other text's words. `others_seen`: their lengths."""

    pairs_digest: str | None = "cd" * 32

    def __init__(self, window: int = 16) -> None:
        super().__init__(window)
        self.others_seen: list[int] = []

    def other_text(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        assert len(ids) <= self.window and ids[0] == 2 and ids[-1] == 3
        self.others_seen.append(len(ids))
        return self._words[ids].mean(axis=0)

    def pair_states(
        self, ids: NDArray[np.int64], attend: NDArray[np.int64], other: NDArray[np.float64]
    ) -> NDArray[np.float32]:
        return (self.hidden(ids, attend, [self.layers])[0] + other).astype(np.float32)

    def pair_logits(
        self, ids: NDArray[np.int64], attend: NDArray[np.int64], at: NDArray[np.int64], other: NDArray[np.float64]
    ) -> NDArray[np.float32]:
        assert (ids.reshape(-1)[at] == self.tokenizer.mask_id).all()
        return (self.pair_states(ids, attend, other).reshape(-1, self.width)[at] @ self._head).astype(np.float32)


class GapsModel(FakeModel):
    """Fills gaps: writes the word after the one that stands before the gap, then the end."""

    sentinels: tuple[int, int] | None = (43, 44)

    def fill(
        self, ids: NDArray[np.int64], attend: NDArray[np.int64], truths: Sequence[Sequence[int]]
    ) -> tuple[NDArray[np.float64], list[list[int]]]:
        assert ((ids == 43).sum(axis=1) == 1).all()
        self.rows_seen.append(ids.shape)
        said = [[int(row[np.flatnonzero(row == 43)[0] - 1]) + 1] for row in ids]
        return np.array([0.0 if s == list(t) else -1.0 for s, t in zip(said, truths, strict=True)]), said


class WritingModel(FakeModel):
    """Writes: of a token it sees the mean of those before it, and of the text that it writes from, if it reads one."""

    def __init__(self, window: int = 16, writes: str = "alone") -> None:
        super().__init__(window)
        self.writes: str | None = writes

    def written_logs(
        self, ids: NDArray[np.int64], given: tuple[NDArray[np.int64], NDArray[np.int64]] | None
    ) -> NDArray[np.float64]:
        assert ids.shape[1] < self.window and (given is None) == (self.writes == "alone")
        self.rows_seen.append(ids.shape)
        begun = np.insert(ids[:, :-1], 0, 2, axis=1)
        seen = np.cumsum(self._words[begun] + self._places[: ids.shape[1]], axis=1)
        seen /= np.arange(1, ids.shape[1] + 1)[:, None]
        if given is not None:
            others, attend = given
            assert others.shape[1] <= self.window
            weight = attend[..., None]
            seen = seen + (self._words[others] * weight).sum(1, keepdims=True) / weight.sum(1, keepdims=True)
        logits = np.tanh(seen) @ self._head
        logits -= np.log(np.exp(logits).sum(-1, keepdims=True))
        return np.take_along_axis(logits, ids[..., None], -1)[..., 0]

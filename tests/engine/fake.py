"""Small deterministic models: what they say of a token depends on the whole row, never on padding.

Each is a model and its own parts: `FakeModel()[ENCODER]` is the object itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

from nlgauge.engine.engine import Engine
from nlgauge.engine.models.capabilities import (
    ALIGNER,
    CAUSAL_LM,
    ENCODER,
    GAP_FILLER,
    MASKED_LM,
    MASKED_PAIRS,
    SEQ2SEQ_LM,
    TOKENIZER,
    Capability,
    Floats,
    Ints,
    Model,
)
from nlgauge.engine.models.card import ModelCard
from nlgauge.engine.tokens import SubwordTokenizer

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *(f"w{i}" for i in range(40))]


def tiny_tokenizer() -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Replace(Regex(r"\.\z"), "")  # an answer without a final stop gets one
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.add_special_tokens(WORDS[:5])
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return tokenizer


def save_tokenizer(folder: Path, **options: Any) -> None:
    """The tiny tokenizer, as a Hugging Face checkpoint has it."""
    from transformers import PreTrainedTokenizerFast

    special = {f"{kind}_token": f"[{kind.upper()}]" for kind in ("cls", "sep", "mask", "pad", "unk")}
    PreTrainedTokenizerFast(tokenizer_object=tiny_tokenizer(), **special, **options).save_pretrained(folder)


@dataclass(frozen=True)
class Part:
    """What a model does, under a digest of its own."""

    model: Any
    digest: str

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)


class FakeModel:
    """An encoder with a masked-LM head and an aligner; rows are mixed by fixed random matrices.

    `rows_seen` records how many rows of which length went through.
    """

    name, digest, backend, precision = "fake", "00" * 32, "numpy", "float32"
    layers, width = 3, 8
    files = ""
    folder: Path | None = None
    batch_tokens: int | None = None
    apart = False
    lacks: ClassVar[dict[Capability[Any], str]] = {}
    second_type = 0
    get, room, mask_id = Model.get, Model.room, Model.mask_id
    __getitem__, __contains__ = Model.__getitem__, Model.__contains__

    def __init__(self, window: int = 16, card: ModelCard | None = None) -> None:
        generator = np.random.default_rng(5)
        self.tokenizer = SubwordTokenizer(tiny_tokenizer(), "[MASK]", "[PAD]")
        self.window = window
        self.card = card or ModelCard(aligner_threshold=0.7)
        self._words = generator.normal(size=(len(WORDS), self.width))
        self._places = generator.normal(size=(window, self.width)) / 4
        self._head = generator.normal(size=(self.width, len(WORDS)))
        self.rows_seen: list[tuple[int, ...]] = []
        self.abilities: dict[Capability[Any], Any] = {
            TOKENIZER: self.tokenizer,
            ENCODER: self,
            MASKED_LM: self,
            ALIGNER: Part(self, "ab" * 32),
        }

    def hidden(self, ids: Ints, attend: Ints, layers: Sequence[int]) -> Floats:
        assert ids.shape[1] <= self.window
        self.rows_seen.append(ids.shape)
        states = [self._words[ids] + self._places[: ids.shape[1]]]
        weight = attend[..., None].astype(float)
        for _ in range(self.layers):
            mean = (states[-1] * weight).sum(1, keepdims=True) / weight.sum(1, keepdims=True)
            states.append(np.tanh(states[-1] + mean))
        return np.stack([states[layer] for layer in layers]).astype(np.float32)

    def static(self, ids: NDArray[np.int32]) -> Floats:
        return self._words[ids].astype(np.float32)

    def masked_logits(self, ids: Ints, attend: Ints, at: Ints) -> Floats:
        assert (ids.reshape(-1)[at] == self.tokenizer.mask_id).all()
        assert (attend.reshape(-1)[at] == 1).all()
        last = self.hidden(ids, attend, [self.layers])[0]
        return (last.reshape(-1, self.width)[at] @ self._head).astype(np.float32)

    def align(self, ids: Ints, attend: Ints, side: Ints) -> tuple[Floats, Floats, Floats, Floats]:
        """A token is supported, at log-odds 2, where the context holds it, and at -2 where it does not.

        Log-odds of a whole text: 3 where all its tokens are supported, 1 less for each that is not. Log-odds that the
        context contradicts it: 1.
        """
        assert ids.shape == attend.shape == side.shape and ids.shape[1] <= self.window
        self.rows_seen.append(ids.shape)
        logits = np.full(ids.shape, -2, np.float32)
        for row, others in enumerate(side):
            logits[row, np.isin(ids[row], ids[row][others == 1])] = 2
        own = (attend == 1) & (side == 0) & (ids != 2) & (ids != 3)
        judged = [row[mine] for row, mine in zip(logits, own, strict=True)]
        shares = np.array([(row > 0).mean() for row in judged], np.float32)
        text = np.array([3 - (row < 0).sum() for row in judged], np.float32)
        return logits, shares, text, np.ones_like(text)


class PairsModel(FakeModel):
    """With weights for pairs: a row sees the mean of the other text's words. `others_seen`: their lengths."""

    def __init__(self, window: int = 16, card: ModelCard | None = None) -> None:
        super().__init__(window, card)
        self.abilities[MASKED_PAIRS] = Part(self, "cd" * 32)
        self.others_seen: list[int] = []

    def other_text(self, ids: Ints) -> NDArray[np.float64]:
        assert len(ids) <= self.window and ids[0] == 2 and ids[-1] == 3
        self.others_seen.append(len(ids))
        return np.asarray(self._words[ids].mean(axis=0))

    def pair_states(self, ids: Ints, attend: Ints, other: NDArray[np.float64]) -> Floats:
        return (self.hidden(ids, attend, [self.layers])[0] + other).astype(np.float32)

    def pair_logits(self, ids: Ints, attend: Ints, at: Ints, other: NDArray[np.float64]) -> Floats:
        assert (ids.reshape(-1)[at] == self.tokenizer.mask_id).all()
        return (self.pair_states(ids, attend, other).reshape(-1, self.width)[at] @ self._head).astype(np.float32)


class GapsModel(FakeModel):
    """Fills gaps: writes the word after the one that stands before the gap, then the end."""

    sentinels = (43, 44)

    def __init__(self, window: int = 16, card: ModelCard | None = None) -> None:
        super().__init__(window, card)
        self.abilities[GAP_FILLER] = self

    def fill(
        self, ids: Ints, attend: Ints, truths: Sequence[Sequence[int]]
    ) -> tuple[NDArray[np.float64], list[list[int]]]:
        assert ((ids == 43).sum(axis=1) == 1).all()
        self.rows_seen.append(ids.shape)
        written = [[int(row[np.flatnonzero(row == 43)[0] - 1]) + 1] for row in ids]
        logs = [0.0 if pieces == list(truth) else -1.0 for pieces, truth in zip(written, truths, strict=True)]
        return np.array(logs), written


class CausalModel(FakeModel):
    """Reads from left to right: of a token it sees the mean of those before it."""

    def __init__(self, window: int = 16, card: ModelCard | None = None) -> None:
        super().__init__(window, card)
        self.abilities[CAUSAL_LM] = self

    def causal_logs(self, ids: Ints) -> NDArray[np.float64]:
        return self._read(ids, np.zeros((len(ids), 1, self.width)))

    def _read(self, ids: Ints, more: NDArray[np.float64]) -> NDArray[np.float64]:
        assert ids.shape[1] < self.window
        self.rows_seen.append(ids.shape)
        begun = np.insert(ids[:, :-1], 0, 2, axis=1)
        seen = np.cumsum(self._words[begun] + self._places[: ids.shape[1]], axis=1)
        logits = np.tanh(seen / np.arange(1, ids.shape[1] + 1)[:, None] + more) @ self._head
        logits -= np.log(np.exp(logits).sum(-1, keepdims=True))
        return np.asarray(np.take_along_axis(logits, ids[..., None], -1)[..., 0])


class Seq2SeqModel(CausalModel):
    """Writes one text from another, the mean of whose words it sees as well."""

    def __init__(self, window: int = 16, card: ModelCard | None = None) -> None:
        super().__init__(window, card)
        self.abilities |= {CAUSAL_LM: None, SEQ2SEQ_LM: self}

    def seq2seq_logs(self, ids: Ints, given: Ints, attend: Ints) -> NDArray[np.float64]:
        assert given.shape[1] <= self.window and len(given) == len(ids)
        weight = attend[..., None]
        return self._read(ids, (self._words[given] * weight).sum(1, keepdims=True) / weight.sum(1, keepdims=True))


def answers(model: Any, *requests: Any) -> list[Any]:
    """The features of some requests by a model, in their order."""
    features = Engine(model).features(requests)
    return [features[request] for request in requests]

"""The texts of one block, with their sub-words, words, windows and rows for one model."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.batching import batches, padded
from nlgauge.engine.features.request import AnyRequest, Features
from nlgauge.engine.models.capabilities import TOKENIZER, Ints, Model
from nlgauge.engine.segmentation import segmenter, spans
from nlgauge.engine.tokens import Tokens, unknown_share
from nlgauge.engine.windows import Window, WindowPolicy, windows

_BATCH_TOKENS = 4096


@dataclass
class Ledger:
    """Counts of the work that the engine did in a run."""

    texts: int = 0
    """The number of texts that were read, each once per block"""
    passes: int = 0
    """The number of rows that went through the model"""
    features: dict[str, int] = field(default_factory=dict)
    """The number of features that were computed, by the class of the request"""
    stored: int = 0
    """The number of features that came from the cache"""


class TextBlock:
    """The texts of one block, for readers of features.

    Args:
        model: the model.
        window: what to do with texts longer than the model's window, 'slide', 'cut' or 'error'.
        ledger: the counts, which are increased.
        batch_tokens: the largest number of tokens in a batch; by default the model or the engine chooses.
        encode: splits texts into sub-words; by default with the model's tokenizer.
    """

    def __init__(
        self,
        model: Model,
        window: WindowPolicy,
        ledger: Ledger,
        batch_tokens: int | None = None,
        encode: Callable[[Sequence[str]], Sequence[Tokens]] | None = None,
    ) -> None:
        self.model, self.window, self.ledger = model, window, ledger
        self.done: Callable[[float], object] = lambda share: None
        """A function that is called with the finished share of the current work, from 0 to 1"""
        self._encode = encode
        self.batch_tokens = batch_tokens or model.batch_tokens or max(_BATCH_TOKENS, model.window)
        self._tokens: dict[str, Tokens] = {}
        self._words: dict[tuple[str, str], tuple[NDArray[np.intp], NDArray[np.int64]]] = {}

    def read(self, texts: Sequence[str]) -> None:
        """Split texts into sub-words, many at a time."""
        new = [text for text in dict.fromkeys(texts) if text not in self._tokens]
        encode = self._encode or self.model[TOKENIZER].encode
        self._tokens.update(zip(new, encode(new), strict=True))
        self.ledger.texts += len(new)

    def tokens(self, text: str) -> Tokens:
        """Return the sub-words of a text."""
        if text not in self._tokens:
            self.read([text])
        return self._tokens[text]

    def longer(self, text: str) -> bool:
        """Return whether a text does not fit the model's window."""
        return len(self.tokens(text)) > self.model.room

    def features(self, by_request: Mapping[AnyRequest, Any]) -> Features:
        """Return features together with what was noticed in the texts that have been read.

        These are the texts that do not fit the model's window, and the share of sub-words that the tokenizer does not
        know, not counting punctuation.
        """
        longer = frozenset(text for text, tokens in self._tokens.items() if len(tokens) > self.model.room)
        unknown = self.model[TOKENIZER].unknown_id if self._tokens else None
        if unknown is None:
            return Features(by_request, longer)
        shares = ((text, unknown_share(text, tokens, unknown)) for text, tokens in self._tokens.items())
        return Features(by_request, longer, {text: share for text, share in shares if share})

    def windows(self, text: str) -> list[Window]:
        """Return the windows in which a text is read. Raises InputError if the window policy refuses the text."""
        return windows(len(self.tokens(text)), self.model.room, self.window)

    def used(self, text: str) -> int:
        """Return how many of a text's tokens are read."""
        return self.windows(text)[-1].used_to

    def words(self, text: str, segmentation: str) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        """Return the positions of a text's words, in tokens and in characters.

        Args:
            text: the text.
            segmentation: the name of a segmenter.

        Returns:
            The first token of each word, followed by the number of tokens: [words + 1]. And the first character of each
                word and the one after its last: [words, 2].
        """
        if (text, segmentation) not in self._words:
            tokens = self.tokens(text)
            numbers = segmenter(segmentation)(text, tokens.offsets)
            starts = np.concatenate([np.flatnonzero(np.diff(numbers, prepend=-1)), [len(tokens)]]).astype(np.intp)
            self._words[text, segmentation] = starts, spans(text, tokens.offsets, numbers)
        return self._words[text, segmentation]

    def framed(self, text: str) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.bool_]]:
        """Return ids, offsets and special-token marks of a text's used tokens, with special tokens around them."""
        size, tokenizer, tokens = self.used(text), self.model[TOKENIZER], self.tokens(text)
        before, after = len(tokenizer.prefix), len(tokenizer.suffix)
        ids = np.array([*tokenizer.prefix, *tokens.ids[:size], *tokenizer.suffix], np.int32)
        ends = np.zeros((before, 2), np.int32), np.full((after, 2), len(text), np.int32)
        offsets = np.concatenate([ends[0], tokens.offsets[:size], ends[1]])
        special = np.ones(len(ids), np.bool_)
        special[before : before + size] = False
        return ids, offsets, special

    def rows(self, part: Sequence[tuple[str, Window]]) -> tuple[Ints, Ints]:
        """Return padded ids of windows with special tokens, and the attention mask: both [rows, length]."""
        tokenizer = self.model[TOKENIZER]
        rows = [
            [*tokenizer.prefix, *self.tokens(text).ids[window.begin : window.end], *tokenizer.suffix]
            for text, window in part
        ]
        return padded(rows, tokenizer.pad_id)

    def batches(
        self, lengths: Sequence[int], most_tokens: int | None = None, kinds: Sequence[Hashable] = ()
    ) -> Iterator[NDArray[np.intp]]:
        """Yield indexes of the rows of each batch, longest rows first. Passes are counted as batches are taken.

        Args:
            lengths: the number of tokens in each row.
            most_tokens: the largest number of tokens in a batch, if it is less than usual.
            kinds: the kind of each row, if all rows of a batch must be of one kind.

        Returns:
            An iterator over the indexes of each batch: [rows].
        """
        total, finished = max(1, sum(lengths)), 0
        budget = min(self.batch_tokens, most_tokens or self.batch_tokens)
        by_kind: dict[Hashable, list[int]] = {}
        for number, kind in enumerate(kinds or [None] * len(lengths)):
            by_kind.setdefault(kind, []).append(number)
        for numbers in by_kind.values():
            for index in batches([lengths[number] for number in numbers], budget):
                batch = np.array(numbers, np.intp)[index]
                yield batch
                self.ledger.passes += len(batch)
                finished += sum(lengths[i] for i in batch)
                self.done(finished / total)

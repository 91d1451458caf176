"""Splits texts into sub-words in a separate thread, while a device computes the features of earlier texts.

The tokenizer library releases Python's lock meanwhile. This does not help if the model runs on the CPU.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from nlgauge.engine.tokens import SubwordTokenizer, Tokens
from nlgauge.errors import InputError


class TokenPrefetcher:
    """Splits texts on demand or in advance.

    beside: whether to use a thread; without it, texts are split on demand.
    """

    def __init__(self, tokenizer: SubwordTokenizer, beside: bool) -> None:
        self._tokenizer, self._beside = tokenizer, beside
        self._pool: ThreadPoolExecutor | None = None
        self._expected: Future[dict[str, Tokens]] | None = None
        self._known: dict[str, Tokens] = {}

    def expect(self, texts: Iterable[str]) -> None:
        """Begin to split the texts needed after the next ones, once the earlier texts are split."""
        if not self._beside:
            return
        self._known = {} if self._expected is None else self._expected.result()
        self._expected = None
        if distinct := list(dict.fromkeys(texts)):
            self._pool = self._pool or ThreadPoolExecutor(1, "nlgauge-ahead")
            self._expected = self._pool.submit(self._split, distinct)

    def encode(self, texts: Sequence[str]) -> list[Tokens]:
        """Sub-words of each text. Raises InputError for a text that has no UTF-8 form (a lone surrogate)."""
        missing = [text for text in texts if text not in self._known]
        new = dict(zip(missing, self._tokenizer.encode(missing), strict=True))
        return [new[text] if text in new else self._known[text] for text in texts]

    def close(self) -> None:
        """End the thread and discard its results."""
        if self._pool is not None:
            self._pool.shutdown()
        self._pool = self._expected = None
        self._known = {}

    def _split(self, texts: Sequence[str]) -> dict[str, Tokens]:
        try:
            return dict(zip(texts, self._tokenizer.encode(texts), strict=True))
        except InputError:
            return {}  # raised again by `encode`, where the row is known

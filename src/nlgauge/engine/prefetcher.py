"""Texts split into sub-words in a thread of their own, while a device computes what was asked for before.

The library that splits them leaves Python free meanwhile. A processor would win nothing by it: it is the processor that
computes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from nlgauge.engine.tokens import SubwordTokenizer, Tokens
from nlgauge.errors import InputError


class TokenPrefetcher:
    """Splits texts when they are asked for, or before.

    beside: whether there is a thread to split what is expected in; without it that is split when it is asked for.
    """

    def __init__(self, tokenizer: SubwordTokenizer, beside: bool) -> None:
        self._tokenizer, self._beside = tokenizer, beside
        self._pool: ThreadPoolExecutor | None = None
        self._expected: Future[dict[str, Tokens]] | None = None
        self._known: dict[str, Tokens] = {}

    def expect(self, texts: Iterable[str]) -> None:
        """Begin to split texts that are asked for after the next ones; what was begun before is waited for."""
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
        """End the thread, and forget what it split."""
        if self._pool is not None:
            self._pool.shutdown()
        self._pool = self._expected = None
        self._known = {}

    def _split(self, texts: Sequence[str]) -> dict[str, Tokens]:
        try:
            return dict(zip(texts, self._tokenizer.encode(texts), strict=True))
        except InputError:
            return {}  # raised again where the texts are asked for: there it is known whose they are

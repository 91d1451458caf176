"""Sub-words that are made in a thread of their own: the same ones, each text split once, errors in their place."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from nlgauge.engine.prefetcher import TokenPrefetcher
from nlgauge.engine.tokens import SubwordTokenizer, Tokens
from nlgauge.errors import InputError
from tests.engine.fake import tiny_tokenizer


class Watched(SubwordTokenizer):
    """Notes which texts were split, and whether the thread that asked for them did it."""

    def __init__(self) -> None:
        super().__init__(tiny_tokenizer(), "[MASK]", "[PAD]")
        self.split: list[tuple[str, bool]] = []

    def encode(self, texts: list[str]) -> list[Tokens]:  # type: ignore[override]
        here = threading.current_thread() is threading.main_thread()
        self.split.extend((text, here) for text in texts)
        return super().encode(texts)


def test_what_is_expected_is_split_once_and_in_another_thread() -> None:
    tokenizer = Watched()
    ahead = TokenPrefetcher(tokenizer, beside=True)
    asked = [["w1 w2", "w3"], ["w4", "w1 w2"], ["w5"]]
    answers = []
    for number, texts in enumerate(asked):
        ahead.expect([text for more in asked[number + 1 : number + 2] for text in [*more, *more]])
        answers.append(ahead.encode(texts))
    ahead.close()
    for texts, found in zip(asked, answers, strict=True):
        for one, other in zip(found, TokenPrefetcher(Watched(), beside=False).encode(texts), strict=True):
            np.testing.assert_array_equal(one.ids, other.ids)
            np.testing.assert_array_equal(one.offsets, other.offsets)
    assert sorted(tokenizer.split) == [
        ("w1 w2", False), ("w1 w2", True), ("w3", True), ("w4", False), ("w5", False),
    ]  # fmt: skip


def test_beside_nothing_texts_are_split_when_they_are_asked_for() -> None:
    tokenizer = Watched()
    ahead = TokenPrefetcher(tokenizer, beside=False)
    ahead.expect(["w1"])
    assert tokenizer.split == []
    assert [len(tokens) for tokens in ahead.encode(["w1", "w2 w3"])] == [1, 2]
    assert tokenizer.split == [("w1", True), ("w2 w3", True)]


def test_a_text_without_utf_8_is_refused_where_it_is_asked_for_and_not_before() -> None:
    ahead = TokenPrefetcher(SubwordTokenizer(tiny_tokenizer(), "[MASK]", "[PAD]"), beside=True)
    ahead.expect(["w1", "\ud800"])
    ahead.expect([])
    assert len(ahead.encode(["w1"])) == 1
    with pytest.raises(InputError, match="surrogate"):
        ahead.encode(["w1", "\ud800"])
    ahead.close()


def test_it_serves_again_after_it_was_closed() -> None:
    ahead = TokenPrefetcher(Watched(), beside=True)
    for _ in range(2):
        ahead.expect(["w1"])
        ahead.close()
        assert len(ahead.encode(["w1 w2"])[0]) == 2

"""Examples as rows: labels by place, both texts, what does not fit."""

from __future__ import annotations

from dataclasses import replace

from nlgauge.engine.tokens import SubwordTokenizer
from nlgauge.training.aligner_rows import encode
from nlgauge.training.weak_labels.examples import Example
from tests.engine.fake import tiny_tokenizer


def test_words_are_labelled_by_their_places():
    tokenizer = SubwordTokenizer(tiny_tokenizer(), "[MASK]", "[PAD]")
    given_ = Example("w1 w2", "w1 ! w9", ((0, 2), (3, 4), (5, 7)), (True, True, False), "style", "", "", 0)
    row = encode(given_, tokenizer, 32)
    assert row.labels.tolist() == [1, -1, 0]  # "!" is no word
    assert row.ids.tolist() == [2, 6, 1, 14, 3, 6, 7, 3]
    assert row.side.tolist() == [0, 0, 0, 0, 0, 1, 1, 0]
    assert row.word.tolist() == [-1, 0, 1, 2, -1, -1, -1, -1]
    assert len(encode(replace(given_, context="w1 " * 90), tokenizer, 32).ids) == 32
    assert encode(replace(given_, text="w1 " * 16, words=(), supported=()), tokenizer, 32) is None
    assert encode(replace(given_, words=(), supported=()), tokenizer, 32) is None

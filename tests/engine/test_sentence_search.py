"""Sentences, segments, search and rows, on texts of any kind; the tokens of the tiny tokenizer are words."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from nlgauge.engine.sentence_search import Search, nearest, sentences
from nlgauge.engine.tokens import SubwordTokenizer, Tokens
from tests.engine.fake import WORDS, tiny_tokenizer

TINY = SubwordTokenizer(tiny_tokenizer(), "[MASK]", "[PAD]")
FLAT = np.ones(TINY.vocabulary)

words = st.sampled_from([*WORDS[5:15], "w1.", "w2!", "w3。", "?", '."', "(w4)"])
texts = st.lists(st.tuples(words, st.sampled_from([" ", "\n", "\n\n", "  "])), max_size=60).map(
    lambda pairs: "".join(word + space for word, space in pairs)
)
odd = st.text(max_size=200)


def split(text: str) -> Tokens:
    return TINY.encode([text])[0]


def search(text: str, most: int = 6) -> Search:
    tokens = split(text)
    return Search(tokens, sentences(text, tokens, most), FLAT)


# ---- Sentences and stretches


@given(st.one_of(texts, odd), st.integers(1, 20))
@settings(max_examples=60, deadline=None)
def test_sentences_hold_every_token_once_in_order_and_are_not_too_long(text: str, most: int) -> None:
    tokens = split(text)
    spans = sentences(text, tokens, most)
    assert [at for begin, end in spans for at in range(begin, end)] == list(range(len(tokens)))
    assert all(0 < end - begin <= most for begin, end in spans)


# ---- Which sentence a word is from


def test_a_word_is_from_the_sentence_that_is_most_like_its_own() -> None:
    own = split("w1 w2 w3. w4 w5").ids
    quotes = [split(text).ids for text in ("w2 w9", "w1 w2 w8", "w5", "w9")]
    worth = np.ones(TINY.vocabulary)
    got = nearest(own, [0, 3], np.arange(5), quotes, worth)
    assert got.tolist() == [1, 1, 1, 2, 2]
    # Two tokens of one word: a sentence has to hold both.
    assert nearest(own[:2], [0], np.array([7, 7]), [quotes[0], quotes[1]], worth).tolist() == [1, 1]
    # One that holds the word goes before one that shares more.
    assert nearest(own[:3], [0], np.arange(3), [split("w1 w2").ids, split("w3.").ids], worth).tolist()[:2] == [0, 0]
    assert nearest(own, [0, 3], np.arange(5), [quotes[3]], worth).tolist() == [-1] * 5
    assert nearest(own, [0, 3], np.arange(5), [], worth).tolist() == [-1] * 5

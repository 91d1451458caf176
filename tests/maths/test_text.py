"""Words, n-grams and sentences of a text in any script."""

from __future__ import annotations

import math
import time
from itertools import pairwise

import pytest

from nlgauge.maths.text import copied, ngrams, sentence_ends, word_spans, words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The U.S. won't, 3.5 %!", ["the", "u", "s", "won", "t", "3", "5"]),
        ("Zürich – NAÏVE Straße", ["zürich", "naïve", "strasse"]),
        ("cafe\u0301 café", ["café", "café"]),
        ("हिन्दी भाषा।", ["हिन्दी", "भाषा"]),
        ("图书馆开放。", ["图", "书", "馆", "开", "放"]),
        ("ภาษาไทย", ["ภ", "า", "ษ", "า", "ไ", "ท", "ย"]),
        ("a_b 🙂 ?!", ["a", "b"]),
        ("المكتبة تفتح", ["المكتبة", "تفتح"]),
        ("", []),
    ],
)
def test_words(text: str, found: list[str]) -> None:
    assert words(text) == found


def test_places_are_those_in_the_text_as_it_is() -> None:
    text = "Straße, ŻÓŁW 图书 3.5"
    assert [text[begin:end] for begin, end in word_spans(text)] == ["Straße", "ŻÓŁW", "图", "书", "3", "5"]


def test_the_share_of_copied_words_counts_each_occurrence() -> None:
    texts, sources = ["The boat, the boat sank!", "No.", "", "A boat"], ["A BOAT sank", "a", "a", "?"]
    shares = copied(texts, sources)
    assert shares[:2] == [3 / 5, 0.0] and all(map(math.isnan, shares[2:]))


def test_ngrams_of_words() -> None:
    words = ["a", "b", "c"]
    assert [list(ngrams(words, n)) for n in (1, 2, 3, 4)] == [["a", "b", "c"], ["a b", "b c"], ["a b c"], []]


@pytest.mark.parametrize(
    "sentences",
    [
        ["One."],
        ["One. ", "Two! ", "Three?"],
        ["He asked: why? ", "“Because.” ", "And left."],
        ["Wait... ", "What?! ", "Yes."],
        ["It costs 3.50 today, e.g. here.   ", "Fine"],
        ["Visit example.com now. ", "(See below.) ", "1 is odd."],
        ["今日は雨。", "明日は？", "「晴れ。」", "はい"],
        ["a heading\n", "and a line\n\n", "another."],
        ["no end at all"],
        ["Trailing space. "],
    ],
)
def test_sentences_end_where_they_should(sentences):
    text = "".join(sentences)
    places = [0, *sentence_ends(text), len(text)]
    assert [text[a:b] for a, b in pairwise(places)] == sentences


def test_no_text_takes_long():
    began = time.monotonic()
    for text in ("." * 10**5, ". " * 10**5, "." + '"' * 10**5, "!" + " " * 10**5, "\n" * 10**5):
        sentence_ends(text)
    assert time.monotonic() - began < 2

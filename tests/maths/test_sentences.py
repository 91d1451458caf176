import time
from itertools import pairwise

import pytest

from nlgauge.maths.text import sentence_ends


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

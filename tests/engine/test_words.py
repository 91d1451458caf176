import numpy as np
import pytest

from nlgauge.engine.models.capabilities import TOKENIZER
from nlgauge.engine.models.loading import load
from nlgauge.engine.words import is_word, words


def read(text: str) -> list[str]:
    """The words of a text as the embedded model's pieces make them up."""
    tokens = load("pocket")[TOKENIZER].encode([text])[0]
    numbers = words(text, tokens.offsets)
    found = []
    for number in dict.fromkeys(numbers.tolist()):
        own = tokens.offsets[numbers == number]
        found.append(text[own[0][0] : own[-1][1]])
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Unbelievably, Zürich re-opened!", ["Unbelievably", ",", "Zürich", "re", "-", "opened", "!"]),
        ("can't  3.5", ["can", "'", "t", "3", ".", "5"]),
        ("图书馆", ["图", "书", "馆"]),
        ("المكتبة", ["المكتبة"]),
    ],
)
def test_words_are_whole_and_punctuation_stands_alone(text, expected):
    assert read(text) == expected


def test_pieces_that_cover_one_another_are_one_word():
    np.testing.assert_array_equal(words("é x", [(0, 1), (0, 1), (2, 3)]), [0, 0, 1])


def test_no_tokens_no_words():
    assert words("", []).shape == (0,)


@pytest.mark.parametrize(("text", "expected"), [("a.", True), ("7", True), ("?!", False), ("", False), ("🙂", False)])
def test_what_is_a_word(text, expected):
    assert is_word(text) is expected

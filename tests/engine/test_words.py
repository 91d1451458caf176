import numpy as np

from nlgauge.engine.models.capabilities import TOKENIZER
from nlgauge.engine.models.loading import load
from nlgauge.engine.words import words


def read(text: str) -> list[str]:
    """The words of a text as the embedded model's pieces make them up."""
    tokens = load("pocket")[TOKENIZER].encode([text])[0]
    numbers = words(text, tokens.offsets)
    found = []
    for number in dict.fromkeys(numbers.tolist()):
        own = tokens.offsets[numbers == number]
        found.append(text[own[0][0] : own[-1][1]])
    return found


def test_pieces_that_cover_one_another_are_one_word():
    np.testing.assert_array_equal(words("é x", [(0, 1), (0, 1), (2, 3)]), [0, 0, 1])

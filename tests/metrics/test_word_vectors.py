"""The words that static vectors are made of, and what all metrics of them have in common."""

from importlib.util import find_spec

import numpy as np
import pytest

from nlgauge import registry
from nlgauge.metrics.movers import WordMovers
from nlgauge.metrics.word_vectors import similarity, too_short, words_of
from tests.metrics.pieces import pieces, prepared, row, scored

OF_THE_LAB = ("EmbeddingAverage", "GreedyMatching", "VectorExtrema", "RougeWE", "RougeWE(ngram=2)")
FAMILY = [WordMovers(), *map(registry.metric, OF_THE_LAB if find_spec("nlgauge_lab") else ())]
A, B, C = [1.0, 0, 0], [0, 1.0, 0], [0, 0.6, 0.8]


def value(metric, candidate, reference):
    """The number of a pair of texts; all of them, of a metric with several parts."""
    (parts,) = metric.compare([(candidate, reference)], prepared(metric))
    return parts if len(parts) > 1 else parts[0]


def test_a_word_is_the_mean_of_its_pieces_without_case_and_punctuation():
    text = words_of(pieces("Un|DO , B", [[2.0, 0, 0], [0, 1, 0], [9, 9, 9], [1, 0, 2]]))
    assert text.names.tolist() == ["undo", "b"]
    np.testing.assert_array_equal(text.vectors, [[1, 0.5, 0], [1, 0, 2]])
    assert text.spans.tolist() == [[0, 4], [7, 8]]


def test_equal_words_are_alike_whatever_their_vectors():
    one, other = words_of(pieces("a b", [A, B])), words_of(pieces("A c", [[-1.0, 0, 0], C]))
    np.testing.assert_allclose(similarity(one, other), [[1, 0], [0, 0.6]])


def test_a_text_of_too_few_words_says_so():
    marks, word = pieces("! ?", [A, B]), pieces("! a", [A, B])
    assert too_short(marks) == too_short(marks, 2) == "nothing but punctuation"
    assert too_short(word) is None and too_short(word, 2) == "fewer than 2 words"


@pytest.mark.parametrize("metric", FAMILY, ids=str)
def test_the_same_words_are_best_whatever_their_case_pieces_and_punctuation(metric):
    one = pieces("un|do B .", [[2.0, 0, 0], [0, 1, 0], [1, 0, 2.0], [-9, 9, 9]])
    other = pieces("undo b", [[1.0, 0.5, 0], [1, 0, 2.0]])
    assert np.allclose(value(metric, one, other), 1 if metric.higher_is_better else 0)
    if metric.name in ("GreedyMatching", "RougeWE", "WordMovers"):
        cased = pieces("UNDO b", [[0.3, 0.5, 0.1], [1, 0, 2.0]])
        assert np.allclose(value(metric, one, cased), 1 if metric.higher_is_better else 0)


@pytest.mark.parametrize("metric", FAMILY, ids=str)
def test_swapping_the_texts_changes_no_value_but_precision_and_recall(metric):
    there, back = scored(metric, [row("w1 w2 w3 w2", "w2 w4"), row("w2 w4", "w1 w2 w3 w2")])
    assert there.parts[0] == pytest.approx(back.parts[0])
    assert there.parts[1:] == pytest.approx(back.parts[:0:-1])

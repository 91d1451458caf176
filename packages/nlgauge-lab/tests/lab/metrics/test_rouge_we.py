import numpy as np
import pytest

from nlgauge.errors import SpecError
from nlgauge_lab.metrics.rouge_we import RougeWE
from tests.metrics.pieces import pieces, row, scored
from tests.metrics.test_word_vectors import A, B, C, value


def test_it_is_rouge_where_no_two_words_are_alike():
    """'a b a c' and 'a b b': a and b are common once each, and the bigram 'a b'."""
    d = np.eye(3)
    one, other = pieces("a b a c", [d[0], d[1], d[0], d[2]]), pieces("a b b", [d[0], d[1], d[1]])
    assert value(RougeWE(), one, other) == pytest.approx((4 / 7, 2 / 4, 2 / 3))
    assert value(RougeWE(ngram=2), one, other) == pytest.approx((2 / 5, 1 / 3, 1 / 2))


def test_it_matches_the_most_similar_first_and_each_once():
    """b goes with b, so c is left with a, from which it is at a right angle."""
    assert value(RougeWE(), pieces("c b", [C, B]), pieces("a b", [A, B])) == pytest.approx((0.5, 0.5, 0.5))
    assert value(RougeWE(), pieces("c a", [C, A]), pieces("b a", [B, A])) == pytest.approx((0.8, 0.8, 0.8))
    assert value(RougeWE(), pieces("a", [A]), pieces("d", [[-1.0, 0, 0]])) == (0, 0, 0)


def test_it_multiplies_the_words_of_a_bigram():
    x, y = np.array([[1.0, 2, 3], [4, 5, 6]]), np.array([[1.0, 1, 0], [0, 1, 1]])
    one, other = x.prod(axis=0), y.prod(axis=0)
    cosine = one @ other / np.linalg.norm(one) / np.linalg.norm(other)
    assert value(RougeWE(ngram=2), pieces("a b", x), pieces("c d", y)) == pytest.approx((cosine,) * 3)


def test_a_text_of_one_word_has_no_bigrams():
    short, also, fine = scored(RougeWE(ngram=2), [row("w1", "w1 w2"), row("w1 w2", "w3"), row("w1 w2", "w2 w1")])
    assert np.isnan(short.parts).all() and short.reason == "the candidate has fewer than 2 words"
    assert np.isnan(also.parts).all() and also.reason == "the references have fewer than 2 words"
    assert fine.reason is None
    with pytest.raises(SpecError, match="ngram=3"):
        RougeWE(ngram=3)

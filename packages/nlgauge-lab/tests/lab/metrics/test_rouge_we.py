import pytest

from nlgauge_lab.metrics.rouge_we import RougeWE
from tests.metrics.pieces import pieces
from tests.metrics.test_word_vectors import A, B, C, value


def test_it_matches_the_most_similar_first_and_each_once():
    """b goes with b, so c is left with a, from which it is at a right angle."""
    assert value(RougeWE(), pieces("c b", [C, B]), pieces("a b", [A, B])) == pytest.approx((0.5, 0.5, 0.5))
    assert value(RougeWE(), pieces("c a", [C, A]), pieces("b a", [B, A])) == pytest.approx((0.8, 0.8, 0.8))
    assert value(RougeWE(), pieces("a", [A]), pieces("d", [[-1.0, 0, 0]])) == (0, 0, 0)

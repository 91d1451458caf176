import pytest

from nlgauge_lab.metrics.greedy_matching import GreedyMatching
from tests.metrics.pieces import pieces
from tests.metrics.test_word_vectors import A, B, C, value


def test_greedy_matching_is_the_mean_of_both_directions():
    mean = value(GreedyMatching(), pieces("a b", [A, B]), pieces("c", [C]))
    assert mean == pytest.approx(((0 + 0.6) / 2 + 0.6) / 2)

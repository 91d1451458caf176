"""Metrics of word vectors: values by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nlgauge.errors import SpecError
from nlgauge_lab.metrics.depth_score import DepthScore
from nlgauge_lab.metrics.embedding_average import EmbeddingAverage
from nlgauge_lab.metrics.greedy_matching import GreedyMatching
from nlgauge_lab.metrics.rouge_we import RougeWE
from nlgauge_lab.metrics.vector_extrema import VectorExtrema
from tests.metrics.pieces import pieces, prepared
from tests.metrics.test_word_vectors import A, B, C, value


def test_average_by_hand():
    cosine = value(EmbeddingAverage(), pieces("a b", [[2.0, 0, 0], [0, 4.0, 0]]), pieces("b", [B]))
    assert cosine == pytest.approx(2 / math.sqrt(5))


def test_greedy_matching_is_the_mean_of_both_directions():
    mean = value(GreedyMatching(), pieces("a b", [A, B]), pieces("c", [C]))
    assert mean == pytest.approx(((0 + 0.6) / 2 + 0.6) / 2)


def test_it_matches_the_most_similar_first_and_each_once():
    """b goes with b, so c is left with a, from which it is at a right angle."""
    assert value(RougeWE(), pieces("c b", [C, B]), pieces("a b", [A, B])) == pytest.approx((0.5, 0.5, 0.5))
    assert value(RougeWE(), pieces("c a", [C, A]), pieces("b a", [B, A])) == pytest.approx((0.8, 0.8, 0.8))
    assert value(RougeWE(), pieces("a", [A]), pieces("d", [[-1.0, 0, 0]])) == (0, 0, 0)


def test_extrema_take_the_value_farthest_from_0():
    cosine = value(VectorExtrema(), pieces("a b", [[1.0, -3, 0], [-2, 1, 0]]), pieces("c", [[-2.0, 0, 0]]))
    assert cosine == pytest.approx(2 / math.sqrt(13))


def depth(metric, candidate, reference) -> float:
    ((number,),) = metric.compare([(candidate, reference)], prepared(metric))
    return number


def test_levels_are_averaged_by_hand():
    """Of three unit vectors the middle one is deepest: it alone is left at the upper level, all at the lower one."""
    angles = np.array([-0.4, 0.1, 0.5])
    three = pieces("a b c", np.stack([np.cos(angles), np.sin(angles)], axis=1))
    one = pieces("d", [[1.0, 0.0]])
    reach = [2 * math.sin(angle / 2) for angle in (0.5, 0.1)]
    for p in (1, 5):
        expected = np.mean([d**p for d in reach]) ** (1 / p)
        assert depth(DepthScore(p=p, eps=0, levels=2), three, one) == pytest.approx(expected, rel=2e-3)


@pytest.mark.parametrize(
    "wrong",
    [
        {"layer": -1},
        {"layer": True},
        {"levels": 0},
        {"p": 0.5},
        {"p": math.inf},
        {"p": True},
        {"eps": 1},
        {"eps": -0.1},
        {"eps": math.nan},
        {"special": "no"},
    ],
)
def test_parameters_outside_their_domain_are_refused(wrong):
    with pytest.raises(SpecError, match="DepthScore: "):
        DepthScore(**wrong)

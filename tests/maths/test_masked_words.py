"""MaskEval's sums against the worked example of its specification, and what holds for any words."""

import numpy as np
import pytest

from nlgauge.metrics.maskeval import heaviest, kept_words, uniform, weighted_score, word_weights

# Candidate: sub-words {0}, {1, 2}, {3}; source: five words of one sub-word.
CANDIDATE = word_weights(np.array([0.2, 1, -0.5, 0.3]), np.array([0, 1, 3]))
SOURCE = word_weights(np.array([0, 0.5, 0.5, -1, 2]), np.arange(5))
HITS = np.array([1.0, 0, 1])
OTHERS = np.array([1.0, 1, 0, 0, 1])
SHARE = 0.6


def test_word_weights_sum_the_softmax_of_the_pieces():
    np.testing.assert_allclose(CANDIDATE, [0.20715526077062038, 0.563902769499313, 0.22894196973006672], atol=1e-15)
    np.testing.assert_allclose(SOURCE[[0, 3, 4]], [0.08295741126, 0.03051832610, 0.61297696563], atol=1e-10)


def test_the_score_is_the_share_of_both_weighted_sums():
    learned = weighted_score([HITS, OTHERS], [CANDIDATE, SOURCE], SHARE)
    assert learned == pytest.approx(0.5947415484590158, abs=1e-14)
    assert (learned - 0.8) ** 2 == pytest.approx(0.04213103192900256, abs=1e-14)
    alike = [uniform(3), uniform(5)]
    assert weighted_score([HITS, OTHERS], alike, 0.5) == pytest.approx(0.6333333333333333, abs=1e-14)
    assert weighted_score([HITS, np.zeros(0)], [uniform(3), np.zeros(0)], 1.0) == pytest.approx(2 / 3, abs=1e-14)


def test_the_heaviest_words_of_both_texts_together():
    own, other = kept_words((CANDIDATE, SOURCE), SHARE, 0.7, per_text=False)
    assert (own, other) == ([1, 2], [4])
    kept = weighted_score([HITS[own], OTHERS[other]], [CANDIDATE[own], SOURCE[other]], SHARE)
    assert kept == pytest.approx(0.5306661477043297, abs=1e-14)


def test_a_share_that_so_many_words_reach_exactly_keeps_no_word_more_whatever_rounding_says():
    for words in range(2, 60):
        for kept in range(1, words):
            assert len(heaviest(np.full(words, 1 / words), kept / words)) == kept, (words, kept)

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nlgauge.engine.english import is_stopword
from nlgauge.maths import alignment as m
from nlgauge.maths.vectors import unit

# Section 8.6 of the specification: unit vectors of two texts, their alignments in both directions, and the aspects.
A_TO_B = np.array([0.9902209524921204, 0.30137159423673227, 0.6970966755769257])
B_TO_A = np.array([0.9902209524921204, 0.6793662204867575])

confidences = arrays(np.float64, st.integers(1, 8), elements=st.floats(0, 1))


def test_golden_aspects():
    assert m.consistency(A_TO_B) == pytest.approx(0.6628964074352595, abs=1e-10)
    assert m.mean_alignment(B_TO_A) == pytest.approx(0.8347935864894389, abs=1e-10)
    assert m.preservation(A_TO_B, B_TO_A) == pytest.approx(0.7389802585029059, abs=1e-10)
    assert m.preservation(A_TO_B, B_TO_A, factor=1) == pytest.approx(0.36949012925145297, abs=1e-10)
    assert m.relevance([np.array([0.8]), np.array([0.6])], np.array([0.5])) == pytest.approx(0.35, abs=1e-10)


def test_golden_stopwords():
    words, scores = ["the", "cat", "sat", "the,"], np.array([0.1, 0.9, 0.8, 0.3])
    kept = scores[[not is_stopword(word) for word in words]]
    assert (m.consistency(scores), m.groundedness(scores)) == (pytest.approx(0.525), pytest.approx(2.1))
    assert (m.consistency(kept), m.groundedness(kept)) == (pytest.approx(2 / 3), pytest.approx(2.0))


def test_preservation_of_nothing_is_0_and_of_opposites_unknown():
    zero = np.zeros(2)
    assert m.preservation(zero, zero) == 0
    assert m.preservation(zero, zero + 1e-300) == 0
    assert np.isnan(m.preservation(zero + 0.5, zero - 0.5))


def test_long_texts_are_matched_in_blocks(monkeypatch):
    generator = np.random.default_rng(3)
    a, b = unit(generator.normal(size=(23, 4))), unit(generator.normal(size=(7, 4)))
    whole = m.greedy_alignment(a, b)
    monkeypatch.setattr(m, "_CELLS", 20)
    np.testing.assert_allclose(m.greedy_alignment(a, b), whole, rtol=1e-12)
    np.testing.assert_allclose(whole, [max(x @ y for y in b) for x in a])


@given(confidences, st.floats(0, 0.9))
def test_rescaling_keeps_1_and_makes_the_baseline_0(a, baseline):
    assert m.rescaled(np.array([1.0, baseline]), baseline) == pytest.approx([1, 0])
    assert (np.diff(m.rescaled(np.sort(a), baseline)) >= 0).all()


def test_a_words_confidence_is_that_of_its_pieces_in_the_mean():
    """Golden 8.6: states, a layer of two classes, and P(supported) with mean pooling."""
    states, weights, bias = np.array([[1, 2], [0.5, -1], [0, 1]]), np.array([[0.9, 0.4], [-0.3, 0.2]]), [0.1, 0.0]
    scores = states @ weights.T + bias
    found = m.word_alignment(scores[:, 0] - scores[:, 1], np.array([0, 2]))
    np.testing.assert_allclose(found, [0.7502601055951177, 0.574442516811659], rtol=1e-12)
    np.testing.assert_array_equal(m.word_alignment(np.array([800.0, -800.0]), np.array([0, 1])), [1, 0])


# ---- Deciding

WORDS = np.array([[0, 3], [4, 9], [10, 12], [14, 20], [21, 25]])
SUPPORT = np.array([0.9, 0.2, 0.1, 0.8, 0.3])


def test_the_lowest_mean_is_of_the_worst_part_that_has_words():
    assert m.least_mean(SUPPORT, WORDS, [(0, 12), (14, 25)]) == pytest.approx(0.4)
    assert m.least_mean(SUPPORT, WORDS, [(0, 3), (4, 12), (12, 13), (14, 25)]) == pytest.approx(0.15)
    assert m.least_mean(SUPPORT, WORDS, [(0, 25)]) == m.mean_alignment(SUPPORT)
    assert np.isnan(m.least_mean(np.empty(0), np.empty((0, 2), int), [(0, 3)]))


def test_the_odds_against_an_answer_are_those_against_its_claims_over_the_root_of_their_number():
    chances = [0.9, 0.25, 0.5, 0.8]
    odds = (1 / 9 + 3 + 1 + 1 / 4) / 2
    assert m.all_supported(chances) == pytest.approx(1 / (1 + odds), rel=1e-15)
    assert len({m.all_supported(some) for some in permutations(chances)}) == 1, "in any order"
    # Between independent claims and claims of one fate; more of the same claim are less likely to be all right.
    assert np.prod(chances) < m.all_supported(chances) < 4 / sum(1 / chance for chance in chances)
    assert m.all_supported([0.7]) == 0.7 > m.all_supported([0.7, 0.7]) > m.all_supported([0.7] * 9)
    assert m.all_supported([0.2, 0.9, 0.9]) < m.all_supported([0.3, 0.9, 0.9]) < m.all_supported([0.3, 0.9, 1.0])


def test_a_claim_that_is_surely_wrong_decides_and_one_without_a_probability_leaves_none():
    assert m.all_supported([1.0, 0.0, 0.3]) == 0
    assert m.all_supported([1.0, 5e-324]) == 0
    assert m.all_supported([1.0, 1.0]) == 1
    assert np.isnan(m.all_supported([0.3, np.nan])) and np.isnan(m.all_supported([0.0, np.nan]))
    assert np.isnan(m.all_supported([]))


def test_runs_of_unsupported_words_end_where_their_last_word_ends():
    spans = np.array([[0, 3], [4, 6], [7, 12], [13, 14], [15, 19]])
    assert m.unsupported_spans(np.array([0.1, 0.9, 0.2, 0.3, 0.8]), spans, 0.5) == [(0, 3), (7, 14)]
    assert m.unsupported_spans(np.array([0.9, 0.9, 0.9, 0.5, 0.4]), spans, 0.5) == [(15, 19)]

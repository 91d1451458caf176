import math

import numpy as np
import pytest

from nlgauge.errors import SpecError
from nlgauge.metrics.word_vectors import EmbeddingAverage, GreedyMatching, RougeWE, VectorExtrema, WordMovers
from tests.metrics.pieces import pieces, scored, scorer, shown

FAMILY = [EmbeddingAverage(), GreedyMatching(), VectorExtrema(), WordMovers(), RougeWE(), RougeWE(ngram=2)]
A, B, C = [1.0, 0, 0], [0, 1.0, 0], [0, 0.6, 0.8]


def value(metric, candidate, reference):
    (got,) = scorer(metric).compare([(candidate, reference)])
    return got if len(got) > 1 else got[0]


def test_average_by_hand():
    got = value(EmbeddingAverage(), pieces("a b", [[2.0, 0, 0], [0, 4.0, 0]]), pieces("b", [B]))
    assert got == pytest.approx(2 / math.sqrt(5))


def test_greedy_matching_is_the_mean_of_both_directions():
    got = value(GreedyMatching(), pieces("a b", [A, B]), pieces("c", [C]))
    assert got == pytest.approx(((0 + 0.6) / 2 + 0.6) / 2)


def test_extrema_take_the_value_farthest_from_0():
    got = value(VectorExtrema(), pieces("a b", [[1.0, -3, 0], [-2, 1, 0]]), pieces("c", [[-2.0, 0, 0]]))
    assert got == pytest.approx(2 / math.sqrt(13))


def test_word_movers_moves_the_bag_by_hand():
    """Two thirds of the mass is at a, of which one sixth has to go to b, at a distance of sqrt 2."""
    got = value(WordMovers(), pieces("a b a", [A, B, A]), pieces("b a", [B, A]))
    assert got == pytest.approx(math.sqrt(2) / 6)


def test_word_movers_is_at_least_the_distance_of_the_centroids():
    rng = np.random.default_rng(0)
    for _ in range(10):
        x, y = rng.normal(size=(4, 6)), rng.normal(size=(3, 6))
        got = value(WordMovers(), pieces("a b c d", x), pieces("e f g", y))
        assert got >= np.linalg.norm(x.mean(axis=0) - y.mean(axis=0)) - 1e-6


def test_word_movers_grows_with_the_scale_of_the_vectors():
    x, y = np.array([A, B]), np.array([C])
    once, twice = (value(WordMovers(), pieces("a b", s * x), pieces("c", s * y)) for s in (1, 2))
    assert twice == pytest.approx(2 * once)


def test_rouge_we_is_rouge_where_no_two_words_are_alike():
    """'a b a c' and 'a b b': a and b are common once each, and the bigram 'a b'."""
    d = np.eye(3)
    one, other = pieces("a b a c", [d[0], d[1], d[0], d[2]]), pieces("a b b", [d[0], d[1], d[1]])
    assert value(RougeWE(), one, other) == pytest.approx((4 / 7, 2 / 4, 2 / 3))
    assert value(RougeWE(ngram=2), one, other) == pytest.approx((2 / 5, 1 / 3, 1 / 2))


def test_rouge_we_matches_the_most_similar_first_and_each_once():
    """b goes with b, so c is left with a, from which it is at a right angle."""
    assert value(RougeWE(), pieces("c b", [C, B]), pieces("a b", [A, B])) == pytest.approx((0.5, 0.5, 0.5))
    assert value(RougeWE(), pieces("c a", [C, A]), pieces("b a", [B, A])) == pytest.approx((0.8, 0.8, 0.8))
    assert value(RougeWE(), pieces("a", [A]), pieces("d", [[-1.0, 0, 0]])) == (0, 0, 0)


def test_rouge_we_multiplies_the_words_of_a_bigram():
    x, y = np.array([[1.0, 2, 3], [4, 5, 6]]), np.array([[1.0, 1, 0], [0, 1, 1]])
    one, other = x.prod(axis=0), y.prod(axis=0)
    cosine = one @ other / np.linalg.norm(one) / np.linalg.norm(other)
    assert value(RougeWE(ngram=2), pieces("a b", x), pieces("c d", y)) == pytest.approx((cosine,) * 3)


@pytest.mark.parametrize("metric", FAMILY, ids=str)
def test_the_same_words_are_best_whatever_their_case_pieces_and_punctuation(metric):
    one = pieces("un|do B .", [[2.0, 0, 0], [0, 1, 0], [1, 0, 2.0], [-9, 9, 9]])
    other = pieces("undo b", [[1.0, 0.5, 0], [1, 0, 2.0]])
    assert np.allclose(value(metric, one, other), 1 if metric.larger_is_better else 0)
    if isinstance(metric, GreedyMatching | RougeWE | WordMovers):
        cased = pieces("UNDO b", [[0.3, 0.5, 0.1], [1, 0, 2.0]])
        assert np.allclose(value(metric, one, cased), 1 if metric.larger_is_better else 0)


@pytest.mark.parametrize("metric", FAMILY, ids=str)
def test_swapping_the_texts_changes_no_value_but_precision_and_recall(metric):
    there, back = scored(metric, ["w1 w2 w3 w2", "w2 w4"], ["w2 w4", "w1 w2 w3 w2"])
    assert there.parts[0] == pytest.approx(back.parts[0])
    assert there.parts[1:] == pytest.approx(back.parts[:0:-1])


@pytest.mark.parametrize("metric", FAMILY, ids=str)
def test_nothing_but_punctuation_has_a_reason(metric):
    assert scorer(metric).unusable(pieces("! ?", [A, B])) == "nothing but punctuation"
    assert scorer(metric).unusable(pieces("! a b", [A, B, C])) is None


def test_a_text_of_one_word_has_no_bigrams():
    short, also, fine = scored(RougeWE(ngram=2), ["w1", "w1 w2", "w1 w2"], ["w1 w2", "w3", "w2 w1"])
    assert np.isnan(short.parts).all() and short.reason == "the candidate has fewer than 2 words"
    assert np.isnan(also.parts).all() and also.reason == "no reference has words"
    assert fine.reason is None
    with pytest.raises(SpecError, match="ngram=3"):
        RougeWE(ngram=3)


def test_vectors_that_cancel_out_have_no_direction():
    gone = pieces("a b", [A, [-1.0, 0, 0]])
    assert math.isnan(value(EmbeddingAverage(), gone, pieces("b", [B])))
    assert "no direction" in scorer(EmbeddingAverage()).undefined


def test_evidence_of_word_movers_is_the_plan():
    texts = "w1 w2 w1", ["w9 w8", "w2 w1 w4"]
    evidence = shown(WordMovers(), *texts)
    (row,) = scored(WordMovers(), [texts[0]], [texts[1]])
    assert evidence["reference"] == 1
    flows = evidence["flows"]
    assert sum(flow["share"] for flow in flows) == pytest.approx(1)
    assert sum(flow["share"] * flow["distance"] for flow in flows) == pytest.approx(row.parts[0])
    stays = {flow["candidate"]: flow["share"] for flow in flows if flow["candidate"] == flow["reference"]}
    assert stays == {"w1": pytest.approx(1 / 3), "w2": pytest.approx(1 / 3)}
    assert shown(EmbeddingAverage(), *texts) == {}

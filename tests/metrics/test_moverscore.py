import math

import numpy as np
import pytest

from nlgauge.engine.models.card import DocumentFrequencies, ModelCard
from nlgauge.metrics.movers import MoverScore
from tests.engine.fake import WORDS, FakeModel
from tests.metrics.pieces import pieces, prepared

PLAIN = {"layers": 1, "aggregate": "mean", "idf": "none"}


def value(metric: MoverScore, candidate, reference, model=None) -> float:
    ((number,),) = metric.compare([(candidate, reference)], prepared(metric, model=model))
    return number


def test_one_word_each_is_1_minus_their_distance():
    one, other = pieces("a", [[2.0, 0]]), pieces("b", [[0, 5.0]])
    assert value(MoverScore(**PLAIN), one, other) == pytest.approx(1 - math.sqrt(2))
    assert value(MoverScore(**PLAIN), one, pieces("b", [[-1.0, 0]])) == pytest.approx(-1)


def test_two_words_by_hand():
    """Half of the mass stays, the other half goes from (0, 1) to (0.6, 0.8)."""
    moved = value(MoverScore(**PLAIN), pieces("a b", [[1, 0], [0, 1]]), pieces("c d", [[0.6, 0.8], [1, 0]]))
    assert moved == pytest.approx(1 - 0.5 * math.hypot(0.6, 0.2))


def with_counts(weights: dict[int, float]) -> FakeModel:
    """A model whose general idf of these tokens is as given."""
    counts = np.zeros(len(WORDS))
    for token, weight in weights.items():
        counts[token] = 11 * math.exp(-weight) - 1
    return FakeModel(card=ModelCard(document_frequencies=DocumentFrequencies(counts, 10)))


def test_idf_is_the_mass_of_a_word():
    """3/4 of the mass is at (1, 0) on one side and 1/4 on the other; half has to go to (0, 1)."""
    model = with_counts({5: 1.5, 6: 0.5, 7: 0.5, 8: 1.5})
    one, other = pieces("a b", [[1, 0], [0, 1]], [5, 6]), pieces("a b", [[1, 0], [0, 1]], [7, 8])
    metric = MoverScore(layers=1, aggregate="mean")
    assert value(metric, one, other, model) == pytest.approx(1 - 0.5 * math.sqrt(2))


def test_bigrams_are_weighted_means_of_neighbours():
    model = with_counts({5: 1.0, 6: 2.0, 7: 0.5})
    vectors = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1]])
    grams = [np.array([1, 2, 0]) / math.sqrt(5), np.array([0, 2, 0.5]) / math.sqrt(4.25)]
    target = np.array([0.6, 0, 0.8])
    expected = sum(
        share * np.linalg.norm(gram - target) for share, gram in zip((3 / 5.5, 2.5 / 5.5), grams, strict=True)
    )
    moved = value(
        MoverScore(ngram=2, layers=1, aggregate="mean"),
        pieces("a b c", vectors, [5, 6, 7]),
        pieces("d", [target], [6]),
        model,
    )
    assert moved == pytest.approx(1 - expected)


def test_it_is_one_minus_linear_programming():
    optimize = pytest.importorskip("scipy.optimize", reason="needs the dependency group parity")
    rng = np.random.default_rng(0)
    for n, m in ((3, 5), (6, 2)):
        x, y = (rng.normal(size=(size, 7)) for size in (n, m))
        words = [" ".join("abcdefgh"[:size]) for size in (n, m)]
        x, y = (side / np.linalg.norm(side, axis=1, keepdims=True) for side in (x, y))
        cost = np.linalg.norm(x[:, None] - y, axis=2)
        sums = np.concatenate([np.kron(np.eye(n), np.ones(m)), np.kron(np.ones(n), np.eye(m))])
        least = optimize.linprog(cost.ravel(), A_eq=sums, b_eq=[*[1 / n] * n, *[1 / m] * m]).fun
        assert value(MoverScore(**PLAIN), pieces(words[0], x), pieces(words[1], y)) == pytest.approx(
            1 - least, abs=1e-6
        )


def test_stopwords_are_left_out_where_they_shall_be():
    one, other = pieces("the dog", [[1, 0], [0, 1]]), pieces("dog", [[0, 1]])
    assert value(MoverScore(**PLAIN), one, other) == pytest.approx(1 - math.sqrt(2) / 2)
    without = MoverScore(**PLAIN, stopwords=False)
    assert value(without, one, other) == pytest.approx(1)
    assert without.unusable(pieces("of the", [[1, 0], [0, 1]])) == "nothing but stop-words and punctuation"

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


def with_counts(weights: dict[int, float]) -> FakeModel:
    """A model whose general idf of these tokens is as given."""
    counts = np.zeros(len(WORDS))
    for token, weight in weights.items():
        counts[token] = 11 * math.exp(-weight) - 1
    return FakeModel(card=ModelCard(document_frequencies=DocumentFrequencies(counts, 10)))


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


def test_stopwords_are_left_out_where_they_shall_be():
    one, other = pieces("the dog", [[1, 0], [0, 1]]), pieces("dog", [[0, 1]])
    assert value(MoverScore(**PLAIN), one, other) == pytest.approx(1 - math.sqrt(2) / 2)
    without = MoverScore(**PLAIN, stopwords=False)
    assert value(without, one, other) == pytest.approx(1)
    assert without.unusable(pieces("of the", [[1, 0], [0, 1]])) == "nothing but stop-words and punctuation"

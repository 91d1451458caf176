"""MoverScore, SentenceMovers and WordMovers: values by hand. MoverScore as a linear programme: tests/contracts."""

import math

import numpy as np
import pytest

from nlgauge.engine.models.card import DocumentFrequencies, ModelCard
from nlgauge.metrics.movers import MoverScore, SentenceMovers, WordMovers
from tests.engine.fake import WORDS, FakeModel
from tests.metrics.pieces import pieces, prepared

A, B, C = [1.0, 0], [0, 1.0], [0.6, 0.8]
SENTENCES, BOTH = SentenceMovers(variant="sms"), SentenceMovers()
PLAIN = {"layers": 1, "aggregate": "mean", "idf": "none"}


def value(metric, candidate, reference, model=None) -> float:
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


def test_one_sentence_each_is_the_distance_of_their_means():
    similarity = value(SENTENCES, pieces("x y", [A, B]), pieces("z", [C]))
    assert similarity == pytest.approx(math.exp(-math.hypot(0.1, 0.3)))


def test_sentences_weigh_as_many_as_they_have_words():
    """'X y. Z.': two thirds of the mass at the mean of x and y, which is c's place, one third at z."""
    three = pieces("X y . Z .", [A, B, [9.0, 9], B, [9.0, 9]])
    place = [0.5, 0.5]
    similarity = value(SentenceMovers(variant="sms", unit=False), three, pieces("c", [place]))
    assert similarity == pytest.approx(math.exp(-math.hypot(0.5, 0.5) / 3))


def test_words_and_sentences_are_moved_together():
    """Half of the mass is that of words, half that of the one sentence, all of it goes to c."""
    similarity = value(BOTH, pieces("x y", [A, B]), pieces("c", [C]))
    cost = (math.hypot(0.4, 0.8) + math.hypot(0.6, 0.2)) / 4 + math.hypot(0.1, 0.3) / 2
    assert similarity == pytest.approx(math.exp(-cost))


def test_word_movers_move_the_bag_by_hand():
    """Two thirds of the mass is at a, of which one sixth has to go to b, at a distance of sqrt 2."""
    cost = value(WordMovers(), pieces("a b a", [A, B, A]), pieces("b a", [B, A]))
    assert cost == pytest.approx(math.sqrt(2) / 6)

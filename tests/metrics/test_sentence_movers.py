import math

import pytest

from nlgauge.metrics.movers import SentenceMovers
from tests.metrics.pieces import pieces, prepared

A, B, C = [1.0, 0], [0, 1.0], [0.6, 0.8]
SENTENCES, BOTH = SentenceMovers(variant="sms"), SentenceMovers()


def value(metric, candidate, reference) -> float:
    ((number,),) = metric.compare([(candidate, reference)], prepared(metric))
    return number


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

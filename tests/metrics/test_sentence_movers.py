import math

import pytest

from nlgauge.metrics.movers import SentenceMovers
from tests.metrics.pieces import pieces, prepared, row, scored, shown

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


def test_evidence_is_the_plan():
    one = row("w1 w2 w3", "", "w9", "w2 w4 w3 w1")
    evidence = shown(BOTH, one)
    assert evidence["reference"] == 2, "counted among all of the row's references"
    flows = evidence["flows"]
    assert sum(flow["share"] for flow in flows) == pytest.approx(1)
    cost = sum(flow["share"] * flow["distance"] for flow in flows)
    assert math.exp(-cost) == pytest.approx(scored(BOTH, [one])[0].parts[0])
    assert {flow["candidate"]["text"] for flow in flows} == {"w1", "w2", "w3", "w1 w2 w3"}
    for flow in flows:
        for place, text in ((flow["candidate"], one.candidate), (flow["reference"], one.references[2])):
            assert text[place["begin"] : place["end"]] == place["text"]
    assert shown(BOTH, row("w1")) == {}

import math

import pytest

from nlgauge.metrics.movers import WordMovers
from tests.metrics.pieces import pieces, row, scored, shown
from tests.metrics.test_word_vectors import A, B, value


def test_it_moves_the_bag_by_hand():
    """Two thirds of the mass is at a, of which one sixth has to go to b, at a distance of sqrt 2."""
    cost = value(WordMovers(), pieces("a b a", [A, B, A]), pieces("b a", [B, A]))
    assert cost == pytest.approx(math.sqrt(2) / 6)


def test_evidence_is_the_plan():
    one = row("w1 w2 w1", "", "w9 w8", "w2 w1 w4")
    evidence = shown(WordMovers(), one)
    assert evidence["reference"] == 2, "counted among all of the row's references"
    flows = evidence["flows"]
    assert sum(flow["share"] for flow in flows) == pytest.approx(1)
    cost = sum(flow["share"] * flow["distance"] for flow in flows)
    assert cost == pytest.approx(scored(WordMovers(), [one])[0].parts[0])
    stays = {flow["candidate"]["text"]: flow["share"] for flow in flows if flow["candidate"] == flow["reference"]}
    assert stays == {"w1": pytest.approx(1 / 3), "w2": pytest.approx(1 / 3)}
    assert shown(WordMovers(), row("w1")) == {}

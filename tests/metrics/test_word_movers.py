import math

import pytest

from nlgauge.metrics.movers import WordMovers
from tests.metrics.pieces import pieces
from tests.metrics.test_word_vectors import A, B, value


def test_it_moves_the_bag_by_hand():
    """Two thirds of the mass is at a, of which one sixth has to go to b, at a distance of sqrt 2."""
    cost = value(WordMovers(), pieces("a b a", [A, B, A]), pieces("b a", [B, A]))
    assert cost == pytest.approx(math.sqrt(2) / 6)

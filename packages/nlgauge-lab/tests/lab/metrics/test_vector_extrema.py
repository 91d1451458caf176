import math

import pytest

from nlgauge_lab.metrics.vector_extrema import VectorExtrema
from tests.metrics.pieces import pieces
from tests.metrics.test_word_vectors import A, value


def test_extrema_take_the_value_farthest_from_0():
    cosine = value(VectorExtrema(), pieces("a b", [[1.0, -3, 0], [-2, 1, 0]]), pieces("c", [[-2.0, 0, 0]]))
    assert cosine == pytest.approx(2 / math.sqrt(13))


def test_vectors_of_nothing_have_no_direction():
    assert math.isnan(value(VectorExtrema(), pieces("a", [[0.0, 0, 0]]), pieces("b", [A])))
    assert "no direction" in VectorExtrema.undefined

import math

import pytest

from nlgauge_lab.metrics.vector_extrema import VectorExtrema
from tests.metrics.pieces import pieces
from tests.metrics.test_word_vectors import value


def test_extrema_take_the_value_farthest_from_0():
    cosine = value(VectorExtrema(), pieces("a b", [[1.0, -3, 0], [-2, 1, 0]]), pieces("c", [[-2.0, 0, 0]]))
    assert cosine == pytest.approx(2 / math.sqrt(13))

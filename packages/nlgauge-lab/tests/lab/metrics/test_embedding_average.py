import math

import pytest

from nlgauge_lab.metrics.embedding_average import EmbeddingAverage
from tests.metrics.pieces import pieces
from tests.metrics.test_word_vectors import A, B, value


def test_average_by_hand():
    cosine = value(EmbeddingAverage(), pieces("a b", [[2.0, 0, 0], [0, 4.0, 0]]), pieces("b", [B]))
    assert cosine == pytest.approx(2 / math.sqrt(5))


def test_vectors_that_cancel_out_have_no_direction():
    gone = pieces("a b", [A, [-1.0, 0, 0]])
    assert math.isnan(value(EmbeddingAverage(), gone, pieces("b", [B])))
    assert "no direction" in EmbeddingAverage.undefined

import math

import pytest

from nlgauge_lab.metrics.embedding_average import EmbeddingAverage
from tests.metrics.pieces import pieces
from tests.metrics.test_word_vectors import B, value


def test_average_by_hand():
    cosine = value(EmbeddingAverage(), pieces("a b", [[2.0, 0, 0], [0, 4.0, 0]]), pieces("b", [B]))
    assert cosine == pytest.approx(2 / math.sqrt(5))

import math

import numpy as np
import pytest

from nlgauge.maths.weighting import document_frequencies, inverse_document_frequencies

DOCUMENTS = [np.array(ids) for ids in ([101, 7, 8, 9, 102], [101, 7, 7, 10, 102], [101, 8, 11, 102])]


def test_the_golden_idf():
    counts, number = document_frequencies(DOCUMENTS, 103)
    idf = inverse_document_frequencies(counts, number)
    assert number == 3
    assert idf[7] == idf[8] == pytest.approx(math.log(4 / 3), abs=1e-12)
    assert idf[9] == idf[10] == idf[11] == pytest.approx(math.log(2), abs=1e-12)
    assert idf[101] == idf[102] == 0
    assert idf[50] == pytest.approx(math.log(4), abs=1e-12)

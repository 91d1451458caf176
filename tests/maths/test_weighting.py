import math

import numpy as np
import pytest

from nlgauge.metrics.model_settings import document_frequencies, inverse_document_frequencies

DOCUMENTS = [np.array(ids) for ids in ([101, 7, 8, 9, 102], [101, 7, 7, 10, 102], [101, 8, 11, 102])]


def test_the_golden_idf():
    counts, number = document_frequencies(DOCUMENTS, 103)
    idf = inverse_document_frequencies(counts, number)
    assert number == 3
    assert idf[7] == idf[8] == pytest.approx(math.log(4 / 3), abs=1e-12)
    assert idf[9] == idf[10] == idf[11] == pytest.approx(math.log(2), abs=1e-12)
    assert idf[101] == idf[102] == 0
    assert idf[50] == pytest.approx(math.log(4), abs=1e-12)


def test_one_document_gives_all_its_tokens_no_weight():
    idf = inverse_document_frequencies(*document_frequencies(DOCUMENTS[:1], 103))
    assert (idf[[7, 8, 9, 101, 102]] == 0).all()
    assert (np.delete(idf, [7, 8, 9, 101, 102]) == math.log(2)).all()


def test_a_token_counts_once_a_document_and_empty_documents_count():
    counts, number = document_frequencies([np.array([1, 1, 1]), np.array([], int), np.array([1, 2])], 4)
    assert counts.tolist() == [0, 2, 1, 0]
    assert number == 3

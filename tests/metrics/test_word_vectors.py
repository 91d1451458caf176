"""The words that static vectors are made of, and what all metrics of them have in common."""

import numpy as np

from nlgauge.metrics.word_vectors import words_of
from tests.metrics.pieces import pieces, prepared

A, B, C = [1.0, 0, 0], [0, 1.0, 0], [0, 0.6, 0.8]


def value(metric, candidate, reference):
    """The number of a pair of texts; all of them, of a metric with several parts."""
    (parts,) = metric.compare([(candidate, reference)], prepared(metric))
    return parts if len(parts) > 1 else parts[0]


def test_a_word_is_the_mean_of_its_pieces_without_case_and_punctuation():
    text = words_of(pieces("Un|DO , B", [[2.0, 0, 0], [0, 1, 0], [9, 9, 9], [1, 0, 2]]))
    assert text.names.tolist() == ["undo", "b"]
    np.testing.assert_array_equal(text.vectors, [[1, 0.5, 0], [1, 0, 2]])
    assert text.spans.tolist() == [[0, 4], [7, 8]]

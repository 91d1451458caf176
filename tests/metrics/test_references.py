import numpy as np

from nlgauge.metrics.references import best, best_or_mean


def test_the_best_reference_is_the_greatest_or_the_least_and_never_one_without_a_number():
    scores = np.array([[np.nan, 9], [2, 1], [3, 0]])
    assert (best(scores, True), best(scores, False), best(scores[:1], True)) == (2, 1, 0)
    np.testing.assert_array_equal(best_or_mean(scores, "best", True), [3, 0])
    np.testing.assert_array_equal(best_or_mean(scores[1:], "mean", True), [2.5, 0.5])

import numpy as np

from nlgauge.metrics.references import best, best_or_mean, each_once, paired


def test_each_text_of_some_pairs_is_read_once():
    read = []
    one, other = ["a"], ["a"]  # equal, but two texts
    made = each_once(lambda side: read.append(side) or len(read), [(one, other), (one, one), (other, one)])
    assert made == [(1, 2), (1, 1), (2, 1)] and len(read) == 2


def test_references_are_numbered_among_all_of_the_rows():
    pairs = paired("a", [None, "b", "?", "c"], lambda side: "a mark" if side == "?" else None)
    assert (list(pairs.pairs), list(pairs.numbers)) == ([("a", "b"), ("a", "c")], [1, 3])


def test_a_row_without_pairs_has_the_first_reason_that_holds():
    reasons = [
        paired(None, ["b"]).reason,
        paired("?", ["b"], lambda side: "a mark").reason,
        paired("a", []).reason,
        paired("a", [None]).reason,
        paired("a", [None, "?"], lambda side: "a mark" if side == "?" else None).reason,
    ]
    assert reasons == [
        "the candidate has no words",
        "the candidate has a mark",
        "no reference",
        "no reference has words",
        "the references have a mark",
    ]


def test_the_best_reference_is_the_greatest_or_the_least_and_never_one_without_a_number():
    scores = np.array([[np.nan, 9], [2, 1], [3, 0]])
    assert (best(scores, True), best(scores, False), best(scores[:1], True)) == (2, 1, 0)
    np.testing.assert_array_equal(best_or_mean(scores, "best", True), [3, 0])
    np.testing.assert_array_equal(best_or_mean(scores[1:], "mean", True), [2.5, 0.5])


def test_where_the_first_part_is_equal_the_next_ones_decide_and_never_the_order():
    scores = np.array([[2, 1, 0], [2, np.nan, 9], [2, 1, 3], [1, 9, 9]])
    assert (best(scores, True), best(scores[::-1], True)) == (2, 1)
    assert (best(scores[:3], False), best(scores[:3][::-1], False)) == (0, 2)

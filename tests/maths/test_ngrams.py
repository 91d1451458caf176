"""N-grams of words, by hand."""

from __future__ import annotations

from nlgauge.maths.text import ngrams


def test_by_hand() -> None:
    words = ["a", "b", "c"]
    assert [list(ngrams(words, n)) for n in (1, 2, 3, 4)] == [["a", "b", "c"], ["a b", "b c"], ["a b c"], []]

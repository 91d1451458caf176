"""TokenF1: SQuAD's rules for words, and words of any script."""

from __future__ import annotations

import math

import pytest

from nlgauge.data.corpus import Row
from nlgauge.metrics.token_f1 import TokenF1
from tests.metrics.strings import scored, value


def test_worked_by_hand() -> None:
    # ferry, left, left | ferry, left: articles and punctuation are gone, a repeated word counts once.
    got = scored(TokenF1(), [Row("The ferry left, left!", ("a Ferry left",))])[0].parts
    assert got == pytest.approx((0.8, 2 / 3, 1, 0))
    assert scored(TokenF1(), [Row("The end.", ("the END",))])[0].parts == (1, 1, 1, 1)


def test_best_and_mean_of_references() -> None:
    assert value(TokenF1(), "red boat", "a boat", "red boat") == 1
    assert value(TokenF1(references="mean"), "red boat", "a boat", "red boat") == pytest.approx((2 / 3 + 1) / 2)


def test_words_of_any_script() -> None:
    assert value(TokenF1(words="any"), "图书馆", "图书") == pytest.approx(0.8)
    assert value(TokenF1(), "图书馆", "图书") == 0
    assert value(TokenF1(words="any"), "„The“ boat", "boat") == pytest.approx(2 / 3)


def test_a_text_without_words_says_nothing_or_the_worst() -> None:
    assert math.isnan(value(TokenF1(), "the", "boat"))
    assert value(TokenF1(empty="worst"), "the", "boat") == 0
    assert math.isnan(value(TokenF1(empty="worst"), "boat"))


def test_exact_match_and_the_other_parts_do_not_depend_on_the_order_of_references() -> None:
    # The same words in another order have an equal F1, and only one reference is the answer itself.
    one, other = "red green blue", "blue green red"
    for references in ((one, other), (other, one)):
        assert scored(TokenF1(), [Row(one, references)])[0].parts == (1, 1, 1, 1)
    mean = scored(TokenF1(references="mean"), [Row(one, (other, one))])[0].parts
    assert mean == (1, 1, 1, 0.5)
    # F1 is 2/3 by both: precision 1/2 and recall 1, or precision 1 and recall 1/2. The higher precision decides.
    references = ("a1", "a1 b1 c1 d1")
    for order in (references, references[::-1]):
        assert scored(TokenF1(), [Row("a1 b1", order)])[0].parts == pytest.approx((2 / 3, 1, 0.5, 0))

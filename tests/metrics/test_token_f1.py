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


def test_a_text_without_words_says_nothing_or_the_worst() -> None:
    assert math.isnan(value(TokenF1(), "the", "boat"))
    assert value(TokenF1(empty="worst"), "the", "boat") == 0
    assert math.isnan(value(TokenF1(empty="worst"), "boat"))

"""TokenF1: SQuAD's rules for words, and words of any script."""

from __future__ import annotations

import pytest

from nlgauge.data.corpus import Row
from nlgauge.metrics.token_f1 import TokenF1
from tests.metrics.strings import scored


def test_worked_by_hand() -> None:
    # ferry, left, left | ferry, left: articles and punctuation are gone, a repeated word counts once.
    got = scored(TokenF1(), [Row("The ferry left, left!", ("a Ferry left",))])[0].parts
    assert got == pytest.approx((0.8, 2 / 3, 1, 0))
    assert scored(TokenF1(), [Row("The end.", ("the END",))])[0].parts == (1, 1, 1, 1)

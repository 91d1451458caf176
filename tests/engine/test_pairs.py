"""Windows of two texts read together."""

from __future__ import annotations

import pytest

from nlgauge.engine.models.capabilities import TOKENIZER
from nlgauge.engine.pairs import paired_row
from tests.engine.fake import FakeModel


@pytest.mark.parametrize(
    ("first", "row", "begin"),
    [(True, [2, 6, 7, 3, 10, 11, 12, 3], 1), (False, [2, 10, 11, 12, 3, 6, 7, 3], 5)],
)
def test_a_row_holds_a_text_and_the_beginning_of_the_other(first, row, begin):
    tokenizer = FakeModel()[TOKENIZER]
    assert paired_row([6, 7], [10, 11, 12, 13], first, 5, tokenizer) == (row, begin, 4 if first else 5)
    alone, place, _ = paired_row([6, 7], [10], first, 2, tokenizer)
    assert alone[place : place + 2] == [6, 7] and 10 not in alone

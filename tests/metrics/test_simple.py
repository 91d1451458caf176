"""Length and CopyRate: counts and shares by hand, without a model."""

from __future__ import annotations

import pytest

from nlgauge.data.corpus import Row
from nlgauge.metrics.simple import CopyRate, Length
from tests.metrics.strings import scored, value


@pytest.mark.parametrize(
    ("unit", "counts"), [("words", [0, 0, 2, 5, 1]), ("characters", [0, 3, 6, 26, 4]), ("sentences", [0, 0, 1, 2, 1])]
)
def test_length_counts(unit: str, counts: list[int]) -> None:
    texts = ["", " \n\t", "It is!", "Rain fell. It was\tawfully.", "图书馆。"]
    assert [value(Length(unit=unit), text) for text in texts] == counts


def test_copy_rate_by_hand() -> None:
    row = Row("The boat, the BOAT sank.", (), "A boat sank", "the boat")
    # the, the are new; boat, boat, sank are copied, and boat counts twice though the source has it once.
    assert scored(CopyRate(), [row])[0].parts == (pytest.approx(3 / 5),)
    assert scored(CopyRate(ngram=2), [row])[0].parts == (pytest.approx(1 / 4),)
    assert scored(CopyRate(side="context", ngram=2), [row])[0].parts == (pytest.approx(2 / 4),)

"""Length: counts, without a model."""

from __future__ import annotations

import pytest

from nlgauge.metrics.simple import Length
from tests.metrics.strings import value


@pytest.mark.parametrize(
    ("unit", "counts"), [("words", [0, 0, 2, 5, 1]), ("characters", [0, 3, 6, 26, 4]), ("sentences", [0, 0, 1, 2, 1])]
)
def test_counts(unit: str, counts: list[int]) -> None:
    texts = ["", " \n\t", "It is!", "Rain fell. It was\tawfully.", "图书馆。"]
    assert [value(Length(unit=unit), text) for text in texts] == counts

"""SARI: the numbers of the authors' program and of the fixed one, and of summed counts."""

from __future__ import annotations

import math

import pytest

from nlgauge.data.corpus import Row
from nlgauge.metrics.sari import SARI
from tests.metrics.strings import scored

SOURCE = "About 95 species are currently accepted ."
REFERENCES = (
    "About 95 species are currently known .",
    "About 95 species are now accepted .",
    "95 species are now accepted .",
)
OUTPUTS = ("About 95 you now get in .", "About 95 species are now agreed .", "About 95 species are currently agreed .")
ROWS = [Row(text, REFERENCES, SOURCE, item=str(n)) for n, text in enumerate(OUTPUTS)]


@pytest.mark.parametrize(
    ("variant", "wanted"),
    [
        # The example of the authors' program, and of Hugging Face's (its first sentence).
        ("original", [26.82782411698074, 58.89995423074248, 50.71608864657478]),
        ("fixed", [26.953601953601954, None, None]),
    ],
)
def test_numbers_of_the_published_programs(variant: str, wanted: list[float | None]) -> None:
    found = scored(SARI(variant=variant, tokenizer="spaces"), ROWS)
    for got, want in zip(found, wanted, strict=True):
        assert want is None or got.parts[0] == pytest.approx(want, rel=1e-12)
        assert got.parts[0] == pytest.approx(sum(got.parts[1:]) / 3)


def test_undefined() -> None:
    given = [Row("a", ("b",)), Row("a", ("b",), "  "), Row("a", (), "c"), Row("a", (" ",), "c"), Row("", ("b",), "c")]
    found = scored(SARI(tokenizer="spaces"), given)
    assert [value.reason for value in found] == [
        "no source",
        "the source has no words",
        "no reference",
        "no reference has words",
        "the candidate has no words",
    ]
    assert all(math.isnan(part) for value in found for part in value.parts)
    assert [value.counts is None for value in found] == [True] * 4 + [False]

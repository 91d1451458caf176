"""Labels: what a cell stands for, what is not rated, and what nobody knows."""

from __future__ import annotations

import pytest

from nlgauge.errors import SpecError
from nlgauge.stats.labels import Aspect, aspects_from


@pytest.mark.parametrize(
    ("cell", "number"),
    [
        *[(cell, 1.0) for cell in ("1", " 1 ", "1.0", "1,0", "'1", "yes", "YES", "True", "pass", "Good", "Supported",
                                   "correct", "✓", "✔\ufe0f", "\u00a0yes", "WAHR", "VRAI", "y")],
        *[(cell, 0.0) for cell in ("0", "0.00", "no", "FALSE", "Fail", "bad", "unsupported", "not  supported", "✗",
                                   "FALSCH", "wrong")],
        ("0,5", 0.5),
    ],
)  # fmt: skip
def test_what_a_cell_stands_for(cell: str, number: float) -> None:
    assert Aspect("good").rating(cell) == number


@pytest.mark.parametrize(
    ("aspect", "cell", "say"),
    [
        (Aspect("good"), "maybe", "the label 'maybe' is unknown"),
        (Aspect("good"), "x", "the label 'x' is unknown"),
        (Aspect("good"), "2", "'2' is not on the scale from 0 to 1"),
        (Aspect("good", 1, 5), "yes", "the label 'yes' is unknown"),
        (Aspect("good", 1, 5), "0", "not on the scale from 1 to 5"),
        (Aspect("good"), "50%", "unknown"),
        (Aspect("good"), "inf", "unknown"),
    ],
)
def test_what_nobody_knows(aspect: Aspect, cell: str, say: str) -> None:
    with pytest.raises(ValueError, match=say):
        aspect.rating(cell)


@pytest.mark.parametrize(
    ("names", "scales", "labels", "say"),
    [
        (["a", "a"], [], [], "a name of its own"),
        (["a"], ["1"], [], "two whole numbers"), (["a"], ["5-1"], [], "two whole numbers"),
        (["a"], ["0-10"], [], "two whole numbers"), (["a"], ["b=0-1"], [], "there is no aspect 'b'"),
        (["a"], [], ["fine"], "write NAME=VALUE"), (["a"], [], ["fine=very"], "write NAME=VALUE"),
        (["a"], ["0-1"], ["fine=3"], "a is rated from 0 to 1"), (["a"], [], ["fine=3"], "say with --scale"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant(names: list[str], scales: list[str], labels: list[str], say: str) -> None:
    with pytest.raises(SpecError, match=say):
        aspects_from(names, scales, labels)

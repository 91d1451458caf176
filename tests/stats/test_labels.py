"""Labels: what a cell stands for, what is not rated, and what nobody knows."""

from __future__ import annotations

import pytest

from nlgauge.errors import SpecError
from nlgauge.stats.labels import Aspect, aspects_from, labelled


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


def test_labels_of_ones_own() -> None:
    (one,) = aspects_from(["good"], [], ["Hallucinated=0", "fine=yes", "n/a=0"])
    assert one.rating("hallucinated ") == 0 and one.rating("FINE") == 1 and one.rating("N/A") == 0
    assert one.names(0) == ["Hallucinated", "n/a"]
    (turned,) = labelled([Aspect("bad")], ["yes=0", "no=1"])
    assert turned.rating("yes") == 0 and turned.rating("No") == 1 and turned.rating("true") == 1
    (scale,) = aspects_from(["good"], [], ["poor=1", "fair=2", "great=3"])
    assert (scale.low, scale.high, scale.rating("fair")) == (1, 3, 2)
    a, b = aspects_from(["a", "b"], ["1-5", "b=0-2"], ["a:fine=5", "b:fine=2"])
    assert (a.scale, b.scale) == ([1, 2, 3, 4, 5], [0, 1, 2]) and (a.rating("fine"), b.rating("fine")) == (5, 2)


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

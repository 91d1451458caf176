"""CDER: values by hand; what it shares with EED: test_eed.py."""

from __future__ import annotations

import pytest

from nlgauge_lab.metrics.cder import CDER
from tests.metrics.strings import value


def test_cder_worked_by_hand() -> None:
    metric = CDER(tokenizer="spaces")
    assert value(metric, "a b c d", "a b c d") == 0
    # Read c d, jump to the start, read a b: a jump before and one between; nothing asks where the path ends.
    assert value(metric, "a b c d", "a b x d") == 25
    assert value(metric, "a b c d e f", "d e f a b c") == pytest.approx(100 * 3 / 6)
    assert value(metric, "a", "b c") == 100

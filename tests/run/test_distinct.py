"""Distinct texts are counted, whatever comes how often and in which order."""

from __future__ import annotations

import pytest

from nlgauge.run import distinct
from nlgauge.run.distinct import Distinct


def test_many_texts_are_merged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distinct, "_FEW", 3)
    counted = Distinct()
    for n in range(100):
        counted.add([str(n), str(n // 2), "\ud800"])
    assert len(counted) == 101

"""Distinct texts are counted, whatever comes how often and in which order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from nlgauge.run import results
from nlgauge.run.results import Distinct


@given(some.lists(some.lists(some.text(max_size=2), max_size=9), max_size=9))
def test_count_is_that_of_a_set(batches: list[list[str]]) -> None:
    counted = Distinct()
    for batch in batches:
        counted.add(batch)
    assert len(counted) == len({text for batch in batches for text in batch})


def test_many_texts_are_merged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "_FEW", 3)
    counted = Distinct()
    for n in range(100):
        counted.add([str(n), str(n // 2), "\ud800"])
    assert len(counted) == 101

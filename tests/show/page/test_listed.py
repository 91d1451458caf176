"""Which rows stand in a page that cannot hold all."""

from __future__ import annotations

import numpy as np
import pytest

from nlgauge.show.page import listed as module
from nlgauge.show.page.listed import by_turns, listed

MEAN = np.array([0.5, 0.1, 0.9, np.nan, 0.4, 0.6])
SPREAD = np.array([0.1, 0.0, 0.0, np.nan, 0.4, 0.2])


def test_rows_come_by_turns_and_each_once() -> None:
    order = list(by_turns(MEAN, SPREAD))
    assert order[:3] == [(1, "worst"), (2, "best"), (4, "most disputed")]
    assert sorted(row for row, _ in order) == list(range(6))


def test_all_rows_are_listed_where_there_is_room() -> None:
    found = listed(by_turns(MEAN, SPREAD), [["a"]] * 6, 10, 3)
    assert (found.rows, found.total, found.kinds) == (list(range(6)), 6, {})


def test_else_it_is_said_how_many_of_which_kind() -> None:
    found = listed(by_turns(MEAN, SPREAD), [["a"]] * 6, 4, 3)
    assert len(found.rows) == 4 and {1, 2, 4} <= set(found.rows) and found.rows == sorted(found.rows)
    assert found.kinds == {"worst": 1, "best": 1, "most disputed": 1, "sample": 1}


def test_a_text_that_several_rows_have_takes_room_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 12)
    shared, own = [["x" * 10, "y"]] * 6, [["x" * 10 + str(row)] for row in range(6)]
    assert len(listed(by_turns(MEAN, SPREAD), shared, 10, 0).rows) == 6
    assert len(listed(by_turns(MEAN, SPREAD), own, 10, 0).rows) == 1


def test_room_is_counted_in_bytes_and_shared_with_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [[f"图{row}"] for row in range(6)]
    monkeypatch.setattr(module, "MOST_BYTES", 12)
    assert len(listed(by_turns(MEAN, SPREAD), texts, 10, 0).rows) == 3
    monkeypatch.setattr(module, "MOST_BYTES", 45)
    assert len(listed(by_turns(MEAN, SPREAD), texts, 10, 1).rows) == 3


def test_a_sample_is_spread_over_the_table() -> None:
    order = list(by_turns(np.zeros(4000), np.zeros(4000)))
    sample = np.array([row for row, kind in order if kind == "sample"][:200])
    assert np.histogram(sample, bins=4, range=(0, 4000))[0].min() > 20

"""Values inside records."""

from __future__ import annotations

from typing import Any

import pytest

from nlgauge.data.corpus.paths import looked_up


@pytest.mark.parametrize("record", [{"a": {"b": None}}, {"a.b": None}, {"a": [None], "c": 1}])
def test_a_value_that_is_there_and_null_is_not_absent(record: dict[str, Any]) -> None:
    path = "a.0" if isinstance(record.get("a"), list) else "a.b"
    assert looked_up(record, path, "nowhere") is None
    assert looked_up(record, "a.x", "nowhere") == looked_up(record, "c.1", "nowhere") == "nowhere"


def test_a_whole_name_goes_before_a_path_and_numbers_count_entries() -> None:
    record = {"a.b": 1, "a": {"b": 2, "c": [{"d": 3}, "text"]}}
    assert [looked_up(record, path) for path in ("a.b", "a.c.0.d", "a.c.1", "a.c.2", "a.c.1.0")] == [
        1,
        3,
        "text",
        None,
        None,
    ]

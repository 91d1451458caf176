"""Values inside records."""

from __future__ import annotations

from nlgauge.data.corpus.place import looked_up


def test_a_whole_name_goes_before_a_path_and_numbers_count_entries() -> None:
    record = {"a.b": 1, "a": {"b": 2, "c": [{"d": 3}, "text"]}}
    assert [looked_up(record, path) for path in ("a.b", "a.c.0.d", "a.c.1", "a.c.2", "a.c.1.0")] == [
        1,
        3,
        "text",
        None,
        None,
    ]

"""Scores from elsewhere: what level they are of, and files and columns that are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from nlgauge import Corpus, InputError
from nlgauge.meta.elsewhere import read

ITEMS = ["x", "y", "z"]


def test_a_score_file_is_of_segments_or_of_systems(tmp_path: Path) -> None:
    path = tmp_path / "m.seg.score"
    path.write_text("A\t1\nB\t2\nA\tNone\nB\t4\nA\t5\nB\t6\n", encoding="utf-8")
    segments = read("M", path, None, ITEMS)
    assert (segments.label, segments.level) == ("m.seg.score", "item")
    assert segments.scores["B", "y"] == 4 and segments.scores["A", "z"] == 5
    path = tmp_path / "m.sys.score"
    path.write_text("A\t1\nB\t2\n", encoding="utf-8")
    systems = read("M", str(path), None, ITEMS)
    assert (systems.level, systems.scores) == ("system", {("A", None): 1, ("B", None): 2})


def test_mappings_and_columns() -> None:
    assert read("M", {"A": 1, "B": "2"}, None, ITEMS).level == "system"
    assert read("M", {("A", "x"): 1}, None, ITEMS).scores == {("A", "x"): 1}
    rows = Corpus.from_records([{"candidate": "a", "system": "A", "item": "x", "comet": "0.5", "deep": {"er": 2}}])
    assert read("M", rows, "comet", ITEMS).scores == {("A", "x"): 0.5}
    assert read("M", rows, "deep.er", ITEMS).scores == {("A", "x"): 2}
    with pytest.raises(InputError, match="row 1: the column 'deep' is dict"):
        read("M", rows, "deep", ITEMS)


@pytest.mark.parametrize(
    ("name", "text", "say"),
    [
        ("m.seg.score", "A\t1\nA\t2\n", "system 'A' has 2 lines, the table has 3 items"),
        ("m.sys.score", "A\t1\nA\t2\n", "a system has more than one line"),
        ("m.seg.score", "A\t1\nA\tbad\n", "row 2: the score is str 'bad', not a number"),
        ("m.seg.score", "A\t1\n\nA\t2\nA\t3\n", "row 2: is not system<TAB>score"),
        ("m.seg.score", "", "row 1: is not system<TAB>score"),
    ],
)
def test_a_wrong_score_file_is_one_line(tmp_path: Path, name: str, text: str, say: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read("metric", path, None, ITEMS)
    assert say in str(caught.value)


def test_a_score_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read("metric", tmp_path / "absent.seg.score", None, ITEMS)
    (tmp_path / "latin.score").write_bytes("é\t1\n".encode("latin-1"))
    with pytest.raises(InputError, match="not UTF-8"):
        read("metric", tmp_path / "latin.score", None, ITEMS)

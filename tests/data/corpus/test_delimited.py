"""CSV and TSV: what separates cells."""

from __future__ import annotations

from pathlib import Path

import pytest

from nlgauge import Corpus, InputError


@pytest.mark.parametrize(
    ("name", "sign", "said"),
    [
        ("rows.csv", "\t", "tabs"),
        ("rows.csv", ";", "semicolons"),
        ("rows.csv", "|", "bars"),
        ("rows.tsv", ",", "commas"),
    ],
)
def test_cells_that_something_else_separates_are_refused_by_name(
    tmp_path: Path, name: str, sign: str, said: str
) -> None:
    path = tmp_path / name
    path.write_text(f"candidate{sign}system\nA text, with a comma{sign}a\n", encoding="utf-8-sig")
    with pytest.raises(InputError, match=f"the header is one cell, and that holds {said}.*rename the file, or save it"):
        Corpus.read(path)


def test_one_column_may_have_any_name_where_it_is_named(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("a;b\nA text.\n", encoding="utf-8")
    assert Corpus.read(path, columns={"candidate": "a;b"})[0].candidate == "A text."

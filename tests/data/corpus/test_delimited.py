"""CSV and TSV: what separates cells."""

from __future__ import annotations

from pathlib import Path

import pytest

from nlgauge import Corpus, InputError


@pytest.mark.parametrize(
    ("name", "sign", "said"),
    [
        ("rows.csv", "\t", "tabs"),
        ("rows.csv", "|", "bars"),
        ("rows.tsv", ";", "semicolons"),
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


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_spreadsheet_with_decimal_commas_writes_semicolons(tmp_path: Path, end: str) -> None:
    path = tmp_path / "rows.csv"
    lines = ["candidate;references.1;scores.fluency", 'A text, with a comma;"One; two";4', "B;C;"]
    path.write_bytes(end.join(lines).encode("utf-8-sig"))
    first, second = Corpus.read(path)
    assert (first.candidate, first.references, first.scores) == ("A text, with a comma", ("One; two",), {"fluency": 4})
    assert (second.candidate, second.scores) == ("B", {})


def test_a_number_with_a_decimal_comma_is_named_with_its_remedy(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("candidate;scores.fluency\nA;4\nB;4,5\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"row 2: the rating 'fluency' is str '4,5', .*write 4\.5, with a point"):
        Corpus.read(path)


def test_a_value_without_a_column_name_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("candidate,references,,\na,b,,\na,b,,x\n")
    with pytest.raises(InputError, match=r"row 2: column 4 has no name, and holds 'x' \(name it in the header"):
        Corpus.read(path)
    path.write_text(",candidate\n0,a\n")  # the index of a data frame
    assert Corpus.read(path)[0].extra == {"": "0"}

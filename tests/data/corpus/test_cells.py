"""Lists that pandas, numpy or JSON wrote into a cell, and texts that only look like one."""

from __future__ import annotations

import csv
from contextlib import suppress
from pathlib import Path

import pytest

from nlgauge import Corpus, InputError
from nlgauge.data.corpus.cells import listed
from nlgauge.data.corpus.place import InputPlace


@pytest.mark.parametrize(
    ("cell", "texts"),
    [
        ("['The room.', 'It opens.']", ["The room.", "It opens."]),
        ("""["It's a cat.", 'A "cat".']""", ["It's a cat.", 'A "cat".']),
        ("""['It\\'s a "cat".']""", ["""It's a "cat"."""]),
        ('["a"]', ["a"]),
        ("['a' 'b c'\n 'd']", ["a", "b c", "d"]),
        ("[np.str_('a'), np.str_(\"it's\")]", ["a", "it's"]),
        ("['a\\nb', 'c\nd']", ["a\nb", "c\nd"]),
        ("('a', 'b')", ["a", "b"]),
        ("('a',)", ["a"]),
        ("[]", []),
        (" ['a'] ", ["a"]),
    ],
)
def test_a_printed_list_is_a_list(cell: str, texts: list[str]) -> None:
    assert listed(cell, "references", InputPlace(None, 1)) == texts


@pytest.mark.parametrize(
    "text",
    [
        "[1] The room", "[1]", "[1, 2]", "[[Wikipedia]]", "[sic]", "[a, b]", "['Tis] the season", '["Fire!"] he said',
        "('Hello, world')", "(a, b)", "nan", "[Applause]", "[None of them] came", "[",
    ],
)  # fmt: skip
def test_a_text_that_begins_with_a_bracket_stays_a_text(text: str) -> None:
    assert listed(text, "references", InputPlace(None, 1)) is text


@pytest.mark.parametrize(
    "cell",
    [
        "['a', nan]", "[nan]", "[None, 'a']", "['a' 'b' ... 'z']", "['a', ['b']]", "['it's a cat']", "['a', 'b",
        '["a", NaN]',
        "[array(['a'], dtype=object)]", "[Document(page_content='a')]", "[{'page_content': 'a'}]",
    ],
)  # fmt: skip
def test_what_looks_like_a_list_and_cannot_be_read_is_refused(cell: str) -> None:
    with pytest.raises(InputError, match=r"row 3: references looks like a list .*json\.dumps.*references\.1"):
        listed(cell, "references", InputPlace(None, 3))


@pytest.mark.parametrize("cell", ["['" + "a', '" * 50_000, "[" * 100_000 + "]" * 100_000, "['" + "\\" * 100_001])
def test_a_hostile_cell_ends_soon(cell: str) -> None:
    with suppress(InputError):
        assert listed(cell, "references", InputPlace(None, 1)) is cell


def test_the_cells_of_a_file_and_of_a_data_frame_are_read_alike(tmp_path: Path) -> None:
    cells = {"candidate": "['c']", "references": "['a', 'b']", "source": "['one', 'two']", "context": '["turn"]'}
    with (tmp_path / "rows.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerows([cells.keys(), cells.values()])
    corpus = Corpus.read(tmp_path / "rows.csv")
    (row,) = corpus
    assert (row.candidate, row.references, row.source, row.context) == ("['c']", ("a", "b"), "one\ntwo", "turn")
    pandas = pytest.importorskip("pandas", reason="needs nlgauge[tables]")
    assert Corpus.from_records(pandas.read_csv(tmp_path / "rows.csv")).digest == corpus.digest


def test_an_entry_of_a_list_that_is_no_text_is_named_by_its_row(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text('candidate,references\nx,a\nx,"[""a"", null]"\n')
    with pytest.raises(InputError, match="row 2: references, entry 2, is null"):
        Corpus.read(tmp_path / "rows.csv")

"""Sheets in the forms that spreadsheets leave them in, cell by cell, labels, and what is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nlgauge.errors import InputError, SpecError
from nlgauge.ratings.labels import Aspect, aspects_from
from nlgauge.ratings.sheets import Sheet, read_sheet

PLAIN = 'item,digest,scores.good,candidate\nr1,p-1,1,"Two\nlines, a ""quote"""\nr2,p-2,,Ärger\n'
CELLS = [
    {"item": "r1", "digest": "p-1", "scores.good": "1", "candidate": 'Two\nlines, a "quote"'},
    {"item": "r2", "digest": "p-2", "scores.good": "", "candidate": "Ärger"},
]


def sheet(tmp_path: Path, content: str | bytes, name: str = "sheet.csv") -> Sheet:
    place = tmp_path / name
    place.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_sheet(place)


def cells(found: Sheet) -> list[dict[str, str]]:
    return [of for _, of in found.rows]


SEMICOLONS = 'item;digest;scores.good;candidate\nr1;p-1;1;"Two\nlines, a ""quote"""\nr2;p-2;;Ärger\n'
FORMS = {
    "plain": PLAIN.encode(),
    "mark": b"\xef\xbb\xbf" + PLAIN.encode(),
    "semicolons": SEMICOLONS.encode(),
    "sep": b"sep=;\r\n" + SEMICOLONS.encode(),
    "mark and sep": b"\xef\xbb\xbfsep=;\r\n" + SEMICOLONS.encode(),
    "tabs": SEMICOLONS.replace(";", "\t").encode(),
    "utf-16": SEMICOLONS.replace(";", "\t").encode("utf-16"),
    "cp1252": SEMICOLONS.encode("cp1252"),
    "every cell quoted": b'"item","digest","scores.good","candidate"\n"r1","p-1","1","Two\nlines, a ""quote"""\n'
    + '"r2","p-2","","Ärger"\n'.encode(),
    "blank rows": b"\n,,,\n" + PLAIN.replace("r2", ",,,\n \nr2").encode() + b",,,\n\n",
    "blank columns": PLAIN.replace("candidate\n", "candidate,,\n").replace('quote"""', 'quote""",,').encode(),
    "blank column within": b'item,digest,,scores.good,candidate\nr1,p-1,,1,"Two\nlines, a ""quote"""\n'
    + "r2,p-2,,,Ärger\n".encode(),
    "names in capitals": PLAIN.replace("item", " Item ").replace("digest", "DIGEST").encode(),
}


@pytest.mark.parametrize("form", FORMS)
def test_what_spreadsheets_leave_behind_is_read(tmp_path: Path, form: str) -> None:
    assert cells(sheet(tmp_path, FORMS[form])) == CELLS


def test_what_was_read_otherwise_is_told(tmp_path: Path) -> None:
    found = sheet(tmp_path, FORMS["cp1252"])
    assert not found.exact and "was read as cp1252" in found.notes[0]
    assert sheet(tmp_path, PLAIN).notes == []
    named = PLAIN.replace("candidate\n", "candidate,\n").replace("Ärger", "Ärger,a comment")
    said = "sheet.csv: 1 rows have text in a column without a name, which is not read"
    assert sheet(tmp_path, named).notes == [said]


def test_what_the_page_saved(tmp_path: Path) -> None:
    record = {
        "item": "r1",
        "digest": "p-1",
        "rater": "anna",
        "candidate": "a\u2028b",
        "scores": {"good": 1},
        "spans": [],
    }
    other = {**record, "item": "r2", "scores": {"good": True, "clear": None, "kind": "yes"}}
    text = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in (record, other))
    assert cells(sheet(tmp_path, text, "ratings.jsonl")) == [
        {"item": "r1", "digest": "p-1", "rater": "anna", "candidate": "a\u2028b", "scores.good": "1"},
        {
            "item": "r2",
            "digest": "p-1",
            "rater": "anna",
            "candidate": "a\u2028b",
            "scores.good": "true",
            "scores.clear": "",
            "scores.kind": "yes",
        },
    ]


@pytest.mark.parametrize(
    ("content", "name", "say"),
    [
        ("item,candidate,scores.good\nr1,x,1\n", "a.csv", "no columns item and digest"),
        ("", "a.csv", "no columns item and digest"),
        ("a text\n", "a.tsv", "no columns item and digest"),
        (PLAIN.replace("r2,", 'r2,"'), "a.csv", "broken table"),
        (PLAIN.replace("Ärger", "a,b"), "a.csv", r"5 cells under a header of 4 \(file line 4\)"),
        (PLAIN.replace("candidate", "digest"), "a.csv", "the column 'digest' is there twice"),
        (b"\x81\x00\xff", "a.csv", "neither UTF-8 nor UTF-16 nor cp1252"),
        ('{"item": "r1", "scores": {}}\n', "a.jsonl", "no columns item and digest"),
        ("[1]\n", "a.jsonl", "row 1: is not what the page saved"),
        ('{"item"', "a.jsonl", "row 1: is not what the page saved"),
    ],
)
def test_what_is_no_sheet(tmp_path: Path, content: str | bytes, name: str, say: str) -> None:
    with pytest.raises(InputError, match=say):
        sheet(tmp_path, content, name)
    with pytest.raises(InputError, match="cannot be read"):
        read_sheet(tmp_path / "none.csv")


@pytest.mark.parametrize(
    ("cell", "number"),
    [
        *[
            (cell, 1.0)
            for cell in (
                "1",
                " 1 ",
                "1.0",
                "1,0",
                "'1",
                "yes",
                "YES",
                "True",
                "pass",
                "Good",
                "Supported",
                "correct",
                "✓",
                "✔\ufe0f",
                "\u00a0yes",
                "WAHR",
                "VRAI",
                "y",
            )
        ],
        *[
            (cell, 0.0)
            for cell in (
                "0",
                "0.00",
                "no",
                "FALSE",
                "Fail",
                "bad",
                "unsupported",
                "not  supported",
                "✗",
                "FALSCH",
                "wrong",
            )
        ],
        ("0,5", 0.5),
    ],
)
def test_what_a_cell_stands_for(cell: str, number: float) -> None:
    assert Aspect("good").rating(cell) == number


@pytest.mark.parametrize(
    ("aspect", "cell", "say"),
    [
        (Aspect("good"), "maybe", "the label 'maybe' is unknown"),
        (Aspect("good"), "x", "the label 'x' is unknown"),
        (Aspect("good"), "2", "'2' is not on the scale from 0 to 1"),
        (Aspect("good", 1, 5), "yes", "the label 'yes' is unknown"),
        (Aspect("good", 1, 5), "0", "not on the scale from 1 to 5"),
        (Aspect("good"), "50%", "unknown"),
        (Aspect("good"), "inf", "unknown"),
    ],
)
def test_what_nobody_knows(aspect: Aspect, cell: str, say: str) -> None:
    with pytest.raises(ValueError, match=say):
        aspect.rating(cell)


@pytest.mark.parametrize(
    ("names", "scales", "labels", "say"),
    [
        (["a", "a"], [], [], "a name of its own"),
        (["a"], ["1"], [], "two whole numbers"),
        (["a"], ["5-1"], [], "two whole numbers"),
        (["a"], ["0-10"], [], "two whole numbers"),
        (["a"], ["b=0-1"], [], "there is no aspect 'b'"),
        (["a"], [], ["fine"], "write NAME=VALUE"),
        (["a"], [], ["fine=very"], "write NAME=VALUE"),
        (["a"], ["0-1"], ["fine=3"], "a is rated from 0 to 1"),
        (["a"], [], ["fine=3"], "say with --scale"),
    ],
)
def test_what_cannot_be_meant(names: list[str], scales: list[str], labels: list[str], say: str) -> None:
    with pytest.raises(SpecError, match=say):
        aspects_from(names, scales, labels)

"""What score prints: the best marked, what the marks mean, and what is not shown."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from nlgauge import ScoreTable
from nlgauge.cli.score import show_summary
from tests.command import nlgauge, written
from tests.score_tables import column, three


def shown(
    capsys: pytest.CaptureFixture[str], every_part: bool = False, layout: str = "text"
) -> tuple[list[str], list[str]]:
    table = three(30)
    del table.columns["Distance(k=1)"]
    show_summary(table, layout, every_part)
    out, err = capsys.readouterr()
    return out.splitlines(), err.splitlines()


def test_the_best_is_marked_and_what_does_not_differ_significantly(capsys: pytest.CaptureFixture[str]) -> None:
    (head, top, near, far), told = shown(capsys)
    assert re.fullmatch(r"system +n +Score ↑ +Parts f ↑ +Set ↑", head)
    assert [line.count("*") for line in (top, near, far)] == [2, 0, 0]
    assert [line.count("~") for line in (top, near, far)] == [0, 2, 0]
    assert told == [
        "* best; ~ no significant difference from the best (paired test, p >= 0.05, corrected by Holm)",
        "no system is called best by Set: a corpus-level metric has one number a system: neither interval nor p",
        "--parts shows more of Parts",
    ]


def test_parts_make_blocks_for_people_and_one_table_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    lines, told = shown(capsys, every_part=True)
    assert ["Parts", "n", "f", "↑", "words"] in [line.split() for line in lines]
    assert not any("--parts" in line for line in told)
    lines, _ = shown(capsys, every_part=True, layout="csv")
    assert len(lines) == 4 and "Parts words," in lines[0] and "Parts f ↑ high" in lines[0]


def test_two_equal_systems_are_not_called_worse_than_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    table = ScoreTable([(system, item) for system in "AB" for item in "xyz"], {"M": column(*[1.0] * 6)}, {})
    show_summary(table, "text", False)
    out, err = capsys.readouterr()
    assert out.count("*") == 2 and err.splitlines()[0] == "* best: these systems are equal"


def test_the_others_are_called_worse_where_none_is_alike(capsys: pytest.CaptureFixture[str]) -> None:
    values = [0.1, 0.2, 0.3, 0.2, 0.1, 0.25, 0.8, 0.9, 0.95, 0.85, 0.8, 0.9]
    table = ScoreTable([(system, item) for system in "AB" for item in "uvwxyz"], {"M": column(*values)}, {})
    show_summary(table, "text", False)
    assert capsys.readouterr().err.splitlines()[0].startswith("* best; the others are significantly worse (paired test")


def test_a_value_that_is_an_error_of_its_tool_is_named_and_no_mean_has_a_hundred_digits(tmp_path: Path) -> None:
    values = {"A": [0.4, 0.5, 9.2e124, 0.6, 0.4], "B": [0.5, 0.6, 0.9, 0.7, 0.5]}
    rows = [
        {"system": system, "item": str(n), "candidate": "x", "q": q}
        for system, own in values.items()
        for n, q in enumerate(own)
    ]
    outputs, scores, page = written(tmp_path / "rows.jsonl", rows), tmp_path / "s.jsonl", tmp_path / "r.html"
    scored = nlgauge("score", outputs, "-m", "Column('q')", "-o", scores)
    compared = nlgauge("compare", scores, "A", "B")
    noted = json.loads(nlgauge("compare", scores, "A", "B", "--format", "json").stdout)["notes"]
    assert nlgauge("report", scores, "-o", page).exit_code == 0
    shown = page.read_text(encoding="utf-8")
    for text in (scored.stderr, compared.stderr, *noted[-1:], shown):
        assert "row 3, system A, item 2: the value 9.2e+124 of Column(" in text
    for text in (scored.stdout, compared.stdout, repr(ScoreTable.load(scores)), shown):
        assert "1.84e+124" in text and not re.search(r"\d{40}", text)

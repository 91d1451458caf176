"""What score prints: the best marked, what the marks mean, and what is not shown."""

from __future__ import annotations

import re

import pytest

from nlgauge.cli.score import show_summary
from tests.score_tables import three


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

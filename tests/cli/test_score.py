"""What score prints: the best marked, what the marks mean, and what is not shown."""

from __future__ import annotations

import re

import numpy as np
import pytest

from nlgauge import ScoreTable
from nlgauge.cli.score import show_summary
from nlgauge.data.table import Column


@pytest.fixture
def table() -> ScoreTable:
    """Top and Near do not differ significantly, Far is worse; a corpus-level metric, one of two parts and a detail."""
    rng = np.random.default_rng(4)
    item = rng.normal(size=30)
    values = np.concatenate([item + 5.02, item + 5 + rng.normal(0, 0.3, 30), item + rng.normal(0, 0.3, 30)])
    rows = [(system, str(i)) for system in ("Top", "Near", "Far") for i in range(30)]
    columns = {
        "Score": Column(("score",), values[:, None]),
        "Set": Column(("score",), np.array([[1.0], [0.5], [2.0]]), level="system", higher_is_better=False),
        "Parts": Column(("words", "f", "p"), np.stack([values] * 3, 1), details=("words",)),
    }
    return ScoreTable(rows, columns, {}, {"rows": 90}, "0")


def shown(
    table: ScoreTable, capsys: pytest.CaptureFixture[str], every_part: bool = False, layout: str = "text"
) -> tuple[list[str], list[str]]:
    show_summary(table, layout, 0, every_part)
    out, err = capsys.readouterr()
    return out.splitlines(), err.splitlines()


def test_the_best_is_marked_and_what_does_not_differ_significantly(
    table: ScoreTable, capsys: pytest.CaptureFixture[str]
) -> None:
    (head, top, near, far), told = shown(table, capsys)
    assert re.fullmatch(r"system +n +Score ↑ +Set ↓ +Parts f ↑", head)
    assert [line.count("*") for line in (top, near, far)] == [2, 0, 0]
    assert [line.count("~") for line in (top, near, far)] == [0, 2, 0]
    assert told == [
        "* best; ~ no significant difference from the best (paired test, p >= 0.05, corrected by Holm)",
        "no system is called best by Set: a corpus-level metric has one number a system: neither interval nor p",
        "--parts shows more of Parts",
    ]


def test_parts_make_blocks_for_people_and_one_table_for_programs(
    table: ScoreTable, capsys: pytest.CaptureFixture[str]
) -> None:
    lines, told = shown(table, capsys, every_part=True)
    assert [line.split() for line in lines if "n " in line and "↑" in line][-1] == [
        "Parts", "n", "words", "f", "↑", "p", "↑"
    ]  # fmt: skip
    assert not any("--parts" in line for line in told)
    lines, _ = shown(table, capsys, every_part=True, layout="csv")
    assert len(lines) == 4 and "Parts words," in lines[0] and "Parts p ↑ high" in lines[0]

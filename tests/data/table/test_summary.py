"""What a table prints."""

from __future__ import annotations

import math

import numpy as np

from nlgauge.data.signature import Signature
from nlgauge.data.table import Column, ScoreTable
from nlgauge.data.table.summary import summary
from tests.score_tables import column, counted, mixed


def test_means_of_systems_and_metrics_with_arrows_and_dashes() -> None:
    table = mixed()
    table.columns["Count"] = column(1, 2, 3, 4, 5, details=("score",))
    table.columns["Nothing"] = column(*[math.nan] * 5)
    head, *lines = summary(table).splitlines()
    assert head == "ScoreTable: 5 rows, 2 systems, 5 metrics"
    cells = [[cell.strip() for cell in line.split("  ") if cell] for line in lines]
    assert cells[0] == [
        "system", "InfoLM(measure='kl') ↓", "InfoLM(measure='l1', stride=2) ↓", "Parts p ↑", "Count", "Nothing ↑"
    ]  # fmt: skip
    assert cells[1] == ["größte Ü", "inf", "3.0000", "0.8571", "3.0000", "-"]
    assert lines[3:] == ["InfoLM(measure='kl'): no value for 1 of 5 rows", "Nothing: no value for 5 of 5 rows"]


def test_a_notebook_shows_the_same_escaped() -> None:
    table = mixed()
    table.rows[:] = [(f"<{system}>", item) for system, item in table.rows]
    made = table._repr_html_()
    lines = summary(table).splitlines()
    assert lines[0] in made and "&lt;größte Ü&gt;" in made and "<größte" not in made
    for cell in lines[2].split()[2:]:
        assert f"<td>{cell}</td>" in made
    assert "system" not in ScoreTable([], {}, {})._repr_html_().partition("</style>")[2].replace("systems", "")


def test_a_value_of_all_rows_is_shown_and_no_mean() -> None:
    lines = summary(counted()).splitlines()
    assert lines[2].split() == ["A", "30.0000"] and lines[4] == "TER: no value for 1 of 6 rows"


def test_of_many_the_first_are_shown_and_the_others_counted() -> None:
    rows = [(f"s{n}", "i") for n in range(1200)]
    columns = {f"M{n}": Column(("score",), np.ones((1200, 1))) for n in range(7)}
    lines = summary(ScoreTable(rows, columns, {"M0": Signature("M0")})).splitlines()
    assert lines[0] == "ScoreTable: 1,200 rows, 1,200 systems, 7 metrics"
    assert lines[1].split() == ["system", *(cell for n in range(5) for cell in (f"M{n}", "↑"))]
    assert len(lines) == 13 and lines[-1] == "... and 1,190 more systems, 2 more metrics"


def test_an_empty_table_is_a_line() -> None:
    assert summary(ScoreTable([], {}, {})) == "ScoreTable: 0 rows, 0 systems, 0 metrics"
    assert summary(ScoreTable([("A", "1")], {}, {})) == "ScoreTable: 1 row, 1 system, 0 metrics"

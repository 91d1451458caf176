"""CSV: what a program reads back."""

from __future__ import annotations

import csv
import io
import math

import pytest

from nlgauge.show.tables import Number, formatted


def test_interval_and_p_have_columns_of_their_own_and_digits_are_whole() -> None:
    cells = [
        ["system", "n", "F ↑"],
        ['A, "b"', Number(3, digits=0), Number(1 / 3, 0.25, 0.5, 0.01, mark="best")],
        ["C", Number(4, digits=0), Number(math.nan)],
        ["D", Number(5, digits=0), Number(-math.inf)],
    ]
    rows = list(csv.reader(formatted([cells], "csv")))
    assert rows[0] == ["system", "n", "F ↑", "F ↑ low", "F ↑ high", "F ↑ p"]
    assert rows[1] == ['A, "b"', "3", str(1 / 3), "0.25", "0.5", "0.01"]
    assert rows[2:] == [["C", "4", "", "", "", ""], ["D", "5", "-Infinity", "", "", ""]]


@pytest.mark.parametrize("name", ["=1+1", "+A1", "-A1", "@SUM(A1)", "\t=1", "\r=1", "\n=1"])
def test_no_text_is_a_formula_to_a_spreadsheet(name: str) -> None:
    cells = [[name, "F"], [name, Number(-0.5, -1.0, 0.5)]]
    rows = list(csv.reader(io.StringIO("\n".join(formatted([cells], "csv")), newline="")))
    assert rows == [["'" + name, "F", "F low", "F high"], ["'" + name, "-0.5", "-1", "0.5"]]


def test_a_column_without_intervals_stays_one() -> None:
    assert formatted([[["s", "F"], ["A", Number(0.5)]]], "csv") == ["s,F", "A,0.5"]

"""Every form prints the same table: LaTeX compiles, CSV is read back, and a terminal gets no line too wide."""

from __future__ import annotations

import csv
import io
import math
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlgauge.show.tables import FORMATS, Number, formatted, shown_width, terminal


def test_the_forms() -> None:
    assert FORMATS == ("text", "latex", "markdown", "csv")


def test_latex() -> None:
    cells = [
        ["system", "n", "D ↓"],
        ["A_1", Number(3, digits=0), Number(-0.5, -1, 0.25, mark="best")],
        ["50 % & {x}\\", Number(4, digits=0), Number(0.4, mark="alike")],
        ["C", Number(math.nan), Number(math.inf, math.nan, math.nan, 0.04)],
    ]
    assert formatted([cells], "latex") == [
        r"% \usepackage{booktabs}, \usepackage[T1]{fontenc}",
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"system & n & D $\downarrow$ \\",
        r"\midrule",
        r"A\_1 & $3$ & $\mathbf{-0.5000}$ {\small [$-1.0000$, $0.2500$]} \\",
        r"50 \% \& \{x\}\textbackslash{} & $4$ & \underline{$0.4000$} \\",
        r"C & -- & $\infty$ {\small $p=0.0400$} \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_every_sign_of_tex_is_escaped() -> None:
    line = formatted([[["s"], ["#$^~<>|'\""]]], "latex")[5]
    names = [
        "textasciicircum",
        "textasciitilde",
        "textless",
        "textgreater",
        "textbar",
        "textquotesingle",
        "textquotedbl",
    ]
    assert line == r"\#\$" + "".join(rf"\{name}{{}}" for name in names) + r" \\"


def test_markdown() -> None:
    cells = [["system", "F ↑"], ["A", Number(0.5, 0.25, 0.75, mark="best")], ["B", Number(0.4, mark="alike")]]
    assert formatted([cells], "markdown") == [
        "| system | F ↑ |",
        "| --- | ---: |",
        "| A | **0.5000** [0.2500, 0.7500] |",
        "| B | *0.4000* |",
    ]


def test_signs_of_markdown_are_escaped() -> None:
    (*_, row) = formatted([[["s", "t"], ["a|b *c* <i>\n_d_", "[x](y) \\ @me #1"]]], "markdown")
    assert len(re.findall(r"(?<!\\)\|", row)) == 3
    assert row == r"| a\|b \*c\* \<i\> \_d\_ | \[x\](y) \\ \@me \#1 |"


@pytest.mark.parametrize(
    "name",
    [
        "=1+1",
        "+A1",
        "-A1",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "\n=1",
        " =1+1",
        "＝1+1",
        "'=1",
        '"=1',
        "\ufeff=1",
        "\u200b＋1",
        "\u00a0@A1",
    ],
)
def test_no_text_is_a_formula_to_a_spreadsheet(name: str) -> None:
    cells = [[name, "F"], [name, Number(-0.5, -1.0, 0.5)]]
    rows = list(csv.reader(io.StringIO("\n".join(formatted([cells], "csv")), newline="")))
    assert rows == [["'" + name, "F", "F low", "F high"], ["'" + name, "-0.5", "-1", "0.5"]]
    assert formatted([[["plain = name"]]], "csv") == ["plain = name"]


NAMES = st.text(st.characters(categories=["L", "N", "P", "Zs"]), min_size=1, max_size=60)
NUMBERS = st.builds(Number, st.floats(-1e6, 1e6), st.floats(-9, 9), st.floats(-9, 9))


@given(
    st.integers(1, 7).flatmap(lambda n: st.lists(st.tuples(NAMES, *[NUMBERS] * n), min_size=1, max_size=4)), st.data()
)
def test_nothing_is_wider_than_wanted_and_every_number_is_there(
    rows: list[tuple[Any, ...]], data: st.DataObject
) -> None:
    head = [data.draw(NAMES) for _ in rows[0]]
    lines = terminal([head, *rows], width=80)
    assert max(map(shown_width, lines)) <= 80
    text = " ".join(lines)
    for _, *numbers in rows:
        assert all(f"{number.text} {number.interval}" in text for number in numbers)


def test_a_name_cannot_steer_the_terminal_or_break_the_line() -> None:
    assert terminal([["system"], ["A\x1b[31m\nB"]]) == ["system", "A\ufffd[31m\ufffdB"]

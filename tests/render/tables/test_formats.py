"""Every form prints the same table; several stand apart. LaTeX compiles, and CSV is what a program reads back."""

from __future__ import annotations

import csv
import io
import math
import re

import pytest

from nlgauge.render.tables import FORMATS, Number, formatted


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
    (*_, row) = formatted([[["s", "t"], ["a|b *c* <i>\n_d_", "[x](y) \\"]]], "markdown")
    assert len(re.findall(r"(?<!\\)\|", row)) == 3
    assert row == r"| a\|b \*c\* \<i> \_d\_ | \[x\](y) \\ |"


@pytest.mark.parametrize(
    "name",
    [
        "=1+1", "+A1", "-A1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1+1", "＝1+1", "'=1", '"=1', "\ufeff=1",
        "\u200b＋1", "\u00a0@A1",
    ],
)  # fmt: skip
def test_no_text_is_a_formula_to_a_spreadsheet(name: str) -> None:
    cells = [[name, "F"], [name, Number(-0.5, -1.0, 0.5)]]
    rows = list(csv.reader(io.StringIO("\n".join(formatted([cells], "csv")), newline="")))
    assert rows == [["'" + name, "F", "F low", "F high"], ["'" + name, "-0.5", "-1", "0.5"]]
    assert formatted([[["plain = name"]]], "csv") == ["plain = name"]

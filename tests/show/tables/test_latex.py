"""LaTeX: a tabular that compiles, whatever the names hold."""

from __future__ import annotations

import math

from nlgauge.show.tables import Number, formatted


def test_a_table() -> None:
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

r"""Tables as LaTeX, for \usepackage{booktabs}: the best bold, what does not differ significantly underlined."""

from __future__ import annotations

import re

from nlgauge.show.tables.cell import Cell, Cells, Number
from nlgauge.show.tables.harmless import harmless

_SIGNS = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "'": r"\textquotesingle{}",
    '"': r"\textquotedbl{}",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}
_SOME = re.compile("[" + re.escape("".join(_SIGNS)) + "]")


def latex(cells: Cells) -> list[str]:
    """A tabular that stands in a table of the paper's own; columns of numbers are set to the right."""
    head, *body = [" & ".join(map(_cell, row)) + r" \\" for row in cells]
    columns = zip(*cells, strict=True)
    places = "".join("r" if any(isinstance(cell, Number) for cell in column[1:]) else "l" for column in columns)
    rows = [r"\toprule", head, r"\midrule", *body, r"\bottomrule"]
    # Double quotes in the typewriter's form want T1, which every LaTeX has.
    needed = r"% \usepackage{booktabs}, \usepackage[T1]{fontenc}"
    return [needed, rf"\begin{{tabular}}{{{places}}}", *rows, r"\end{tabular}"]


def _cell(cell: Cell) -> str:
    if isinstance(cell, Number):
        value = "--" if cell.text == "-" else f"${_bold(cell)}$"
        value = rf"\underline{{{value}}}" if cell.mark == "alike" else value
        interval = re.sub(r"-?(\d[\d.]*|inf)", r"$\g<0>$", cell.interval)
        small = " ".join(filter(None, (interval, re.sub(r"p=(.*)", r"$p=\1$", cell.chance))))
        return value + (rf" {{\small {small}}}" if small else "")
    return _SOME.sub(lambda sign: _SIGNS[sign.group()], harmless(" ".join(cell.split())))


def _bold(cell: Number) -> str:
    text = cell.text.replace("inf", r"\infty")
    return rf"\mathbf{{{text}}}" if cell.mark == "best" else text

r"""Tables in forms for other programs: LaTeX, Markdown and CSV.

LaTeX is for \usepackage{booktabs}, Markdown has GitHub's tables: the best is bold, what does not differ significantly
underlined or in italics, and columns of numbers are set to the right.

CSV is for spreadsheets and scripts: whole numbers of digits, interval and p in columns of their own. A text that a
spreadsheet would run as a formula gets an apostrophe in front: names of systems and items come from files that others
wrote. Such a text begins with =, +, - or @, or with the full-width form of one. Blanks, quotes and signs that are not
shown may stand before that, because some programs leave them out. A tab or a line end first is enough too.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Mapping, Sequence

from nlgauge.render.tables.cell import Cell, Cells, Number, harmless, words
from nlgauge.render.tables.terminal import terminal

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
_AROUND = {"": "", "best": "**", "alike": "*"}
_UNSEEN = r"\s\x00-\x20\x7f-\xa0\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff"
_QUOTES = "\"'`\u2018\u2019\u201c\u201d"
_FORMULA = re.compile(rf"[\t\r\n]|[{_UNSEEN}{_QUOTES}]*[=+\-@\uff1d\uff0b\uff0d\uff20]")


def formatted(
    tables: Sequence[Cells], layout: str, *, width: int = 100, colour: bool = False, keys: int = 1
) -> list[str]:
    """The lines of some tables in one of `FORMATS`, an empty line between two.

    width, colour and keys are of text alone: how many columns it takes, whether it may use colours, and how many of the
    table's columns say what a row is, and so stand before each block of a table that is too wide for one.
    """
    lines: list[str] = []
    for number, cells in enumerate(tables):
        own = terminal(cells, width, colour, keys) if layout == "text" else _PLAIN[layout](cells)
        lines += [*[""] * bool(number), *own]
    return lines


def _latex(cells: Cells) -> list[str]:
    """A tabular that stands in a table of the paper's own."""
    head, *body = [" & ".join(map(_in_latex, row)) + r" \\" for row in cells]
    places = "".join("r" if numeric else "l" for numeric in _numeric(cells))
    rows = [r"\toprule", head, r"\midrule", *body, r"\bottomrule"]
    # Double quotes in the typewriter's form want T1, which every LaTeX has.
    needed = r"% \usepackage{booktabs}, \usepackage[T1]{fontenc}"
    return [needed, rf"\begin{{tabular}}{{{places}}}", *rows, r"\end{tabular}"]


def _in_latex(cell: Cell) -> str:
    if isinstance(cell, str):
        return "".join(_SIGNS.get(sign, sign) for sign in _line(cell))
    text = cell.text.replace("inf", r"\infty")
    value = "--" if text == "-" else rf"$\mathbf{{{text}}}$" if cell.mark == "best" else f"${text}$"
    value = rf"\underline{{{value}}}" if cell.mark == "alike" else value
    interval = re.sub(r"-?(\d[\d.]*|inf)", r"$\g<0>$", cell.interval)
    small = " ".join(filter(None, (interval, re.sub(r"p=(.*)", r"$p=\1$", cell.chance))))
    return value + (rf" {{\small {small}}}" if small else "")


def _markdown(cells: Cells) -> list[str]:
    head, *body = [[_in_markdown(cell) for cell in row] for row in cells]
    rules = ["---:" if numeric else "---" for numeric in _numeric(cells)]
    return [f"| {' | '.join(row)} |" for row in (head, rules, *body)]


def _in_markdown(cell: Cell) -> str:
    if isinstance(cell, str):
        return re.sub(r"([\\|*_`<~\[\]])", r"\\\1", _line(cell))
    around = _AROUND[cell.mark]
    return f"{around}{cell.text}{around}" + words(cell).removeprefix(cell.text)


def _numeric(cells: Cells) -> list[bool]:
    """Which columns hold numbers."""
    return [any(isinstance(cell, Number) for cell in column[1:]) for column in zip(*cells, strict=True)]


def _line(text: str) -> str:
    return harmless(" ".join(text.split()))


def _csv(cells: Cells) -> list[str]:
    """An empty cell is no number; what is infinite is a word, as in a scores file."""
    wide = [more for column in zip(*cells, strict=True) for more in _expanded(column)]
    lines = []
    for row in zip(*wide, strict=True):
        # A field with a lone carriage return is only quoted where that is among the characters that end a line.
        csv.writer(file := io.StringIO(), lineterminator="\r\n").writerow(row)
        lines.append(file.getvalue().removesuffix("\r\n"))
    return lines


def _expanded(column: Sequence[Cell]) -> list[list[str]]:
    """The column, and one for each of interval and p that one of its cells has."""
    head, *body = column
    made = [[inert(str(head)), *(inert(cell) if isinstance(cell, str) else _digits(cell.value) for cell in body)]]
    for name in ("low", "high", "p"):
        values = [math.nan if isinstance(cell, str) else getattr(cell, name) for cell in body]
        if not all(map(math.isnan, values)):
            made.append([inert(f"{head} {name}"), *map(_digits, values)])
    return made


def inert(text: str) -> str:
    """A text that no spreadsheet computes."""
    return f"'{text}" if _FORMULA.match(text) and text != "-" else text


def _digits(value: float) -> str:
    if math.isfinite(value):
        return repr(float(value)).removesuffix(".0")
    return "" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


_PLAIN: Mapping[str, Callable[[Cells], list[str]]] = {"latex": _latex, "markdown": _markdown, "csv": _csv}
FORMATS = ("text", *_PLAIN)

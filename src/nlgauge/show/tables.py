r"""Tables of cells, and the forms in which they are printed: for a terminal, LaTeX, Markdown and CSV.

On a terminal a table is aligned, no wider than wanted, and coloured where that is asked for.

LaTeX is for \usepackage{booktabs}, and Markdown has the tables of GitHub. The best number is bold. A number that does
not differ significantly from the best is underlined in LaTeX and in italics in Markdown. Columns of numbers are aligned
at the right.

CSV is for spreadsheets and scripts. Numbers have all their digits, and the ends of intervals and p have columns of
their own. A text that a spreadsheet would run as a formula gets an apostrophe in front, because names of systems and
items come from files that others wrote. Such a text begins with =, +, - or @, or with the full-width form of one of
these. Blanks, quotes and invisible characters may come before, because some programs skip them. A text that begins with
a tab or a line end gets an apostrophe too.
"""

from __future__ import annotations

import csv
import io
import math
import re
import sys
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Literal, NamedTuple, TypeAlias

import click

from nlgauge.show.numbers import fixed


@dataclass(frozen=True)
class Number:
    """A number (NaN for a missing one), with its interval and p where it has them."""

    value: float
    low: float = math.nan
    high: float = math.nan
    p: float = math.nan
    digits: int = 4
    """Digits after the point, in forms for people"""
    mark: Literal["", "best", "alike"] = ""
    """'best', 'alike' (not significantly different from the best), or '' for neither"""

    @property
    def text(self) -> str:
        """The number as text; "-" for a missing one."""
        return "-" if math.isnan(self.value) else fixed(self.value, self.digits)

    @property
    def interval(self) -> str:
        """The interval in brackets; empty where there is none."""
        ranged = not (math.isnan(self.value) or math.isnan(self.low))
        return f"[{fixed(self.low, self.digits)}, {fixed(self.high, self.digits)}]" if ranged else ""

    @property
    def chance(self) -> str:
        """The text "p=..." or "p<0.0001"; empty where there is no p."""
        return "" if math.isnan(self.p) else f"p={self.p:.4f}" if self.p >= 0.00005 else "p<0.0001"


@dataclass(frozen=True)
class Chance(Number):
    """A p-value, which always has four digits after the point, however small it is."""

    @property
    def text(self) -> str:
        return "-" if math.isnan(self.value) else f"{self.value:.4f}"


Cell: TypeAlias = "str | Number"
Cells: TypeAlias = "Sequence[Sequence[Cell]]"
"""The rows of a table, all with the same number of cells; the first row is the head"""


def words(cell: Cell) -> str:
    """Return a cell as plain text on one line, without its mark."""
    if isinstance(cell, str):
        return cell
    return " ".join(filter(None, (cell.text, cell.interval, cell.chance)))


NONE = "-"
"""The text of an empty cell"""


def empty(cell: Cell) -> bool:
    """Return whether a cell is empty: the text "-", or a number that is missing."""
    return cell == NONE if isinstance(cell, str) else math.isnan(cell.value)


_BIDI = r"\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
_STEERING = re.compile(rf"[\x00-\x1f\x7f-\x9f{_BIDI}]")
_STEERING_IN_LINES = re.compile(rf"[\x00-\x08\x0b-\x1f\x7f-\x9f{_BIDI}]")


def harmless(text: str, *, lines: bool = False) -> str:
    """Return a text with U+FFFD for each control character, also for those that set the direction of writing.

    Args:
        text: the text.
        lines: whether line ends and tabs stay.

    Returns:
        The text, with the same length.
    """
    return (_STEERING_IN_LINES if lines else _STEERING).sub("\ufffd", text)


def harmless_json(text: str) -> str:
    """Return JSON with an escape for each character that `harmless` replaces, except line ends and tabs."""
    return _STEERING_IN_LINES.sub(lambda sign: f"\\u{ord(sign.group()):04x}", text)


_GAP = "  "
_NARROWEST, _LEAST_HEAD = 20, 6
"""The least widths of a column of text and of a head of numbers, before a table is cut into blocks"""
_MARKS = {"": "", "best": "*", "alike": "~"}
_STYLES: Mapping[str, dict[str, Any]] = {
    "head": {"bold": True},
    "best": {"fg": "green", "bold": True},
    "alike": {"fg": "green"},
    "interval": {"dim": True},
    "supported": {"fg": "green"},
    "partly": {"fg": "yellow"},
    "unsupported": {"fg": "red", "underline": True},
    "passes": {"fg": "green", "bold": True},
    "fails": {"fg": "red", "bold": True},
    "cannot tell": {"fg": "yellow", "bold": True},
    "doubtful": {"fg": "yellow"},
}


def styled(text: str, style: str) -> str:
    """Return a text in the colours of a style; unchanged for the style ''."""
    return click.style(text, **_STYLES[style]) if style and text else text


class Line(NamedTuple):
    """One line of a cell: pieces of text, each with the name of its style."""

    pieces: tuple[tuple[str, str], ...] = ()
    right: bool = False

    @property
    def width(self) -> int:
        return sum(shown_width(text) for text, _ in self.pieces)

    def padded(self, width: int, colour: bool) -> str:
        space = " " * (width - self.width)
        drawn = "".join(styled(text, style) if colour else text for text, style in self.pieces)
        return space + drawn if self.right else drawn + space

    def broken(self, width: int) -> list[Line]:
        """Return the line broken into lines of `width` at most, at spaces where possible. A number is never broken."""
        if self.width <= width or len(self.pieces) != 1:
            return [self]
        ((text, style),) = self.pieces
        return [Line(((part, style),), self.right) for part in _parts(text, width)]


class Column(NamedTuple):
    """The cells of a column, each a list of lines. The first cell is the head."""

    rows: Sequence[Sequence[Line]]
    numeric: bool
    """Whether the column holds numbers, which are never broken"""

    @property
    def width(self) -> int:
        return max((line.width for cell in self.rows for line in cell), default=0)

    def wrapped(self, width: int, cells: int | None = None) -> Column:
        """Return the column with its cells, or the first `cells` of them, broken into lines of `width` at most."""
        broken = [[part for line in cell for part in line.broken(width)] for cell in self.rows[:cells]]
        return self._replace(rows=[*broken, *self.rows[len(broken) :]])

    def with_narrow_head(self) -> Column:
        """Return the column with its head broken into lines as wide as the widest cell below."""
        words = (shown_width(word) for line in self.rows[0] for text, _ in line.pieces for _, word in _words(text))
        return self.wrapped(max(self._replace(rows=self.rows[1:]).width, _LEAST_HEAD, *words), cells=1)


def terminal(cells: Cells, width: int = 100, colour: bool = False, keys: int = 1) -> list[str]:
    """Return the lines of a table. A table that is too wide is cut into blocks, each with the first `keys` columns."""
    columns = [column_of(column) for column in zip(*cells, strict=True)]
    if _total(columns) > width:
        columns = [*columns[:keys], *(column.with_narrow_head() for column in columns[keys:])]
    columns = _narrowed(columns, width)
    blocks = [columns] if _total(columns) <= width else _blocks(columns, width, keys)
    lines: list[str] = []
    for number, block in enumerate(blocks):
        lines += [*[""] * bool(number), *_printed(block, colour)]
    return lines


def aligned(cells: Cells) -> list[str]:
    """Return the lines of a table without a limit of width, for a table between other lines."""
    return terminal(cells, width=sys.maxsize)


def shown_width(text: str) -> int:
    """Return the width of a text on a terminal, in columns.

    Args:
        text: the text.

    Returns:
        The number of columns: two for a wide East Asian character, none for a character that joins another.
    """
    joins = ("Mn", "Me", "Cf")
    return sum(
        0 if unicodedata.category(sign) in joins else 2 if unicodedata.east_asian_width(sign) in "WF" else 1
        for sign in text
    )


def column_of(cells: Sequence[Cell]) -> Column:
    """Return a column of cells as lines for a terminal. Numbers are aligned at their last digit."""
    head, *body = cells
    numbers = [cell for cell in body if isinstance(cell, Number)]
    digits = max((len(number.text) for number in numbers), default=0)
    marked = max((len(_MARKS[number.mark]) for number in numbers), default=0)
    alone = bool(numbers) and not any(number.interval or number.chance for number in numbers)
    rows = [[Line(((harmless(head if isinstance(head, str) else head.text), "head"),), alone)]]
    for cell in body:
        if isinstance(cell, str):
            rows.append([Line(((harmless(cell), ""),))])
            continue
        rest = " ".join(filter(None, (cell.interval, cell.chance)))
        value = cell.text.rjust(digits) + _MARKS[cell.mark].ljust(marked)
        rows.append([Line(((value, cell.mark), (f" {rest}" if rest else "", "interval")), alone)])
    return Column(rows, bool(numbers))


def _total(columns: Sequence[Column]) -> int:
    return sum(column.width for column in columns) + len(_GAP) * (len(columns) - 1)


def _narrowed(columns: Sequence[Column], width: int) -> list[Column]:
    """Return the columns with text broken into lines, the widest first, until all fit or are as narrow as allowed."""
    widths = [column.width for column in columns]
    for _ in range(_total(columns) - width):
        wide = [n for n, column in enumerate(columns) if not column.numeric and widths[n] > _NARROWEST]
        if wide:
            widths[max(wide, key=lambda n: widths[n])] -= 1
    return [column.wrapped(wanted) for column, wanted in zip(columns, widths, strict=True)]


def _blocks(columns: Sequence[Column], width: int, keys: int) -> list[list[Column]]:
    heads = list(columns[:keys])
    room = max(width - _total(heads) - len(_GAP), _NARROWEST)
    blocks: list[list[Column]] = []
    for column in columns[keys:]:
        fits = column.wrapped(room)
        if blocks and _total([*blocks[-1], fits]) <= width:
            blocks[-1].append(fits)
        else:
            blocks.append([*heads, fits])
    return blocks or [heads]


def _printed(columns: Sequence[Column], colour: bool) -> list[str]:
    lines: list[str] = []
    for row in zip(*(column.rows for column in columns), strict=True):
        # The head stands on the line above the numbers, however many lines it takes.
        height = max(map(len, row))
        filled = [[*[Line()] * (height - len(cell)), *cell] if not lines else cell for cell in row]
        for parts in zip_longest(*filled, fillvalue=Line()):
            padded = (line.padded(column.width, colour) for line, column in zip(parts, columns, strict=True))
            lines.append(_GAP.join(padded).rstrip())
    return lines


def _words(text: str) -> list[tuple[str, str]]:
    """Return (separator before it, part) for the parts between which a text may be broken.

    A text may be broken at spaces and after the "(" of a spec. An arrow stays with the word before it.
    """
    return [
        ("" if number else " ", part)
        for word in re.split(" (?![↑↓])", text)
        for number, part in enumerate(re.split(r"(?<=\()(?=.)", word))
    ]


def _parts(text: str, width: int) -> list[str]:
    parts = [""]
    for space, word in _words(text):
        joined = f"{parts[-1]}{space}{word}" if parts[-1] else word
        if shown_width(joined) <= width:
            parts[-1] = joined
            continue
        parts += [word] if parts[-1] else []
        parts[-1] = parts[-1] or word
        while shown_width(parts[-1]) > width:
            long = parts.pop()
            cut = next(n for n in range(len(long), 0, -1) if shown_width(long[:n]) <= width or n == 1)
            parts += [long[:cut], long[cut:]]
    return parts


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
    """Return the lines of tables, with an empty line between two tables.

    Args:
        tables: the cells of each table.
        layout: one of `FORMATS`. The options below are for 'text' only.
        width: the greatest width of a table, in columns of a terminal.
        colour: whether to use colours.
        keys: the number of columns at the left that name a row. They are repeated in each block of a table that is too
            wide.

    Returns:
        The lines.
    """
    lines: list[str] = []
    for number, cells in enumerate(tables):
        of_table = terminal(cells, width, colour, keys) if layout == "text" else _PLAIN[layout](cells)
        lines += [*[""] * bool(number), *of_table]
    return lines


def _latex(cells: Cells) -> list[str]:
    """Return the lines of a LaTeX tabular, to be put into a table of the paper."""
    head, *body = [" & ".join(map(_in_latex, row)) + r" \\" for row in cells]
    places = "".join("r" if numeric else "l" for numeric in _numeric(cells))
    rows = [r"\toprule", head, r"\midrule", *body, r"\bottomrule"]
    # Double quotes in the typewriter's form want T1, which every LaTeX has.
    needed = r"% \usepackage{booktabs}, \usepackage[T1]{fontenc}"
    return [needed, rf"\begin{{tabular}}{{{places}}}", *rows, r"\end{tabular}"]


def _in_latex(cell: Cell) -> str:
    if isinstance(cell, str):
        return "".join(_SIGNS.get(sign, sign) for sign in _line(cell))
    text = _in_math(cell.text)
    value = "--" if text == "-" else rf"$\mathbf{{{text}}}$" if cell.mark == "best" else f"${text}$"
    value = rf"\underline{{{value}}}" if cell.mark == "alike" else value
    interval = re.sub(r"-?(\d[\d.]*(e[+-]\d+)?|inf)", lambda number: f"${_in_math(number.group())}$", cell.interval)
    small = " ".join(filter(None, (interval, re.sub(r"p(.*)", r"$p\1$", cell.chance))))
    return value + (rf" {{\small {small}}}" if small else "")


def _in_math(number: str) -> str:
    return re.sub(r"e\+?(-?)0*(\d+)$", r" \\cdot 10^{\1\2}", number.replace("inf", r"\infty"))


def _markdown(cells: Cells) -> list[str]:
    head, *body = [[_in_markdown(cell) for cell in row] for row in cells]
    rules = ["---:" if numeric else "---" for numeric in _numeric(cells)]
    return [f"| {' | '.join(row)} |" for row in (head, rules, *body)]


def _in_markdown(cell: Cell) -> str:
    if isinstance(cell, str):
        return in_markdown(cell)
    around = _AROUND[cell.mark]
    return f"{around}{cell.text}{around}" + words(cell).removeprefix(cell.text)


def in_markdown(text: str) -> str:
    """Return a text as one line of a Markdown cell, with Markdown, HTML and @names in it escaped."""
    return re.sub(r"([\\|*_`<>~\[\]#@])", r"\\\1", _line(text))


def _numeric(cells: Cells) -> list[bool]:
    """Return for each column whether it holds numbers."""
    return [any(isinstance(cell, Number) for cell in column[1:]) for column in zip(*cells, strict=True)]


def _line(text: str) -> str:
    return harmless(" ".join(text.split()))


def _csv(cells: Cells) -> list[str]:
    """Return the lines of CSV. A missing number is an empty cell, and an infinite one a word, as in a scores file."""
    wide = [more for column in zip(*cells, strict=True) for more in _expanded(column)]
    lines = []
    for row in zip(*wide, strict=True):
        # A field with a lone carriage return is only quoted where that is among the characters that end a line.
        csv.writer(file := io.StringIO(), lineterminator="\r\n").writerow(row)
        lines.append(file.getvalue().removesuffix("\r\n"))
    return lines


def _expanded(column: Sequence[Cell]) -> list[list[str]]:
    """Return the texts of a column, and further columns for low, high and p where a cell of the column has them."""
    head, *body = column
    made = [[inert(str(head)), *(inert(cell) if isinstance(cell, str) else _digits(cell.value) for cell in body)]]
    for name in ("low", "high", "p"):
        values = [math.nan if isinstance(cell, str) else getattr(cell, name) for cell in body]
        if not all(map(math.isnan, values)):
            made.append([inert(f"{head} {name}"), *map(_digits, values)])
    return made


def inert(text: str) -> str:
    """Return a text with an apostrophe in front where a spreadsheet would run the text as a formula."""
    return f"'{text}" if _FORMULA.match(text) and text != "-" else text


def _digits(value: float) -> str:
    if math.isfinite(value):
        return repr(float(value)).removesuffix(".0")
    return "" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


_PLAIN: Mapping[str, Callable[[Cells], list[str]]] = {"latex": _latex, "markdown": _markdown, "csv": _csv}
FORMATS = ("text", *_PLAIN)

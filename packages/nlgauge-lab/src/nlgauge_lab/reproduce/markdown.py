"""Tools to write pages: templates, tables, short numbers, and parts of a page between two comments."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nlgauge.data.atomic_write import atomic_write
from nlgauge.errors import InputError

if TYPE_CHECKING:
    from jinja2 import Environment

_RULES = {"l": "---|", "r": "---:|"}


def render(template: str, **facts: Any) -> str:
    r"""Return a page made from a template in `templates/`.

    A list among the facts becomes lines. In a template, a line that ends in \ is joined with the next one.
    """
    made = _templates().get_template(f"{template}.jinja").render(**facts).replace("\\\n", "")
    return re.sub(r"\n{3,}", "\n\n", made).strip() + "\n"


@cache
def _templates() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: "\n".join(value) if isinstance(value, list) else value,
    )
    made.filters.update(count="{:,}".format, percent="{:.0%}".format, short=short)
    return made


def table(heads: Sequence[object], align: str, rows: Iterable[Sequence[object]]) -> list[str]:
    """Return the lines of a table in Markdown.

    Args:
        heads: heads of the columns.
        align: one letter for each column, l (left) or r (right).
        rows: cells of the rows.
    """
    named = "".join(f" {head} |" if head else " |" for head in heads)
    rules = "".join(_RULES[one] for one in align)
    return [f"|{named}", f"|{rules}", *("| " + " | ".join(map(str, row)) + " |" for row in rows)]


LONGEST = 12
"""A table with more rows goes into a file beside its page, if the page marks it"""
_BESIDE = re.compile(r"<!-- beside: (\S+) -->\n((?:\|.*\n?)+)")
_RANGED = re.compile(r"(\S+) \[(\S+), (\S+)\]")


def beside(name: str, lines: list[str]) -> list[str]:
    """Return the lines of a table with a mark, by which `tables_beside` moves a long table into a file of this name."""
    return [f"<!-- beside: {name} -->", *lines] if lines else []


def tables_beside(text: str, page: Path) -> tuple[str, dict[Path, str]]:
    """Move the long marked tables of a page into CSV files.

    Args:
        text: the page in Markdown.
        page: the path of the page.

    Returns:
        The page with links to the moved tables, and the content of the CSV files by path.
    """
    files: dict[Path, str] = {}

    def one(found: re.Match[str]) -> str:
        head, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in found[2].splitlines())
        if len(rows) <= LONGEST:
            return found[2]
        file = f"{page.stem}-{found[1]}.csv"
        files[page.parent / "data" / file] = _as_csv([head, *rows])
        return f"[{file}](data/{file}): {len(rows)} rows.\n"

    return _BESIDE.sub(one, text), files


def _as_csv(rows: Sequence[Sequence[str]]) -> str:
    """Return the table as CSV without Markdown.

    Numbers are written as programs read them, and the ends of an interval have two columns.
    """
    intervals = [any(_RANGED.fullmatch(_plain(row[at])) for row in rows[1:]) for at in range(len(rows[0]))]
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\n")
    for number, row in enumerate(rows):
        cells: list[str] = []
        for text, wide in zip(map(_plain, row), intervals, strict=True):
            found = _RANGED.fullmatch(text)
            ends = (f"{text} low", f"{text} high") if number == 0 else found.groups()[1:] if found else ("", "")
            cells += [found[1] if found else text, *(ends if wide else ())]
        writer.writerow(cells)
    return made.getvalue()


def _plain(cell: str) -> str:
    cell = cell.replace("`", "").replace("**", "")
    return re.sub(r"(?<![\w.])\.(?=\d)", "0.", re.sub(r"−(?=[\d.])", "-", cell))


def short(value: float, digits: int = 3) -> str:
    """Return a number in short form, such as .715 or −.030; '-' for NaN."""
    if math.isnan(value):
        return "-"
    text = f"{abs(value):.{digits}f}"
    return ("−" if value < 0 else "") + (text[1:] if text.startswith("0.") else text)


def ranged(value: float, low: float, high: float, digits: int = 3) -> str:
    """Return a number with its interval in short form, such as .715 [.60, .81], or without brackets if it has none."""
    inside = "" if math.isnan(low) or math.isnan(value) else f" [{short(low, 2)}, {short(high, 2)}]"
    return short(value, digits) + inside


def region(text: str, name: str) -> str | None:
    """Return the text between the two comments of a name; None if the page does not have them."""
    found = re.search(_pattern(name), text, re.DOTALL)
    return None if found is None else found[2].strip("\n")


def write_region(page: Path, name: str, lines: Sequence[str]) -> None:
    """Write lines between the two comments of a name in a page.

    Raises:
        InputError: the page cannot be read, or does not have the comments.
    """
    try:
        text = page.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=page, remedy="name a page that is there") from None
    if region(text, name) is None:
        remedy = f"put <!-- {name} --> and <!-- end of {name} --> on lines of their own where the table belongs"
        raise InputError("has no place for the table", file=page, remedy=remedy)
    block = "\n".join(lines)
    with atomic_write(page) as file:
        made = re.sub(_pattern(name), lambda found: f"{found[1]}\n{block}\n{found[3]}", text, count=1, flags=re.DOTALL)
        file.write(made)


def _pattern(name: str) -> str:
    return rf"(<!-- {re.escape(name)} -->)(.*?)(<!-- end of {re.escape(name)} -->)"

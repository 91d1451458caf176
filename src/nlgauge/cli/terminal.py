"""Functions by which commands print an answer: sentences, tables and lines, on a terminal or into a file."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nlgauge.cli.streams import remark, show_json
from nlgauge.data.atomic_write import goes_to_stdout
from nlgauge.show.answer import Answer, Answered
from nlgauge.show.lines import WIDTH, Line, drawn
from nlgauge.show.tables import Cells, formatted, harmless, harmless_json

if TYPE_CHECKING:
    from nlgauge.data.table import ScoreTable


def told_spent(table: ScoreTable, per_thousand: bool = False) -> Iterator[str]:
    """Yield lines on what judges have cost in this run: requests, tokens and so on.

    Args:
        table: the scores.
        per_thousand: whether to add lines on the cost of 1,000 rows, at the rate of this run. Cached answers cost
            nothing.

    Returns:
        The lines.
    """
    asked, rows = table.spent.get("asked", {}), len(table.rows)
    for spec, counts in asked.items():
        yield f"{spec}: " + ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)
    for spec, counts in asked.items() if per_thousand else ():
        if counts.get("requests") and rows:
            names = [name for name in ("requests", "tokens in", "tokens out") if counts.get(name)]
            said = ", ".join(f"{counts[name] * 1000 / rows:,.0f} {name}" for name in names)
            yield f"{spec}: 1,000 such rows cost {said}, {table.spent['seconds'] * 1000 / rows:,.0f} seconds"


def beside(place: Path | None) -> AbstractContextManager[object]:
    """Return a context for printing beside a file: if the file goes to stdout, printed text goes to stderr."""
    return redirect_stdout(sys.stderr) if place is not None and goes_to_stdout(place) else nullcontext()


def coloured() -> bool:
    """Return whether to use colours: stdout is a terminal, and NO_COLOR (https://no-color.org) is not set."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def _arrows() -> dict[int, str]:
    """Return substitutes for the arrows of tables if stdout (Latin-1, say) cannot encode arrows; else an empty dict."""
    try:
        "↑↓".encode(sys.stdout.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return {ord("↑"): "^", ord("↓"): "v"}
    return {}


def show(result: Answered | Answer, layout: str) -> None:
    """Show an answer on stdout, as text, as tables, or as JSON; its notes, and the legend of tables, on stderr.

    Args:
        result: the answer, or a result that has one.
        layout: one of `FORMATS`, 'json', or a format of the answer's own documents.
    """
    answer = result if isinstance(result, Answer) else result.to_answer()
    if layout in answer.documents:
        click.echo(answer.documents[layout]())
    elif layout == "json":
        show_json(answer.command, answer.notes, **answer.record)
    elif layout == "text" and answer.lines:
        _show_lines(answer.lines)
    else:
        _say(answer.sentences, layout)
        show_tables(answer.tables, layout, answer.keys)
        remark(*answer.legend)
    remark(*answer.notes)
    if layout == "text" and answer.ending is not None:
        _show_lines([answer.ending])


def _say(answers: Sequence[str], layout: str) -> None:
    """Write sentences on stdout before the tables, in text output only, because other forms are for programs."""
    if layout != "text" or not answers:
        return
    for answer in answers:
        for line in textwrap.wrap(harmless(answer), _width(), break_long_words=False, break_on_hyphens=False):
            click.echo(line)
    click.echo()


def _show_lines(lines: Sequence[Line]) -> None:
    colour = coloured()
    for line in drawn(lines, colour):
        click.echo(line, color=colour)


def show_tables(tables: Sequence[Cells], layout: str, keys: int = 1) -> None:
    """Print tables on stdout in one of `FORMATS`. The first `keys` columns of a table name a row."""
    colour = coloured()
    arrows = _arrows() if layout == "text" else {}
    # CSV is exact for a file or a program; the other forms hold no character that steers a terminal.
    shown = harmless_json if layout == "csv" and sys.stdout.isatty() else str
    for line in formatted(tables, layout, width=_width(), colour=colour, keys=keys):
        click.echo(shown(line).translate(arrows), color=colour)


def _width() -> int:
    """Return the greatest width of a table: the columns of the terminal, and `WIDTH` at most."""
    return min(WIDTH, shutil.get_terminal_size().columns) if sys.stdout.isatty() else WIDTH

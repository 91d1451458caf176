"""How commands print an answer: sentences, tables and lines, on a terminal or into a file."""

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


def told_spent(table: ScoreTable) -> Iterator[str]:
    """Yield what judges have cost, one line each."""
    for spec, counts in table.spent.get("asked", {}).items():
        yield f"{spec}: " + ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)


def told_price(table: ScoreTable) -> Iterator[str]:
    """Yield what 1,000 rows cost at the rate of this run, a line for each judge; cached answers cost nothing."""
    rows = len(table.rows)
    for spec, counts in table.spent.get("asked", {}).items():
        if counts.get("requests") and rows:
            names = [name for name in ("requests", "tokens in", "tokens out") if counts.get(name)]
            said = ", ".join(f"{counts[name] * 1000 / rows:,.0f} {name}" for name in names)
            yield f"{spec}: 1,000 such rows cost {said}, {table.spent['seconds'] * 1000 / rows:,.0f} seconds"


def beside(place: Path | None) -> AbstractContextManager[object]:
    """Return where a command prints what it prints beside a file: on stderr where the file goes to stdout."""
    return redirect_stdout(sys.stderr) if place is not None and goes_to_stdout(place) else nullcontext()


def coloured() -> bool:
    """Return whether stdout is a terminal, and nobody asked for no colours (https://no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def _arrows() -> dict[int, str]:
    """Return what stands for the arrows of a table where stdout has none, in Latin-1 say."""
    try:
        "↑↓".encode(sys.stdout.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return {ord("↑"): "^", ord("↓"): "v"}
    return {}


def show(result: Answered | Answer, layout: str) -> None:
    """Show an answer on stdout, as text, tables or its record as JSON; what has to be known of it on stderr.

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
    """Write sentences on stdout before the tables of text output; other forms of output are for programs."""
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
    """Print tables on stdout in one of `FORMATS`; `keys` columns say what a row is."""
    colour = coloured()
    arrows = _arrows() if layout == "text" else {}
    # CSV is exact for a file or a program; the other forms hold no character that steers a terminal.
    shown = harmless_json if layout == "csv" and sys.stdout.isatty() else str
    for line in formatted(tables, layout, width=_width(), colour=colour, keys=keys):
        click.echo(shown(line).translate(arrows), color=colour)


def _width() -> int:
    """Return how many columns a table takes: those of a terminal, and `WIDTH` at most."""
    return min(WIDTH, shutil.get_terminal_size().columns) if sys.stdout.isatty() else WIDTH

"""Printing: streams that accept every character, remarks, JSON, and errors of one line."""

from __future__ import annotations

import codecs
import io
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from nlgauge._version import __version__
from nlgauge.data.jsonable import jsonable
from nlgauge.errors import SpecError
from nlgauge.show.tables import harmless, harmless_json

_ESCAPED = "nlgauge.escaped"


def prepare() -> None:
    """Make stdout and stderr write a JSON escape for each character that they cannot encode, in Latin-1, say.

    Raises:
        SpecError: stdout is closed, so that printed text could end up in the next file that is opened.
    """
    codecs.register_error(_ESCAPED, _escaped)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_ESCAPED)
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    if sys.stdout is None:
        raise SpecError("standard output is closed: give it a file or a pipe, or > /dev/null")


def remark(*lines: str) -> None:
    """Print lines on stderr, without characters that could control a terminal."""
    for line in lines:
        click.echo(harmless(line), err=True)


def as_json(command: str, notes: Iterable[str] = (), **records: object) -> str:
    """Return the JSON of a command: one envelope for all commands, which docs/reference/json.md describes.

    The JSON is {"nlgauge": version, "command": ..., "notes": [...]}, followed by the records by their names.

    Args:
        command: the name of the command.
        notes: what a reader has to know of the numbers, one sentence each.
        records: the options of the question and the results, as `jsonable` takes them.

    Returns:
        The text of the JSON.
    """
    envelope = {"nlgauge": __version__, "command": command, "notes": list(notes), **records}
    return printed(jsonable(envelope))


def printed(record: object) -> str:
    """Return JSON as it is printed: indented, and without characters that could control a terminal."""
    return harmless_json(json.dumps(record, ensure_ascii=False, indent=2))


def show_json(command: str, notes: Iterable[str] = (), **records: object) -> None:
    """Write the JSON of a command on stdout, as `as_json` makes it."""
    click.echo(as_json(command, notes, **records))


def failure(error: OSError) -> str:
    """Return an error of the machine in one line. If stdout cannot be written, nothing more is written to it."""
    frame, printing = error.__traceback__, False
    while frame is not None:
        printing, frame = printing or frame.tb_frame.f_code is click.echo.__code__, frame.tb_next
    if printing:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # else what is left in the buffer fails once more at the end
    where = "standard output cannot be written" if printing else error.filename
    reason = error.strerror or str(error) or type(error).__name__
    return f"{where}: {reason}" if where else reason


def _escaped(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    return json.dumps(text)[1:-1], error.end


EVERY = 30.0
"""Seconds between two lines of `heartbeat`"""
_SERVICE = "serve"
"""A command that never ends by itself, so that no lines are printed"""
_OWN_BAR = "train"
"""A command that does not count rows, and shows its own progress bar on a terminal"""


@contextmanager
def heartbeat(command: Callable[[], str | None]) -> Iterator[None]:
    """Print a line on stderr every 30 seconds while a command runs, unless a terminal shows a progress bar.

    Args:
        command: a function that returns the name of the command.

    Returns:
        A context, in which the lines are printed.
    """
    ended, began = threading.Event(), time.monotonic()

    def tell() -> None:
        while not ended.wait(EVERY):
            progress = sys.modules.get("nlgauge.engine.progress")  # not loaded before there is work
            rows = progress.so_far() if progress is not None else None
            bar = sys.stderr.isatty() and (rows or command() == _OWN_BAR)
            if command() != _SERVICE and not bar:
                seconds = f"{time.monotonic() - began:.0f} s so far"
                remark(f"nlgauge {command()}: {seconds}" + (f", {rows}" if rows else ""))

    thread = threading.Thread(target=tell, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()

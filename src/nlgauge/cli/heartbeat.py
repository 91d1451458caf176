"""A line on stderr every half minute, so that nobody has to guess whether a command is still at work."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from nlgauge.cli.streams import remark

if TYPE_CHECKING:
    from nlgauge.data.corpus import Corpus

EVERY = 30.0
"""Seconds"""
_QUIET = ("serve", "train")
"""They tell of themselves"""
_LONG = 100_000
"""Characters: a text that keeps a metric of a model busy for a minute"""


@contextmanager
def heartbeat(command: Callable[[], str | None]) -> Iterator[None]:
    """Tell of a command that takes long; a terminal that shows a bar is told nothing. command: says which one it is."""
    ended, began = threading.Event(), time.monotonic()

    def tell() -> None:
        while not ended.wait(EVERY):
            progress = sys.modules.get("nlgauge.engine.progress")  # not loaded before there is work
            rows = progress.so_far() if progress is not None else None
            if command() not in _QUIET and not (rows and sys.stderr.isatty()):
                seconds = f"{time.monotonic() - began:.0f} s so far"
                remark(f"nlgauge {command()}: {seconds}" + (f", {rows}" if rows else ""))

    thread = threading.Thread(target=tell, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def tell_long(corpus: Corpus, numbers: Collection[int] | None = None) -> None:
    """Which candidates will take long, before they do. numbers: of the rows that are scored, counted from 1."""
    sizes = (
        (number, len(row.candidate)) for number, row in enumerate(corpus, 1) if numbers is None or number in numbers
    )
    long = [one for one in sizes if one[1] > _LONG]
    if long:
        number, size = max(long, key=lambda one: one[1])
        more = f", and {len(long) - 1} more are long" if len(long) > 1 else ""
        which = f"row {number} has a candidate of {size:,} characters{more}"
        remark(f"{which}: a metric that reads a model may take minutes; is the file split into rows as it should be?")

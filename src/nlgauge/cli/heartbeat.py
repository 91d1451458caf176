"""A line on stderr every half minute, so that nobody has to guess whether a command is still at work."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from nlgauge.cli.streams import remark

EVERY = 30.0
"""Seconds"""
_QUIET = ("serve", "train")
"""They tell of themselves"""


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

"""Files that are complete or not there at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from nlgauge.errors import InputError


@contextmanager
def atomic_write(path: str | Path) -> Iterator[TextIO]:
    """A UTF-8 text file to write, which takes its name, and the place of what had it, when all has been written.

    What breaks off leaves the old file as it was. Raises InputError where it cannot be written.
    """
    path = Path(path)
    partial = path.with_name(path.name + ".partial")
    try:
        with partial.open("w", encoding="utf-8", newline="\n") as file:
            yield file
        partial.replace(path)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=path, remedy="choose another place") from None
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)

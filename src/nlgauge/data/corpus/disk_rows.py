"""Rows in a temporary file, for a corpus too large for the memory. Only the pages read last are in memory."""

from __future__ import annotations

import json
import os
import tempfile
from array import array
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from threading import Lock
from typing import overload
from weakref import finalize

from nlgauge.data.corpus.row import Row
from nlgauge.errors import InputError

_PAGE = 1 << 18
"""Size of a page in bytes: so much is read at a time, or one row if that is longer"""
_PAGES_HELD = 64


class DiskRows(Sequence[Row]):
    """Rows in an unnamed temporary file (in the folder TMPDIR), which is gone when the process ends.

    A value of `extra` that JSON cannot hold, such as a date, becomes its text.

    Args:
        rows: the rows to write into the file.

    Raises:
        InputError: the file cannot be written, because the disk is full, say.
    """

    def __init__(self, rows: Iterable[Row]) -> None:
        self._ends, self._pages = array("Q", [0]), array("Q")
        self._held: OrderedDict[int, list[Row]] = OrderedDict()
        encode = json.JSONEncoder(ensure_ascii=False, default=str, separators=(",", ":")).encode
        try:
            self._file = tempfile.TemporaryFile(prefix="nlgauge-")  # noqa: SIM115
        except OSError as bad:
            raise _no_room(bad) from None
        finalize(self, self._file.close)
        self._reading = Lock()
        try:
            for row in rows:
                fields: list[object] = [row.candidate, row.references, row.source, row.context, row.system, row.item]
                fields += [dict(row.scores), dict(row.extra), row.question, False, row.counted, row.trial]
                line = encode(fields).encode("utf-8", "surrogatepass")
                self._file.write(line)
                if not self._pages or self._ends[-1] + len(line) - self._ends[self._pages[-1]] > _PAGE:
                    self._pages.append(len(self))
                self._ends.append(self._ends[-1] + len(line))
            self._file.flush()
        except OSError as bad:
            with suppress(OSError):
                self._file.close()  # it tries to write the rest once more, and would do so at the end of the process
            raise _no_room(bad) from None

    def __len__(self) -> int:
        return len(self._ends) - 1

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Row, ...]: ...
    def __getitem__(self, index: int | slice) -> Row | tuple[Row, ...]:
        if isinstance(index, slice):
            return tuple(self[number] for number in range(len(self))[index])
        number = range(len(self))[index]
        page = bisect_right(self._pages, number) - 1
        return self._page(page)[number - self._pages[page]]

    def __iter__(self) -> Iterator[Row]:
        for page in range(len(self._pages)):
            yield from self._read(page)

    def _page(self, page: int) -> list[Row]:
        """Return the rows of a page. The latest pages stay in memory, because the next row asked for is often near."""
        if page in self._held:
            self._held.move_to_end(page)
        else:
            self._held[page] = self._read(page)
            if len(self._held) > _PAGES_HELD:
                self._held.popitem(last=False)
        return self._held[page]

    def _read(self, page: int) -> list[Row]:
        first = self._pages[page]
        end = self._pages[page + 1] if page + 1 < len(self._pages) else len(self)
        ends, begin = self._ends[first : end + 1], self._ends[first]
        data = self._bytes(ends[-1] - begin, begin)
        return [_row(data[ends[n] - begin : ends[n + 1] - begin]) for n in range(end - first)]

    def _bytes(self, size: int, begin: int) -> bytes:
        """Return `size` bytes of the file from `begin` on. Other threads and processes may read at the same time."""
        if hasattr(os, "pread"):
            return os.pread(self._file.fileno(), size, begin)
        with self._reading:  # Windows, where no process is a fork of another
            self._file.seek(begin)
            return self._file.read(size)


def _no_room(bad: OSError) -> InputError:
    problem = f"the rows cannot be kept in a temporary file: {bad.strerror}"
    return InputError(problem, remedy="set TMPDIR to a folder with more room")


def _row(line: bytes) -> Row:
    candidate, references, *rest = json.loads(line.decode("utf-8", "surrogatepass"))
    return Row(candidate, tuple(references), *rest)

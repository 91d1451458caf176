"""Rows that lie on disk while they are used: a corpus of millions holds none of its texts in memory."""

from __future__ import annotations

import json
import os
import tempfile
from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import overload
from weakref import finalize

from nlgauge.corpus.row import Row
from nlgauge.errors import InputError

_READ_AT_ONCE = 1 << 20


class Spool(Sequence[Row]):
    """Rows in a file without a name in the folder for temporary files (TMPDIR), which ends with the process.

    A value of `extra` that JSON does not have, a date say, becomes its text. Raises InputError where the disk is full.
    """

    def __init__(self, rows: Iterable[Row]) -> None:
        self._file = tempfile.TemporaryFile(prefix="nlgauge-")  # noqa: SIM115
        finalize(self, self._file.close)
        self._ends = array("Q", [0])
        encode = json.JSONEncoder(ensure_ascii=False, default=str, separators=(",", ":")).encode
        try:
            for row in rows:
                fields = [row.candidate, row.references, row.source, row.context, row.system, row.item]
                line = encode([*fields, dict(row.scores), dict(row.extra)]).encode("utf-8", "surrogatepass")
                self._file.write(line)
                self._ends.append(self._ends[-1] + len(line))
            self._file.flush()
        except OSError as bad:
            problem = f"the rows cannot be kept in {tempfile.gettempdir()}: {bad.strerror}"
            raise InputError(problem, remedy="set TMPDIR to a folder with more room") from None

    def __len__(self) -> int:
        return len(self._ends) - 1

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Row, ...]: ...
    def __getitem__(self, index: int | slice) -> Row | tuple[Row, ...]:
        if isinstance(index, slice):
            numbers = range(len(self))[index]
            if numbers.step == 1:
                return tuple(self._from(numbers.start, numbers.stop))
            return tuple(self[number] for number in numbers)
        number = range(len(self))[index]
        begin = self._ends[number]
        return _row(os.pread(self._file.fileno(), self._ends[number + 1] - begin, begin))

    def __iter__(self) -> Iterator[Row]:
        return self._from(0, len(self))

    def _from(self, first: int, end: int) -> Iterator[Row]:
        """Rows one after another, of which many are read at a time."""
        at = first
        while at < end:
            begin, last = self._ends[at], at + 1
            while last < end and self._ends[last + 1] - begin <= _READ_AT_ONCE:
                last += 1
            data = os.pread(self._file.fileno(), self._ends[last] - begin, begin)
            for number in range(at, last):
                yield _row(data[self._ends[number] - begin : self._ends[number + 1] - begin])
            at = last


def _row(line: bytes) -> Row:
    candidate, references, *rest = json.loads(line.decode("utf-8", "surrogatepass"))
    return Row(candidate, tuple(references), *rest)

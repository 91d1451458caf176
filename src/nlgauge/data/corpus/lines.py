"""The bytes of a file as lines of text, read as they are asked for: UTF-8, and gzip where the name says so."""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, cast

from nlgauge.data.corpus.opening import File
from nlgauge.data.corpus.place import Place

_SMALL = 64 << 20
_EXPANDED = 100
"""Times its own size that compressed data may hold, unless that is small; texts come to 10 times, bombs to 1,000"""
LONGEST_LINE = 256 << 20
"""Bytes of a line; a line is held in memory whole"""


def _is_packed(file: File) -> bool:
    """Whether a file's name says that it is compressed."""
    return file.name.lower().endswith(".gz")


def lines(file: File) -> Iterator[str]:
    """Each line with its end, which is one "\\n"; the mark of a byte order at the beginning is left out.

    Raises InputError for what is empty, not UTF-8, not whole gzip data, or a line longer than LONGEST_LINE.
    """
    place, at, number = Place(file.name), 0, 0
    with _opened(file) as stream:
        while line := stream.readline(LONGEST_LINE + 1):
            number += 1
            if len(line) > LONGEST_LINE:
                problem = f"line {number} is longer than {LONGEST_LINE} bytes"
                raise place.error(problem, "end each line with a newline, and split a text that is so long")
            try:
                text = line.decode("utf-8")
            except UnicodeDecodeError as bad:
                byte = f"byte 0x{line[bad.start]:02x} at byte offset {at + bad.start}, on line {number}"
                raise place.error(f"not UTF-8: {byte}", _to_utf_8(line)) from None
            at += len(line)
            yield text if number > 1 else text.removeprefix("\ufeff")
    if not number:
        raise _empty(place)


def seekable(file: File) -> BinaryIO:
    """The bytes, uncompressed, to be read in any order. Raises InputError as `lines`."""
    if not _is_packed(file):
        return file.open()
    with _opened(file) as stream:
        data = stream.read()
    if not data:
        raise _empty(Place(file.name))
    return io.BytesIO(data)


def refuse_empty(file: File) -> None:
    """Raises InputError for a file without a byte."""
    if not file.size:
        raise _empty(Place(file.name))


def _to_utf_8(line: bytes) -> str:
    """What to do with a file that holds such a line. UTF-16 marks its first one, and spreadsheets write it."""
    if line.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "it is UTF-16: save it as UTF-8 (spreadsheets call it CSV UTF-8), or iconv -f UTF-16 -t UTF-8"
    return "convert it to UTF-8: iconv -f ENCODING -t UTF-8"


def _empty(place: Place) -> Exception:
    return place.error("the file is empty", "give at least one row")


@contextmanager
def _opened(file: File) -> Iterator[BinaryIO]:
    """The bytes, uncompressed."""
    place = Place(file.name)
    with file.open() as raw:
        if not _is_packed(file):
            yield raw
            return
        try:
            yield cast(BinaryIO, io.BufferedReader(_Unpacked(raw, file.size, place)))
        except (OSError, EOFError, zlib.error) as bad:
            remedy = "compress or copy it again; if it is not compressed, take .gz off its name"
            raise place.error(f"not whole gzip data: {bad}", remedy) from None


class _Unpacked(io.RawIOBase):
    """What gzip data hold. Raises InputError where they were made to fill a memory, and what gzip raises."""

    def __init__(self, raw: BinaryIO, size: int, place: Place) -> None:
        self._file = gzip.GzipFile(fileobj=raw)
        self._size, self._place, self._read = size, place, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = self._file.readinto(buffer)
        self._read += count
        if self._read > max(_SMALL, _EXPANDED * self._size):
            problem = f"gzip data that hold more than {_EXPANDED} times their own {self._size} bytes"
            raise self._place.error(problem, "texts do not: where it is meant so, decompress it first")
        return count

"""Files of data, on this machine or at an address that pyarrow or fsspec opens, as bytes or lines (UTF-8, gzip)."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeAlias, cast

from nlgauge.data.corpus.place import InputPlace, shown
from nlgauge.errors import InputError, MissingExtraError

FilePath: TypeAlias = str | os.PathLike[str]

_ONE = "give the path of one readable file"


class File(NamedTuple):
    """A file that can be read."""

    name: str
    size: int
    """Size in bytes, as the file system says"""
    opener: Callable[[], BinaryIO]

    def open(self) -> BinaryIO:
        """Return a stream of the file's bytes, at the beginning. Raises InputError where the file cannot be opened."""
        try:
            return self.opener()
        except OSError as bad:
            raise _unread(self.name, bad) from None


def is_address(path: FilePath) -> bool:
    """Return whether a path is an address with a scheme, such as s3://bucket/rows.parquet."""
    return "://" in os.fspath(path)


STDIN = "-"
"""Stands for the standard input, which is read once and held"""


@cache
def _standard_input() -> bytes:
    return sys.stdin.buffer.read()


def _stdin() -> File:
    content = _standard_input()
    return File(STDIN, len(content), lambda: io.BytesIO(content))


def file_at(path: FilePath) -> File:
    """Return the file at a path or address, or the standard input for "-". Raises InputError where there is no file."""
    if os.fspath(path) == STDIN:
        return _stdin()
    if is_address(path):
        (file,) = _addressed(os.fspath(path), folder=False)
        return file
    return _local(Path(path))


def files_at(path: FilePath) -> list[File]:
    """Return the file at a path, or all files of a folder and its subfolders, sorted by name.

    Names that begin with a dot or an underscore are left out: tools give such names to files that hold no data.

    Args:
        path: a path or an address.

    Returns:
        The files, at least one.

    Raises:
        InputError: there is no file, or the folder holds none.
    """
    if os.fspath(path) == STDIN:
        return [_stdin()]
    if is_address(path):
        return _addressed(os.fspath(path), folder=True)
    if not Path(path).is_dir():
        return [_local(Path(path))]
    paths = [
        inner for inner in sorted(Path(path).rglob("*")) if inner.is_file() and _is_data(inner.relative_to(path).parts)
    ]
    return [_local(inner) for inner in paths] or _nothing(os.fspath(path))


def _is_data(parts: tuple[str, ...]) -> bool:
    return not any(part.startswith((".", "_")) for part in parts)


def _nothing(path: str) -> list[File]:
    raise InputPlace(path).error("the folder holds no files", "name a folder with files of rows")


def _local(path: Path) -> File:
    try:
        size = path.stat().st_size
    except (OSError, ValueError) as bad:
        raise _unread(str(path), bad) from None
    if path.is_dir():
        raise InputPlace(str(path)).error("cannot be read: it is a directory", _ONE)
    return File(str(path), size, lambda: path.open("rb"))


def _addressed(path: str, folder: bool) -> list[File]:
    files, where = file_system(path)
    from pyarrow import fs

    scheme = path.partition("://")[0]
    try:
        about = files.get_file_info(where)
        if about.type == fs.FileType.Directory and folder:
            infos = files.get_file_info(fs.FileSelector(where, recursive=True))
            below = len(where.rstrip("/")) + 1
            infos = [info for info in infos if info.is_file and _is_data(tuple(info.path[below:].split("/")))]
            return [_remote(files, info, scheme) for info in sorted(infos, key=lambda info: info.path)] or _nothing(
                path
            )
        if not about.is_file:
            raise InputPlace(path).error("cannot be read: there is no such file", _ONE)
        return [_remote(files, about, scheme)]
    except OSError as bad:
        raise _unread(path, bad) from None


def _remote(files: Any, about: Any, scheme: str) -> File:
    def opened() -> BinaryIO:
        return cast(BinaryIO, io.BufferedReader(files.open_input_file(about.path)))

    return File(f"{scheme}://{about.path}", about.size or 0, opened)


def file_system(path: str) -> tuple[Any, str]:
    """Return a pyarrow file system for an address: pyarrow's, or fsspec's if pyarrow does not know the address.

    Args:
        path: the address.

    Returns:
        The file system, and the path in it.

    Raises:
        MissingExtraError: pyarrow is not installed.
        InputError: neither library knows the address.
    """
    try:
        import pyarrow
        from pyarrow import fs
    except ImportError:
        raise MissingExtraError("reading and writing addresses", "tables") from None
    try:
        files, where = fs.FileSystem.from_uri(path)
        return files, where
    except (pyarrow.ArrowException, ValueError, OSError) as bad:
        refused = bad
    try:
        import fsspec

        other, where = fsspec.core.url_to_fs(path)
    except (ImportError, ValueError, OSError):
        problem = f"cannot be opened: {shown(str(refused))}"
        raise InputPlace(path).error(problem, "give a path, or an address that pyarrow or fsspec knows") from None
    return fs.PyFileSystem(fs.FSSpecHandler(other)), where


def _unread(name: str, bad: OSError | ValueError) -> InputError:
    return InputPlace(name).error(f"cannot be read: {getattr(bad, 'strerror', None) or bad}", _ONE)


_SMALL = 64 << 20
EXPANDED = 100
"""Limit of the size of unpacked data, as a multiple of their packed size. Texts need 10, and bombs 1,000"""
_RECORD = 128
"""Bytes that a row or an object takes in memory beside its text. They count, as many small rows fill a memory too"""
LONGEST_LINE = 256 << 20
"""The greatest length of a line in bytes, because a line is held in memory as a whole"""


def lines(file: File, expanded: int = EXPANDED) -> Iterator[str]:
    """Yield each line of a file with its newline, without a byte order mark at the beginning.

    Args:
        file: the file.
        expanded: the largest size of unpacked gzip data, as a multiple of their packed size.

    Returns:
        An iterator over the lines.

    Raises:
        InputError: the file is empty, not UTF-8, not whole gzip data, or has a line longer than LONGEST_LINE.
    """
    place, at, number = InputPlace(file.name), 0, 0
    with opened(file, expanded) as stream:
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
    """Return a seekable stream of the file's bytes, unpacked. Raises InputError for a file that cannot be read."""
    if not file.name.lower().endswith(".gz"):
        return file.open()
    with opened(file) as stream:
        data = stream.read()
    if not data:
        raise _empty(InputPlace(file.name))
    return io.BytesIO(data)


def refuse_empty(file: File) -> None:
    """Raise InputError for a file of zero bytes."""
    if not file.size:
        raise _empty(InputPlace(file.name))


def _to_utf_8(line: bytes) -> str:
    """Return the remedy for a file with a line that is not UTF-8. It may be UTF-16, which begins with a mark."""
    if line.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "it is UTF-16: save it as UTF-8 (spreadsheets call it CSV UTF-8), or iconv -f UTF-16 -t UTF-8"
    return "convert it to UTF-8: iconv -f ENCODING -t UTF-8"


def _empty(place: InputPlace) -> Exception:
    return place.error("the file is empty", "give at least one row")


@contextmanager
def opened(file: File, expanded: int = EXPANDED) -> Iterator[BinaryIO]:
    """Open a file for reading its bytes, unpacked if it is gzip.

    Args:
        file: the file.
        expanded: the largest size of unpacked gzip data, as a multiple of their packed size.

    Returns:
        A context that gives the open file.

    Raises:
        InputError: the gzip data are broken, or hold more than `expanded` allows.
    """
    place = InputPlace(file.name)
    with file.open() as raw:
        if not file.name.lower().endswith(".gz"):
            yield raw
            return
        try:
            yield cast(BinaryIO, io.BufferedReader(_Unpacked(raw, file.size, expanded, place)))
        except (OSError, EOFError, zlib.error) as bad:
            remedy = "compress or copy it again; if it is not compressed, take .gz off its name"
            raise place.error(f"not whole gzip data: {bad}", remedy) from None


class _Unpacked(io.RawIOBase):
    """A stream of unpacked gzip data. Reading raises gzip's errors, and InputError for far too much data."""

    def __init__(self, raw: BinaryIO, size: int, expanded: int, place: InputPlace) -> None:
        self._file = gzip.GzipFile(fileobj=raw)
        self._size, self._expanded, self._place, self._read = size, expanded, place, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = self._file.readinto(buffer)
        read = bytes(memoryview(buffer)[:count])
        self._read += count + _RECORD * (read.count(b"\n") + read.count(b"{"))
        if self._read > max(_SMALL, self._expanded * self._size):
            size = f"{self._expanded} times their own {self._size} bytes ({_RECORD} are added for each row)"
            problem = f"gzip data that hold more than {size}"
            raise self._place.error(problem, "texts do not: where it is meant so, decompress it first")
        return count

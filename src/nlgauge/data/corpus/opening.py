"""Where data lie: files and folders of this machine, and addresses that pyarrow or fsspec opens."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeAlias, cast

from nlgauge.data.corpus.place import Place, shown
from nlgauge.errors import InputError, MissingExtraError

FilePath: TypeAlias = str | os.PathLike[str]

_ONE = "give the path of one readable file"


class File(NamedTuple):
    """A file that can be read."""

    name: str
    size: int
    """Bytes, as the file system says"""
    opener: Callable[[], BinaryIO]

    def open(self) -> BinaryIO:
        """The bytes from the beginning. Raises InputError."""
        try:
            return self.opener()
        except OSError as bad:
            raise _unread(self.name, bad) from None


def is_address(path: FilePath) -> bool:
    """Whether a path names something by its scheme, as s3://bucket/rows.parquet does."""
    return "://" in os.fspath(path)


def file_at(path: FilePath) -> File:
    """One file. Raises InputError where there is none."""
    if is_address(path):
        (file,) = _addressed(os.fspath(path), folder=False)
        return file
    return _local(Path(path))


def files_at(path: FilePath) -> list[File]:
    """A file, or all files of a folder and of those in it, by name.

    Names that begin with a dot or an underscore are not data, by the custom of the tools that write such folders.
    Raises InputError where there is none.
    """
    if is_address(path):
        return _addressed(os.fspath(path), folder=True)
    if not Path(path).is_dir():
        return [_local(Path(path))]
    found = [one for one in sorted(Path(path).rglob("*")) if one.is_file() and _is_data(one.relative_to(path).parts)]
    return [_local(one) for one in found] or _nothing(os.fspath(path))


def _is_data(parts: tuple[str, ...]) -> bool:
    return not any(part.startswith((".", "_")) for part in parts)


def _nothing(path: str) -> list[File]:
    raise Place(path).error("the folder holds no files", "name a folder with files of rows")


def _local(path: Path) -> File:
    try:
        size = path.stat().st_size
    except (OSError, ValueError) as bad:
        raise _unread(str(path), bad) from None
    if path.is_dir():
        raise Place(str(path)).error("cannot be read: it is a directory", _ONE)
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
            infos = [one for one in infos if one.is_file and _is_data(tuple(one.path[below:].split("/")))]
            return [_remote(files, one, scheme) for one in sorted(infos, key=lambda one: one.path)] or _nothing(path)
        if not about.is_file:
            raise Place(path).error("cannot be read: there is no such file", _ONE)
        return [_remote(files, about, scheme)]
    except OSError as bad:
        raise _unread(path, bad) from None


def _remote(files: Any, about: Any, scheme: str) -> File:
    def opened() -> BinaryIO:
        return cast(BinaryIO, io.BufferedReader(files.open_input_file(about.path)))

    return File(f"{scheme}://{about.path}", about.size or 0, opened)


def file_system(path: str) -> tuple[Any, str]:
    """The pyarrow file system of an address, and the path in it.

    pyarrow's own, or else fsspec's. Raises MissingExtraError without pyarrow, InputError for an address that neither
    knows.
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
        raise Place(path).error(problem, "give a path, or an address that pyarrow or fsspec knows") from None
    return fs.PyFileSystem(fs.FSSpecHandler(other)), where


def _unread(name: str, bad: OSError | ValueError) -> InputError:
    return Place(name).error(f"cannot be read: {getattr(bad, 'strerror', None) or bad}", _ONE)

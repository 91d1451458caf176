"""The digest of the source code that makes numbers, so that the cache never returns a number of other code.

One digest covers all of nlgauge's scoring source. Nothing is parsed, so that an edit anywhere in it changes the digest
of every metric. For a class in another package, or in a script, all Python files of the package or of the script's
folder count. For a class in an installed package only its file counts, since the package has a version.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable
from functools import cache
from hashlib import blake2b
from pathlib import Path
from sysconfig import get_paths
from uuid import uuid4

_STARTED = time.time() - 0.05  # a file system's clock may be a tick behind, and a change of now would look older
_OWN = __name__.partition(".")[0]
_ROOT = Path(__file__).parents[1]
_ROOMS = ("contract", "engine", "faithfulness", "maths", "metrics", "run")
"""The packages of nlgauge in which numbers are made"""
_INSTALLED = tuple({get_paths()[kind] for kind in ("purelib", "platlib", "stdlib", "platstdlib")})
_UNREADABLE = "?"


class _UnreadableError(Exception):
    """The error for source that cannot be read, or that is not the code that runs."""


def source_digest(kinds: Iterable[type]) -> str:
    """Return a digest of the source code of classes and of their base classes.

    There is no digest for a class of an interactive session, for a class that is defined inside a function, and for a
    file that was changed after this process began.

    Args:
        kinds: the classes.

    Returns:
        12 hexadecimal digits; or, where there is no digest, "?" and random digits, which are equal to no other digest.
    """
    return _digest(tuple(dict.fromkeys(kinds)))


def readable(digest: str) -> bool:
    """Return whether a digest is of a source; a text that begins with "?" is not."""
    return not digest.startswith(_UNREADABLE)


@cache
def _digest(kinds: tuple[type, ...]) -> str:
    digest = blake2b(digest_size=6)
    try:
        modules: set[str] = set()
        for base in (base for kind in kinds for base in kind.__mro__):
            if "<locals>" in base.__qualname__:
                raise _UnreadableError  # its namesake has the same source, and may have closed over other things
            if base.__module__.partition(".")[0] not in sys.stdlib_module_names:
                modules.add("__main__" if base.__module__ == "__mp_main__" else base.__module__)
        sources = {_own_source(), *(_source(module) for module in modules)}
    except _UnreadableError:
        return _UNREADABLE + uuid4().hex[:11]
    for source in sorted(sources):
        digest.update(source)
    return digest.hexdigest()


@cache
def _own_source() -> bytes:
    """Return the digest of nlgauge's scoring source. Raises _UnreadableError."""
    return _digest_of(_ROOT, [file for room in _ROOMS for file in _below(_ROOT / room)])


@cache
def _source(name: str) -> bytes:
    """Return the digest of the source files that count for a module. Raises _UnreadableError."""
    if name.partition(".")[0] == _OWN and name.split(".")[1:2] in [[room] for room in _ROOMS]:
        return _own_source()
    path = getattr(sys.modules.get(name), "__file__", None)
    if path is None or (name == "__main__" and (sys.flags.interactive or hasattr(sys, "ps1"))):
        raise _UnreadableError
    file, top = Path(path), name.partition(".")[0]
    # Two classes of one name may stand in two files of one folder: the file that defines the class counts by its name.
    named = f"{name} {file.name}\n".encode()
    installed = path.startswith(_INSTALLED) or bool({"site-packages", "dist-packages"} & set(file.parts))
    if installed or top == _OWN:
        return named + _digest_of(file.parent, [path])
    folders = getattr(sys.modules.get(top), "__path__", None)
    if folders is None:  # a script, or a module beside one
        return named + _digest_of(file.parent, {path, *map(str, file.parent.glob("*.py"))})
    return named + b"".join(sorted(_digest_of(folder, _below(folder)) for folder in folders))


def _below(folder: str | Path) -> list[str]:
    """Return the paths of the Python files of a folder and its subfolders."""
    return [f"{at}/{name}" for at, _, names in os.walk(folder) for name in names if name.endswith(".py")]


def _digest_of(folder: str | Path, files: Iterable[str]) -> bytes:
    """Return a digest of the names and bytes of files. Raises _UnreadableError, also for an empty list of files."""
    digest, ordered, start = blake2b(digest_size=16), sorted(files), len(str(folder))
    for path in ordered:
        try:
            with open(path, "rb", buffering=0) as file:  # noqa: PTH123  # every run reads 150 files: paths take longer
                content, changed = file.readall(), os.fstat(file.fileno()).st_mtime
        except OSError:
            raise _UnreadableError from None
        if changed > _STARTED:
            raise _UnreadableError
        digest.update(f"{path[start:]} {len(content)}\n".encode() + content)
    if not ordered:
        raise _UnreadableError
    return digest.digest()

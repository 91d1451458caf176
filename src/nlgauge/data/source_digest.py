"""The source code that makes a number, as a digest: the modules of some classes, and the modules that these import.

Only those rooms of nlgauge count in which numbers are made, so that a change of a command, a page or a reader of files
leaves the digest as it is. In somebody else's package, and beside a script, every module counts that is imported from
there. A module that is found at run time only, by a name in a variable, does not count.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import blake2b
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import resolve_name
from pathlib import Path
from sysconfig import get_paths
from uuid import uuid4

_STARTED = time.time() - 0.05  # a file system's clock may be a tick behind, and a change of now would look older
_OWN = __name__.partition(".")[0]
_ROOMS = ("metrics", "maths", "engine")
_RUNNER = tuple(f"{_OWN}.run.{name}" for name in ("block", "sets", "results"))
"""Every number passes through them"""
_INSTALLED = tuple({get_paths()[kind] for kind in ("purelib", "platlib", "stdlib", "platstdlib")})
_UNREADABLE = "?"
_CHECKED_ALONE = re.compile(r"^if TYPE_CHECKING:\n(?:[ \t]+.*\n|\n)*", re.MULTILINE)
_IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]+(\([^)]*\)|.*)|import[ \t]+(.*))", re.MULTILINE)


class _UnreadableError(Exception):
    """There is no source, or it is not the one that runs."""


def source_digest(kinds: Iterable[type]) -> str:
    """A digest of the source that some classes compute with: 12 hexadecimal digits.

    Three sources cannot be named: that of a class of an interactive session, that of a class that a function made, and
    one that was changed after this process began. Their digest begins with "?" and is equal to no other.
    """
    return _digest(tuple(dict.fromkeys(kinds)))


def readable(digest: str) -> bool:
    """Whether a digest names a source that was read."""
    return not digest.startswith(_UNREADABLE)


@cache
def _digest(kinds: tuple[type, ...]) -> str:
    found: dict[str, bytes] = {}
    try:
        for module in _RUNNER:
            found[module], _ = _read(module)
        for kind, base in ((one, base) for one in kinds for base in one.__mro__):
            if "<locals>" in base.__qualname__:
                raise _UnreadableError  # its namesake has the same source, and may have closed over other things
            if not _is_standard(base.__module__):
                _gather(base.__module__, kind.__module__, found)
    except _UnreadableError:
        return _UNREADABLE + uuid4().hex[:11]
    digest = blake2b(digest_size=6)
    for name in sorted(found):
        digest.update(f"{name} {len(found[name])}\n".encode() + found[name])
    return digest.hexdigest()


def _gather(module: str, root: str, found: dict[str, bytes]) -> None:
    """The source of a module, and of what it imports that belongs to a root module. Raises _UnreadableError."""
    waiting = [module]
    while waiting:
        name = waiting.pop()
        known = "__main__" if name == "__mp_main__" else name
        if known not in found:
            found[known], imported = _read(name)
            waiting += [one for one in imported if _belongs(one, root)]


@cache
def _read(name: str) -> tuple[bytes, tuple[str, ...]]:
    """The source of a module, and the names that it imports. Raises _UnreadableError."""
    spec, file = _spec(name), _file(name)
    if file is None or (name == "__main__" and (sys.flags.interactive or hasattr(sys, "ps1"))):
        raise _UnreadableError
    try:
        content, changed = file.read_bytes(), file.stat().st_mtime
    except OSError:
        raise _UnreadableError from None
    if changed > _STARTED:
        raise _UnreadableError
    text = _CHECKED_ALONE.sub("", content.decode("utf-8", "replace")) if file.suffix == ".py" else ""
    return content, tuple(dict.fromkeys(_imported(text, spec.parent or "" if spec is not None else "")))


def _imported(text: str, package: str) -> Iterator[str]:
    """The modules that a source imports, and names of theirs that may be modules."""
    for origin, names, modules in _IMPORT.findall(text):
        if modules:
            yield from _names(modules)
        elif not origin.startswith(".") or package:
            base = resolve_name(origin, package) if origin.startswith(".") else origin
            yield base
            yield from (f"{base}.{name}" for name in _names(names.strip("()")))


def _names(listed: str) -> Iterator[str]:
    plain = re.sub(r"#.*", "", listed)
    yield from (one.split()[0].rstrip(";") for one in plain.split(",") if one.strip())


def _belongs(name: str, root: str) -> bool:
    """Whether a module that is imported belongs to the source of another one."""
    top = name.partition(".")[0]
    if top == _OWN:
        return name.split(".")[1:2] in [[room] for room in _ROOMS] and _file(name) is not None
    if _is_standard(name) or (file := _file(name)) is None:
        return False
    return top == root.partition(".")[0] or not str(file).startswith(_INSTALLED)


def _is_standard(name: str) -> bool:
    return name.partition(".")[0] in sys.stdlib_module_names


@cache
def _file(name: str) -> Path | None:
    """Where the source of a module lies; nothing is imported for it."""
    module, spec = sys.modules.get(name), _spec(name)
    file = getattr(module, "__file__", None) or (spec.origin if spec is not None and spec.has_location else None)
    return Path(file) if file is not None and Path(file).is_file() else None


@cache
def _spec(name: str) -> ModuleSpec | None:
    module = sys.modules.get(name)
    if module is not None:
        return module.__spec__
    parent = name.rpartition(".")[0]
    if not parent:
        return PathFinder.find_spec(name)
    above = _spec(parent)
    places = above.submodule_search_locations if above is not None else None
    return PathFinder.find_spec(name, places) if places else None

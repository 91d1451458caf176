"""API keys: from a file or the environment, compared in the same time whatever was sent."""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Iterable
from pathlib import Path

from nlgauge.errors import InputError, SpecError

VARIABLE = "NLGAUGE_SERVE_KEYS"
_SHORTEST = 16


class Keys:
    """The keys that open the service; where there are none, it is open to whoever reaches it."""

    def __init__(self, keys: Iterable[str] = ()) -> None:
        # Digests have one length, so that the comparison does not tell how long a key is.
        self._digests = [_digest(key) for key in keys]

    def __bool__(self) -> bool:
        return bool(self._digests)

    def fit(self, authorization: str | None) -> bool:
        """Whether a header `Authorization: Bearer KEY` has one of the keys."""
        scheme, _, key = (authorization or "").partition(" ")
        given, found = _digest(key.strip()), False
        for digest in self._digests:
            # Every key is compared, so that the time does not tell which one it was.
            found |= hmac.compare_digest(digest, given)
        return not self._digests or (found and scheme.lower() == "bearer")


def read_keys(file: Path | None) -> Keys:
    """The keys of a file, a line each, or those of the environment, separated by spaces.

    Empty lines, and lines that begin with #, are no keys. Raises InputError for a file without keys, or with a key that
    is easily guessed or that no header can hold; SpecError for the same in the environment.
    """
    named = os.environ.get(VARIABLE)
    if file is None:
        if named is None:
            return Keys()
        if problem := _problem(keys := named.split()):
            raise SpecError(f"{VARIABLE}: {problem}")
        return Keys(keys)
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise InputError(f"cannot be read: {reason}", file=file, remedy="name a file with a key a line") from None
    keys = [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
    if problem := _problem(keys):
        raise InputError(problem, file=file)
    return Keys(keys)


def _problem(keys: list[str]) -> str | None:
    """What is wrong with keys; it never quotes one."""
    if not keys:
        return "there is no key (write one a line)"
    for number, key in enumerate(keys, 1):
        if len(key) < _SHORTEST:
            return f"key {number} has {len(key)} characters, fewer than {_SHORTEST} (openssl rand -hex 32 writes one)"
        if not key.isascii() or not key.isprintable() or " " in key:
            return f"key {number} has characters that no header can hold (use letters and digits)"
    return None


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()

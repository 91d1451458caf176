"""Where the store is and how large it may grow, where nobody says: the platform's cache folder, 4 GiB.

NLGAUGE_CACHE names another folder, or `off` for none; NLGAUGE_CACHE_LIMIT another number of bytes.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from nlgauge.errors import SpecError

LIMIT = 4 << 30
_OFF = "off"


def is_off() -> bool:
    """Whether nothing is to be kept unless a folder is named."""
    return os.environ.get("NLGAUGE_CACHE") == _OFF


def default_folder() -> Path:
    """What NLGAUGE_CACHE names, or the platform's folder. Raises RuntimeError for a user without a home."""
    if (named := os.environ.get("NLGAUGE_CACHE")) and named != _OFF:
        return Path(named)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "nlgauge" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "nlgauge"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "nlgauge"


def default_limit() -> int:
    """Bytes. Raises SpecError where NLGAUGE_CACHE_LIMIT is no number of them."""
    named = os.environ.get("NLGAUGE_CACHE_LIMIT")
    if named and not (named.isascii() and named.isdecimal()):
        raise SpecError(f"NLGAUGE_CACHE_LIMIT={named}: give a number of bytes, as {LIMIT}")
    return int(named) if named else LIMIT

"""Which extra a test needs that this environment does not have."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version

_EXTRAS = {"torch": "torch", "transformers": "torch", "spacy": "maskeval"}
"""By library; all others that metrics name in `Metric.libraries` are of the extra `strings`"""


def lacking(libraries: Iterable[str]) -> str | None:
    """The extra of the first of the libraries that is not installed, by their names on the package index."""
    return next((_EXTRAS.get(library, "strings") for library in libraries if not _installed(library)), None)


def _installed(library: str) -> bool:
    try:
        return bool(version(library))
    except PackageNotFoundError:
        return False

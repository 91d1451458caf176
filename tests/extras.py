"""Which extra a test needs that this environment does not have."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version

import pytest

_EXTRAS = {"torch": "torch", "transformers": "torch", "spacy": "maskeval"}
"""By library; all others that metrics name in `Metric.libraries` are of the extra `strings`"""


def lacking(libraries: Iterable[str]) -> str | None:
    """The extra of the first of the libraries that is not installed, by their names on the package index."""
    return next((_EXTRAS.get(library, "strings") for library in libraries if not _installed(library)), None)


def english_pipeline() -> str:
    """The name of an installed English pipeline of spaCy; the test that asks is skipped where there is none."""
    spacy = pytest.importorskip("spacy", reason="needs nlgauge-lab[train]")
    names = sorted(name for name in spacy.util.get_installed_models() if name.startswith("en_"))
    if not names:
        pytest.skip("needs an English pipeline of spaCy")
    return str(names[0])


def _installed(library: str) -> bool:
    try:
        return bool(version(library))
    except PackageNotFoundError:
        return False

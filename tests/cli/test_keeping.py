"""--cache and --no-cache, as evaluate takes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from nlgauge.cli.keeping import cache_of
from nlgauge.errors import SpecError


def test_what_evaluate_is_given() -> None:
    assert cache_of(None, False) is True
    assert cache_of(Path("folder"), False) == Path("folder")
    assert cache_of(None, True) is False
    with pytest.raises(SpecError, match="leave one out"):
        cache_of(Path("folder"), True)

"""SECURITY.md names tests, and each of them exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "SECURITY.md"
pytestmark = pytest.mark.skipif(not PAGE.is_file(), reason="a source distribution has no SECURITY.md")


def test_the_tests_that_the_page_names_exist() -> None:
    named = re.findall(r"`(tests/[\w./-]*)(?:::(\w+))?`", PAGE.read_text(encoding="utf-8"))
    assert len(named) > 10
    for place, function in named:
        path = ROOT / place
        files = [path] if path.is_file() else list(path.rglob("test_*.py"))
        assert files and all(file.is_file() for file in files), f"there is no {place}"
        assert not function or f"def {function}(" in path.read_text(encoding="utf-8"), f"{place} has no {function}"

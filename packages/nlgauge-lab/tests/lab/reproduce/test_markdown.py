"""How pages are written: numbers, tables, and what stands between two comments of a page."""

from __future__ import annotations

from pathlib import Path

import pytest

from nlgauge import InputError
from nlgauge_lab.reproduce.markdown import write_region

ROOT = Path(__file__).resolve().parents[5]


def test_a_page_without_the_comments_is_refused(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    with pytest.raises(InputError, match="cannot be read"):
        write_region(page, "agreement", [])
    page.write_text("nothing", encoding="utf-8")
    with pytest.raises(InputError, match=r"has no place for the table.*<!-- end of agreement -->"):
        write_region(page, "agreement", [])

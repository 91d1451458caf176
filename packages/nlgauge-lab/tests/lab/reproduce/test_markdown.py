"""How pages are written: numbers, tables, and what stands between two comments of a page."""

from __future__ import annotations

from pathlib import Path

import pytest

from nlgauge import InputError
from nlgauge_lab.reproduce.markdown import beside, table, tables_beside, write_region

ROOT = Path(__file__).resolve().parents[5]


def test_a_page_without_the_comments_is_refused(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    with pytest.raises(InputError, match="cannot be read"):
        write_region(page, "agreement", [])
    page.write_text("nothing", encoding="utf-8")
    with pytest.raises(InputError, match=r"has no place for the table.*<!-- end of agreement -->"):
        write_region(page, "agreement", [])


def test_a_long_table_goes_into_a_file_beside_the_page_and_a_short_one_stays(tmp_path: Path) -> None:
    rows = [[f"`Metric{number}`", "**.500 [−.10, .75]**", "-"] for number in range(13)]
    long = table(["pooled", "a", "b"], "lrr", rows)
    short_one = table(["x"], "l", [["1"]])
    text = "\n".join(["# P", "", *beside("all", long), "", *beside("few", short_one), ""])
    page, files = tables_beside(text, tmp_path / "p.md")
    assert page == "# P\n\n[p-all.csv](data/p-all.csv): 13 rows.\n\n| x |\n|---|\n| 1 |\n"
    head, first, *rest = files[tmp_path / "data" / "p-all.csv"].splitlines()
    assert (head, first, len(rest)) == ("pooled,a,a low,a high,b", "Metric0,0.500,-0.10,0.75,-", 12)
    assert beside("none", []) == []

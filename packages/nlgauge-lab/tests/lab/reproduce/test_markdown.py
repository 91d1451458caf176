"""How pages are written: numbers, tables, and what stands between two comments of a page."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from nlgauge import InputError
from nlgauge_lab.reproduce.markdown import beside, ranged, region, short, table, tables_beside, write_region

ROOT = Path(__file__).resolve().parents[5]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.7151, ".715"), (-0.03, "−.030"), (1, "1.000"), (0.9996, "1.000"), (0, ".000"), (math.nan, "-")],
)
def test_there_is_no_zero_before_the_point(value: float, text: str) -> None:
    assert short(value) == text


def test_an_interval_stands_where_there_is_one() -> None:
    assert ranged(0.5, -0.1, 0.75) == ".500 [−.10, .75]"
    assert ranged(0.5, math.nan, math.nan) == ".500" and ranged(math.nan, 0, 1) == "-"


def test_a_table_is_set_to_the_left_and_to_the_right() -> None:
    assert table(["a", ""], "lr", [["x", 1]]) == ["| a | |", "|---|---:|", "| x | 1 |"]


def test_only_what_stands_between_the_comments_changes(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- agreement -->\nold\n<!-- end of agreement -->\nb\n", encoding="utf-8")
    write_region(page, "agreement", ["| x |", r"| \1 |"])
    text = page.read_text(encoding="utf-8")
    assert text == "a\n<!-- agreement -->\n| x |\n| \\1 |\n<!-- end of agreement -->\nb\n"
    assert region(text, "agreement") == "| x |\n| \\1 |"
    assert region(text, "detection") is None


def test_a_page_without_the_comments_is_refused(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    with pytest.raises(InputError, match="cannot be read"):
        write_region(page, "agreement", [])
    page.write_text("nothing", encoding="utf-8")
    with pytest.raises(InputError, match=r"has no place for the table.*<!-- end of agreement -->"):
        write_region(page, "agreement", [])


@pytest.mark.parametrize("name", ["agreement", "detection"])
def test_the_readme_says_what_the_page_says(name: str) -> None:
    """Both are written by one command, of which the one must not be forgotten."""
    block = region((ROOT / "README.md").read_text(encoding="utf-8"), name)
    if block is not None:
        assert block in (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")


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

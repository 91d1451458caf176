"""BaryScore's tables on twenty rows, a second time."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from lab.reproduce.twenty_rows.matching import MADE
from lab.reproduce.twenty_rows.rows import compare, cut, ours, slow

pytestmark = pytest.mark.usefixtures("one_model")


@slow("the suite has no room for it")
def test_baryscore_on_summaries(data: Path, tmp_path: Path) -> None:
    cut(data, tmp_path, {"realsumm_abs": 5, "realsumm_ext": 5}, 2)
    numbers = ours(tmp_path, ["baryscore-summarisation"], [*MADE])["baryscore-summarisation"]
    assert compare(tmp_path, "baryscore-summarisation", MADE, numbers) == 16


def test_baryscore_on_translations(data: Path, tmp_path: Path) -> None:
    """Three systems and one segment of each pair are 21 rows."""
    pairs = [f"wmt17/{one}-en" for one in ("cs", "de", "fi", "lv", "ru", "tr", "zh")]
    for pair in pairs:
        cut(data, tmp_path, {pair: 3}, 1, least=4)
    numbers = ours(tmp_path, ["baryscore-wmt17"], [*MADE])["baryscore-wmt17"]
    assert compare(tmp_path, "baryscore-wmt17", MADE, numbers) == 28


def test_baryscore_on_triples_in_words(data: Path, tmp_path: Path) -> None:
    """The slides' table of WebNLG, by means over references."""
    cut(data, tmp_path, {"webnlg2020": 4}, 5)
    numbers = ours(tmp_path, ["baryscore-webnlg"], [*MADE])["baryscore-webnlg"]
    made = {name: partial(one, by_mean=True) for name, one in MADE.items()}
    assert compare(tmp_path, "baryscore-webnlg", made, numbers) == 27


@slow("each pair of texts is compared fifteen times")
@pytest.mark.parametrize(("year", "held"), [("15", 180), ("16", 120)])
def test_baryscore_on_segments(data: Path, tmp_path: Path, year: str, held: int) -> None:
    """The score files of the published code: five segments of each of four language pairs."""
    pairs = ("cs-en", "de-en", "fi-en", "ru-en")
    cut(data, tmp_path, {f"wmt{year}": 1}, 5, part=lambda item: item[:5] if item[:5] in pairs else None, least=8)
    name = f"baryscore-wmt{year}"
    assert compare(tmp_path, name, MADE, ours(tmp_path, [name], [*MADE])[name]) == held

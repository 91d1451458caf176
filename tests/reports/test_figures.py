"""Figures: files that are what their name says, the same for the same numbers, and refusals before the long run."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import pytest

from nlgauge import InputError, MissingExtraError
from nlgauge.reports import figures
from nlgauge.reports.figures import Curve, Heat

HEADS = {".png": b"\x89PNG\r\n", ".svg": b"<?xml", ".pdf": b"%PDF"}


@pytest.mark.parametrize("suffix", figures.SUFFIXES)
def test_every_kind_of_figure_is_written_and_repeats(tmp_path: Path, suffix: str) -> None:
    pytest.importorskip("matplotlib", reason="needs nlgauge[plots]")
    heat = Heat(["a", "b"], ["x", "y", "z"], [[0.1, math.nan, -1], [1, 0, 12.5]])
    for number in range(2):
        figures.curves(
            tmp_path / f"curves{number}{suffix}",
            {
                "one": {"a": Curve([0, 1], [0.2, math.nan], [0.1, 0.1], [0.3, 0.3]), "b": Curve([0, 1], [1, 2])},
                "two": {"a": Curve([1], [3])},
            },
            "across",
            "up",
            ["0.5", "1.0"],
        )
        figures.heats(tmp_path / f"heats{number}{suffix}", {str(n): heat for n in range(4)}, "label")
        one = figures.Histograms({"a": [0.5, 0.5], "b": [0, 0]}, [0, 0.5, 1], {"a": 0.5})
        figures.histograms(tmp_path / f"histograms{number}{suffix}", {"one": one, "two": one}, "x")
        bars = figures.Bars([0.5, math.nan, 1], [0.2, math.nan, math.nan], [0.7, math.nan, math.nan], ["*", "", "~"])
        figures.bars(tmp_path / f"bars{number}{suffix}", {"one": bars, "two": bars}, ["a", "b", "c"])
        figures.points(tmp_path / f"points{number}{suffix}", {"a": ([1, 2], [2, 3]), "b": ([2], [1])}, "x", "y")
    for kind in ("curves", "heats", "histograms", "bars", "points"):
        first, second = ((tmp_path / f"{kind}{number}{suffix}").read_bytes() for number in range(2))
        assert first.startswith(HEADS[suffix])
        assert len(first) > 1000
        assert first == second


def test_a_map_without_numbers_is_drawn_empty(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="needs nlgauge[plots]")
    figures.heats(tmp_path / "none.svg", {"one": Heat(["a"], ["b"], [[math.nan]])}, "label")
    assert (tmp_path / "none.svg").stat().st_size > 1000


def test_cells_may_have_words_of_their_own_without_a_number_too(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="needs nlgauge[plots]")
    heat = Heat(["a", "b"], ["c"], [[10.5], [math.nan]], [["+10.5*"], ["none"]])
    figures.heats(tmp_path / "heat.svg", {"one": heat}, "label")
    shown = (tmp_path / "heat.svg").read_text(encoding="utf-8")
    assert "<!-- +10.5* -->" in shown and "<!-- none -->" in shown


def test_named_points_and_marks_stand_in_the_figure(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="needs nlgauge[plots]")
    figures.points(tmp_path / "points.svg", {"first": ([1], [2]), "second": ([2], [1])}, "x", "y", named=True)
    assert (tmp_path / "points.svg").read_text(encoding="utf-8").count("<!-- first -->") == 1
    figures.bars(tmp_path / "bars.svg", {"M": figures.Bars([2, 1], [1, 1], [3, 1], ["*", "~"])}, ["a", "b"])
    shown = (tmp_path / "bars.svg").read_text(encoding="utf-8")
    assert shown.count("<!-- * -->") == shown.count("<!-- ~ -->") == 1


def test_numbers_in_cells_lose_their_zero_only_in_front(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="needs nlgauge[plots]")
    figures.heats(tmp_path / "heat.svg", {"one": Heat(["a", "b"], ["c"], [[10.5], [-0.25]])}, "label")
    text = (tmp_path / "heat.svg").read_text(encoding="utf-8")
    assert "<!-- 10.50 -->" in text and ("<!-- -.25 -->" in text or "<!-- −.25 -->" in text)


@pytest.mark.parametrize(
    ("name", "say"),
    [
        ("figure.txt", "end the name in .png, .svg, .pdf"),
        ("figure", "end the name in"),
        ("no/figure.png", "name a file in a folder that exists"),
    ],
)
def test_places_are_checked(tmp_path: Path, name: str, say: str) -> None:
    with pytest.raises(InputError) as caught:
        figures.check(tmp_path / name)
    assert say in str(caught.value)


def test_without_matplotlib_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"nlgauge\[plots\]"):
        figures.check(tmp_path / "figure.png")

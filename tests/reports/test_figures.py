"""Figures: files that are what their name says, the same for the same numbers, and refusals before the long run."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

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

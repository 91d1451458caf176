"""Figures: one a block, of every kind; and the extra that they need."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nlgauge import MissingExtraError
from nlgauge.lab.reproduce.figures import draw
from nlgauge.lab.reproduce.published import table
from nlgauge.lab.reproduce.rebuilt import Block, Cell, Rebuilt
from tests.lab.reproduce import pieces


def rebuilt(kind: str, **options: Any) -> Rebuilt:
    rows = {
        "Length": (Cell(0.5, 0.4), Cell(ours=0.01)),
        "Foreign": (Cell(0.2, math.nan, "not ours"), Cell(ours=math.nan)),
        "Other": (Cell(None, -0.3), Cell(ours=0.9)),
    }
    empty = Block("nothing", ("pearson",), {"Foreign": (Cell(0.2, math.nan, "not ours"),)})
    blocks = [Block("tiny, quality, pooled", ("pearson", "kendall"), rows), empty]
    return Rebuilt(table(pieces.table(kind=kind)), blocks, {}, [], **options)


@pytest.mark.parametrize("kind", ["agreement", "sweep", "between", "williams"])
def test_a_figure_for_each_block_that_has_numbers(kind: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="needs nlgauge[plots]")
    assert draw(rebuilt(kind), tmp_path) == ["made-up-1.png"]
    assert [place.name for place in tmp_path.iterdir()] == ["made-up-1.png"]
    assert (tmp_path / "made-up-1.png").read_bytes()[:4] == b"\x89PNG"


def test_distributions_have_a_figure_for_each_of_the_data(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="needs nlgauge[plots]")
    samples = {"abs": {"Length": np.linspace(0, 1, 50)}, "ext": {"Length": np.array([0.0, 1.0])}, "none": {}}
    assert draw(rebuilt("distributions", samples=samples), tmp_path) == ["made-up-1.png", "made-up-2.png"]


def test_without_matplotlib_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"nlgauge\[plots\]"):
        draw(rebuilt("agreement"), tmp_path)

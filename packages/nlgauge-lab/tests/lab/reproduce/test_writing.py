"""Rebuilt tables as text, Markdown, CSV and JSON, from numbers given by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lab.reproduce import pieces
from nlgauge_lab.reproduce.kinds import Block, Cell, Rebuilt
from nlgauge_lab.reproduce.published import table
from nlgauge_lab.reproduce.writing import draw, text


@pytest.fixture
def made() -> Rebuilt:
    rows = {
        "Length": (Cell(0.5, 0.41234), Cell(None, -0.1)),
        "Foreign | one": (Cell(0.25, math.nan, "not ours"), Cell(None, math.nan, "not ours")),
    }
    block = Block("tiny, quality, pooled", ("pearson", "kendall"), rows)
    return Rebuilt(table(pieces.table(notes=["A note."])), [block], {"Length": "Words"}, ["tiny: 9 rows"])


def test_text_has_three_columns_where_a_number_is_published(made: Rebuilt) -> None:
    lines = text(made)
    assert lines[1] == "1 of 2 published numbers compared, 0 of them to the last digit in print; mean difference 0.0877"
    assert [line.split() for line in lines[3:6]] == [
        ["tiny,", "quality,", "pooled", "r", "published", "ours", "difference", "tau"],
        ["Length", "0.5000", "0.4123", "-0.0877", "-0.1000"],
        ["Foreign", "|", "one", "0.2500", "-", "-", "-"],
    ]
    assert lines[7:] == ["no number of ours: Foreign | one: not ours", "tiny: 9 rows"]
    assert len({len(line) for line in lines[3:6]}) == 1  # columns end together


def rebuilt(kind: str) -> Rebuilt:
    rows = {
        "Length": (Cell(0.5, 0.4), Cell(ours=0.01)),
        "Foreign": (Cell(0.2, math.nan, "not ours"), Cell(ours=math.nan)),
        "Other": (Cell(None, -0.3), Cell(ours=0.9)),
    }
    empty = Block("nothing", ("pearson",), {"Foreign": (Cell(0.2, math.nan, "not ours"),)})
    blocks = [Block("tiny, quality, pooled", ("pearson", "kendall"), rows), empty]
    return Rebuilt(table(pieces.table(kind=kind)), blocks, {}, [])


@pytest.mark.parametrize("kind", ["agreement", "sweep", "between", "williams"])
def test_a_figure_for_each_block_that_has_numbers(kind: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="needs nlgauge[plots]")
    assert draw(rebuilt(kind), tmp_path) == ["made-up-1.png"]
    assert [place.name for place in tmp_path.iterdir()] == ["made-up-1.png"]
    assert (tmp_path / "made-up-1.png").read_bytes()[:4] == b"\x89PNG"


def test_distributions_have_a_figure_for_each_of_the_data(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="needs nlgauge[plots]")
    cells = (Cell(ours=0.5),)
    blocks = [
        Block("abs", ("50 %",), {"Length": cells}, {"Length": np.linspace(0, 1, 50)}),
        Block("ext", ("50 %",), {"Length": cells}, {"Length": np.array([0.0, 1.0])}),
        Block("none", ("50 %",), {"Length": (Cell(reason="not ours"),)}),
    ]
    made = replace(rebuilt("distributions"), blocks=blocks)
    assert draw(made, tmp_path) == ["made-up-1.png", "made-up-2.png"]

"""What is said of a table that was made again."""

from __future__ import annotations

import math

import pytest

from nlgauge.lab.reproduce.published import table
from nlgauge.lab.reproduce.rebuilt import Block, Cell, Rebuilt
from tests.lab.reproduce import pieces


def rebuilt(*cells: Cell) -> Rebuilt:
    blocks = [Block("tiny", ("pearson",), {str(n): (cell,) for n, cell in enumerate(cells)})]
    return Rebuilt(table(pieces.table()), blocks, {}, [])


def test_the_difference_is_ours_less_the_published() -> None:
    assert Cell(0.5, 0.75).difference == 0.25
    assert math.isnan(Cell(None, 0.75).difference) and math.isnan(Cell(0.5).difference)


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        ([Cell(None, 0.1), Cell(reason="not ours")], "1 numbers; none is published"),
        ([Cell(0.5, reason="not ours")], "0 of 1 published numbers compared"),
        (
            [Cell(0.5, 0.50004), Cell(0.5, 0.52), Cell(0.5)],
            "2 of 3 published numbers compared, 1 of them to the last digit in print; mean difference 0.0100",
        ),
    ],
)
def test_how_much_was_rebuilt_and_how_near_it_is(cells: list[Cell], says: str) -> None:
    assert rebuilt(*cells).summary == says

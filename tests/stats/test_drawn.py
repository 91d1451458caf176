"""A draw: its names stand for rows, and what was not drawn is refused."""

from __future__ import annotations

import pytest

from nlgauge.errors import InputError
from nlgauge.stats.sampling import Draw, DrawnRow

DRAW = Draw(
    (DrawnRow("a", "1", 0.5, 0, None, "r2"), DrawnRow("a", "2", 0.5), DrawnRow("b", "1", 0.25, 1, "a source", "r1"))
)


def test_names_stand_for_rows() -> None:
    assert [row.name for row in DRAW.sheet] == ["r1", "r2"]
    ratings = {"good": {("system", "r2"): 1.0, ("system", "r1"): 0.0}}
    assert DRAW.resolved(ratings) == {"good": {("a", "1"): 1.0, ("b", "1"): 0.0}}
    with pytest.raises(InputError, match="'r9' is rated and was not drawn"):
        DRAW.resolved({"good": {("system", "r9"): 1.0}})


def test_rows_that_were_not_there() -> None:
    assert DRAW.of([("b", "1")]) == [DRAW.rows[2]]
    with pytest.raises(InputError, match="no row of system 'c', item '1'"):
        DRAW.of([("c", "1")])

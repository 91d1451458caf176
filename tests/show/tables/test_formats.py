"""Every form prints the same table; several stand apart."""

from __future__ import annotations

import pytest

from nlgauge.show.tables import FORMATS, Number, formatted

TABLE = [["system", "F ↑"], ["A", Number(0.5)]]


def test_the_forms() -> None:
    assert FORMATS == ("text", "latex", "markdown", "csv")


@pytest.mark.parametrize("layout", FORMATS)
def test_two_tables_stand_an_empty_line_apart(layout: str) -> None:
    one = formatted([TABLE], layout)
    assert formatted([TABLE, TABLE], layout) == [*one, "", *one]
    assert any("A" in line and "0.5" in line for line in one)

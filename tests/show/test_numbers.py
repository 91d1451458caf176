"""Numbers stay short, however large or small they are."""

from __future__ import annotations

import math

import pytest

from nlgauge.show.environment import number
from nlgauge.show.numbers import fixed
from nlgauge.show.tables import Chance, Number, formatted, words


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [
        (0.5, 4, "0.5000"),
        (-12.3456, 2, "-12.35"),
        (123456.75, 4, "123456.7500"),
        (999999999.0, 0, "999999999"),
        (1e9, 4, "1e+09"),
        (9.2e124, 4, "9.2e+124"),
        (-1.234567e30, 2, "-1.23e+30"),
        (0.00006, 4, "0.0001"),
        (0.00003, 4, "3e-05"),
        (-0.00003, 4, "-3e-05"),
        (3.14159e-7, 6, "3.14e-07"),
        (0.003, 2, "0.00"),
        (-0.003, 2, "0.00"),
        (2e-17, 4, "0.0000"),
        (-2e-17, 4, "0.0000"),
        (-0.0, 4, "0.0000"),
        (math.inf, 4, "inf"),
        (-math.inf, 4, "-inf"),
    ],
)
def test_a_number_has_a_power_of_ten_where_digits_say_nothing(value: float, digits: int, shown: str) -> None:
    assert fixed(value, digits) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.12345, "0.1235"),
        (12.345, "12.35"),
        (123.45, "123.5"),
        (12345.6, "12,346"),
        (-12345.6, "−12,346"),
        (9.2e124, "9.2e+124"),
        (-3e-7, "−3e−07"),
        (-1e-17, "0.0000"),
        (math.inf, "∞"),
        (None, "–"),
    ],
)
def test_pages_and_sentences_have_it_too(value: float | None, shown: str) -> None:
    assert number(value) == shown


def test_every_form_of_a_table_holds_it() -> None:
    cells = [["system", "q"], ["A", Number(9.2e124, -3e-7, math.inf)]]
    assert words(cells[1][1]) == "9.2e+124 [-3e-07, inf]"
    assert r"A & $9.2 \cdot 10^{124}$ {\small [$-3 \cdot 10^{-7}$, $\infty$]} \\" in formatted([cells], "latex")
    assert "| A | 9.2e+124 [-3e-07, inf] |" in formatted([cells], "markdown")
    assert formatted([cells], "csv")[1] == "A,9.2e+124,-3e-07,Infinity"


def test_a_small_p_has_four_digits() -> None:
    assert words(Chance(1e-9)) == "0.0000" and words(Chance(math.nan)) == "-"
    assert formatted([[["p"], [Chance(1e-9)]]], "csv")[1] == "1e-09"

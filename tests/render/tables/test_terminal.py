"""Tables in a terminal: no wider than wanted, every cell there, and blocks that begin with what a row is."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from nlgauge.render.tables import Number, shown_width, terminal

NAMES = st.text(st.characters(categories=["L", "N", "P", "Zs"]), min_size=1, max_size=60)
NUMBERS = st.builds(Number, st.floats(-1e6, 1e6), st.floats(-9, 9), st.floats(-9, 9))


@given(
    st.integers(1, 7).flatmap(lambda n: st.lists(st.tuples(NAMES, *[NUMBERS] * n), min_size=1, max_size=4)), st.data()
)
def test_nothing_is_wider_than_wanted_and_every_number_is_there(
    rows: list[tuple[Any, ...]], data: st.DataObject
) -> None:
    head = [data.draw(NAMES) for _ in rows[0]]
    lines = terminal([head, *rows], width=80)
    assert max(map(shown_width, lines)) <= 80
    text = " ".join(lines)
    for _, *numbers in rows:
        assert all(f"{number.text} {number.interval}" in text for number in numbers)


def test_a_name_cannot_steer_the_terminal_or_break_the_line() -> None:
    assert terminal([["system"], ["A\x1b[31m\nB"]]) == ["system", "A\ufffd[31m\ufffdB"]

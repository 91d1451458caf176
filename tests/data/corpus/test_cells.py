"""Lists that pandas, numpy or JSON wrote into a cell, and texts that only look like one."""

from __future__ import annotations

from contextlib import suppress

import pytest

from nlgauge import InputError
from nlgauge.data.corpus.cells import listed
from nlgauge.data.corpus.place import InputPlace


@pytest.mark.parametrize(
    ("cell", "texts"),
    [
        ("['The room.', 'It opens.']", ["The room.", "It opens."]),
        ("""["It's a cat.", 'A "cat".']""", ["It's a cat.", 'A "cat".']),
        ("""['It\\'s a "cat".']""", ["""It's a "cat"."""]),
        ('["a"]', ["a"]),
        ("['a' 'b c'\n 'd']", ["a", "b c", "d"]),
        ("[np.str_('a'), np.str_(\"it's\")]", ["a", "it's"]),
        ("['a\\nb', 'c\nd']", ["a\nb", "c\nd"]),
        ("('a', 'b')", ["a", "b"]),
        ("('a',)", ["a"]),
        ("[]", []),
        (" ['a'] ", ["a"]),
    ],
)
def test_a_printed_list_is_a_list(cell: str, texts: list[str]) -> None:
    assert listed(cell, "references", InputPlace(None, 1)) == texts


@pytest.mark.parametrize("cell", ["['" + "a', '" * 50_000, "[" * 100_000 + "]" * 100_000, "['" + "\\" * 100_001])
def test_a_hostile_cell_ends_soon(cell: str) -> None:
    with suppress(InputError):
        assert listed(cell, "references", InputPlace(None, 1)) is cell

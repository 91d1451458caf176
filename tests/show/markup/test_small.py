"""A table in a notebook."""

from __future__ import annotations

from nlgauge.show.markup.small import small
from tests.show.markup.test_evidence import outline


def test_a_small_table_is_escaped_and_has_heads() -> None:
    made = small("<b>", ["system", "A & B"], [["<i>", "0.5"]], ["a <note>"])
    found = outline(made)
    assert {"b", "i", "note"} & found.tags == set()
    assert "&lt;b&gt;" in made and "A &amp; B" in made and 'scope="row"' in made and "a &lt;note&gt;" in made

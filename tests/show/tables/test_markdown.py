"""Markdown: tables of GitHub, with what they would read as signs escaped."""

from __future__ import annotations

import re

from nlgauge.show.tables import Number, formatted


def test_a_table() -> None:
    cells = [["system", "F ↑"], ["A", Number(0.5, 0.25, 0.75, mark="best")], ["B", Number(0.4, mark="alike")]]
    assert formatted([cells], "markdown") == [
        "| system | F ↑ |",
        "| --- | ---: |",
        "| A | **0.5000** [0.2500, 0.7500] |",
        "| B | *0.4000* |",
    ]


def test_signs_of_markdown_are_escaped() -> None:
    (*_, row) = formatted([[["s", "t"], ["a|b *c* <i>\n_d_", "[x](y) \\"]]], "markdown")
    assert len(re.findall(r"(?<!\\)\|", row)) == 3
    assert row == r"| a\|b \*c\* \<i> \_d\_ | \[x\](y) \\ |"

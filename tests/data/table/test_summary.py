"""What a table prints."""

from __future__ import annotations

from nlgauge.data.table import ScoreTable
from nlgauge.data.table.frame import summary
from tests.score_tables import mixed


def test_a_notebook_shows_the_same_escaped() -> None:
    table = mixed()
    table.rows[:] = [(f"<{system}>", item) for system, item in table.rows]
    made = table._repr_html_()
    lines = summary(table).splitlines()
    assert lines[0] in made and "&lt;größte Ü&gt;" in made and "<größte" not in made
    for cell in lines[2].split()[2:]:
        assert f"<td>{cell}</td>" in made
    assert "system" not in ScoreTable([], {}, {})._repr_html_().partition("</style>")[2].replace("systems", "")

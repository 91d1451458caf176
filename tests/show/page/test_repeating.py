"""How to repeat a run."""

from __future__ import annotations

import shlex

from nlgauge.show.page.repeating import repeat
from tests.report_tables import DOWN, UP, corpus, table


def test_commands_name_what_was_asked_for_and_survive_a_shell() -> None:
    made = table(corpus())
    made.run["asked"] = {"Up( k=1 )": UP, "Down(a='$x')": DOWN}
    found = repeat(made, "a page.html")
    score = shlex.split(found.commands[1])
    assert found.commands[0] == "pip install nlgauge==9.9"
    assert [score[at + 1] for at, word in enumerate(score) if word == "-m"] == ["Up( k=1 )", "Down(a='$x')", "Sets"]
    assert "--evidence" in score
    assert shlex.split(found.commands[2])[-1] == "a page.html"


def test_signatures_windows_notes_and_facts() -> None:
    found = repeat(table(corpus()))
    assert found.signatures[0] == f"{UP}|window:slide@512,longer 2/72"
    assert (UP, "slide@512,longer 2/72") in found.windows
    assert found.notes == [(DOWN, "a note", 3)]
    assert ("rows", "72") in found.facts

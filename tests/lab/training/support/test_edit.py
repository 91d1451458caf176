"""Names and sentences of a text."""

from __future__ import annotations

from nlgauge.lab.training.support.edit import names, sentences


def test_names_are_no_months_and_no_first_words():
    found = names("Trains left Leeds on Monday. They met Anna Berg in May.")
    assert [match.group() for match in found] == ["Leeds", "Anna Berg"]
    assert sentences(" One. Two two.  Three? ") == ["One.", "Two two.", "Three?"]

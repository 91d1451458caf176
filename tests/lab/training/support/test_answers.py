"""Questions that a sentence answers."""

from __future__ import annotations

from nlgauge.lab.training.support.answers import asked


def test_a_sentence_becomes_a_question():
    assert asked("The new mill was sold in Leeds.") == ("Was the new mill sold in Leeds?", "was")
    assert asked("Anna Berg can speak four languages.") == ("Can Anna Berg speak four languages?", "can")
    for other in ("It rained.", "The mill was not sold in Leeds.", "He said that it was sold in Leeds."):
        assert asked(other) is None

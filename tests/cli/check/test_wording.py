"""What is said of a row: its place, and its unsupported words among those around them."""

from __future__ import annotations

import math

from nlgauge.cli.check.wording import counted, place, quoted
from nlgauge.meta.gate import Outcome, Unsupported, Verdict

TEXT = "The library opens in May. " * 30 + "A volcano opens in June. " + "The library opens in May. " * 30


def outcome(*spans: tuple[int, int], text: str = TEXT) -> Outcome:
    return Outcome("A", "x", 1, 0.5, "bar", "low", (Unsupported("candidate", "source", text, spans),))


def test_a_long_text_is_shown_around_its_unsupported_words() -> None:
    begin = TEXT.index("volcano")
    (line,) = quoted(outcome((begin, begin + 7)))
    assert line.startswith("candidate, against the source: … ") and line.endswith(" …")
    assert "May. A [volcano] opens in June." in line and len(line) < 160
    short = "The owl rang nine bells."
    assert list(quoted(outcome((8, 12), (18, 23), text=short))) == [
        "candidate, against the source: The owl [rang] nine [bells]."
    ]


def test_the_middle_of_a_long_stretch_between_two_is_left_out_and_of_a_long_span_too() -> None:
    (line,) = quoted(outcome((0, 3), (len(TEXT) - 5, len(TEXT) - 2)))
    assert line.startswith("candidate, against the source: [The] library") and line.endswith("[May].")
    assert " … " in line and len(line) < 140
    (whole,) = quoted(outcome((0, len(TEXT))))
    assert " … " in whole and 400 < len(whole) < 450


def test_control_characters_do_not_reach_the_terminal() -> None:
    (line,) = quoted(outcome((0, 1), text="a\x1b[31m\nb"))
    assert line.endswith("[a]\ufffd[31m b")
    assert place(Outcome("A\x1b", "x\ny", 3, 0, "passed", None)) == "row 3, system A\ufffd, item x y"


def test_counts_tell_rows_that_are_gone_from_rows_without_a_value() -> None:
    outcomes = (
        Outcome("A", "x", 1, 1.0, "passed", None),
        Outcome("A", "y", 2, math.nan, "allowed", "no value"),
        Outcome("A", "z", None, math.nan, "allowed", "gone"),
    )
    verdict = Verdict("M", "f1", True, 0.5, None, 0.05, outcomes)
    assert counted(verdict) == (
        "M f1: 1 of 2 rows pass, 1 without a value, 1 of the baseline and not in the outputs (allowed)"
    )
    sets = Verdict("M", "score", None, 0.5, 1, 0.05, (Outcome("A", None, None, 2.0, "bar", "above"),))
    assert counted(sets) == "M: 0 of 1 systems pass, 1 below 0.5 or above 1"

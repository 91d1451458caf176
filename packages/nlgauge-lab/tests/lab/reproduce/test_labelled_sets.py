"""The labelled sets: none that is for training, and published figures that are possible."""

from __future__ import annotations

from nlgauge_lab.reproduce.labelled_sets import LABELLED_SETS, WHOLE_TEST_PART


def test_only_test_files_are_measured_on() -> None:
    names = [one.name for one in LABELLED_SETS]
    assert len(set(names)) == len(names) == 4
    assert all(name.endswith(".test") for name in names)


def test_published_figures_are_shares_and_say_what_was_learned_from() -> None:
    others = [*WHOLE_TEST_PART, *(other for one in LABELLED_SETS for other in one.published)]
    assert all(0 < other.f1 < 1 and other.trained for other in others)
    assert all(one.of for one in LABELLED_SETS if one.published)

"""Agreement as `correlate` and `contrast` have it."""

from __future__ import annotations

import pytest

from nlgauge import correlate
from nlgauge.data.table import ScoreTable
from nlgauge.reports.page import agreement
from nlgauge.reports.page.agreement import agreeing
from nlgauge.reports.page.scored import Scored
from nlgauge.stats.selection import selected
from tests.report_tables import DOWN, UP, corpus, table
from tests.score_tables import column

ROWS = corpus()
SCORED = Scored(table(ROWS), ROWS, ROWS)


def test_agreement_with_people_is_that_of_correlate_best_first() -> None:
    made = agreeing(SCORED, None, "pearson", 100, 0)
    assert made.level == "item"
    (aspect,) = made.aspects
    expected = {one.metric: one for one in correlate(selected(SCORED.table), ROWS, replicates=100)}
    values = [line.agreement.value for line in aspect.lines if line.agreement.value == line.agreement.value]
    assert values == sorted(values, reverse=True)
    for line in aspect.lines:
        if not line.sentinel:
            assert line.agreement.value == pytest.approx(expected[line.agreement.metric].value, nan_ok=True)
    assert {line.name for line in aspect.lines if line.sentinel} == {"Length", "CopyRate"}
    assert aspect.tested and {line.name for line in aspect.lines if line.cluster} == {f"{UP} f1", DOWN}


def test_too_much_to_test_is_left_to_contrast_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agreement, "MOST_TESTED", 10)
    monkeypatch.setattr(agreement, "MOST_DRAWN", 10)
    made = agreeing(SCORED, None, "pearson", 500, 0)
    assert not made.aspects[0].tested
    assert any("200 draws" in note for note in made.notes) and any("nlgauge contrast" in note for note in made.notes)


def test_rows_that_do_not_differ_are_said() -> None:
    twice = ScoreTable([("s", "1"), ("s", "1")], {"M": column(1, 2), "N": column(2, 1)}, {})
    made = agreeing(Scored(twice, None, {("s", "1"): 1.0}), None, "pearson", 10, 0)
    assert made.matrix is None and len(made.notes) == 2 and "is there twice" in made.notes[0]

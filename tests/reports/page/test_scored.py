"""What a page is made of: which text belongs to which row, and how well rows do."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nlgauge import Corpus, InputError, Row
from nlgauge.reports.page.scored import Scale, Scored, rounded, source_of, standing
from tests.report_tables import DOWN, ITEMS, UP, corpus, table

ROWS = corpus()


def scale(*values: float, up: bool = True, **more: object) -> Scale:
    return Scale("M", "M", "score", np.array(values), up, **more)  # type: ignore[arg-type]


def test_the_outputs_that_were_scored_belong_to_the_rows_in_order() -> None:
    scored = Scored(table(ROWS), ROWS, None)
    assert scored.texts == list(ROWS) and scored.notes == []


def test_other_outputs_join_by_system_and_item_and_that_is_said() -> None:
    other = Corpus(tuple(reversed(ROWS[3:])))
    scored = Scored(table(ROWS), other, None)
    assert scored.texts == [None] * 3 + list(ROWS[3:])
    assert scored.notes[0].startswith("The outputs are not the ones that were scored")
    assert scored.notes[1] == f"3 of {3 * ITEMS} rows have no text in the outputs."


def test_outputs_of_other_rows_are_refused() -> None:
    with pytest.raises(InputError, match="no row of the outputs has the system and item"):
        _ = Scored(table(ROWS), Corpus((Row("A text."),)), None).texts


def test_scales_are_called_by_metric_and_part_and_people_come_last() -> None:
    scales = Scored(table(ROWS), ROWS, ROWS).scales
    assert [one.name for one in scales] == [f"{UP} f1", f"{UP} recall", f"{UP} count", DOWN, "people: fluency"]
    assert [one.short for one in scales[:1]] == ["Up f1"]
    assert [one.first for one in scales] == [True, False, False, True, True]
    assert [one.detail for one in scales] == [False, False, True, False, False]


def test_ratings_are_those_given_else_those_of_the_outputs() -> None:
    unrated = Corpus((Row("A text."),))
    assert source_of(ROWS, None) is ROWS
    assert source_of(unrated, None) is None
    assert source_of(unrated, {("s", "1"): 1.0}) == {("s", "1"): 1.0}


def test_standing_counts_metrics_alike_and_turns_those_of_which_lower_is_better() -> None:
    mean, spread = standing([scale(1, 2, 3, 4), scale(9, 8, 7, 6, up=False), scale(5, 5, 0, 0, first=False)])
    assert mean.tolist() == [0.125, 0.375, 0.625, 0.875]
    assert spread.tolist() == [0, 0, 0, 0]


def test_rows_on_which_metrics_disagree_are_disputed() -> None:
    mean, spread = standing([scale(1, 2, 3), scale(3, 2, 1), scale(math.nan, 1, 2, first=False)])
    assert mean == pytest.approx([0.5, 0.5, 0.5])
    assert spread == pytest.approx([1 / 3, 0, 1 / 3])


def test_rows_without_a_value_have_no_standing() -> None:
    mean, spread = standing([scale(1, math.nan), scale(2, math.nan)])
    assert mean[0] == 0.5 and np.isnan(mean[1]) and np.isnan(spread[1])


def test_numbers_for_the_script() -> None:
    assert rounded([1 / 3, math.nan, math.inf, -math.inf]) == [0.333333, None, "Infinity", "-Infinity"]

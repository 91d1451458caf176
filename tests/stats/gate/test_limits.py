"""A threshold of ratings held to a table: only to numbers that mean the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import nlgauge
from nlgauge import InputError, SpecError
from nlgauge.data.signature import Signature
from tests.stats.hidden import SPEC, outputs


def test_a_threshold_of_the_same_scores() -> None:
    table, corpus, _ = outputs(400, 200, systems=("a",))
    threshold = nlgauge.calibrate(table, corpus, risk=0.15).threshold()
    verdict = nlgauge.check(table, threshold=threshold)
    assert verdict.at_least == threshold.threshold and verdict.at_most is None and not verdict.passed
    assert len(verdict.failures) == 400 - round(400 * threshold.passing)
    promise = "of rows like those that it was made of and that pass, at most 15% are rated below 1 for good: 90% sure"
    assert verdict.notes == (f"{promise}, 200 rated rows",)
    loose = nlgauge.calibrate(table, corpus, risk=0.15).threshold("f1")
    assert nlgauge.check(table, threshold=loose).notes == (
        "the threshold was chosen by f1 on 200 rated rows: it promises nothing",
    )


def test_other_numbers_are_refused_and_other_rows_noted() -> None:
    table, corpus, _ = outputs(400, 200, systems=("a",))
    threshold = nlgauge.calibrate(table, corpus, risk=0.15).threshold()
    other = replace(table, signatures={SPEC: Signature(SPEC, {"nlgauge": "1", "model": "other"})})
    with pytest.raises(InputError, match=r"the threshold's TokenF1 was computed otherwise: model is other, was absent"):
        nlgauge.check(other, threshold=threshold)
    with pytest.raises(InputError, match="the table has no TokenF1 f1, of which the threshold was made"):
        nlgauge.check(replace(table, columns={"CopyRate": table.columns[SPEC]}), threshold=threshold)
    column = table.columns[SPEC]
    moved = replace(table, columns={SPEC: replace(column, values=column.values - 1)})
    assert any(
        "so nothing is promised of them: for these rows" in note
        for note in nlgauge.check(moved, threshold=threshold).notes
    )
    low = replace(table, columns={SPEC: replace(column, values=np.full_like(column.values, -9))})
    assert len(nlgauge.check(low, threshold=threshold).failures) == 400
    with pytest.raises(SpecError, match="stands alone"):
        nlgauge.check(table, SPEC, threshold=threshold)

"""What may be asked of a table and its ratings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from nlgauge import Corpus, InputError, ScoreTable
from nlgauge.stats.agreement import correlate
from nlgauge.stats.contrast import contrast
from nlgauge.stats.rated import rated_rows
from tests.stats.hidden import outputs


@pytest.mark.parametrize(
    ("options", "say"),
    [
        ({"level": "segment"}, "item, system, pooled"),
        ({"coefficient": "tau"}, "pearson, spearman, kendall"),
        ({"resample": "rows"}, "both, items, systems"),
        ({"confidence": 95}, "between 0 and 1"),
        ({"aspects": ["clear"]}, "rated are good, loud"),
    ],
)
def test_options_that_do_not_exist(table: ScoreTable, ratings: Any, options: dict[str, Any], say: str) -> None:
    for function in (correlate, contrast):
        with pytest.raises(InputError, match=say):
            function(table, ratings, **options)


def test_strata_that_all_rows_have_are_how_they_were_drawn() -> None:
    table, corpus, _ = outputs(40, 20, systems=("a",))
    rows = [replace(row, extra={"stratum": "high" if int(row.item[1:]) > 20 else "low"}) for row in corpus]
    found = rated_rows(table, Corpus(tuple(rows)), None)
    assert not found.at_random and found.strata.tolist() == [0] * 21 + [1] * 19
    assert found.design(np.arange(21, 40), np.ones(19, bool)).strata.tolist() == [0] * 19
    some = rated_rows(table, Corpus((*rows[:30], *list(corpus)[30:])), None)
    assert some.at_random


def test_rated_rows_without_a_probability() -> None:
    table, corpus, _ = outputs(40, 20, systems=("a",))
    first = next(row.item for row in corpus if row.scores)
    rows = [replace(row, extra={"probability": 0.5} if row.scores and row.item != first else {}) for row in corpus]
    with pytest.raises(InputError, match="a rated row has no probability"):
        rated_rows(table, Corpus(tuple(rows)), None)

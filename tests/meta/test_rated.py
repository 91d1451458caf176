"""What may be asked of a table and its ratings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nlgauge import InputError, ScoreTable
from nlgauge.meta.agreement import correlate
from nlgauge.meta.contrast import contrast
from nlgauge.meta.rated import by_row, rated_part


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


def test_a_number_of_a_system_stands_for_each_of_its_rows(table: ScoreTable) -> None:
    of_sets = by_row(table, table.columns["Set"], 0)
    assert [value for value, _ in zip(of_sets, table.rows, strict=True)][:6] == [0, 1, 2, 3, 4, 0]
    np.testing.assert_array_equal(by_row(table, table.columns["Far"], 0), table.values("Near"))


def test_tables_are_cut_to_what_all_have() -> None:
    one = np.array([[1.0, np.nan, 3.0], [np.nan, np.nan, np.nan]])
    other = np.array([[4.0, 5.0, np.nan], [6.0, 7.0, 8.0]])
    assert [part.tolist() for part in rated_part(one, other)] == [[[1.0]], [[4.0]]]

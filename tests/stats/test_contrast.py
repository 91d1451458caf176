"""contrast: which of two metrics agrees better, and the clusters that follow."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from nlgauge import InputError, ScoreTable
from nlgauge.data.table import Column
from nlgauge.stats.agreement import correlate
from nlgauge.stats.contrast import contrast
from nlgauge.stats.correlation import LEVELS


@pytest.mark.parametrize(
    ("test", "options"),
    [
        ("permutation", {}),
        ("permutation", {"level": "pooled", "coefficient": "kendall"}),
        ("williams", {"level": "pooled", "correction": "benjamini_hochberg"}),
    ],
)
def test_contrasts_put_metrics_into_clusters(
    table: ScoreTable, ratings: Any, test: str, options: dict[str, Any]
) -> None:
    found = contrast(table, ratings, aspects=["good"], test=test, replicates=200, **options)
    assert len(found) == 6  # of four parts: the corpus-level metric has no rows
    assert found.clusters["good"] == {
        ("Near", "score"): 1, ("Far", "score"): 1, ("Noise", "p"): 2, ("Noise", "r"): 2
    }  # fmt: skip
    by_pair = {(one.first, one.second): one for one in found}
    same, better = (by_pair[("Near", "score"), other] for other in (("Far", "score"), ("Noise", "p")))
    assert (same.difference, same.low, same.high, same.p) == (0, 0, 0, 1)
    assert better.low > 0
    assert better.p <= better.adjusted < 0.1


@pytest.mark.parametrize(
    ("options", "say"),
    [
        ({"coefficient": "accuracy_calibrated"}, "no test of a difference"),
        ({"test": "t"}, "permutation or williams"),
        ({"correction": "bonferroni"}, "holm"),
        ({"test": "williams"}, "pooled rows"),
        ({"test": "williams", "level": "system", "coefficient": "kendall"}, "of Pearson"),
    ],
)
def test_contrasts_that_do_not_exist(table: ScoreTable, ratings: Any, options: dict[str, Any], say: str) -> None:
    with pytest.raises(InputError, match=say):
        contrast(table, ratings, **options)


@pytest.mark.parametrize("test", ["permutation", "williams"])
def test_a_metric_without_a_number_or_with_one_alone_contrasts_with_none(
    table: ScoreTable, ratings: Any, test: str
) -> None:
    table.columns["Empty"] = Column(("score",), np.full((len(table.rows), 1), math.nan))
    table.columns["Constant"] = Column(("score",), np.ones((len(table.rows), 1)))
    for level in LEVELS if test == "permutation" else ("system", "pooled"):
        found = contrast(table, ratings["good"], level=level, test=test, replicates=20)
        for one in found:
            known = "Empty" not in (one.first[0], one.second[0]) and "Constant" not in (one.first[0], one.second[0])
            assert math.isnan(one.difference) != known
            assert math.isnan(one.p) != known and math.isnan(one.adjusted) != known
        assert found.clusters["rating"]["Near", "score"] == 1
        assert (
            found.values["rating"]["Near", "score"]
            == correlate(table, ratings["good"], level=level, replicates=0).get("Near").value
        )

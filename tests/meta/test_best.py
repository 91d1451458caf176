"""The best system by a score, and those that do not differ significantly from it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nlgauge import ScoreTable
from nlgauge.data.table import Column, SystemScore
from nlgauge.meta.best import Best, best
from nlgauge.meta.comparison import compare

N = 40


@pytest.fixture
def table() -> ScoreTable:
    """Near is a little worse than Top, and Far far worse; by Distance all is turned."""
    rng = np.random.default_rng(2)
    item = rng.normal(size=N)
    values = np.concatenate([item + 1, item + 0.97 + rng.normal(0, 0.3, N), item + rng.normal(0, 0.3, N)])
    rows = [(system, str(i)) for system in ("Top", "Near", "Far") for i in range(N)]
    columns = {
        "Score": Column(("f", "words"), np.stack([values, values], 1), details=("words",)),
        "Distance": Column(("score",), -values[:, None], higher_is_better=False),
        "Set": Column(("score",), np.array([[0.5], [1.0], [1.0]]), level="system"),
    }
    return ScoreTable(rows, columns, {})


def of(table: ScoreTable, metric: str, part: str) -> list[SystemScore]:
    return [score for score in table.by_system(replicates=0) if (score.metric, score.part) == (metric, part)]


@pytest.mark.parametrize(("metric", "part"), [("Score", "f"), ("Distance", "score")])
def test_the_best_and_what_is_like_it(table: ScoreTable, metric: str, part: str) -> None:
    found = best(table, of(table, metric, part))
    assert found == Best(("Top",), ("Near",), True)
    assert best(table, of(table, metric, part), test=False) == Best(("Top",), (), False)


def test_p_is_that_of_compare_corrected_for_all_others(table: ScoreTable) -> None:
    (near,) = compare(table, "Top", "Near", "Distance")
    assert best(table, of(table, "Distance", "score"), significance=near.p * 0.999) is not None
    told = best(table, of(table, "Distance", "score"), significance=near.p * 1.001)
    assert told is not None and told.alike == ()
    assert best(table, of(table, "Distance", "score"), significance=near.p) == Best(("Top",), ("Near",), True)


def test_equal_numbers_are_best_together_and_sets_are_not_tested(table: ScoreTable) -> None:
    assert best(table, of(table, "Set", "score")) == Best(("Near", "Far"), (), False)


def test_details_and_single_systems_have_no_best(table: ScoreTable) -> None:
    assert best(table, of(table, "Score", "words")) is None
    alone = [score for score in of(table, "Score", "f") if score.system == "Top"]
    assert best(table, alone) is None
    table.columns["Set"].values[1:] = math.nan
    assert best(table, of(table, "Set", "score")) is None


def test_what_was_tested_before_is_not_tested_again(table: ScoreTable) -> None:
    asked = []

    def known(a: str, b: str, metric: str, part: str) -> float:
        asked.append((a, b, metric, part))
        return 0.2 if b == "Far" else 0.001

    found = best(table, of(table, "Distance", "score"), known=known)
    assert found == Best(("Top",), ("Far",), True)
    assert asked == [("Top", "Near", "Distance", "score"), ("Top", "Far", "Distance", "score")]


def test_systems_without_an_item_in_common_are_not_tested() -> None:
    rows = [("A", "x"), ("A", "y"), ("B", "z"), ("B", "w")]
    table = ScoreTable(rows, {"M": Column(("score",), np.array([[1.0], [2], [3], [4]]))}, {})
    assert best(table, table.by_system(replicates=0)) == Best(("B",), (), False)

"""The best system by a score, and those that do not differ significantly from it."""

from __future__ import annotations

import numpy as np
import pytest

from nlgauge import ScoreTable
from nlgauge.data.table import Column, SystemScore
from nlgauge.stats.best import OTHER_ITEMS, Best, best, by_part, compared, other_items
from nlgauge.stats.comparison import compare

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


def test_p_is_that_of_compare_corrected_for_all_others(table: ScoreTable) -> None:
    (near,) = compare(table, "Top", "Near", "Distance")
    scores, tests = of(table, "Distance", "score"), compared(table)
    assert best(table, scores, tests, significance=near.p * 1.001) == Best(("Top",), (), ("Near", "Far"))
    assert best(table, scores, tests, significance=near.p) == Best(("Top",), ("Near",), ("Far",))


def test_systems_without_an_item_in_common_are_not_tested() -> None:
    rows = [("A", "x"), ("A", "y"), ("B", "z"), ("B", "w")]
    table = ScoreTable(rows, {"M": Column(("score",), np.array([[1.0], [2], [3], [4]]))}, {})
    found = best(table, table.by_system(replicates=0), compared(table))
    assert found == Best((), (), (), "'B' and 'A' have no item in common")


def test_who_leaves_hard_items_out_is_not_called_best() -> None:
    """A answers twenty items and is better on the ten easy ones that B answers too; B has the better mean."""
    rows = [("A", str(n)) for n in range(20)] + [("B", str(n)) for n in range(10)]
    values = np.concatenate([np.ones(10), np.full(10, 0.4), np.full(10, 0.8333)])
    table = ScoreTable(rows, {"M": Column(("score",), values[:, None])}, {})
    (pair,) = compare(table, "A", "B")
    assert pair.better == "A" and pair.p < 0.05
    (found,) = by_part(table, table.by_system(), compared(table)).values()
    assert found == Best((), (), (), OTHER_ITEMS)
    (said,) = other_items(table)
    assert said.startswith("M: the systems have values on different items (A 20, B 10; all share 10)")


def test_the_worse_of_two_systems_is_never_called_best() -> None:
    """A is better by .1 on every item; B leaves out its hardest 30 in 100."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        of_a = rng.normal(0.6, 0.2, 50)
        of_b = of_a - 0.1 + rng.normal(0, 0.05, 50)
        easy = np.sort(np.argsort(of_b)[15:])
        rows = [("A", str(n)) for n in range(50)] + [("B", str(n)) for n in easy]
        table = ScoreTable(rows, {"M": Column(("score",), np.concatenate([of_a, of_b[easy]])[:, None])}, {})
        (found,) = by_part(table, table.by_system(replicates=0), compared(table, 200)).values()
        assert "B" not in found.systems and "A" not in found.behind

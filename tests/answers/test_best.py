"""The best system by a score, those that do not differ significantly from it, and what people say."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import nlgauge
from nlgauge import Row, ScoreTable
from nlgauge.answers.best import OTHER_ITEMS, Best, PairTest, best, by_part, compared, other_items, pair_test, people
from nlgauge.answers.compare import compare
from nlgauge.data.table import Column
from nlgauge.ratings.project import ProjectRatings
from tests.ratings.hidden import SPEC, outputs
from tests.score_tables import column, same, three


def test_p_is_that_of_compare_corrected_for_all_others() -> None:
    table = three(40)
    (near,) = compare(table, "Top", "Near", "Distance")
    scores = [score for score in table.by_system() if score.metric == "Distance(k=1)"]
    tests = compared(table)
    assert best(table, scores, tests, significance=near.p * 1.001) == Best(("Top",), (), ("Near", "Far"))
    assert best(table, scores, tests, significance=near.p) == Best(("Top",), ("Near",), ("Far",))


def test_two_that_are_each_significant_alone_are_not_so_together() -> None:
    """A is ahead of both by .72 deviations on 12 items, t = 2.494: p is .03, and .06 after Holm for two."""
    noise = np.random.default_rng(1).normal(size=12)
    noise = (noise - noise.mean()) / noise.std(ddof=1)
    for gain, alike, behind in ((0.72, ("B", "C"), ()), (0.9, (), ("B", "C"))):
        values = np.concatenate([np.zeros(12), noise - gain, noise[::-1] - gain])
        table = ScoreTable([(system, str(n)) for system in "ABC" for n in range(12)], {"M": column(*values)}, {})
        (found,) = by_part(table, table.by_system(), compared(table)).values()
        assert found == Best(("A",), alike, behind)
        (pair,) = compare(table, "A", "B")
        assert pair.p < 0.031 and pair_test(table, pair) == (pair.difference, pair.p, "")
        assert pair_test(table, pair, turned=True) == (-pair.difference, pair.p, "")


def test_an_equal_mean_of_other_items_is_not_called_best() -> None:
    """On the two items that both have A is ahead; B's third item makes its mean as large."""
    rows = [("A", "1"), ("A", "2"), ("B", "1"), ("B", "2"), ("B", "3")]
    table = ScoreTable(rows, {"M": column(3, 4, 2, 3.5, 5)}, {})
    (found,) = by_part(table, table.by_system(), compared(table)).values()
    assert found == Best((), (), (), OTHER_ITEMS)


def test_systems_without_an_item_in_common_are_not_tested() -> None:
    rows = [("A", "x"), ("A", "y"), ("B", "z"), ("B", "w")]
    table = ScoreTable(rows, {"M": Column(("score",), np.array([[1.0], [2], [3], [4]]))}, {})
    found = best(table, table.by_system(), compared(table))
    assert found == Best((), (), (), "'B' and 'A' have no item in common")


def test_who_leaves_hard_items_out_is_not_called_best() -> None:
    """A answers twenty items and is better on the ten easy ones that B answers too; B has the better mean."""
    rows = [("A", str(n)) for n in range(20)] + [("B", str(n)) for n in range(10)]
    values = np.concatenate([np.ones(10), np.full(10, 0.4), np.linspace(0.78, 0.88, 10)])
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
        (found,) = by_part(table, table.by_system(), compared(table)).values()
        assert "B" not in found.systems and "A" not in found.behind


def test_some_ratings_and_all_scores_are_an_estimate_of_all_rows() -> None:
    of, rows, _ = outputs()
    said = people(of, rows)
    a, b, difference = nlgauge.estimate(of, rows)
    assert [(one.system, one.mean, one.low, one.high, one.n) for one in said.by_system()] == [
        (one.system, one.estimate, one.low, one.high, 80) for one in (a, b)
    ]
    assert said.test("a", "b", "good", "score") == (difference.estimate, difference.p, "")
    assert said.test("b", "a", "good", "score") == (-difference.estimate, difference.p, "")
    assert said.notes["good"].startswith(f"estimated for all 400 rows from 160 ratings and the scores by {SPEC}; ")
    assert f"the ratings alone: a {a.alone.value:.4f} [" in said.notes["good"]


def test_several_metrics_speak_together_and_with_few_clusters_the_first_one_that_has_a_direction() -> None:
    of, rows, _ = outputs(300, 120, docs=25)
    other = Column(("score",), np.random.default_rng(1).normal(size=(600, 1)), details=("score",))
    of = replace(of, columns={"Length": other, **of.columns})
    together = people(of, rows)
    assert f"by Length + {SPEC}; the ratings alone" in together.notes["good"]
    clustered = of.clustered([row.extra["doc"] for row in rows])
    first = people(clustered, rows)
    assert f"by {SPEC}; the ratings alone" in first.notes["good"]
    assert same(first.estimates["good"]["a"], nlgauge.estimate(clustered, rows, metrics=[SPEC])[0])
    assert first.estimates["good"]["a"].clusters == 25


@pytest.mark.parametrize("n, why", [(19, "a, good: 19 rows are rated, and at least 20"), (60, "no score of single")])
def test_where_nothing_can_be_estimated_the_ratings_stand_alone_and_it_is_said(n: int, why: str) -> None:
    of, rows, _ = outputs(100, n)
    of = of if n < 20 else replace(of, columns={"Set": Column(("score",), np.ones((2, 1)), level="system")})
    said = people(of, rows, "people: ")
    assert not said.estimates and math.isnan(said.test("a", "b", "people: good", "score").p)
    assert why in said.notes["people: good"] and "ratings alone" in said.notes["people: good"]
    assert same(said.by_system(), said.table.by_system())
    assert set(said.table.columns["people: good"].reasons.values()) == {"unrated"}


def test_two_systems_of_which_each_alone_would_be_worse_are_alike() -> None:
    """p is .03 and .04; corrected for both, .06."""
    table = three(40)
    scores = [score for score in table.by_system() if score.metric == "Distance(k=1)"]
    p = {"Near": 0.03, "Far": 0.04}
    assert best(table, scores, lambda a, b, metric, part: PairTest(1.0, p[b])) == Best(("Top",), ("Near", "Far"), ())


@pytest.mark.parametrize(("given", "ends"), [([1.0, 2.0], (-math.inf, math.inf)), ([0.0, 1.0], (0.0, 1.0))])
def test_the_ratings_that_were_given_are_not_the_ends_of_their_scale_but_for_yes_and_no(
    given: list[float], ends: tuple[float, float]
) -> None:
    keys = [(system, str(item)) for system in "AB" for item in range(10)]
    table = ScoreTable(keys, {"M": Column(parts=("score",), values=np.linspace(0.1, 0.9, 20)[:, None])}, {})
    values = {key: given[at % 5 > 0] for at, key in enumerate(keys)}
    (column,) = people(table, {"good": values}).table.columns.values()
    assert (column.limits or {"score": (-math.inf, math.inf)})["score"] == ends


def test_a_project_says_the_scale_of_its_ratings() -> None:
    keys = [("A", str(item)) for item in range(10)]
    table = ScoreTable(keys, {"M": Column(parts=("score",), values=np.linspace(0.1, 0.9, 10)[:, None])}, {})
    rows = [Row(item=item, system=system, candidate="x", scores={"good": 4.0}) for system, item in keys]
    (column,) = people(table, ProjectRatings(rows, scales={"good": (1.0, 5.0)})).table.columns.values()
    assert column.limits == {"score": (1.0, 5.0)}
    (score,) = people(table, ProjectRatings(rows, scales={"good": (1.0, 5.0)})).by_system()
    assert 1 <= score.low < 4 < score.high <= 5

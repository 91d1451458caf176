"""What people say: of all rows where some are rated and it can be estimated, else of the rated ones."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import nlgauge
from nlgauge.data.table import Column
from nlgauge.stats.best import people
from tests.score_tables import same
from tests.stats.hidden import SPEC, outputs


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
    assert f"the ratings alone: a {a.alone:.4f} [" in said.notes["good"]


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

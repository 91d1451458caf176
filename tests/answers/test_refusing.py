"""What may be asked of a table and its ratings, and ratings that give no valid interval: refused, with what to do."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import nlgauge
from nlgauge import Corpus, InputError, ScoreTable
from nlgauge.answers.contrast import contrast
from nlgauge.answers.correlate import correlate
from nlgauge.maths.order import halves_p
from nlgauge.maths.prediction_powered import Design
from nlgauge.ratings.rated import rated_rows
from nlgauge.ratings.refusing import CHOSEN, Unanswered, chosen_by_score, drift, refusal, unanswered
from tests.ratings.hidden import SPEC, outputs


def test_what_is_refused() -> None:
    table, corpus, truth = outputs(200, 19)
    with pytest.raises(InputError, match="a, good: 19 rows are rated, and at least 20 are needed: rate more"):
        nlgauge.estimate(table, corpus)
    lowest = sorted(truth, key=lambda key: table.values(SPEC)[table.rows.index(key)])[:160]
    with pytest.raises(InputError, match="were not drawn at random: give the folder of nlgauge sample"):
        nlgauge.estimate(table, {key: truth[key] for key in lowest})
    table, corpus, _ = outputs()
    rated = {(row.system, row.item): 4.0 for row in corpus if row.scores}
    with pytest.raises(InputError, match="all 80 ratings are 4, which does not say how often others occur"):
        nlgauge.estimate(table, rated)
    rated[next(iter(rated))] = math.inf
    assert "a rating is infinite" in str(nlgauge.estimate(table, rated | _some(truth, "b"))[0].reason)
    clustered = Corpus(tuple(replace(row, extra={"doc": row.item[-1]}) for row in corpus))
    with pytest.raises(InputError, match="of 10 clusters, and at least 20 are needed"):
        nlgauge.estimate(table, clustered, cluster="doc")
    with pytest.raises(InputError, match="between 0 and 1"):
        nlgauge.estimate(table, corpus, confidence=95)
    with pytest.raises(InputError, match="nothing is rated for 'bad'"):
        nlgauge.estimate(table, corpus, aspects=["bad"])


def _some(truth: dict[tuple[str, str], float], system: str) -> dict[tuple[str, str], float]:
    """The ratings of every second row of a system."""
    return {key: value for key, value in truth.items() if key[0] == system and int(key[1][1:]) % 2}


def test_clusters_and_strata_that_say_too_little() -> None:
    table, corpus, _ = outputs(200, 80, systems=("a",))
    extras = [{"doc": "d" if n < 140 else str(n), "stratum": str(n // 199)} for n in range(200)]
    one_large = [replace(row, extra=extra) for row, extra in zip(corpus, extras, strict=True)]
    with pytest.raises(InputError, match=r"clusters that say as much as 1\.8 of equal size, and at least 5 are needed"):
        nlgauge.estimate(table, Corpus(one_large), cluster="doc")
    last = [replace(one_large[-1], scores={"good": 1.0})]
    with pytest.raises(InputError, match="a stratum has fewer than 2 rated rows"):
        nlgauge.estimate(table, Corpus(one_large[:-1] + last))


def test_clusters_that_were_chosen_are_fewer_than_their_rows() -> None:
    """Rows of a cluster share their score: twelve clusters of ten rows are not seen to be chosen, 120 rows would be."""
    rng = np.random.default_rng(1)
    clusters = np.arange(600) // 10
    scores = (rng.normal(size=60) + (np.arange(60) < 25) * 0.5)[clusters][:, None]
    rated = clusters < 25
    design = Design(rated, np.zeros(600, np.intp), None, clusters)
    assert not chosen_by_score(scores, design) and chosen_by_score(scores, replace(design, clusters=None))


def test_several_metrics_need_more_clusters_than_one() -> None:
    table, corpus, _ = outputs(400, 200, docs=29)
    two = replace(table, columns={**table.columns, "Other": replace(table.columns["TokenF1"])})
    found = nlgauge.estimate(two, corpus, cluster="doc")
    assert [one.reason is None for one in found] == [True] * 6 + [False] * 3
    assert found[6].reason == (
        "a, good: 29 clusters hold ratings, and at least 30 are needed where several metrics are fitted to ratings: "
        "take one metric, or rate more, drawn by nlgauge sample, of other clusters"
    )
    assert nlgauge.estimate(two, corpus, cluster="item")[6].reason is None
    few = nlgauge.estimate(*_two_metrics(29))[6]
    assert few.reason is not None and "29 rows are rated, and at least 30 are needed where" in few.reason


def _two_metrics(n: int) -> tuple[nlgauge.ScoreTable, Corpus]:
    table, corpus, _ = outputs(200, n)
    return replace(table, columns={**table.columns, "Other": replace(table.columns["TokenF1"])}), corpus


def test_who_did_not_answer() -> None:
    """200 rows, 100 of them drawn: places 1 to 100 of the sheet, in random order of the scores."""
    rng = np.random.default_rng(0)
    scores, asked = rng.normal(size=200), np.concatenate([np.arange(1, 101), np.zeros(100, int)])
    rated = (asked > 0) & (asked <= 40)
    begun = unanswered(scores[:, None], rated, asked, None)
    assert (begun.drawn, begun.missing, begun.left_out, begun.reached, begun.problem) == (100, 60, 0, 40, None)
    assert str(begun) == "60 of 100 rows that were drawn are not rated"
    lowest = (asked > 0) & (scores < np.median(scores[:100]))
    chosen = unanswered(np.stack([rng.normal(size=200), scores], 1), lowest, asked, None)
    assert chosen.p < CHOSEN and "their scores are not like those of the rated rows" in (chosen.problem or "")
    every_third = unanswered(scores[:, None], asked % 3 == 1, asked, None)
    assert (every_third.left_out, every_third.reached) == (66, 100)
    assert "66 of 100 rows up to the last rated one are left out" in (every_third.problem or "")
    # Rows of a cluster are missing together: ten clusters that lack them say little.
    clusters = np.arange(200) // 10
    shared = np.repeat(rng.normal(size=20), 10)
    there = (asked > 0) & ~np.isin(clusters, np.argsort(shared[:100:10])[:2])
    of_clusters, of_rows = (unanswered(shared[:, None], there, asked, one) for one in (clusters, None))
    assert of_rows.p < of_clusters.p
    assert unanswered(scores[:, None], asked > 0, asked, None).missing == 0


def test_ratings_that_are_sorted_and_the_sheet_is_not() -> None:
    """A spreadsheet that sorts the column alone parts every rating from its row."""
    for ratings in (np.repeat([1.0, 0.0], [88, 32]), np.repeat([2.0, 3.0, 4.0, 5.0], [5, 8, 9, 12])):
        with pytest.raises(InputError, match=r"good, anna: the \d+ ratings are sorted, .* 2 runs .*put each rating"):
            drift(ratings, "good, anna")
    rng = np.random.default_rng(0)
    assert [drift(rng.permutation(np.repeat([1.0, 0.0], [88, 32])), "a") for _ in range(100)].count(None) >= 98
    assert drift(np.ones(100), "a") is drift(np.ones(0), "a") is drift(np.repeat([1.0, 0.0], [3, 3]), "a") is None


def test_a_rater_who_changes_along_the_sheet_is_told() -> None:
    rng = np.random.default_rng(0)
    lenient, strict = (rng.permutation(np.arange(60) < good).astype(float) for good in (56, 30))
    said = drift(np.concatenate([lenient, strict]), "good, anna")
    assert said is not None and said.startswith("good, anna: the ratings change along the sheet")
    assert "their mean is 0.933 in the first half and 0.5 in the second" in said
    assert f"(p {2 * halves_p(np.concatenate([lenient, strict]) > 0):.1g})" in said
    assert "runs of like ratings, where random order has about" in (drift(np.repeat(strict, 2), "a") or "")
    assert drift(np.concatenate([lenient[:30], strict[:30], lenient[30:], strict[30:]]), "a") is None


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
    rows = [replace(row, extra={"probability": 1.2}) if row.scores else row for row in corpus]
    with pytest.raises(InputError, match=r"a rated row is 1\.2"):
        nlgauge.estimate(table, Corpus(tuple(rows)))


def test_half_of_the_rows_that_raters_reached_may_be_left_out() -> None:
    for left_out, told in ((25, False), (26, True)):
        found = Unanswered(drawn=200, missing=150 + left_out, left_out=left_out, reached=50, p=0.5)
        assert (found.problem is not None) == told


def test_a_stratum_needs_two_rated_rows_and_clusters_the_weight_of_five() -> None:
    y, x = np.arange(60) % 3.0, np.linspace(-1, 1, 60)
    for second, told in ((1, True), (2, False)):
        rated, strata = (np.arange(60) < 30) | (np.arange(60) >= 60 - second), (np.arange(60) >= 40).astype(int)
        said = refusal(y, x[:, None], Design(rated, strata), False)
        assert (said is not None and "a stratum has fewer than 2 rated rows" in said) == told
    for largest, told in ((9, False), (30, True)):
        of = np.repeat(np.arange(20), [largest] + [1] * 19)
        n = len(of)
        design = Design(np.ones(n, bool), np.zeros(n, np.intp), None, of)
        said = refusal(np.arange(n) % 3.0, np.ones((n, 1)), design, False)
        assert (said is not None and "20 clusters that say as much as" in said) == told

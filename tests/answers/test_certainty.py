"""Never certain out of nothing: the smallest case of each, through `by_system`, `compare`, `check` and `share_of`."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nlgauge import ScoreTable, check, compare
from nlgauge.answers.best import Best, by_part, compared
from nlgauge.answers.compare import Difference
from nlgauge.data.table import Column, SystemScore
from nlgauge.stats.decisions import share_of
from tests.score_tables import column, one


def two(a: np.ndarray, b: np.ndarray, clusters: np.ndarray | None = None, **facts: bool) -> ScoreTable:
    rows = [(system, str(item)) for system in "AB" for item in range(len(a))]
    table = ScoreTable(rows, {"M": column(*a, *b, **facts)}, {})
    return table if clusters is None else table.clustered([*clusters.tolist()] * 2)


def difference(a: np.ndarray, b: np.ndarray, clusters: np.ndarray | None = None, **asked: float) -> Difference:
    return compare(two(a, b, clusters), "A", "B", **asked).records[0]  # type: ignore[arg-type]


def score(values: np.ndarray, clusters: np.ndarray | None = None) -> SystemScore:
    table = one(values.tolist())
    return (table if clusters is None else table.clustered(clusters.tolist())).by_system()[0]


def length(found: Difference | SystemScore) -> float:
    return found.high - found.low


# ---- "No worse" out of nothing


def test_five_items_of_one_each_do_not_show_that_a_system_is_no_worse() -> None:
    found = compare(two(np.ones(5), np.ones(5)), "A", "B", margin=0.001)
    (pair,) = found.records
    assert pair.no_worse > 0.4 and pair.alike > 0.4 and "is not shown to be no worse" in found.answer
    assert pair.low < -0.001 < 0.001 < pair.high and pair.p == 1
    assert pair.needed > 100_000, "which would show a margin of .001"
    six = one([1.0] * 6)
    verdict = check(six, against=six, margin=0.005)
    assert not verdict.passed and verdict.regressions[0].no_worse == pytest.approx(0.49, abs=0.01)


def test_a_margin_of_a_twentieth_needs_about_fifty_items_without_a_loss() -> None:
    """Of 40 items .95 ** 40 = .129 would show no loss where 5 in 100 are lost; exactly, 59 are needed."""
    shown = [n for n in range(20, 80) if difference(np.ones(n), np.ones(n), margin=0.05).no_worse < 0.05]
    assert shown == list(range(46, 80))
    enough = difference(np.ones(46), np.ones(46), margin=0.05)
    assert enough.alike == pytest.approx(enough.no_worse)


def test_five_equal_differences_are_neither_significant_nor_certain() -> None:
    """The exact test of signs needs six; the plan says more than that, and what the items show is no 0."""
    a = np.array([0.2, 0.4, 0.5, 0.7, 0.8])
    pair = difference(a, a + 0.1)
    assert pair.low < -0.1 < 0 < pair.high and pair.p > 0.05
    assert pair.needed > 6 and pair.detectable > 0.1
    assert pair.effect != pair.effect, "no deviation to measure it in"


def test_two_equal_systems_are_both_best_and_nobody_is_worse() -> None:
    table = two(np.ones(9), np.ones(9))
    assert list(by_part(table, table.by_system(), compared(table)).values()) == [Best(("A", "B"), (), ())]


# ---- Intervals of length 0, or too short


@pytest.mark.parametrize("values", [[0.9] * 12, [5.0] * 8, [1.0] * 2, [0.0] * 7, [0.3, 0.3], [-2.0] * 5], ids=str)
def test_equal_values_have_an_interval(values: list[float]) -> None:
    found = score(np.array(values))
    assert found.low < found.mean or found.mean == 0
    assert found.high > found.mean or found.mean == 1
    assert length(found) > 0.1 and found.mean == values[0]


@pytest.mark.parametrize("smooth", [False, True], ids=["yes and no", "smooth"])
def test_forty_equal_items_in_eight_documents_say_less_than_forty(smooth: bool) -> None:
    a, documents = np.linspace(0.3, 0.9, 40) if smooth else np.ones(40), np.repeat(np.arange(8), 5)
    alone, clustered = difference(a, a), difference(a, a, documents)
    assert clustered.low < alone.low < 0 < alone.high < clustered.high
    assert -alone.low == pytest.approx(alone.high) and -clustered.low == pytest.approx(clustered.high)
    assert clustered.needed == math.inf and clustered.p == alone.p == 1
    assert difference(a, a, documents, margin=0.2).no_worse > difference(a, a, margin=0.2).no_worse


def test_no_end_leaves_the_scale() -> None:
    for values in ([0.1, 0.9, 0.2], [0.5, 0.5, 0.6], [1.0, 1.0, 0.9]):
        found = score(np.array(values))
        assert 0 <= found.low < found.high <= 1
    pair = difference(np.array([1.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.3]))
    assert (pair.low, pair.high) == (-1, 1)


def test_a_hundred_of_a_hundred_in_twenty_clusters_are_no_shorter_than_ninety_nine() -> None:
    clusters, values = np.repeat(np.arange(20), 5), np.ones(100)
    every = score(values, clusters)
    values[0] = 0
    assert length(score(values, clusters)) > length(every) > length(score(np.ones(100)))
    # A row more in one of the clusters changes next to nothing.
    more = score(np.ones(101), np.append(clusters, 3))
    assert length(more) == pytest.approx(length(every), rel=0.02)


def test_a_second_rater_who_differs_on_one_of_sixty_rows_moves_the_share_a_little() -> None:
    rows, hits = np.arange(60), np.array([1.0] * 57 + [0.0] * 3)
    before = share_of(hits, rows)
    hits[56] = 0.5
    after = share_of(hits, rows)
    assert before[1:] == pytest.approx((0.863, 0.983), abs=5e-4)
    assert after[1:] == pytest.approx(before[1:], abs=0.02) and after.value == 56.5 / 60
    stats = pytest.importorskip("scipy.stats", reason="needs the dependency group parity")
    more = [*hits, 0.0, 1.0]
    for level in (0.9, 0.95):
        low, high = stats.t.interval(level, 61, np.mean(more), stats.sem(more))
        assert share_of(hits, rows, level)[1:] == pytest.approx((low, high))
    assert share_of(np.ones(60), rows)[1:] == (pytest.approx(0.025 ** (1 / 60)), 1)
    assert math.isnan(share_of(np.ones(60), np.zeros(60)).low) and math.isnan(share_of(np.ones(0), rows[:0]).value)


def test_every_interim_analysis_holds_at_once_where_answers_are_yes_and_no(tmp_path: Path) -> None:
    """Five analyses of 30 items, 5 % of which are lost: the true loss is in all five intervals, as it says."""
    rng, held = np.random.default_rng(1), 0
    for draw in range(40):
        path, inside = tmp_path / f"{draw}.jsonl", []
        before = (rng.random(30) < 0.9) * 1.0
        for _ in range(5):
            lost = rng.random(30) < 0.05
            (found,) = check(one((before * ~lost).tolist()), against=one(before.tolist()), history=path).regressions
            assert found.high > found.low
            assert found.worse == (found.high < 0)
            inside.append(found.low <= -0.05 * 0.9 <= found.high)
        held += all(inside)
    assert held >= 38


# ---- What is always so


def values_of(kind: str, rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    if kind == "yes and no":
        first = (rng.random(n) < 0.8) * 1.0
        return first, np.where(rng.random(n) < 0.1, 1 - first, first)
    first = rng.uniform(0.2, 0.9, n)
    if kind == "zero-inflated":
        return first, np.where(rng.random(n) < 0.2, rng.uniform(0.2, 0.9, n), first)
    if kind == "equal":
        return first, first.copy()
    return (first, rng.uniform(0.2, 0.9, n)) if kind == "smooth" else (10 * first - 8, 10 * rng.uniform(0, 1, n) - 8)


KINDS = ("smooth", "unlimited", "zero-inflated", "equal", "yes and no")
Clusters = Callable[[np.random.Generator, int], "np.ndarray | None"]
CLUSTERED: dict[str, Clusters] = {
    "alone": lambda _, n: None,
    "in pairs": lambda _, n: np.arange(n) // 2,
    "in unequal clusters": lambda rng, n: rng.permutation((1.5 * np.sqrt(np.arange(n))).astype(int)),
}
always = pytest.mark.parametrize("kind", KINDS)
clustered = pytest.mark.parametrize("of", CLUSTERED.values(), ids=CLUSTERED)


@always
@clustered
def test_an_exchange_of_the_systems_exchanges_the_signs(kind: str, of: Clusters) -> None:
    rng = np.random.default_rng(3)
    for n in (6, 13, 30):
        a, b = values_of(kind, rng, n)
        clusters = of(rng, n)
        there, back = difference(a, b, clusters, margin=0.1), difference(b, a, clusters, margin=0.1)
        assert_allclose((back.difference, back.low, back.high), (-there.difference, -there.high, -there.low))
        assert_allclose((back.p, back.alike, back.effect), (there.p, there.alike, -there.effect), rtol=1e-9)
        assert (back.needed, {back.better, there.better}) == (there.needed, {"A", "B"} if there.better else {None})
        turned = compare(two(-a, -b, clusters, higher_is_better=False), "A", "B", margin=0.1).records[0]
        if kind == "unlimited":
            assert_allclose((turned.no_worse, turned.low), (there.no_worse, -there.high), rtol=1e-9)
            assert turned.better == there.better


@always
@clustered
def test_clusters_never_make_it_shorter(kind: str, of: Clusters) -> None:
    rng = np.random.default_rng(4)
    for n in (6, 13, 30):
        a, b = values_of(kind, rng, n)
        clusters = of(rng, n)
        alone, together = difference(a, b, margin=0.3), difference(a, b, clusters, margin=0.3)
        assert together.low <= alone.low < alone.high <= together.high
        assert together.p >= alone.p and together.no_worse >= alone.no_worse and together.alike >= alone.alike
        assert length(score(a, clusters)) >= length(score(a)) > 0
        if clusters is not None and kind == "yes and no":
            assert share_of(a, clusters).low <= share_of(a, np.arange(n)).low


@always
@clustered
def test_a_margin_test_agrees_with_its_interval(kind: str, of: Clusters) -> None:
    """One-sided at .05 it says what the interval of 90 % does."""
    rng = np.random.default_rng(5)
    for n in (6, 13, 30):
        a, b = values_of(kind, rng, n)
        table = two(a, b, of(rng, n))
        for margin in (0.02, 0.1, 0.3, 1.0, 3.0):
            (pair,) = compare(table, "A", "B", margin=margin, confidence=0.9).records
            assert (pair.no_worse < 0.05) == (pair.low > -margin)
            assert (pair.alike < 0.05) == (-margin < pair.low and pair.high < margin)
            now, before = (
                ScoreTable([("s", str(item)) for item in range(n)], {"M": Column(("score",), each[:, None])}, {})
                for each in (a, b)
            )
            if table.clusters is None:
                (gate,) = check(now, against=before, margin=margin, at_least=-99).regressions
                assert gate.worse == (not pair.low > -margin) and gate.no_worse == pair.no_worse
        (pair,) = compare(table, "A", "B").records
        assert (pair.p < 0.05) == (not pair.low <= 0 <= pair.high)


@always
@clustered
def test_a_copy_of_all_rows_never_makes_it_longer(kind: str, of: Clusters) -> None:
    rng = np.random.default_rng(6)
    for n in (6, 13, 30):
        a, b = values_of(kind, rng, n)
        clusters = of(rng, n)
        twice = None if clusters is None else np.concatenate([clusters, clusters + n])
        assert length(difference(np.tile(a, 2), np.tile(b, 2), twice)) <= length(difference(a, b, clusters)) + 1e-9
        assert length(score(np.tile(a, 2), twice)) <= length(score(a, clusters)) + 1e-9


def test_more_losses_never_make_a_difference_or_a_share_shorter() -> None:
    for n in (8, 20, 41):
        pairs = [difference(np.array([0.0] * lost + [1.0] * (n - lost)), np.ones(n)) for lost in range(n // 3 + 1)]
        shares = [share_of(np.array([0.0] * lost + [1.0] * (n - lost)), np.arange(n)) for lost in range(n // 2 + 1)]
        assert np.diff([length(pair) for pair in pairs]).min() > 0
        assert np.diff([share.high - share.low for share in shares]).min() > 0
        spread = np.arange(n) // 2  # a cluster each
        some = [
            score(np.isin(np.arange(n), 2 * np.arange(lost), invert=True) * 1.0, spread) for lost in range(n // 8 + 1)
        ]
        assert np.diff([length(one) for one in some]).min() > 0


def test_a_constant_shifts_scores_without_limits() -> None:
    rng = np.random.default_rng(7)
    a, b = values_of("unlimited", rng, 20)
    before, after = score(a), score(a + 50)
    assert (after.low, after.high) == pytest.approx((before.low + 50, before.high + 50))
    (there, here) = difference(a, b), difference(a + 50, b + 50)
    assert (here.low, here.high, here.p) == pytest.approx((there.low, there.high, there.p))

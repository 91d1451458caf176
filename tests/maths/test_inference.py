"""Intervals and tests of means: golden lines, a literal second implementation, and what holds for every input."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nlgauge.maths.inference import UNLIMITED, Inference, Measured, Share, mean_of, statistic_of

stats = pytest.importorskip("scipy.stats", reason="needs the dependency group parity")

YES_NO, GAIN = (0.0, 1.0), (-1.0, 1.0)


class Given(NamedTuple):
    """What `mean_of` is asked."""

    values: np.ndarray
    limits: tuple[float, float]
    clusters: np.ndarray | None = None
    magnitude: float | None = None
    ends: bool = False

    def said(self, *, alone: bool = False) -> Inference:
        clusters = None if alone else self.clusters
        return mean_of(self.values, self.limits, clusters, magnitude=self.magnitude, ends=self.ends)


# ---- By hand


def test_five_equal_differences_of_yes_and_no_are_no_proof() -> None:
    """Bonett and Price: 0 five times, 1 and -1. Error sqrt(2 / (7 * 6)), six degrees of freedom, t = 2.446912."""
    said = mean_of(np.zeros(5), GAIN)
    assert said.interval() == pytest.approx((-0.533960, 0.533960), abs=1e-6)
    assert said.above(-0.001) == pytest.approx(0.498, abs=1e-3) and said.p() == 1
    assert said.needed(0.95, 0.8, 0.001, sides=1) > 1e6


def test_twelve_values_of_point_nine() -> None:
    """0 and 1 beside them: mean 11.8 / 14, squares .774286, error sqrt(.774286 / (14 * 13)), t = 2.160369."""
    said = mean_of(np.full(12, 0.9), YES_NO)
    assert said.interval() == pytest.approx((0.701947, 0.983767), abs=1e-6) and said.value == 0.9
    assert_allclose(mean_of(np.full(12, 0.9), UNLIMITED).interval(), t_interval([0.9] * 12 + [0.0, 1.8]))


def test_failures_beside_equal_values_are_as_far_as_those_seen_and_the_end_of_the_scale() -> None:
    three = np.array([0.95] * 16 + [0.2] * 3)
    away = math.sqrt((3 * 0.75**2 + 0.95**2) / 4)
    assert_allclose(mean_of(three, YES_NO).interval(), t_interval([*three, 0.95 - away, 1.0]))
    spread = np.array([0.95] * 16 + [0.2, 0.4, 0.6, 0.8])
    away = math.sqrt((0.75**2 + 0.55**2 + 0.35**2 + 0.15**2 + 0.95**2) / 5)
    assert_allclose(mean_of(spread, YES_NO).interval(), t_interval([*spread, 0.95 - away, 1.0]))


def test_a_side_without_a_limit_has_the_larger_of_distance_and_magnitude() -> None:
    far = np.array([-5.0] * 6 + [5.0])
    assert_allclose(mean_of(far, UNLIMITED).interval(), t_interval([*far, -15.0, 5.0]))
    lengths = np.array([33.0, *[35.0] * 5, 36.0, 36.0])
    more = 35 - math.sqrt((2**2 + 35**2) / 2), 35 + math.sqrt((1 + 1 + 36**2) / 3)
    assert_allclose(mean_of(lengths, (0.0, math.inf)).interval(), t_interval([*lengths, *more]))
    assert_allclose(mean_of(np.full(6, 7.0), (0.0, math.inf)).interval(), t_interval([*[7.0] * 6, 0.0, 14.0]))
    assert_allclose(mean_of(np.zeros(9), (-1.0, 3.0)).interval(), t_interval([*[0.0] * 9, -1.0, 3.0]))


def t_interval(values: list[float], level: float = 0.95) -> tuple[float, float]:
    return tuple(stats.t.interval(level, len(values) - 1, np.mean(values), stats.sem(values)))


def test_shares_have_wilsons_interval_and_the_exact_one_at_an_end() -> None:
    said = mean_of(np.array([1.0] * 57 + [0.0] * 3), YES_NO)
    assert said.interval() == pytest.approx((0.862995, 0.982850), abs=1e-6)
    z = (0.95 - 0.9) / math.sqrt(0.9 * 0.1 / 60)
    assert said.p(0.9) == pytest.approx(2 * stats.norm.sf(z)) and said.above(0.9) == pytest.approx(stats.norm.sf(z))
    every = mean_of(np.ones(60), YES_NO)
    assert every.interval() == (pytest.approx(0.025 ** (1 / 60)), 1) and every.above(0.9) == pytest.approx(0.9**60)
    none = mean_of(np.zeros(60), YES_NO)
    assert none.interval() == (0, pytest.approx(1 - 0.025 ** (1 / 60))) and none.below(0.1) == pytest.approx(0.9**60)
    five = mean_of(np.array([5.0] * 57 + [1.0] * 3), (1.0, 5.0))
    assert five.interval() == pytest.approx((1 + 4 * 0.862995, 1 + 4 * 0.982850), abs=1e-5)
    assert five.above(4.6) == pytest.approx(stats.norm.sf(z)) and five.value == pytest.approx(4.8)
    # Agresti and Coull: one more item of each kind.
    assert said.error == pytest.approx(stats.sem([1.0] * 58 + [0.0] * 4)) == five.error / 4
    assert (said.laws[0].centre, five.laws[0].centre) == pytest.approx((58 / 62, 1 + 4 * 58 / 62))
    assert mean_of(np.array([0.0, 0.0, 1.0]), YES_NO).detectable(0.95, 0.8) == pytest.approx(
        (stats.t.ppf(0.975, 4) + stats.t.ppf(0.8, 4)) * stats.sem([0, 0, 1, 0, 1])
    )


def test_a_second_rater_who_differs_once_moves_the_interval_a_little() -> None:
    """Of 60 rows 57 are right, which is from .863 to .983; one of them has a yes and a no: Student's t of 62 values."""
    halved = np.array([1.0] * 56 + [0.0] * 3 + [0.5])
    said = mean_of(halved, YES_NO, ends=True)
    assert said.interval() == pytest.approx((0.863, 0.992), abs=5e-4)
    assert_allclose(said.interval(), t_interval([*halved, 0.0, 1.0]))
    assert said.interval() != mean_of(halved, YES_NO).interval(), "whose failures are as far as the four seen"


def test_a_hundred_of_a_hundred_in_twenty_clusters() -> None:
    """A group of 0 and one of 1 beside 20 of 1: centre 21 / 22, error 1 / 22, t = 2.079614 of 21. One more error does
    not make it shorter."""
    clusters, values = np.repeat(np.arange(20), 5), np.ones(100)
    assert mean_of(values, YES_NO, clusters).interval() == (pytest.approx(21 / 22 - 2.079614 / 22, abs=1e-6), 1)
    values[0] = 0
    assert mean_of(values, YES_NO, clusters).interval()[0] < 0.85


def test_nothing_is_said_of_one_value_of_infinity_and_of_one_cluster() -> None:
    for said in (
        mean_of(np.array([]), YES_NO),
        mean_of(np.array([0.5]), YES_NO),
        mean_of(np.array([1.0]), YES_NO),
        mean_of(np.array([1.0, math.inf]), UNLIMITED),
        mean_of(np.ones(4), YES_NO, np.zeros(4, int)),
        mean_of(np.arange(42.0), UNLIMITED, np.array([0] * 40 + [1, 2])),
        mean_of(np.zeros(9), UNLIMITED),
    ):
        assert not said.laws and np.isnan(said.measured()[1:]).all()
        assert np.isnan([said.p(), said.above(-9), said.below(9), said.error, said.detectable(0.95, 0.8)]).all()
        assert math.isnan(said.needed(0.95, 0.8, 1))
    few = mean_of(np.arange(42.0), UNLIMITED, np.array([0] * 40 + [1, 2]))
    assert (few.value, few.n, few.groups) == (20.5, 42, 3) and few.effective == pytest.approx(42**2 / 1602)
    assert mean_of(np.arange(4.0), UNLIMITED, np.array([0, 0, 1, 1])).laws, "two equal clusters are enough"
    assert Measured() == pytest.approx((math.nan,) * 3, nan_ok=True)


def test_an_error_that_rounding_leaves_is_none() -> None:
    away = mean_of(np.array([0.9, 0.9, 0.9 + 1e-9, 0.9 - 1e-9, 0.9]), YES_NO).interval()
    assert_allclose(away, mean_of(np.full(5, 0.9), YES_NO).interval(), atol=1e-8)
    assert mean_of(np.array([1e-4, -1e-4, 0.0, 3e-4]), GAIN, magnitude=1.0).error < 2e-4, "and these differ"
    assert mean_of(np.array([1e-6, -1e-6, 0.0, 3e-6]), GAIN, magnitude=1.0).error > 0.2


# ---- A literal second implementation


def leave_one_out(sums: np.ndarray, sizes: np.ndarray, added: int = 0) -> tuple[float, float, float]:
    """The mean of groups, its error by leaving each out, and the degrees of freedom. The last `added` were not seen."""
    every, groups = sums.sum() / sizes.sum(), len(sizes)
    away = []
    for n in range(groups):
        rest = [m for m in range(groups) if m != n]
        away.append(sums[rest].sum() / sizes[rest].sum() - every)
    freedom = sizes.sum() ** 2 / (sizes**2).sum() - 1
    if len(set(sizes.tolist())) > 1:
        seen = away[: groups - added]
        fourth, squared = sum(one**4 for one in seen), sum(one**2 for one in seen) ** 2
        noise = fourth / squared - 1 / len(seen) if squared else 0
        freedom = min(freedom, max(1, 2 / noise) + added if noise > 1e-12 else math.inf)
    return every, math.sqrt((groups - 1) / groups * sum(one**2 for one in away)), max(1.0, freedom)


def two_more(means: np.ndarray, weights: np.ndarray, given: Given, magnitude: float) -> list[float]:
    """The two values that are added, or none."""
    low, high = given.limits
    at_ends = {low, high, *([0.0] if low == -high else [])}
    if given.ends or (math.isfinite(low) and set(given.values.tolist()) <= at_ends):
        return [low, high]
    close = 1e-5 * magnitude
    counts = {one: sum(one <= other <= one + close for other in means) for one in means}
    most = [one for one in means if counts[one] == max(counts.values())]
    if 2 * max(counts.values()) < len(means) or max(most) - min(most) > close:
        return []
    common = np.mean([np.mean([other for other in means if one <= other <= one + close]) for one in most])
    added = []
    for side, limit in ((-1, low), (1, high)):
        beyond = [(side * (one - common), w) for one, w in zip(means, weights, strict=True)]
        end = abs(limit - common) if math.isfinite(limit) else max(magnitude, *(abs(one) for one, _ in beyond))
        seen = [(far, w) for far, w in beyond if far > close] + [(end, sum(weights) / len(weights))]
        added.append(common + side * math.sqrt(sum(w * far**2 for far, w in seen) / sum(w for _, w in seen)))
    return added


def laws(given: Given) -> list[tuple[float, float, float] | None]:
    """Centre, error and degrees of freedom of each Student's t, step by step; None is Wilson's interval."""
    values, (low, high) = given.values, given.limits
    of = np.arange(len(values)) if given.clusters is None else given.clusters
    members = [np.flatnonzero(of == one) for one in sorted(set(of.tolist()))]
    effective = len(values) ** 2 / sum(len(one) ** 2 for one in members)
    if len(members) < 2 or effective < 2:
        return []
    magnitude = np.abs(values).max() if given.magnitude is None else given.magnitude
    singles = [np.array([n]) for n in range(len(values))]
    made: list[tuple[float, float, float] | None] = []
    for groups in [singles] if len(members) == len(values) else [singles, members]:
        if groups is singles and set(values.tolist()) <= {low, high} and low != -high:
            made.append(None)
            continue
        sizes = np.array([float(len(one)) for one in groups])
        sums = np.array([values[one].sum() for one in groups])
        more = two_more(sums / sizes, sizes, given, magnitude)
        sums, sizes = np.append(sums, np.array(more) * sizes.mean()), np.append(sizes, [sizes.mean()] * len(more))
        made.append(leave_one_out(sums, sizes, len(more)))
    return made


def literal(given: Given, level: float) -> tuple[float, float]:
    """The interval of `mean_of`, step by step."""
    values, (low, high) = given.values, given.limits
    ends: list[float] = []
    for law in laws(given):
        if law is None:
            share = (values.mean() - low) / (high - low)
            ends += [low + (high - low) * one for one in wilson(share, len(values), level)]
        else:
            ends += stats.t.interval(level, law[2], law[0], law[1])
    if not ends:
        return math.nan, math.nan
    return max(low, min(*ends, values.mean())), min(high, max(*ends, values.mean()))


def literal_p(value: float, laws: list[tuple[float, float, float]], bound: float = 0.0, side: int = 0) -> float:
    """p that the truth is not above the bound (side 1), not below it (side -1), or the bound itself (0), by scipy."""
    if not laws:
        return math.nan
    if not side:
        return min(1, 2 * min(literal_p(value, laws, bound, one) for one in (1, -1)))
    least = 0.0 if side * (value - bound) > 0 else 0.5
    return max(least, *(stats.t.sf(side * (centre - bound) / error, freedom) for centre, error, freedom in laws))


def wilson(share: float, n: int, level: float) -> list[float]:
    """The shares p with (share - p)^2 = z^2 p (1 - p) / n; where all are alike, that which gives this too seldom."""
    if share in (0, 1):
        return [share, abs(1 - share - ((1 - level) / 2) ** (1 / n))]
    z2 = stats.norm.ppf((1 + level) / 2) ** 2 / n
    return np.roots([1 + z2, -2 * share - z2, share**2]).real.tolist()


def zero_inflated(rng: np.random.Generator, n: int) -> Given:
    return Given(np.where(rng.random(n) < rng.uniform(0, 0.6), rng.uniform(-0.5, 0.3, n), 0.0), GAIN, magnitude=0.9)


KINDS: dict[str, Callable[[np.random.Generator, int], Given]] = {
    "smooth": lambda rng, n: Given(rng.normal(2, 1, n), UNLIMITED),
    "shares of words": lambda rng, n: Given(rng.uniform(0.2, 0.95, n), YES_NO),
    "mostly alike": lambda rng, n: Given(
        np.where(rng.random(n) < rng.uniform(0, 0.6), rng.choice([0.2, 0.5, 0.7], n), 0.95), YES_NO
    ),
    "zero-inflated": zero_inflated,
    "zero-inflated, unlimited": lambda rng, n: zero_inflated(rng, n)._replace(limits=UNLIMITED, magnitude=2.0),
    "distances": lambda rng, n: Given(np.where(rng.random(n) < 0.3, rng.exponential(2, n), 0.5), (0.0, math.inf)),
    "two values": lambda rng, n: Given(np.repeat(rng.random(2), [n // 2, n - n // 2]), YES_NO),
    "yes and no": lambda rng, n: Given((rng.random(n) < rng.choice([0.5, 0.9, 1])) * 1.0, YES_NO),
    "gains and losses": lambda rng, n: Given(rng.choice([-1.0, 0, 1], n, p=[0.1, 0.8, 0.1]), GAIN, magnitude=1.0),
    "two raters": lambda rng, n: Given(rng.choice([0, 0.5, 1], n, p=[0.1, 0.1, 0.8]), YES_NO, ends=True),
    "one to five": lambda rng, n: Given(rng.choice([1.0, 4, 5], n, p=[0.1, 0.2, 0.7]), (1.0, 5.0)),
}


def drawn(kind: str, draws: int, clustered: bool | None = None) -> Iterator[Given]:
    """Values of a kind: alone, in groups of one, of two, and of unequal sizes; None: all of these."""
    rng = np.random.default_rng(len(kind))
    for draw in range(draws):
        n = int(rng.integers(2, 30))
        given = KINDS[kind](rng, n)
        of = (None, rng.permutation(n), rng.permutation(n) // 2, rng.integers(0, max(2, n // 2), n))
        yield given._replace(clusters=of[draw % 4] if clustered is None else of[2 + draw % 2] if clustered else None)


@pytest.mark.parametrize("kind", KINDS)
def test_intervals_are_those_of_the_literal_steps(kind: str) -> None:
    for given in drawn(kind, 60):
        for level in (0.5, 0.95):
            assert_allclose(given.said().interval(level), literal(given, level), rtol=1e-9, atol=1e-12)


def test_means_of_values_that_differ_have_students_t_of_scipy() -> None:
    rng = np.random.default_rng(2)
    for n in (2, 3, 8, 40):
        a, b = rng.normal(1, 1, n), rng.normal(1.3, 1, n)
        said, test = mean_of(a - b, UNLIMITED), stats.ttest_rel(a, b)
        assert said.p() == pytest.approx(test.pvalue) and said.p(0.2) == pytest.approx(
            stats.ttest_1samp(a - b, 0.2).pvalue
        )
        assert_allclose(said.interval(0.9), test.confidence_interval(0.9))
        for bound in (-0.4, 0.3):
            assert said.above(bound) == pytest.approx(
                stats.ttest_1samp(a - b, bound, alternative="greater").pvalue
                if said.value > bound
                else max(0.5, stats.ttest_1samp(a - b, bound, alternative="greater").pvalue)
            )
            assert said.above(bound) + said.below(bound) == pytest.approx(1)
        assert (said.value, said.n, said.groups, said.effective) == (pytest.approx((a - b).mean()), n, n, n)


def ratio(counts: np.ndarray) -> np.ndarray:
    return 100 * counts[..., 0] / counts[..., 1]


def brief(counts: np.ndarray) -> np.ndarray:
    """Matches over words, less for candidates that are shorter than their references, as BLEU."""
    return 100 * np.minimum(1, np.exp(1 - counts[..., 3] / counts[..., 2])) * counts[..., 0] / counts[..., 1]


def counts_of(rng: np.random.Generator, n: int) -> np.ndarray:
    words = rng.integers(5, 40, n)
    return np.stack([rng.binomial(words, 0.6), words, words, words + rng.integers(-3, 6, n)], 1).astype(float)


def pseudo_values(counts: np.ndarray, formula: Callable[[np.ndarray], np.ndarray], of: np.ndarray) -> np.ndarray:
    """The sum of each group's values: n times the number, less what is left of it without the group."""
    n, every, sums = len(counts), formula(counts.sum(0)), []
    for one in sorted(set(of.tolist())):
        rest = of != one
        sums.append(n * every - rest.sum() * formula(counts[rest].sum(0)))
    sizes = np.bincount(of)
    return np.array(sums) + (n * every - sum(sums)) * sizes / n


@pytest.mark.parametrize("formula", [ratio, brief])
@pytest.mark.parametrize("sizes", [[1] * 12, [2] * 8, [1, 2, 3, 4, 1, 6, 2, 3]], ids=str)
def test_numbers_of_all_items_together_are_those_of_a_literal_jackknife(
    formula: Callable[[np.ndarray], np.ndarray], sizes: list[int]
) -> None:
    rng, of = np.random.default_rng(sum(sizes)), np.repeat(np.arange(len(sizes)), sizes)
    for _ in range(5):
        counts = counts_of(rng, len(of))
        said = statistic_of(counts, formula, (0.0, 100.0), of)
        ends = []
        for groups in (np.arange(len(of)), of):
            centre, error, freedom = leave_one_out(
                pseudo_values(counts, formula, groups), np.bincount(groups).astype(float)
            )
            ends += stats.t.interval(0.95, freedom, centre, error)
        assert said.value == pytest.approx(formula(counts.sum(0)))
        assert_allclose(said.interval(), (min(ends), max(ends)), rtol=1e-9)
        assert (said.n, said.groups) == (len(of), len(sizes))
    assert statistic_of(counts[:1], formula).laws == () and math.isnan(statistic_of(counts[:0], formula).value)


def test_items_whose_two_outputs_are_equal_do_not_move_a_difference() -> None:
    """Of 20 items 17 are equal, so two more stand beside them, between the other three and the ends of the scale."""
    counts = counts_of(np.random.default_rng(5), 20)[:, :2]
    other = counts.copy()
    other[:3, 0] -= [2, 3, 1]
    both = np.concatenate([counts, other], 1)

    def gain(of: np.ndarray) -> np.ndarray:
        return ratio(of[..., :2]) - ratio(of[..., 2:])

    alike = (counts == other).all(1)
    said = statistic_of(both, gain, (-100.0, 100.0), alike=alike)
    values = pseudo_values(both, gain, np.arange(20))
    values[3:] = values[3:].mean()
    common, away = values[3], values[:3] - values[3]
    assert (away > 0).all()
    high = common + math.sqrt((away @ away + (100 - common) ** 2) / 4)
    assert_allclose(said.interval(), t_interval([*values, -100.0, high]), rtol=1e-9)
    assert said.value > 0 and said.p() > 0.05
    # Without limits, the larger of the two numbers stands for the end of the scale.
    every = np.ones(20, bool)
    same = statistic_of(np.concatenate([counts, counts], 1), gain, alike=every, magnitude=60.0)
    assert_allclose(same.interval(), t_interval([*[0.0] * 20, -60.0, 60.0])) and same.p() == 1
    same = statistic_of(np.concatenate([counts, counts], 1), gain, (-100.0, 100.0), alike=np.ones(20, bool))
    assert_allclose(same.interval(), t_interval([*[0.0] * 20, -100.0, 100.0])) and same.value == 0


# ---- What holds for every input

LEVELS = (0.05, 0.5, 0.8, 0.95, 0.99)


@pytest.mark.parametrize("kind", KINDS)
def test_p_and_interval_agree_at_every_level(kind: str) -> None:
    for given in drawn(kind, 40):
        said = given.said()
        if not said.laws:
            continue
        for level in LEVELS:
            low, high = said.interval(level)
            away = 1e-6 * (high - low)
            bounds = [low - away, low + away, high - away, high + away, said.value, 0.0, (low + high) / 2, -2.0, 6.0]
            for bound in bounds:
                assert said.p(bound) <= 1
                assert (said.p(bound) < 1 - level) == (not low <= bound <= high), (given, level, bound)
                assert (said.above(bound) < (1 - level) / 2) == (bound < low)
                assert (said.below(bound) < (1 - level) / 2) == (bound > high)


@pytest.mark.parametrize("kind", KINDS)
def test_no_interval_is_empty_leaves_the_limits_or_is_shorter_for_groups(kind: str) -> None:
    for given in drawn(kind, 120):
        said, alone = given.said(), given.said(alone=True)
        (low, high), (of_items, to_items) = said.interval(), alone.interval()
        if said.laws:
            assert given.limits[0] <= low <= said.value <= high <= given.limits[1] and high - low > 1e-3
            assert low <= of_items <= to_items <= high and said.p() >= alone.p()
            assert said.error >= alone.error
        assert said.value == alone.value


@pytest.mark.parametrize("kind", KINDS)
def test_an_exchange_of_the_two_sides_exchanges_the_ends(kind: str) -> None:
    for given in drawn(kind, 60):
        around = sum(given.limits) if np.isfinite(given.limits).all() else 0.0
        limits = (around - given.limits[1], around - given.limits[0])
        said, turned = given.said(), given._replace(values=around - given.values, limits=limits).said()
        (low, high), found = said.interval(), turned.interval()
        assert_allclose(found, (around - high, around - low), atol=1e-9)
        assert_allclose(turned.below(around - 0.3), said.above(0.3), atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_items_twice_are_no_less_certain(kind: str) -> None:
    for given in drawn(kind, 60):
        low, high = given.said().interval()
        if given.clusters is not None:
            again = given.clusters + given.clusters.max() + 1
            twice = given._replace(values=np.tile(given.values, 2), clusters=np.append(given.clusters, again))
            within = twice._replace(clusters=np.tile(given.clusters, 2)).said().interval()
            if len(set(given.clusters.tolist())) < len(given.values):  # single yes and no have Wilson's interval
                assert not within[1] - within[0] > (high - low) * (1 + 1e-9)
        else:
            twice = given._replace(values=np.tile(given.values, 2))
        of, to = twice.said().interval()
        assert not to - of > (high - low) * (1 + 1e-9), given


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_one_more_error_of_independent_answers_never_makes_it_shorter(level: float) -> None:
    """Losses beside a system that is right on each: up to a third, because one gain stands beside them."""
    for n in range(4, 41):
        for limits, good, most in ((YES_NO, 1.0, n // 2), (GAIN, 0.0, n // 3)):
            ends = np.array(
                [
                    mean_of(np.array([limits[0]] * bad + [good] * (n - bad)), limits).interval(level)
                    for bad in range(most + 1)
                ]
            )
            lengths = ends[:, 1] - ends[:, 0]
            assert (np.diff(lengths) > 0).all() or lengths.max() == 2, (n, limits, ends)
            assert (np.diff(ends, axis=0) < 0).all() or limits == GAIN


@pytest.mark.parametrize("sizes", [[5] * 20, [3] * 40, [6] * 10, [1, 2, 3, 4, 5, 1, 1, 8, 2, 3, 2, 3, 4, 1]], ids=str)
def test_errors_in_groups_never_make_it_shorter_than_without_any(sizes: list[int]) -> None:
    """While a quarter of the groups at most has an error, each more makes it longer."""
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    firsts, rng = np.unique(clusters, return_index=True)[1], np.random.default_rng(1)
    for order in (rng.permutation(len(clusters)), np.arange(len(clusters)), firsts):
        values, lengths = np.ones(len(clusters)), []
        for bad in range(min(len(order), len(clusters) // 2) + 1):
            values[order[:bad]] = 0
            low, high = mean_of(values, YES_NO, clusters).interval()
            lengths.append(high - low)
        assert min(lengths) == lengths[0]
        few = lengths[: len(sizes) // 4 + 1] if max(sizes) == min(sizes) else lengths[:2]
        assert np.diff(few).min() > 0


@pytest.mark.parametrize("kind", ["smooth", "zero-inflated, unlimited"])
def test_a_constant_shifts_values_without_limits(kind: str) -> None:
    """Of values that are mostly alike, as long as what they were made of stays as large."""
    for given in drawn(kind, 40):
        low, high = given.said().interval()
        assert_allclose(given._replace(values=given.values + 3).said().interval(), (low + 3, high + 3), rtol=1e-9)


def test_test_and_interval_say_the_same_where_the_laws_lie_apart() -> None:
    """A rare design: the centre of each law is on one side of the value."""
    said = Inference(0.5, 9, 9, 9.0, (*mean_of(np.full(9, 0.2), GAIN).laws, *mean_of(np.full(9, 0.8), GAIN).laws))
    for level in LEVELS:
        low, high = said.interval(level)
        for bound in np.linspace(-0.5, 1.5, 41):
            assert (said.p(bound) < 1 - level) == (not low <= bound <= high)


def test_a_bound_at_the_end_of_the_scale_is_certain_once_it_was_passed() -> None:
    law = Share(0.9, 10, YES_NO)
    assert law.above(0) == 0 and law.below(1) == 0 and law.above(1) == 1 and law.below(0) == 1
    assert Share(0.0, 10, YES_NO).above(0) == 1
    assert mean_of(np.array([0.2, 0.3, 0.1]), GAIN).above(-1.5) == 0
    assert mean_of(np.array([0.2, 0.3, 0.1]), GAIN).below(1.5) == 0


# ---- Planning


def test_what_is_needed_is_the_least_number_that_shows_it() -> None:
    for kind in KINDS:
        for given in drawn(kind, 4, clustered=False):
            said = given.said()
            for size in (0.02, -0.1, 0.7, 2 * said.error, 5 * said.error):
                for sides in (1, 2):
                    needed = said.needed(0.95, 0.8, size, sides)
                    assert said.detectable(0.95, 0.8, needed, sides) <= abs(size)
                    assert needed == 2 or said.detectable(0.95, 0.8, needed - 1, sides) > abs(size)
            assert said.needed(0.95, 0.8, 0) == math.inf and said.needed(0.95, 0.8, 1e-300) == math.inf
            assert (
                said.detectable(0.95, 0.8, 2 * said.n)
                < said.detectable(0.95, 0.8)
                == said.detectable(0.95, 0.8, said.n)
            )


@pytest.mark.parametrize("confidence", [0.8, 0.99999])
def test_plans_of_every_confidence_are_the_least_number(confidence: float) -> None:
    said = mean_of(np.random.default_rng(4).normal(size=12), UNLIMITED)
    for size in np.geomspace(0.01, 5, 60) * said.error:
        needed = said.needed(confidence, 0.8, float(size))
        assert said.detectable(confidence, 0.8, needed) <= size
        assert needed == 2 or said.detectable(confidence, 0.8, needed - 1) > size


def test_the_plan_takes_the_larger_error_and_the_fewer_degrees_of_freedom_of_groups() -> None:
    """Ten groups of three: of half and of twice as many items there are 5 and 20."""
    rng = np.random.default_rng(8)
    values, clusters = np.repeat(rng.normal(size=10), 3) + rng.normal(size=30) / 9, np.repeat(np.arange(10), 3)
    said, means = mean_of(values, UNLIMITED, clusters), values.reshape(10, 3).mean(1)
    assert said.error == pytest.approx(stats.sem(means))
    for items, groups in ((15, 5), (30, 10), (60, 20)):
        t = stats.t.ppf(0.975, groups - 1) + stats.t.ppf(0.8, groups - 1)
        assert said.detectable(0.95, 0.8, items) == pytest.approx(t * means.std(ddof=1) / math.sqrt(groups))


def test_the_mean_of_equal_values_is_the_value() -> None:
    for n in range(2, 40):
        assert mean_of(np.full(n, 0.1), YES_NO).value == 0.1


def test_what_the_items_show_is_found_in_eighty_studies_of_a_hundred() -> None:
    pilot = np.random.default_rng(3).normal(size=40)
    pilot = (pilot - pilot.mean()) / pilot.std(ddof=1)
    shown = mean_of(pilot, UNLIMITED).detectable(0.95, 0.8, 60)
    assert shown == pytest.approx((stats.t.ppf(0.975, 59) + stats.t.ppf(0.8, 59)) / math.sqrt(60))
    t, df = stats.t.ppf(0.975, 59), 59
    power = stats.nct.sf(t, df, shown * math.sqrt(60)) + stats.nct.cdf(-t, df, shown * math.sqrt(60))
    assert power == pytest.approx(0.8, abs=0.005)


@pytest.mark.parametrize("sides", [1, 2])
def test_the_needed_items_find_a_difference_of_yes_and_no_as_often_as_wanted(sides: int) -> None:
    """Losses in 16 %, gains in 4 %; one-sided, a margin of .12 where the two are equal, with 10 % of each."""
    rng = np.random.default_rng(6)
    pilot = np.repeat([-1.0, 0, 1], [32, 160, 8] if sides == 2 else [20, 160, 20])
    needed = int(mean_of(pilot, GAIN).needed(0.95, 0.8, -0.12, sides))
    studies = rng.choice(pilot, (400, needed))
    tests = [mean_of(study, GAIN) for study in studies]
    found = [one.p() < 0.05 if sides == 2 else one.above(-0.12) < 0.05 for one in tests]
    assert np.mean(found) == pytest.approx(0.8, abs=0.06), needed

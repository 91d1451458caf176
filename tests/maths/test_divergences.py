"""Information measures: figures of an independent computation, identities, limits and properties."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlgauge.maths.divergences import DIRECTIONS, MEASURES, Measure, Vector, symmetrised, symmetrised_contributions

INF = math.inf


def logs(*probabilities: float) -> Vector:
    with np.errstate(divide="ignore"):
        return np.log(np.asarray(probabilities, dtype=np.float64))


def normalised(scores: Vector) -> Vector:
    top = scores.max()
    return scores - (top + math.log(np.exp(scores - top).sum()))


def alpha(a: float) -> Measure:
    return Measure("alpha", alpha=a)


def gamma(b: float) -> Measure:
    return Measure("gamma", beta=b)


def ab(a: float, b: float) -> Measure:
    return Measure("ab", alpha=a, beta=b)


def renyi(a: float) -> Measure:
    return Measure("renyi", alpha=a)


KL = Measure("kl")

P, Q = logs(0.4, 0.3, 0.15, 0.1, 0.05), logs(0.25, 0.25, 0.25, 0.15, 0.1)
P_SPARSE, Q_SPARSE = logs(0.7, 0.3, 0, 0), logs(0, 0.1, 0.4, 0.5)
P_SUB, Q_FULL = logs(0.5, 0.25, 0.25, 0), logs(0.25, 0.25, 0.25, 0.25)

# Computed from the definitions with the direct formulas, not with this library: D(p||q), D(q||p).
FULL_SUPPORT = [
    (KL, 0.09087020533276827, 0.09475959370379433),
    (alpha(-1), 0.10312500000000009, 0.09083333333333334),
    (alpha(0.25), 0.09340094022187988, 0.09146574741659937),
    (alpha(0.5), 0.09230649064957766, 0.09230649064957766),
    (alpha(0.75), 0.09146574741659937, 0.09340094022187988),
    (alpha(2), 0.09083333333333334, 0.10312500000000009),
    (alpha(3), 0.09449074074074072, 0.11720196759259262),
    (renyi(0.25), 0.023557116533226896, 0.023064785615219147),
    (renyi(0.5), 0.04669411297220716, 0.04669411297220716),
    (renyi(0.75), 0.06919435684565745, 0.07067134959968069),
    (renyi(2), 0.16692587131598113, 0.18751637367105878),
    (renyi(3), 0.22456375464788733, 0.2662578829851097),
    (gamma(0.25), 0.08670968798569989, 0.09084915239604552),
    (gamma(0.5), 0.08243369425830549, 0.0858019636982732),
    (gamma(1), 0.07416813828309499, 0.07416813828309499),
    (gamma(2), 0.06053438745375361, 0.05247405309434949),
    (gamma(3), 0.05082917144035415, 0.037231355226359675),
    (ab(0.5, 0.25), 0.09656127510189627, 0.09703976227760869),
    (ab(3, 0.25), 0.04295193408214182, 0.06364784001836525),
    (ab(1.25, 0.25), 0.08050185228215376, 0.08716546183791322),
    (ab(0.5, 0.5), 0.0933882259444152, 0.0933882259444152),
    (ab(1, 1), 0.07416813828309521, 0.07416813828309521),
    (ab(0.25, 0.75), 0.09422846613290876, 0.09225914246087659),
    (ab(2, -1), 0.08346293565799068, 0.09375818683552917),
    (ab(1, -1), 0.10076817701075139, 0.08998991415930366),
    (Measure("l1"), 0.4, 0.4),
    (Measure("l2"), 0.2, 0.2),
    (Measure("linf"), 0.15, 0.15),
    (Measure("fisher_rao"), 0.13703136126386983, 0.13703136126386983),
    (Measure("jensen_shannon"), 0.02295147756422998, 0.02295147756422998),
]
SPARSE = [
    (KL, INF, INF),
    (alpha(0.25), 4.631427193092004, 4.117596236290786),
    (alpha(0.5), 3.3071796769724493, 3.3071796769724493),
    (alpha(0.75), 4.117596236290786, 4.631427193092004),
    (alpha(2), INF, INF),
    (alpha(3), INF, INF),
    (renyi(0.25), 2.7039093611026908, 1.9715011686572848),
    (renyi(0.5), 3.506557897319982, 3.506557897319982),
    (renyi(0.75), 5.9145035059718545, 8.111728083308073),
    (renyi(2), INF, INF),
    (renyi(3), INF, INF),
    (gamma(0.25), 6.460680800998699, 9.560834632705713),
    (gamma(0.5), 4.027471035810241, 5.018444375478584),
    (gamma(1), 2.800444025746784, 2.800444025746784),
    (gamma(2), 2.185285713992485, 1.747059391904728),
    (gamma(3), 1.980745581592707, 1.420775374106928),
    (ab(0.5, 0.25), 10.910060073543661, 13.33584001014743),
    (ab(3, 0.25), 4.042534553355875, 7.2169628765822695),
    (ab(1.25, 0.25), 5.651174985561712, 8.82228967250041),
    (ab(0.5, 0.5), 7.013115794639963, 7.013115794639963),
    (ab(1, 1), 2.800444025746784, 2.800444025746784),
    (ab(0.25, 0.75), 10.815637444410763, 7.886004674629137),
    (Measure("l1"), 1.8, 1.8),
    (Measure("l2"), 0.9695359714832658, 0.9695359714832658),
    (Measure("linf"), 0.7, 0.7),
    (Measure("fisher_rao"), 0.8891753133955407, 0.8891753133955407),
    (Measure("jensen_shannon"), 0.5806801516361836, 0.5806801516361836),
]
SUBSET = [
    (KL, 0.34657359027997264, INF),
    (alpha(0.25), 1.0810571799963715, 0.4242762259900943),
    (alpha(0.5), 0.585786437626905, 0.585786437626905),
    (alpha(0.75), 0.4242762259900943, 1.0810571799963715),
    (alpha(2), 0.25, INF),
    (alpha(3), 0.25, INF),
    (renyi(0.25), 0.30202937134441193, 0.11052606049422027),
    (renyi(0.5), 0.3166943676407499, 0.3166943676407499),
    (renyi(0.75), 0.3315781814826608, 0.9060881140332357),
    (renyi(2), 0.4054651081081644, INF),
    (renyi(3), 0.4581453659370776, INF),
    (gamma(0.25), 0.2892551992618273, 0.9784019138486926),
    (gamma(0.5), 0.25096854194613005, 0.4421786386138149),
    (gamma(1), 0.20273255405408186, 0.20273255405408186),
    (gamma(2), 0.15271512197902593, 0.10269768990396932),
    (gamma(3), 0.12533978306468962, 0.07058910523601658),
    (ab(0.5, 0.25), 0.8246732285861178, 1.5911241070780306),
    (ab(3, 0.25), 0.07949690468783625, 0.41046419472108236),
    (ab(1.25, 0.25), 0.21268188463043317, 0.825257908005041),
    (ab(0.5, 0.5), 0.6333887352814997, 0.6333887352814997),
    (ab(1, 1), 0.20273255405408208, 0.20273255405408208),
    (ab(0.25, 0.75), 1.2081174853776477, 0.4421042419768811),
    (Measure("l1"), 0.5, 0.5),
    (Measure("l2"), 0.3535533905932738, 0.3535533905932738),
    (Measure("linf"), 0.25, 0.25),
    (Measure("fisher_rao"), 0.34888572011021163, 0.34888572011021163),
    (Measure("jensen_shannon"), 0.10788077716941782, 0.10788077716941782),
]
ROWS = [
    pytest.param(*pair, *row, id=f"{label}-{row[0].name}-{row[0].alpha}-{row[0].beta}")
    for label, pair, rows in (
        ("full", (P, Q), FULL_SUPPORT),
        ("sparse", (P_SPARSE, Q_SPARSE), SPARSE),
        ("subset", (P_SUB, Q_FULL), SUBSET),
    )
    for row in rows
]

# The ends, the middle and the far outside of every domain that takes zeros, then those that need full support.
TAKE_ZEROS = [
    KL,
    *map(alpha, (-3, -0.5, 0, 1e-9, 0.25, 0.5, 0.75, 1 - 1e-9, 1, 1.5, 5)),
    *map(gamma, (-0.75, 0, 1e-9, 0.5, 1, 5)),
    *(ab(*exponents) for exponents in ((3, 0.25), (0.5, 0.5), (0, 1), (2, 0), (-3, 5), (2, -1), (1e-9, 1e-8))),
    *map(renyi, (1e-9, 0.25, 0.5, 1, 1 + 1e-9, 2, 8)),
    *map(Measure, ("l1", "l2", "linf", "fisher_rao", "jensen_shannon")),
]
NEED_FULL_SUPPORT = [gamma(-1), gamma(-3), ab(1, -1), ab(-2, 0.5), ab(0, 0), ab(0, -1), ab(-1, 0)]


def distributions(size: int, sharpness: float, zeros: bool) -> st.SearchStrategy[Vector]:
    score = st.floats(-sharpness, 0)
    dead = st.just(-INF) if zeros else st.nothing()
    rows = st.lists(score | dead, min_size=size, max_size=size).filter(lambda row: max(row) > -INF)
    return rows.map(lambda row: normalised(np.array(row)))


def pairs(sharpness: float = 8, zeros: bool = False) -> st.SearchStrategy[tuple[Vector, Vector]]:
    return st.integers(1, 7).flatmap(
        lambda size: st.tuples(distributions(size, sharpness, zeros), distributions(size, sharpness, zeros))
    )


def same(value: float, expected: float, tolerance: float = 1e-9) -> bool:
    return value == expected or abs(value - expected) <= tolerance * max(1.0, abs(expected))


class TestFigures:
    @pytest.mark.parametrize(("log_p", "log_q", "measure", "forward", "reverse"), ROWS)
    def test_equals_the_independent_computation(
        self, log_p: Vector, log_q: Vector, measure: Measure, forward: float, reverse: float
    ) -> None:
        assert measure(log_p, log_q) == pytest.approx(forward, abs=1e-10)
        assert measure(log_q, log_p) == pytest.approx(reverse, abs=1e-10)
        assert symmetrised(measure, log_p, log_q, "forward") == pytest.approx(forward, abs=1e-10)
        assert symmetrised(measure, log_p, log_q, "reverse") == pytest.approx(reverse, abs=1e-10)
        assert symmetrised(measure, log_p, log_q) == pytest.approx((forward + reverse) / 2, abs=1e-10)

    def test_float32_underflow_is_neither_nan_nor_a_perfect_score(self) -> None:
        p = np.array([0.9999998211860657, 1.0000000116860974e-07, 1.0000000116860974e-07, 0.0])
        q = np.array([1.000000031374395e-22, 0.9999998807907104, 1.0000000116860974e-07, 0.0])
        # These sum to 1 but for 4e-8; our summands of KL count that, the figure's p ln(p/q) do not.
        assert KL(logs(*p), logs(*q)) == pytest.approx(50.656861165716535 + q.sum() - p.sum(), abs=1e-10)
        assert alpha(3)(logs(*p), logs(*q)) == pytest.approx(1.666665668015906e43, rel=1e-10)
        assert Measure("fisher_rao")(logs(*p), logs(*p)) == 0

    def test_float32_rounding_of_a_whole_vocabulary_is_no_distance(self) -> None:
        uniform = np.full(30_522, np.float32(-math.log(30_522)))
        for measure in (*TAKE_ZEROS, *NEED_FULL_SUPPORT):
            assert measure(uniform, uniform) == 0
        shifted = uniform.astype(np.float64) + 6e-8
        for measure in (KL, alpha(0.5), alpha(1 - 1e-7), renyi(1 + 1e-7), gamma(0.5), Measure("fisher_rao")):
            assert measure(uniform, shifted) < 1e-7

    def test_fisher_rao_resolves_what_arccos_cannot(self) -> None:
        step = 1e-9
        log_p, log_q = logs(0.5, 0.5), logs(0.5 + step, 0.5 - step)
        assert Measure("fisher_rao")(log_p, log_q) == pytest.approx(2 * step / math.pi, rel=1e-6, abs=0)
        assert KL(log_p, log_q) == pytest.approx(2 * step**2, rel=1e-6, abs=0)
        assert Measure("jensen_shannon")(log_p, log_q) == pytest.approx(step**2 / 2, rel=1e-6, abs=0)

    def test_close_distributions_keep_the_third_order(self) -> None:
        p, q = np.array([0.1, 0.9]), np.array([0.1 + 1e-7, 0.9 - 1e-7])
        assert alpha(2)(logs(*p), logs(*q)) == pytest.approx(((p - q) ** 2 / q).sum() / 2, rel=2e-8, abs=0)


class TestProperties:
    @settings(max_examples=60, deadline=None)
    @given(pairs(zeros=True), st.sampled_from(TAKE_ZEROS))
    def test_with_zeros(self, pair: tuple[Vector, Vector], measure: Measure) -> None:
        self.check(*pair, measure)

    @staticmethod
    def check(log_p: Vector, log_q: Vector, measure: Measure) -> None:
        forward, reverse = measure(log_p, log_q), measure(log_q, log_p)
        assert 0 <= forward <= measure.maximum
        assert 0 <= measure(log_p, log_p) < 1e-12
        assert not measure.contributions(log_p, log_p).any()
        if measure.symmetric:
            assert same(forward, reverse)
        mean = symmetrised(measure, log_p, log_q)
        assert same(mean, symmetrised(measure, log_q, log_p))
        assert same(mean, forward / 2 + reverse / 2)
        order = np.random.default_rng(1).permutation(log_p.size)
        assert same(measure(log_p[order], log_q[order]), forward)
        contributions = measure.contributions(log_p, log_q)
        assert contributions.shape == log_p.shape
        assert (contributions >= 0).all()
        assert math.isinf(forward) or same(float(contributions.sum()), forward)

    @pytest.mark.parametrize("measure", [*TAKE_ZEROS, *NEED_FULL_SUPPORT], ids=repr)
    def test_zero_only_for_equal_distributions_and_the_sum_of_its_contributions(self, measure: Measure) -> None:
        assert measure(P, Q) > 1e-12
        assert measure(P, P + np.array([0, 0, 0, 1e-4, -2e-4])) > 0
        for direction in DIRECTIONS:
            total = symmetrised_contributions(measure, P, Q, direction).sum()
            assert total == pytest.approx(symmetrised(measure, P, Q, direction), rel=1e-9)


class TestIdentities:
    @settings(max_examples=40, deadline=None)
    @given(pairs(), st.sampled_from([(3, 0.25), (0.5, 0.25), (1.25, 0.25), (-0.5, 2), (2, -0.7), (-1, -1.5)]))
    def test_ab_by_its_three_terms(self, pair: tuple[Vector, Vector], exponents: tuple[float, float]) -> None:
        (log_p, log_q), (a, b) = pair, exponents
        log_sums = [np.logaddexp.reduce(x) for x in ((a + b) * log_p, (a + b) * log_q, a * log_p + b * log_q)]
        direct = log_sums[0] / (b * (a + b)) + log_sums[1] / (a * (a + b)) - log_sums[2] / (a * b)
        assert same(ab(a, b)(log_p, log_q), direct)

    @settings(max_examples=40, deadline=None)
    @given(pairs())
    def test_named_special_cases(self, pair: tuple[Vector, Vector]) -> None:
        (log_p, log_q), (p, q) = pair, map(np.exp, pair)
        assert same(alpha(2)(log_p, log_q), ((p - q) ** 2 / q).sum() / 2)
        assert same(alpha(0.5)(log_p, log_q), 2 * ((np.sqrt(p) - np.sqrt(q)) ** 2).sum())
        assert same(gamma(1)(log_p, log_q), -math.log(p @ q / np.linalg.norm(p) / np.linalg.norm(q)))
        assert same(KL(log_p, log_q), (p * (log_p - log_q)).sum())
        midpoint = np.log((p + q) / 2)
        assert same(Measure("jensen_shannon")(log_p, log_q), (KL(log_p, midpoint) + KL(log_q, midpoint)) / 2)
        chord = math.acos(min(1.0, np.sqrt(p * q).sum())) * 2 / math.pi
        assert same(Measure("fisher_rao")(log_p, log_q), chord, 1e-7)

    @settings(max_examples=40, deadline=None)
    @given(pairs())
    def test_jensen_shannon_is_mutual_information(self, pair: tuple[Vector, Vector]) -> None:
        joint = np.exp(np.array(pair)) / 2  # a fair coin chooses the bag, and a token is drawn from it
        alone = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
        positive = joint > 0
        information = (joint[positive] * np.log(joint[positive] / alone[positive])).sum()
        assert same(Measure("jensen_shannon")(*pair), information)

    def test_disjoint_supports_reach_the_maximum(self) -> None:
        log_p, log_q = logs(1, 0), logs(0, 1)
        for measure in (*TAKE_ZEROS, renyi(0.5), gamma(2)):
            assert measure(log_p, log_q) == pytest.approx(measure.maximum, rel=1e-12)


class TestLimits:
    def escorts_kl(self, order: float, log_p: Vector, log_q: Vector) -> float:
        u, v = normalised(order * log_p), normalised(order * log_q)
        return float((np.exp(u) * (u - v)).sum()) / order**2

    @pytest.mark.parametrize("step", [1e-4, 1e-7, -1e-7, 1e-9, -1e-9, 1e-12, 1e-16, 1e-160, 1e-300, 5e-324, 0.0])
    def test_values_near_a_limit(self, step: float) -> None:
        tolerance = max(1e-6, abs(step))
        power = 1.5 * (P - Q)
        arithmetic_over_geometric = (math.log(np.exp(power).mean()) - power.mean()) / 1.5**2
        for measure, limit in [
            (alpha(1 + step), KL(P, Q)),
            (alpha(step), KL(Q, P)),
            (renyi(1 + step), KL(P, Q)),
            (gamma(step), KL(P, Q)),
            (ab(1.5, step), self.escorts_kl(1.5, P, Q)),
            (ab(step, 1.5), self.escorts_kl(1.5, Q, P)),
            (ab(1.5, -1.5 + step), arithmetic_over_geometric),
            (gamma(-1 + step), ab(1, -1)(P, Q)),
            (ab(step, step / 3), np.var(P - Q) / 2),
            (ab(-step, step / 3), np.var(P - Q) / 2),
            (ab(step, -step), np.var(P - Q) / 2),
        ]:
            assert measure(P, Q) == pytest.approx(limit, abs=tolerance), measure

    def test_a_zero_divides_a_limit_from_its_neighbours(self) -> None:
        assert alpha(1)(Q_FULL, P_SUB) == INF
        assert alpha(1 - 1e-9)(Q_FULL, P_SUB) == pytest.approx(0.25e9, rel=1e-6, abs=0)
        assert renyi(1 - 1e-9)(Q_FULL, P_SUB) == pytest.approx(-math.log(0.75) * 1e9, rel=1e-6, abs=0)


class TestExtremes:
    def test_far_beyond_the_underflow_of_a_float64(self) -> None:
        log_p, log_q = np.array([0.0, -1000.0]), np.array([-1000.0, 0.0])
        assert KL(log_p, log_q) == pytest.approx(1000, rel=1e-12)
        assert renyi(0.5)(log_p, log_q) == pytest.approx(1000 - 2 * math.log(2), rel=1e-12)
        assert renyi(3)(log_p, log_q) == pytest.approx(2000 / 2, rel=1e-12)
        assert gamma(1)(log_p, log_q) == pytest.approx(1000 - math.log(2), rel=1e-12)
        assert alpha(3)(log_p, log_q) == INF
        assert alpha(0.5)(log_p, log_q) == 4

    def test_contributions_of_a_finite_distance_whose_summands_overflow(self) -> None:
        log_p = normalised(np.array([0.0, -500.0, -500.0]))
        log_q = normalised(np.array([-500.0, 0.0, -3.0]))
        contributions = renyi(4).contributions(log_p, log_q)
        assert contributions.sum() == pytest.approx(renyi(4)(log_p, log_q), rel=1e-12)
        assert contributions[0] > 0.99 * contributions.sum()

    @pytest.mark.parametrize("lowest", [-1e17, -3.4e38, -1e290])
    def test_hardly_a_zero_is_as_good_as_a_zero(self, lowest: float) -> None:
        nearly, half = np.array([0.0, lowest]), logs(0.5, 0.5)
        for measure in TAKE_ZEROS:
            for value, limit in (
                (measure(nearly, half), measure(logs(1, 0), half)),
                (measure(half, nearly), measure(half, logs(1, 0))),
            ):
                assert value == pytest.approx(limit, rel=1e-4) or (limit == INF and value > 1e16)
            assert not np.isnan(measure.contributions(half, nearly)).any()
            assert not np.isnan(measure.contributions(nearly, logs(0, 1))).any()

    def test_finite_logarithms_that_cannot_be_multiplied_are_refused_not_nan(self) -> None:
        lowest = np.finfo(np.float64).min
        with pytest.raises(ValueError, match="use -inf"):
            gamma(1)(np.array([0.0, lowest]), np.array([lowest, 0.0]))


class TestDomains:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"name": "hellinger"}, "unknown measure 'hellinger': one of kl, alpha"),
            ({"name": "alpha"}, "'alpha' needs alpha"),
            ({"name": "alpha", "alpha": 0.5, "beta": 1.0}, "'alpha' takes no beta"),
            ({"name": "gamma", "alpha": 0.5}, "'gamma' takes no alpha"),
            ({"name": "ab", "alpha": 0.5}, "'ab' needs beta"),
            ({"name": "kl", "alpha": 1}, "'kl' takes no alpha"),
            ({"name": "fisher_rao", "beta": 0.0}, "'fisher_rao' takes no beta"),
            ({"name": "renyi", "alpha": 0}, "must be above 0, not 0"),
            ({"name": "renyi", "alpha": -0.5}, "must be above 0, not -0.5"),
            ({"name": "alpha", "alpha": math.nan}, "not nan"),
            ({"name": "gamma", "beta": INF}, "not inf"),
            ({"name": "alpha", "alpha": 1e7}, "from -1e6 to 1e6"),
            ({"name": "alpha", "alpha": "0.5"}, "not '0.5'"),
            ({"name": "alpha", "alpha": True}, "not True"),
        ],
    )
    def test_refused(self, arguments: dict, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            Measure(**arguments)

    def test_every_name_is_covered_here(self) -> None:
        assert {measure.name for measure in TAKE_ZEROS} == set(MEASURES)

    @pytest.mark.parametrize("measure", NEED_FULL_SUPPORT, ids=repr)
    def test_no_escorts_of_zeros(self, measure: Measure) -> None:
        for pair in ((P_SUB, Q_FULL), (Q_FULL, P_SUB), (P_SUB, P_SUB)):
            with pytest.raises(ValueError, match="without zeros"):
                measure(*pair)

    @pytest.mark.parametrize(
        ("log_p", "log_q", "message"),
        [
            (P, P_SUB, "share a shape"),
            (P.reshape(1, 5), Q.reshape(1, 5), "share a shape"),
            (np.empty(0), np.empty(0), "share a shape"),
            (np.array([0.0, math.nan]), logs(0.5, 0.5), "log_p is not a distribution"),
            (logs(0.5, 0.5), np.array([0.0, math.nan]), "log_q is not a distribution"),
            (logs(0.5, 0.5), np.array([INF, 0.0]), "log_q is not a distribution"),
            (logs(0, 0), logs(0.5, 0.5), "log_p is not a distribution"),
        ],
    )
    @pytest.mark.parametrize("measure", [KL, gamma(1), Measure("fisher_rao")], ids=repr)
    def test_no_distributions(self, measure: Measure, log_p: Vector, log_q: Vector, message: str) -> None:
        for evaluate in (measure, measure.contributions):
            with pytest.raises(ValueError, match=message):
                evaluate(log_p, log_q)

    def test_unknown_direction(self) -> None:
        with pytest.raises(ValueError, match="unknown direction 'both'"):
            symmetrised(Measure("l1"), P, Q, "both")

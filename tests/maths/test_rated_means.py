"""Mean ratings beside a literal second implementation, in loops over rows, strata and clusters, and lines by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nlgauge.maths.inference import Inference, mean_of
from nlgauge.maths.intervals import student_quantile, student_tail
from nlgauge.maths.prediction_powered import Design
from nlgauge.maths.rated_means import (
    GAIN,
    RatedMean,
    helps,
    inference,
    more_ratings,
    rated_means,
)

ROWS = 60
ZERO = np.zeros(ROWS, np.intp)
YES_NO, FIVE = (0.0, 1.0), (1.0, 5.0)


def drawn(kind: str, seed: int = 3, ends: bool = True) -> tuple[np.ndarray, np.ndarray, Design]:
    """Ratings, yes and no or none alike, with a score that errs in one row of five, and a design of some kind.

    The score of rows that were drawn at random is a judge's yes or no; the others have noise.
    """
    rng = np.random.default_rng(seed)
    y = (rng.random(ROWS) < 0.7).astype(float)
    x = np.where(rng.random(ROWS) < 0.2, 1 - y, y) + 0.1 * rng.normal(size=ROWS) * (kind != "at random" or not ends)
    y = y if ends else y + rng.normal(size=ROWS)
    rated = rng.permutation(ROWS) < 24
    if kind == "strata":
        return y, x, Design(rated, (rng.random(ROWS) < 0.3).astype(np.intp))
    if kind == "probabilities":
        return y, x, Design(rated, ZERO, np.where(np.arange(ROWS) % 3 == 0, 0.15, 0.6))
    if kind == "clusters":
        of = np.sort(rng.integers(0, 20, ROWS))
        return y, x, Design(np.isin(of, rng.permutation(20)[:9]), ZERO, None, np.unique(of, return_inverse=True)[1])
    return y, x, Design(rated, ZERO)


def more_rows(y: list[float], x: list[float]) -> tuple[float, float]:
    """Rating less weighted score of a bad row that scores take for good, and of a good one that they take for bad."""
    good = [b for a, b in zip(y, x, strict=True) if a >= 0.5]
    bad = [b for a, b in zip(y, x, strict=True) if a < 0.5]
    return 0 - sum(good) / len(good), 1 - sum(bad) / len(bad)


def moves(y: np.ndarray, x: np.ndarray, design: Design, w: float) -> np.ndarray:
    """What a row moves, as a rated row and as one of all rows, less what does not vary: the mean of its kind."""
    rows, rated = len(x), np.flatnonzero(design.rated)
    inverse = np.ones(rows) if design.probabilities is None else 1 / design.probabilities
    strata, part = sorted(set(design.strata.tolist())), np.zeros(rows)
    for s in strata:
        own = [i for i in rated if design.strata[i] == s]
        part[own] = sum(design.strata == s) / rows * inverse[own] / inverse[own].sum()
    made = w * (x - x.mean()) / rows
    y_rated, x_rated = sum(part[i] * y[i] for i in rated), sum(part[i] * x[i] for i in rated)
    for i in rated:
        made[i] += part[i] * (y[i] - y_rated - w * (x[i] - x_rated))
    if design.probabilities is None:
        before = made.copy()
        for i in range(rows):
            alike = design.strata == design.strata[i]
            kind = alike & (design.rated == design.rated[i])
            made[i] += before[alike].mean() * (len(strata) > 1) - before[kind].mean()
    return made


def literal(
    y: np.ndarray, x: np.ndarray, design: Design, w: float, ends: bool
) -> tuple[float, float, list[float], list[float]]:
    """Estimate, centre, the influence of each row and of the two more rows of each stratum, for a weight w."""
    rows = len(x)
    rated = [i for i in range(rows) if design.rated[i]]
    strata = sorted(set(design.strata.tolist()))
    inverse = [1.0 if design.probabilities is None else 1 / design.probabilities[i] for i in range(rows)]
    mean, centre, of = 0.0, 0.0, {}
    units = len({i if design.clusters is None else design.clusters[i] for i in rated})
    size = 1.0 if design.clusters is None else len(rated) / units
    more = more_rows([y[i] for i in rated], [w * x[i] for i in rated]) if ends else None
    for s in strata:
        own = [i for i in rated if design.strata[i] == s]
        share = sum(design.strata == s) / rows
        part = {i: inverse[i] / sum(inverse[j] for j in own) for i in own}
        count = 1 / sum(one**2 for one in part.values())
        z = sum(part[i] * (y[i] - w * x[i]) for i in own)
        added = size * share if ends else 0.0
        new = (count * z + added * sum(more)) / (count + 2 * added) if more else z
        mean, centre = mean + share * z, centre + share * new
        of[s] = (own, share, part, count, added, new)
    before = moves(y, x, design, w)
    n_units = units + 2 * ends
    small = math.sqrt((n_units - len(strata)) / n_units)
    x_plain = sum(x[i] for i in rated) / len(rated)
    spread = sum((x[i] - x_plain) ** 2 for i in rated) or 1.0

    def lever(i: int) -> float:
        own, _, part, count, added, _ = of[design.strata[i]]
        others = rows if len(strata) == 1 else sum(design.strata == design.strata[i])
        return part[i] * count / (count + 2 * added) if design.rated[i] else 1 / (others - len(own))

    influence = []
    for i in range(rows):
        own, share, part, count, added, new = of[design.strata[i]]
        move = before[i]
        if design.rated[i] and more:
            z = sum(part[j] * (y[j] - w * x[j]) for j in own)
            move = (move + share * part[i] * (z - new)) * count / (count + 2 * added)
        friends = [i] if design.clusters is None else np.flatnonzero(design.clusters == design.clusters[i])
        h = sum(
            lever(j) for j in friends if design.rated[j] == design.rated[i] and design.strata[j] == design.strata[i]
        )
        h += (x[i] - x_plain) ** 2 / spread * bool(design.rated[i])
        influence.append(move / (1 - min(h, 0.9)) * small)
    extra = []
    for one in more or ():
        for _, share, _, count, added, new in of.values():
            move = share * (one - new) / (count + 2 * added) * math.sqrt(added * size)
            extra.append(move * small * n_units / (n_units - 1))
    return w * x.mean() + mean, w * x.mean() + centre, influence, extra


@pytest.mark.parametrize("ends", [True, False], ids=["yes and no", "none alike"])
@pytest.mark.parametrize("kind", ["at random", "strata", "probabilities", "clusters"])
def test_a_mean_as_loops_over_rows_give_it(kind: str, ends: bool) -> None:
    y, x, design = drawn(kind, ends=ends)
    found = rated_means(y, x, design, YES_NO if ends else None, yes_no=ends).helped
    estimate, centre, influence, extra = literal(y, x, design, found.weight, ends)
    assert_allclose((found.value, found.centre), (estimate, centre), rtol=1e-12)
    assert_allclose(found.influence, influence, rtol=1e-10, atol=1e-15)
    assert_allclose(found.added, extra, rtol=1e-10)
    assert found.weight > 0.2 and (estimate != centre) == ends

    def variance(w: float) -> float:
        """Of the estimate without any correction for few rows."""
        moves = np.array(literal(y, x, design, w, False)[2])
        return float((moves**2).sum())

    if kind == "at random":  # of the three others, the leverage moves the minimum
        assert variance(found.weight) < min(variance(found.weight - 0.1), variance(found.weight + 0.1))


def least_weight(y: np.ndarray, x: np.ndarray, design: Design) -> float:
    """The variance is a parabola: three of its points say where it is least."""
    rated, strata, rows = design.rated, design.strata, len(x)
    of = np.arange(rows) if design.clusters is None else design.clusters

    def variance(w: float) -> float:
        parts, z, whole = np.zeros(rows), y - w * x, []
        for s in np.unique(strata):
            own, rest, of_all = rated & (strata == s), ~rated & (strata == s), strata == s
            one = y - w * (1 - own.sum() / of_all.sum()) * x
            parts[own] = of_all.mean() / own.sum() * (one - one[own].mean())[own]
            parts[rest] = w / rows * (x - x[rest].mean())[rest]
            whole.append(z[own].mean() + w * x[of_all].mean())
        shares = np.bincount(strata) / rows
        parts += (np.array(whole) - shares @ whole)[strata] / rows  # rows like these have other shares of the strata
        return float((np.bincount(of, parts) ** 2).sum())

    a, b, c = (variance(w) for w in (-1.0, 0.0, 1.0))
    return (a - c) / (2 * (a + c - 2 * b))


@pytest.mark.parametrize("kind", ["at random", "strata", "clusters"])
def test_the_weight_is_that_of_the_least_variance(kind: str) -> None:
    y, x, design = drawn(kind, ends=False)
    assert_allclose(rated_means(y, x, design, None).helped.weight, least_weight(y, x, design), rtol=1e-9)


def test_strata_by_hand() -> None:
    """Four ratings of each of two equal strata: 1 1 1 1 and 1 1 0 0; each stratum has half a row more of both kinds."""
    y = np.array([1, 1, 1, 1, 1, 1, 0, 0, *[0] * 12], float)
    strata = np.array([0] * 4 + [1] * 4 + [0] * 6 + [1] * 6)
    design = Design(np.arange(20) < 8, strata)
    made = rated_means(y, np.ones(20), design, YES_NO, yes_no=True)
    assert made.taken is made.alone is made.helped and made.alone.plain is None
    assert_allclose((made.alone.value, made.alone.centre), (0.75, (4.5 / 5 + 2.5 / 5) / 2))
    # A stratum's mean is .25 from the whole one, which each of the 20 rows moves by 1/20 of it, over 5/6 where it is no
    # rated row. A rated row also moves its stratum by 1/8 x 4/5 of what it differs from .9 or .5, over 1 - 1/5.
    moves = [0.01 + 0.1 * 0.1] * 4 + [0.5 * 0.1 - 0.01] * 2 + [-0.5 * 0.1 - 0.01] * 2
    of_rows = 0.8 * (sum((one / 0.8) ** 2 for one in moves) + 12 * (0.0125 / (5 / 6)) ** 2)
    of_added = 0.8 * (10 / 9) ** 2 * 0.5**2 / 5**2 * 0.5 * (0.9**2 + 0.1**2 + 2 * 0.5**2)
    said = inference([made.alone], [None], design.rated, YES_NO)
    assert_allclose(said.error**2, of_rows + of_added)
    assert_allclose(said.interval(), (0.7 - 2.306004 * 0.153878, 1.0), rtol=1e-5)
    assert (said.value, said.n, said.groups, said.effective) == (0.75, 8, 8, 8)


def test_an_exact_judge_of_fifty_rows_by_hand() -> None:
    """No disagreement was seen: the two more rows are all that the rectifier's error is made of."""
    y = np.tile([1.0, 1, 1, 1, 0], 100)
    design = Design(np.arange(500) < 50, np.zeros(500, np.intp))
    made = rated_means(y, y, design, YES_NO, yes_no=True)
    weight = made.helped.weight
    assert made.taken is made.helped and weight == pytest.approx(1, abs=0.002)
    # z is 1 - w for a good row and 0 for a bad one; of the two more rows it is 0 - w and 1 - 0.
    error = math.sqrt(2 / (51 * 52) + 0.16 / 500)
    said = inference([made.taken], [None], design.rated, YES_NO)
    assert_allclose(said.error, error, rtol=0.01)
    assert_allclose(said.interval(), 0.8 + np.array([-1, 1]) * 2.0076 * error, rtol=0.01)
    alone = inference([made.alone], [None], design.rated, YES_NO)
    assert_allclose(alone.interval(), (0.6696, 0.8876), atol=1e-4), "Wilson's"


def test_a_judge_on_a_longer_scale_is_not_taken_for_exact_either() -> None:
    """All 40 rows have the rating that the judge says, on a scale of its own; no rating is that of half of the rows."""
    y = np.tile([1.0, 2, 3, 4, 5], 60)
    design = Design(np.arange(300) < 40, np.zeros(300, np.intp))
    for unit in (1.0, 20.0, -0.25):
        made = rated_means(y, 7 + unit * y, design, FIVE)
        agreed = float((y - made.helped.weight * (7 + unit * y))[:40].mean())
        new = agreed + np.array([-4.0, 4.0])
        assert_allclose(made.helped.added, (new - agreed) / 41 * math.sqrt(41 / 42), rtol=1e-9)
    assert len(made.alone.added) == 0
    # Without a scale, the end of the scale is as far off as the largest rating.
    assert_allclose(rated_means(y, y, design, None).helped.added / made.helped.added, 5 / 4, rtol=1e-9)
    # Errors that were seen say how far scores err on their side, beside the end of the scale.
    x = y.copy()
    x[:8] = np.maximum(y[:8] - 2, 1)
    some = rated_means(y, x, design, FIVE).helped
    of_errors = math.sqrt(np.mean([*(y - x)[(y > x) & design.rated] ** 2, 4**2]))
    z = y - some.weight * x
    agreed = float(z[:40][y[:40] == x[:40]].mean())
    new = (z[:40].sum() + 2 * agreed - 4 + of_errors) / 42
    assert_allclose(some.added, (agreed + np.array([-4, of_errors]) - new) / 41 * math.sqrt(41 / 42), rtol=1e-9)
    # Errors that are more frequent than most ratings do not make the line, even where they come first in any order.
    y, x = np.array([5.0] * 30 + [4, 3] * 5), np.array([5.0] * 22 + [1.0] * 8 + [4, 3] * 5)
    y, x, some = np.tile(y, 3), np.tile(x, 3), Design(np.arange(120) < 40, np.zeros(120, np.intp))
    found = rated_means(y, x, some, FIVE).helped
    z = y - found.weight * x
    agreed = z[:40][y[:40] == x[:40]].mean()
    new = (z[:40].sum() + 2 * agreed - 4 + 4) / 42
    assert_allclose(found.added, (agreed + np.array([-4, 4]) - new) / 41 * math.sqrt(41 / 42), rtol=1e-9)
    y = np.tile([1.0, 2, 3, 4, 5], 60)
    # A score that says the rating of less than half of the rows adds nothing.
    noisy = y + np.where(np.arange(300) % 2, 0, np.arange(300) / 300)
    assert len(rated_means(y, noisy, design, FIVE).helped.added) == 2
    assert len(rated_means(y, noisy + 0.3 * (np.arange(300) % 7 == 1), design, FIVE).helped.added) == 0


def test_the_two_more_rows_of_several_raters_yes_and_no() -> None:
    """Rows on which two raters differ are as good as bad; where no row is good, the best score is that of good ones."""
    rng = np.random.default_rng(5)
    design = Design(np.arange(200) < 40, np.zeros(200, np.intp))
    for y in (rng.choice([0, 0.5, 1], 200), rng.choice([0, 0.4], 200), rng.choice([0.6, 1], 200)):
        x = y + 0.3 * rng.normal(size=200)
        found = rated_means(y, x, design, YES_NO, yes_no=True).helped
        own, z = x[:40], y - found.weight * x
        good = own[y[:40] >= 0.5].mean() if (y >= 0.5).any() else x.max()
        bad = own[y[:40] <= 0.5].mean() if (y <= 0.5).any() else x.min()
        more = np.array([0 - found.weight * good, 1 - found.weight * bad])
        new = (z[:40].sum() + more.sum()) / 42
        assert found.weight > 0.1
        assert_allclose(found.added, (more - new) / 41 * math.sqrt(41 / 42), rtol=1e-9)


def test_ratings_alike_have_two_more_rows_that_scores_do_not_expect() -> None:
    """Three of four ratings are 5, ten of 40 are 3: a lower row with the score of a 5, a 5 with that of a low row."""
    rng = np.random.default_rng(1)
    y = np.where(np.arange(400) % 4, 5.0, 3.0)
    x = y + rng.normal(size=400)
    design = Design(np.arange(400) < 40, np.zeros(400, np.intp))
    found = rated_means(y, x, design, FIVE).helped
    z = y - found.weight * x
    high, low = x[:40][y[:40] == 5].mean(), x[:40][y[:40] == 3].mean()
    lower = 5 - math.sqrt((10 * 2**2 + 4**2) / 11)
    more = np.array([lower - found.weight * high, 5 - found.weight * low])
    expected = (more - (z[:40].sum() + more.sum()) / 42) / 41 * math.sqrt(41 / 42)
    assert_allclose(found.added, expected, rtol=1e-9)


@pytest.mark.parametrize("ends", [True, False])
def test_interval_and_test_are_students_t_of_rows_and_clusters(ends: bool) -> None:
    """Only the largest cluster is bad, so that its influence says how little is known of the variance."""
    y, x, design = drawn("clusters", ends=ends)
    sizes = np.bincount(design.clusters, design.rated)
    effective = sizes.sum() ** 2 / (sizes**2).sum()
    if ends:
        y = (design.clusters != sizes.argmax()).astype(float)
    scale = YES_NO if ends else None
    limits = scale or (-math.inf, math.inf)
    plain = mean_of(y[design.rated], limits, ends=ends)
    made = rated_means(y, x, design, scale, yes_no=ends)
    for mean in (made.alone, made.helped):
        laws = []
        for by_cluster in (True, False):
            moves = np.bincount(design.clusters, mean.influence) if by_cluster else mean.influence
            moves = np.append(moves, mean.added)
            moves = moves[moves != 0]
            tails = 2 / ((moves**4).sum() / (moves**2).sum() ** 2 - 1 / len(moves))
            freedom = (effective if by_cluster else design.rated.sum()) - 1 + 2 * ends
            if by_cluster and ends and mean is made.alone:
                assert tails < 0.7 * freedom, "the tails decide"
            freedom = min(freedom, tails) if by_cluster or not ends else freedom
            laws.append((math.sqrt((moves**2).sum()), max(freedom, 1.0)))
        said = inference([mean], [design.clusters, None], design.rated, scale)
        half = max(student_quantile(0.95, freedom) * error for error, freedom in laws)
        low, high = mean.centre - half, mean.centre + half
        p = max(student_tail((mean.centre - 0.5) / error, freedom) for error, freedom in laws)
        if mean is made.alone:  # the ratings alone are no more certain in clusters than without
            low, high = min(low, plain.interval(0.9)[0]), max(high, plain.interval(0.9)[1])
            p = max(p, plain.above(0.5))
            assert inference([mean], [None], design.rated, scale).interval() == plain.interval()
            assert high - low > 1.2 * np.diff(plain.interval(0.9))[0], "and here less certain"
        assert_allclose(said.interval(0.9), (max(limits[0], low), min(limits[1], high)), rtol=1e-9)
        assert_allclose(said.above(0.5), p, rtol=1e-9)
        assert (said.n, said.groups) == (design.rated.sum(), (sizes > 0).sum())
        assert said.effective == pytest.approx(effective)


def test_clusters_of_one_row_do_not_shorten_an_exact_interval() -> None:
    clusters = np.arange(100)
    design = Design(clusters < 60, np.zeros(100, np.intp), None, clusters)
    alone = rated_means(np.ones(100), np.zeros(100), design, YES_NO, yes_no=True).alone
    said = inference([alone], [clusters, None], design.rated, YES_NO)
    assert said.interval()[0] == pytest.approx(0.025 ** (1 / 60)) and said.laws[1].ends(0.95)[0] > 0.945


def two(same: bool, seed: int = 8) -> tuple[list[list[RatedMean]], np.ndarray, np.ndarray]:
    """Two systems on the same 60 items of which the same, or others, are rated; rated rows and items of all rows."""
    rng = np.random.default_rng(seed)
    shared, made, rated = rng.random(ROWS), [], np.zeros(2 * ROWS, bool)
    for system in range(2):
        y = (shared + 0.2 * rng.normal(size=ROWS) > 0.2 + 0.1 * system).astype(float)
        own = np.arange(ROWS) < 25 if same else rng.permutation(ROWS) < 25
        rated[system * ROWS :][:ROWS] = own
        means = rated_means(y, y + 0.4 * rng.normal(size=ROWS), Design(own, ZERO), YES_NO, yes_no=True)
        made.append([one.placed(np.arange(ROWS) + system * ROWS, 2 * ROWS) for one in means[:2]])
    return [list(one) for one in zip(*made, strict=True)], rated, np.tile(np.arange(ROWS), 2)


@pytest.mark.parametrize("same", [True, False])
def test_a_difference_is_students_t_of_items(same: bool) -> None:
    (taken, alone), rated, items = two(same)
    said = inference(taken, [items], rated, YES_NO)
    a, b = (one.influence for one in taken)
    moves = [a[i] - b[i + ROWS] for i in range(ROWS)]
    moves += [float(one) for mean in taken for one in mean.added]
    error = math.sqrt(sum(one**2 for one in moves))
    counts = [int(rated[i]) + int(rated[i + ROWS]) for i in range(ROWS) if rated[i] or rated[i + ROWS]]
    freedom = sum(counts) ** 2 / sum(count**2 for count in counts) - 2 + 4
    if not same:
        squares = [one**2 for one in moves]
        freedom = min(freedom, 2 / (sum(one**2 for one in squares) / sum(squares) ** 2 - 1 / len(moves)))
    half = student_quantile(0.975, freedom) * error
    centre = taken[0].centre - taken[1].centre
    assert_allclose(said.interval(), (centre - half, centre + half), rtol=1e-9)
    assert said.value == taken[0].value - taken[1].value and said.limits == (-1, 1)
    assert_allclose(said.p(), 2 * student_tail(abs(centre) / error, freedom), rtol=1e-9)
    other = inference(taken[::-1], [items], rated, YES_NO)
    assert_allclose(other.interval(), (-said.interval()[1], -said.interval()[0]), atol=1e-15)
    of_ratings = inference(alone, [items], rated, YES_NO)
    assert helps(of_ratings, said) == (np.diff(said.interval())[0] < GAIN * np.diff(of_ratings.interval())[0])
    assert not helps(of_ratings, of_ratings) and not helps(Inference(0.0, 0), said)


def test_scores_are_taken_where_they_make_the_interval_shorter() -> None:
    rng = np.random.default_rng(0)
    y = (rng.random(400) < 0.8).astype(float)
    design = Design(np.arange(400) < 40, np.zeros(400, np.intp))
    lengths = []
    for noise in np.linspace(0.2, 3, 15):
        made = rated_means(y, y + noise * rng.normal(size=400), design, YES_NO, yes_no=True)
        both = [inference([one], [None], design.rated, None).interval() for one in (made.helped, made.alone)]
        ratio = (both[0][1] - both[0][0]) / (both[1][1] - both[1][0])
        assert (made.taken is made.helped) == (ratio < 0.975)
        lengths.append(ratio)
    assert min(lengths) < 0.8 and sorted(lengths)[-3] > 0.975, "both kinds were tried"
    # By fitted scores, a negative weight is due to chance.
    assert rated_means(y, -y, design, YES_NO, 0.0, True).helped.weight == 0
    assert rated_means(y, -y, design, YES_NO, yes_no=True).helped.weight < -0.9


def test_scores_of_clusters_are_taken_by_what_clusters_say() -> None:
    """Ten rows of a cluster have one rating and one score: the union of the intervals decides, not that of the rows."""
    rng = np.random.default_rng(7)
    of, by_rows, by_both = np.arange(1500) // 10, [], []
    design = Design(of < 25, np.zeros(1500, np.intp), None, of)
    for noise in np.linspace(0.4, 1.6, 40):
        y = (rng.random(150) < 0.7).astype(float)
        made = rated_means(y[of], (y + noise * rng.normal(size=150))[of], design, YES_NO, yes_no=True)
        for decided, levels in ((by_rows, [None]), (by_both, [of, None])):
            plain = replace(made.alone, plain=made.alone.plain if levels[0] is not None else None)
            lengths = [np.diff(inference([one], levels, design.rated, None).interval()) for one in (made.helped, plain)]
            decided.append(bool(lengths[0] < 0.975 * lengths[1]))
        assert (made.taken is made.helped) == by_both[-1]
    assert by_rows != by_both


def test_how_many_more_ratings_by_trying_all() -> None:
    y, x, design = drawn("at random")
    made = rated_means(y, x, design, YES_NO, yes_no=True)
    said = inference([made.helped], [None], design.rated, YES_NO)
    low, high = said.interval(0.9)
    of_rated = (made.helped.influence[design.rated] ** 2).sum() + (made.helped.added**2).sum()
    of_rest = (made.helped.influence[~design.rated] ** 2).sum()
    assert of_rest > 0

    def half(m: int) -> float:
        return (high - low) / 2 * math.sqrt((of_rated * 24 / m + of_rest) / (of_rated + of_rest))

    for margin in np.linspace(0.9, 1.02, 7) * half(24):
        wanted = min((m for m in range(24, ROWS + 1) if half(m) <= margin), default=math.inf) - 24
        assert more_ratings([made.helped], said, 0.9, float(margin), design.rated, 24, ROWS) == wanted
    assert more_ratings([made.helped], said, 0.9, 0.9 * half(ROWS), design.rated, 24, ROWS) == math.inf


def test_rows_and_clusters_whose_influences_are_0_take_part_in_the_degrees_of_freedom() -> None:
    """Whether the last digit of a sum is 0 must not matter: four ratings are the mean, and one cluster's cancel out."""
    some = np.array([0.125, 0.25, 0.375, 0.5])
    y = np.concatenate([[-3.0, 3.0], np.zeros(4), some, -some, np.zeros(14)])
    rated, values = np.arange(28) < 14, y[:14]
    clusters = np.array([0, *range(14), *[13] * 13])  # the first two rows are a cluster
    for of in (None, clusters):
        design = Design(rated, np.zeros(28, np.intp), None, of)
        mean = rated_means(y, np.zeros(28), design, None).alone
        sums = values if of is None else np.append(0.0, values[2:])
        noise = (sums**4).sum() / (sums**2).sum() ** 2 - 1 / len(sums)
        most = 13 if of is None else 14**2 / 16 - 1
        law = inference([replace(mean, plain=None)], [of], rated, None).laws[0]
        assert law.freedom == pytest.approx(max(1, min(most, 2 / noise)), rel=1e-9)

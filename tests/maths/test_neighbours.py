import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlgauge.maths.neighbours import coverage, nearest, squared_radii

REFERENCE = np.array([[0, 0], [1, 0], [0.2, 1.15], [2, 2], [3.1, 2.2], [2.3, 3.3], [-4, -3], [-4.6, -3.7]])
EVALUATED = np.array([[0.1, 0.3], [0.9, 0.4], [2.25, 2.4], [6, 6], [6.5, 5.2]])


def squares(x, y):
    """By subtraction, in the order of sums that the library has, so that ties are ties."""
    gaps = x.astype(np.float64)[:, None] - y.astype(np.float64)[None]
    return np.square(gaps).reshape(-1, x.shape[1]).sum(axis=1).reshape(len(x), len(y))


def plain_radii(points, ks):
    if len(points) == 1:
        return np.zeros((1, len(ks)))
    found = squares(points, points)
    np.fill_diagonal(found, np.inf)
    return np.sort(found, axis=1)[:, np.minimum(ks, len(points) - 1) - 1]


def plain_coverage(centres, points, ks):
    inside = squares(centres, points)[..., None] <= plain_radii(centres, ks)[:, None]
    return inside.sum((0, 1)), inside.any(0), inside.any(1)


def check(first, second, ks):
    np.testing.assert_array_equal(squared_radii(first, ks), plain_radii(first, ks))
    for found, sides in zip(coverage(first, second, ks), ((first, second), (second, first)), strict=True):
        pairs, reached, holding = plain_coverage(*sides, ks)
        np.testing.assert_array_equal(found.pairs, pairs)
        np.testing.assert_array_equal(found.points[:, None] <= np.arange(len(ks)), reached)
        np.testing.assert_array_equal(found.balls[:, None] <= np.arange(len(ks)), holding)
        np.testing.assert_array_equal(found.covered, reached.sum(0))
        np.testing.assert_array_equal(found.occupied, holding.sum(0))
    where, found = nearest(first, second)
    np.testing.assert_array_equal(where, squares(first, second).argmin(1))
    np.testing.assert_array_equal(found, squares(first, second).min(1))


def test_the_golden_radii():
    radii = np.sqrt(squared_radii(REFERENCE, (1, 2, 3)))
    assert radii[:, 0].tolist() == pytest.approx(
        [1, 1, 1.167261752992875, 1.118033988749895, 1.118033988749895, 1.334166406412633, *[0.9219544457292886] * 2]
    )
    assert radii[7].tolist() == pytest.approx([0.9219544457292886, 5.903388857258176, 6.711929677819934])
    check(REFERENCE, EVALUATED, (1, 2, 3, 4, 7, 30))


@st.composite
def sets(draw):
    """Points of a coarse grid, so that ties and copies are the rule, perhaps moved far off or with a far outlier."""
    width = draw(st.integers(1, 4))
    numbers = st.integers(-3, 3)
    moved, scale = draw(st.sampled_from([0, 0.1, 1e6])), draw(st.sampled_from([1.0, 1e-20, 3e5]))
    made = []
    for _ in range(2):
        rows = draw(st.lists(st.lists(numbers, min_size=width, max_size=width), min_size=1, max_size=14))
        if draw(st.booleans()):
            rows.append([10**5] * width)
        made.append((np.array(rows, np.float64) + moved) * scale)
    return made if draw(st.booleans()) or moved else [part.astype(np.float32) for part in made]


@settings(deadline=None, max_examples=150)
@given(sets(), st.sets(st.integers(1, 20), min_size=1, max_size=4))
def test_equal_to_all_distances_by_subtraction(made, ks):
    check(*made, sorted(ks))


@pytest.mark.parametrize("copies", [0, 40])
def test_wide_points_in_float32_and_a_crowd_of_near_copies(copies):
    generator = np.random.default_rng(copies)
    first, second = generator.normal(size=(2, 260, 96)).astype(np.float32)
    # Nearer to each other than float32 products can tell.
    first[:copies] = first[0] + generator.normal(size=(copies, 96)).astype(np.float32) * 1e-6
    second[: 2 * copies] = first[generator.integers(0, 260, 2 * copies)]
    check(first, second, (1, 3, 9))


@pytest.mark.parametrize("ks", [(), (0,), (2, 1)])
def test_other_ks_are_refused(ks):
    with pytest.raises(ValueError, match="ascending"):
        squared_radii(REFERENCE, ks)


def test_points_that_are_none_are_refused():
    for points in (np.empty((0, 2)), np.array([[np.nan, 1.0]]), np.array([1.0])):
        with pytest.raises(ValueError, match="finite"):
            squared_radii(points, (1,))

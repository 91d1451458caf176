import numpy as np
import pytest

from nlgauge.metrics.prd import PRD, ImprovedPrecisionRecall, curve

REFERENCE = np.array([[0, 0], [1, 0], [0.2, 1.15], [2, 2], [3.1, 2.2], [2.3, 3.3], [-4, -3], [-4.6, -3.7]])
EVALUATED = np.array([[0.1, 0.3], [0.9, 0.4], [2.25, 2.4], [6, 6], [6.5, 5.2]])
TWICE = np.concatenate([REFERENCE[:3]] * 2)
# Two kinds of text, far apart; the system has one of them.
KINDS = np.concatenate([np.random.default_rng(0).normal(size=(20, 3)) + 50 * i for i in range(2)]).astype(np.float32)


def value(evaluated, reference, **parameters):
    return ImprovedPrecisionRecall(**parameters).compare(evaluated, reference)


@pytest.mark.parametrize(
    ("evaluated", "reference", "k", "expected"),
    [
        (EVALUATED, REFERENCE, 1, (0.6, 0.75, 1.8, 0.75)),
        (EVALUATED, REFERENCE, 2, (0.6, 0.75, 0.9, 0.75)),
        (EVALUATED, REFERENCE, 3, (0.6, 1, 0.8666666666666667, 1)),
        (REFERENCE, REFERENCE, 2, (1, 1, 1.5, 1)),
        (TWICE, TWICE, 1, (1, 1, 2, 1)),
    ],
)
def test_the_golden_values(evaluated, reference, k, expected):
    assert value(evaluated, reference, k=k).parts == pytest.approx(expected, abs=1e-12)


def test_against_all_distances():
    generator = np.random.default_rng(0)
    x, y = generator.normal(size=(40, 3)), generator.normal(size=(30, 3)) + 0.5
    between = np.linalg.norm(x[:, None] - y, axis=2)
    radii = [np.sort(np.linalg.norm(z[:, None] - z, axis=2), axis=1)[:, 3] for z in (x, y)]
    by_y, by_x = between <= radii[1], between <= radii[0][:, None]
    expected = (by_y.any(1).mean(), by_x.any(0).mean(), by_y.sum(1).mean() / 3, by_y.any(0).mean())
    assert value(x, y).parts == pytest.approx(expected)


def test_a_system_with_one_of_two_kinds():
    found = PRD(clusters=2).compare(KINDS[:20], KINDS)
    wanted = curve(np.array([1.0, 0]), np.array([0.5, 0.5]))
    assert found.parts == pytest.approx((wanted.f_score(8), wanted.f_score(1 / 8), 0.5, 0.5))
    assert found.notes == ()
    turned = PRD(clusters=2).compare(KINDS, KINDS[:20]).parts
    assert turned[:2] == pytest.approx(found.parts[1::-1], abs=1e-6)

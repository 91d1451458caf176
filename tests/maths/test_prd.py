import numpy as np
import pytest

from nlgauge.metrics.prd import curve, k_means

UNIFORM = [0.25] * 4


@pytest.mark.parametrize(
    ("evaluated", "reference", "f8", "f1_8", "even", "most"),
    [
        ([0.5, 0.3, 0.2, 0], UNIFORM, 0.7471009030891966, 0.9848288753231104, 0.7, (1, 0.75)),
        ([0.5, 0.5, 0, 0], UNIFORM, 0.503863187265047, 0.9848288753231104, 0.5, (1, 0.5)),
        (UNIFORM, [0.5, 0.5, 0, 0], 0.9848288755112427, 0.5038631872156727, 0.5, (0.5, 1)),
        ([0.4, 0.6], [0.4, 0.6], 0.9999999999984613, 0.9999999999015382, 1, (1, 1)),
        ([1.0, 0], [0, 1.0], 0, 0, 0, (0, 0)),
    ],
)
def test_the_golden_curves(evaluated, reference, f8, f1_8, even, most):
    found = curve(np.array(evaluated, float), np.array(reference, float))
    assert found.f_score(8) == pytest.approx(f8, abs=1e-12)
    assert found.f_score(1 / 8) == pytest.approx(f1_8, abs=1e-12)
    assert found.even == pytest.approx((even, even), abs=1e-12)
    assert (found.precision.max(), found.recall.max()) == pytest.approx(most, abs=1e-12)


def clouds(sizes, seed=0, width=5):
    generator = np.random.default_rng(seed)
    return np.concatenate([generator.normal(size=(n, width)) + 30 * i for i, n in enumerate(sizes)])


def test_clusters_far_apart_are_found():
    labels = k_means(clouds((10, 20, 5)), 3, np.random.default_rng(0))
    assert len({*labels[:10]}) == len({*labels[10:30]}) == len({*labels[30:]}) == 1
    assert len({*labels}) == 3

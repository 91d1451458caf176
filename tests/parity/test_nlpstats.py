"""Levels, coefficients, Williams' test and the bootstrap against the authors' own package, on ties and missing values.

nlpstats (PyPI, 0.0.1) is by an author of the paper whose levels and resampling `meta` follows (Deutsch, Dror and Roth
2021). Its tables are [systems, items], the transpose of ours. Its permutation of 'both' is not in here: it exchanges
whole systems and then whole items, where the paper's algorithm 2, and ours, exchanges single cells.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nlgauge.answers.contrast import williams
from nlgauge.stats.coefficients import COEFFICIENTS, correlation
from nlgauge.stats.correlation import estimate, means
from nlgauge.stats.resampling import bootstrap, interval

theirs = pytest.importorskip("nlpstats.correlations", reason="needs the dependency group parity")

LEVELS = {"item": "input", "system": "system", "pooled": "global"}


def tables(seed: int, missing: float) -> list[np.ndarray]:
    """Two metrics and ratings, [items, systems], with something in common, ties, and the same cells missing.

    Values are eighths, whose sums are exact: means that are equal but for rounding are ties to us and not to them.
    """
    rng = np.random.default_rng(seed)
    shape = int(rng.integers(8, 40)), int(rng.integers(5, 16))
    common = rng.normal(size=(shape[0], 1)) + rng.normal(size=shape[1])
    gone = rng.random(shape) < missing
    gone[:, 0] = gone[0] = False  # an item, and a system, without any value is refused there
    return [np.where(gone, np.nan, np.round(8 * (common + rng.normal(size=shape))) / 8) for _ in range(3)]


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall"])
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_correlations(name: str, level: str, missing: float) -> None:
    for seed in range(8):
        x, _, y = tables(seed, missing)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # constant samples
            expected = theirs.correlate(x.T, y.T, LEVELS[level], name)
        assert_allclose(estimate(x, y, COEFFICIENTS[name], level).value, expected, atol=1e-12)


@pytest.mark.parametrize("level", ["system", "pooled"])
def test_williams(level: str) -> None:
    for seed in range(8):
        samples = tables(seed, 0.1)
        expected = theirs.williams_test(*(one.T for one in samples), LEVELS[level], "pearson").pvalue
        x, other, y = samples
        if level == "system":
            (x, y), (other, _) = means(x, y), means(other, y)
        known = ~np.isnan(x)
        pairs = ((x, y), (other, y), (x, other))
        r = [abs(float(correlation(one[known], two[known]))) for one, two in pairs]
        assert_allclose(williams(*r, int(known.sum())).two_sided, expected, atol=1e-9)


@pytest.mark.parametrize(("resample", "method"), [("both", "both"), ("items", "inputs"), ("systems", "systems")])
def test_bootstrap_intervals(resample: str, method: str) -> None:
    x, _, y = tables(3, 0.0)
    np.random.seed(1)  # noqa: NPY002 (the package draws from it)
    expected = theirs.bootstrap(x.T, y.T, "global", "pearson", method, n_resamples=1500)
    found = interval(bootstrap(x, y, COEFFICIENTS["pearson"], "pooled", resample=resample, replicates=4000))
    assert_allclose(found, (expected.lower, expected.upper), atol=0.03)

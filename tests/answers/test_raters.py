"""Raters beside a metric: the published procedure of stand-ins, and what a ceiling is."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nlgauge import InputError, ScoreTable
from nlgauge.answers.raters import raters
from nlgauge.data.table import Column
from nlgauge.stats.fitting import cross_fitted

N = 80
RNG = np.random.default_rng(0)
QUALITY = RNG.normal(size=N)
RATINGS = {name: np.clip(np.round(3 + QUALITY + RNG.normal(size=N) * 0.8), 1, 5) for name in "abcd"}
GOOD, NOISE = QUALITY + RNG.normal(size=N) / 2, RNG.normal(size=N)
ROWS = [("s", str(n)) for n in range(N)]
TABLE = ScoreTable(ROWS, {"Good": Column(("score",), GOOD[:, None]), "Noise": Column(("score",), NOISE[:, None])}, {})
SOURCE = {name: dict(zip(ROWS, values.tolist(), strict=True)) for name, values in RATINGS.items()}


def test_the_test_is_the_published_procedure() -> None:
    stats = pytest.importorskip("scipy.stats", reason="needs the dependency group parity")
    _, good, noise, constant = raters(TABLE, SOURCE, list(RATINGS), level="pooled", replicates=20)
    mean = np.mean(list(RATINGS.values()), axis=0)
    for found, values in ((good, GOOD), (noise, NOISE)):
        predicted = cross_fitted(values[:, None], mean, np.arange(N), "nnls", 5, 0).predicted
        p, shares = [], []
        for name, own in RATINGS.items():
            others = np.stack([RATINGS[other] for other in RATINGS if other != name])
            metric, person = (-np.sqrt(((one - others) ** 2).mean(0)) for one in (predicted, own))
            gains = [*((person >= metric) * 1 - (metric >= person)), -1, 1]  # one more row of each kind
            p.append(stats.ttest_1samp(gains, 0.2, alternative="less").pvalue)
            shares.append((metric >= person).mean())
        assert_allclose(found.p, p, rtol=1e-9)
        assert found.advantage == pytest.approx(np.mean(shares))
        assert found.won == (stats.false_discovery_control(p, method="by") <= 0.05).sum()
    assert good.passed and good.won == 4
    assert constant.metric == "Constant" and math.isnan(constant.value)


def test_the_ceiling_is_a_rater_beside_the_mean_of_the_others() -> None:
    ceiling, good, noise, _ = raters(TABLE, SOURCE, list(RATINGS), level="pooled", replicates=200)
    means = {name: np.mean([RATINGS[other] for other in RATINGS if other != name], axis=0) for name in RATINGS}
    assert ceiling.value == pytest.approx(np.mean([np.corrcoef(RATINGS[n], means[n])[0, 1] for n in RATINGS]))
    assert good.value == pytest.approx(np.mean([np.corrcoef(GOOD, means[n])[0, 1] for n in RATINGS]))
    assert ceiling.low < ceiling.value < ceiling.high
    assert good.low > noise.high
    twice = TABLE.clustered([str(n // 4) for n in range(N)])
    assert raters(twice, SOURCE, list(RATINGS), level="pooled", replicates=50)[1].p != good.p


def test_raters_who_cannot_be_tested_are_refused() -> None:
    with pytest.raises(InputError, match="one rater"):
        raters(TABLE, SOURCE, ["a", "a"], level="pooled")
    few = {name: dict(list(scores.items())[:20]) for name, scores in SOURCE.items()}
    with pytest.raises(InputError, match=r"no rater has 30 rows .* the most is 20"):
        raters(TABLE, few, ["a", "b"], level="pooled")
    with pytest.raises(InputError, match=r"b and e give the same rating to each of 80 rows.*\(name one of the two\)"):
        raters(TABLE, {**SOURCE, "e": dict(SOURCE["b"])}, ["a", "b", "e"], level="pooled")
    with pytest.raises(InputError, match="epsilon"):
        raters(TABLE, SOURCE, ["a", "b"], level="pooled", epsilon=2)

"""The bars of a population whose every risk is known."""

from __future__ import annotations

import numpy as np

from nlgauge.lab.reproduce import promises
from nlgauge.lab.reproduce.coverage import Population


def test_promises_are_counted() -> None:
    rng = np.random.default_rng(0)
    scores = rng.random(400)
    supported = (scores + 0.3 * rng.normal(size=400) > 0.2).astype(float)
    metrics = dict.fromkeys(promises.METRICS, scores)
    made = Population("made", "Made up", np.arange(400), {"supported": supported}, metrics, np.zeros(400, int))
    tried, differences, found = promises.every(made, 20)
    assert tried.population is made and differences == [] and len(found) == 8
    by = {(one.metric, one.ratings, one.risk): one for one in found}
    few, many = by[promises.METRICS[0], 100, 0.2], by[promises.METRICS[0], 300, 0.2]
    assert few == by[promises.METRICS[1], 100, 0.2]._replace(metric=few.metric)
    assert many.certified == 1 and 0.5 < many.passing <= 1 and many.broken <= 0.15
    rated = Population("rated", "Rated", np.arange(400), {"good": supported}, {"M": scores}, np.zeros(400, int))
    assert promises.every(rated, 2)[2] == []

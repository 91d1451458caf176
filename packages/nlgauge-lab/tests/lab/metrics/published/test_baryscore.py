import pytest

from nlgauge.metrics import baryscore
from nlgauge_lab.metrics.published.baryscore import BaryScore
from tests.metrics.pieces import row, scored
from tests.metrics.test_baryscore import example_value

ROWS = [row("w1 w2 w3 w1", "w1 w4 w3", "w4 w5"), row("w5 w6", "w5 w7")]


def values(metric):
    return [value.parts for value in scored(metric, ROWS)]


def test_the_defaults_are_what_the_published_code_computes():
    metric = BaryScore()
    assert (metric.idf, metric.barycenter_weights, metric.start) == ("none", "uniform", "token_mean")
    assert str(metric) == "published/BaryScore"
    assert values(metric) == values(baryscore.BaryScore(idf="none"))


def test_uniform_barycenters_of_weighted_tokens_are_the_worked_example():
    """Golden number 8.5 of the reference specification."""
    assert example_value(BaryScore(idf="general")) == pytest.approx(0.2793846273, abs=1e-7)
    same = BaryScore(idf="general", barycenter_weights="same")
    assert example_value(same) == pytest.approx(example_value(baryscore.BaryScore()), abs=1e-12)

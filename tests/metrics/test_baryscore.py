from dataclasses import replace

import numpy as np
import pytest

from nlgauge.engine.features.masked import TokenWeights
from nlgauge.engine.features.vectors import TokenVectors
from nlgauge.errors import SpecError
from nlgauge.metrics.baryscore import BaryScore
from tests.maths.test_barycenters import CANDIDATE, REFERENCE
from tests.metrics.pieces import pieces, prepared, row, scored, shown


def feature(layers: list, first_id: int = 0) -> TokenVectors:
    size = len(layers[0])
    text = pieces(" ".join("abcdefgh"[:size]), layers, range(first_id, first_id + size))
    return replace(text, vectors=np.array(layers, np.float64))


def example(metric: BaryScore, weights=(0.1, 0.2, 0.3, 0.4, 0.5, 0.3, 0.2)):
    """The worked example, and what is prepared for it: a table that weighs tokens 0 ... 3 and 4 ... 6 as it does."""
    known = prepared(metric)
    if metric.idf != "none":
        side = known.sides[0]._replace(table=TokenWeights("t", np.array(weights)))
        known = replace(known, sides=(side, side))
    return (feature(CANDIDATE), feature(REFERENCE, 4)), known


def example_value(metric: BaryScore) -> float:
    pair, known = example(metric)
    return metric.compare([pair], known)[0][0]


@pytest.mark.parametrize(
    ("parameters", "expected", "within"),
    [
        ({}, 0.18749854642743252, 1e-9),
        ({"distance": "w2"}, 0.4330110234, 1e-9),
        ({"distance": "w1"}, 0.3629857621, 1e-9),
        ({"idf": "general"}, 0.3122516869, 1e-9),
        ({"distance": "sinkhorn", "regularisation": 10}, 0.7334642130, 1e-7),
        ({"distance": "sinkhorn", "regularisation": 5}, 0.7065600334, 1e-7),
        ({"distance": "sinkhorn", "regularisation": 1}, 0.4920625562, 1e-7),
        ({"distance": "sinkhorn", "regularisation": 0.5}, 0.3006079370, 1e-7),
        ({"distance": "sinkhorn", "regularisation": 0.1}, 0.1899903155, 1e-7),
        ({"distance": "sinkhorn", "regularisation": 0.01}, 0.1875739033, 1e-7),
        ({"distance": "sinkhorn", "regularisation": 0.001}, 0.1874985464, 1e-7),
        ({"distance": "sinkhorn_divergence", "regularisation": 1}, 0.0268397984, 1e-7),
        ({"distance": "sinkhorn_divergence", "regularisation": 0.1}, 0.1400376590, 1e-7),
        ({"distance": "sinkhorn_divergence", "regularisation": 0.01}, 0.1832984843, 1e-7),
    ],
    ids=str,
)
def test_the_worked_example(parameters, expected, within):
    """Golden numbers 8.5 of the reference specification."""
    assert example_value(BaryScore(**{"idf": "none", **parameters})) == pytest.approx(expected, abs=within)


@pytest.mark.parametrize("distance", ["w2_squared", "w1"])
def test_evidence_is_the_plan(distance):
    metric, one = BaryScore(layers=2, idf="none", distance=distance), row("w1 w2 w3", "", "w9", "w1 w2 w4")
    evidence = shown(metric, one)
    assert evidence["reference"] == 2
    flows = evidence["flows"]
    assert sum(flow["share"] for flow in flows) == pytest.approx(1)
    cost = sum(flow["share"] * flow["distance"] for flow in flows)
    assert cost == pytest.approx(scored(metric, [one])[0].parts[0], abs=1e-9)
    assert {flow["candidate"].get("text") for flow in flows} == {None, "w1", "w2", "w3"}
    for flow in flows:
        for place, text in ((flow["candidate"], one.candidate), (flow["reference"], one.references[2])):
            assert place == {} or text[place["begin"] : place["end"]] == place["text"]
    assert shown(metric, row("w1")) == {}


@pytest.mark.parametrize(
    "parameters",
    [
        {"layers": 0},
        {"layers": ()},
        {"layers": (-1,)},
        {"layers": True},
        {"layers": (1.5,)},
        {"layers": "5"},
        {"regularisation": 0},
        {"regularisation": float("nan")},
        {"regularisation": True},
    ],
)
def test_parameters_that_mean_nothing_are_refused(parameters):
    with pytest.raises(SpecError, match="BaryScore"):
        BaryScore(**parameters)

"""The limits that the laboratory's metrics declare are reached, or cannot be lower."""

from __future__ import annotations

import math

import numpy as np
import pytest

import nlgauge
from lab.examples import DETECTORS, WEIGHTS
from nlgauge import registry
from nlgauge.contract.base import ANY, COSINE, SHARE
from nlgauge.maths.alignment import preservation
from tests.metrics.pieces import pieces, prepared


@pytest.mark.parametrize(
    ("spec", "candidate", "limit"),
    [("CDER", "x y z", 200.0), ("CDER", "a", 0.0), ("EED", "x" * 40, 1.0)],
)
def test_a_reference_of_one_word_reaches_the_limits(spec: str, candidate: str, limit: float) -> None:
    (value,) = nlgauge.evaluate(candidates=[candidate], references=[["a"]], metrics=[spec]).values(spec)
    assert value == pytest.approx(limit, abs=1e-9)
    assert limit in registry.metric(spec).limits["score"]


@pytest.mark.parametrize("spec", ["EmbeddingAverage", "VectorExtrema", "GreedyMatching", "DepthScore(special=False)"])
def test_opposite_vectors_reach_the_limit(spec: str) -> None:
    metric = registry.metric(spec)
    pair = pieces("boat", [[1.0, 0.0]]), pieces("ship", [[-1.0, 0.0]])
    ((value,),) = metric.compare([pair], prepared(metric))  # type: ignore[attr-defined]
    assert value == pytest.approx(2.0 if metric.name == "DepthScore" else -1.0, abs=1e-6)
    assert round(value) in metric.limits["score"]


@pytest.mark.parametrize(
    ("spec", "limits"),
    [
        ("published/InfoLM", (0.0, math.pi)),
        ("published/InfoLM(measure='kl')", (-math.inf, 0.0)),
        ("published/InfoLM(measure='alpha', alpha=0.5)", (-4.0, 0.0)),
        ("published/InfoLM(measure='l1')", (0.0, 2.0)),
        ("published/Consistency", COSINE),
        ("published/Consistency(rescale='token')", (-math.inf, 1.0)),
        ("published/Relevance", COSINE),
        ("published/Relevance(rescale='token')", ANY),
        ("published/Preservation", ANY),
        ("published/Groundedness", ANY),
        ("published/MeanAlignment", COSINE),
        ("RougeWE", SHARE),
        (f"published/SummaCZS(model={DETECTORS['nli']!r})", COSINE),
        (f"published/MiniCheck(model={DETECTORS['minicheck']!r})", SHARE),
        (f"published/LettuceDetect(model={DETECTORS['lettuce']!r})", SHARE),
        (f"Combination(weights={str(WEIGHTS)!r})", ANY),
    ],
)
def test_limits_follow_the_parameters(spec: str, limits: tuple[float, float]) -> None:
    assert registry.metric(spec).limits["score" if spec != "RougeWE" else "f1"] == limits


def test_a_harmonic_mean_of_cosines_has_no_limit() -> None:
    assert preservation(np.array([0.5]), np.array([-0.499])) < -200

import numpy as np
import pytest

from nlgauge.corpus import Corpus
from nlgauge.engine.engine import Engine
from nlgauge.errors import SpecError
from nlgauge.maths.frechet import frechet
from nlgauge.metrics.base import SetText
from nlgauge.metrics.frechet_distance import FrechetDistance
from tests.engine.fake import FakeModel


def value(evaluated, reference, **parameters):
    metric = FrechetDistance(**parameters)
    return metric.scorer(Corpus.from_texts(["w1"], ["w2"]), Engine(FakeModel())).compare(evaluated, reference)


def test_the_distance_and_its_two_terms():
    x, y = np.array([[0.0], [2.0], [7.0]]), np.array([[4.0], [8.0]])
    found = value(x, y)
    assert found.parts == tuple(frechet(x, y)) and found.notes == ()
    assert found.parts[1] == pytest.approx(9)
    assert found.parts[2] == pytest.approx((x.std(ddof=1) - y.std(ddof=1)) ** 2)
    assert not FrechetDistance().larger_is_better


def test_few_points_are_noted():
    x = np.random.default_rng(0).normal(size=(8, 8))
    found = value(x, x)
    assert found.parts == pytest.approx((0, 0, 0), abs=1e-12)
    assert "depends on how many" in found.notes[0]


def test_the_sizes_are_the_evidence():
    texts = [SetText("1", "one", np.zeros((2, 3), np.float32)), SetText("2", "two", np.zeros((3, 3), np.float32))]
    scorer = FrechetDistance().scorer(Corpus.from_texts(["w1"], ["w2"]), Engine(FakeModel()))
    assert scorer.evidence(texts, texts[:1]) == {"outputs": 5, "references": 2, "dimensions": 3}


def test_parameters_outside_their_domain():
    for bad in ({"layers": 0}, {"layers": True}, {"unit": "word"}, {"normalize": "no"}):
        with pytest.raises(SpecError, match="FrechetDistance: "):
            FrechetDistance(**bad)
    with pytest.raises(SpecError, match="the model has 3"):
        value(np.ones((2, 2)), np.ones((2, 2)), unit="token")

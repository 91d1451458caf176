import numpy as np
import pytest

from nlgauge.data.corpus import Corpus
from nlgauge.engine.engine import Engine
from nlgauge.errors import SpecError
from nlgauge.metrics.base import Setup
from nlgauge.metrics.frechet_distance import FrechetDistance, frechet
from nlgauge.metrics.sets import SetText
from tests.engine.fake import FakeModel


def test_the_distance_and_its_two_terms():
    x, y = np.array([[0.0], [2.0], [7.0]]), np.array([[4.0], [8.0]])
    found = FrechetDistance().compare(x, y)
    assert found.parts == tuple(frechet(x, y)) and found.notes == ()
    assert found.parts[1] == pytest.approx(9)
    assert found.parts[2] == pytest.approx((x.std(ddof=1) - y.std(ddof=1)) ** 2)
    assert not FrechetDistance().higher_is_better


def test_few_points_are_noted():
    x = np.random.default_rng(0).normal(size=(8, 8))
    found = FrechetDistance().compare(x, x)
    assert found.parts == pytest.approx((0, 0, 0), abs=1e-12)
    assert "the distance depends on their number" in found.notes[0]


def test_the_sizes_are_the_evidence():
    texts = [SetText("1", "one", np.zeros((2, 3), np.float32)), SetText("2", "two", np.zeros((3, 3), np.float32))]
    assert FrechetDistance().evidence(texts, texts[:1]).record() == {
        "items": [
            {"name": "outputs", "points": 5, "dimensions": 3},
            {"name": "references", "points": 2, "dimensions": 3},
        ]
    }


def test_parameters_outside_their_domain():
    for bad in ({"layers": 0}, {"layers": True}, {"unit": "word"}, {"normalize": "no"}):
        with pytest.raises(SpecError, match="FrechetDistance: "):
            FrechetDistance(**bad)
    with pytest.raises(SpecError, match="the model has 3"):
        FrechetDistance(unit="token").prepare(Setup(Corpus.from_texts(["w1"], ["w2"]), Engine(FakeModel())))

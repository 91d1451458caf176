import json

import numpy as np
import pytest

from nlgauge.data.corpus import Corpus
from nlgauge.engine.engine import Engine
from nlgauge.errors import SpecError
from nlgauge.metrics.base import Setup
from nlgauge.metrics.prd import PRD, curve
from nlgauge.metrics.sets import SetText
from tests.engine.fake import FakeModel

# Two kinds of text, far apart; the system has one of them.
KINDS = np.concatenate([np.random.default_rng(0).normal(size=(20, 3)) + 50 * i for i in range(2)]).astype(np.float32)


def test_a_system_with_one_of_two_kinds():
    found = PRD(clusters=2).compare(KINDS[:20], KINDS)
    wanted = curve(np.array([1.0, 0]), np.array([0.5, 0.5]))
    assert found.parts == pytest.approx((wanted.f_score(8), wanted.f_score(1 / 8), 0.5, 0.5))
    assert found.notes == ()
    turned = PRD(clusters=2).compare(KINDS, KINDS[:20]).parts
    assert turned[:2] == pytest.approx(found.parts[1::-1], abs=1e-6)


def test_equal_sets_are_at_one_and_a_seed_repeats():
    assert PRD().compare(KINDS, KINDS[::-1]).parts == pytest.approx((1, 1, 1, 1))
    some = np.random.default_rng(1).normal(size=(2, 60, 4)).astype(np.float32)
    assert PRD().compare(*some) == PRD().compare(*some)
    assert PRD(seed=1).compare(*some) != PRD().compare(*some)


def test_few_points_are_noted():
    found = PRD().compare(KINDS[:3], KINDS)
    assert np.isfinite(found.parts).all() and found.notes == ("a set has fewer points than there are clusters",)


def test_the_curve_is_the_evidence():
    texts = [SetText(str(i), f"text {i}", point[None]) for i, point in enumerate(KINDS)]
    (shown,) = json.loads(json.dumps(PRD(clusters=2).evidence(texts[:20], texts).record()))["items"]
    assert shown["name"] == "curve" and len(shown["precision"]) == len(shown["recall"]) == 51
    assert shown["precision"][25] == pytest.approx(0.5) and max(shown["recall"]) == pytest.approx(0.5)


def test_parameters_outside_their_domain():
    for bad in ({"clusters": 0}, {"runs": 0}, {"seed": -1}, {"layers": 0}, {"unit": "word"}):
        with pytest.raises(SpecError, match="PRD: "):
            PRD(**bad)
    with pytest.raises(SpecError, match="the model has 3"):
        PRD(unit="token").prepare(Setup(Corpus.from_texts(["w1"], ["w2"]), Engine(FakeModel())))

import math

import numpy as np
import pytest

from nlgauge.engine.models.card import ModelCard
from nlgauge.errors import SpecError
from nlgauge_lab.metrics.depth_score import DepthScore
from tests.engine.fake import FakeModel
from tests.metrics.pieces import pieces, prepared, row, scored

RNG = np.random.default_rng(4)
LETTERS = "a b c d e f g h i j k l m n o p q r s t u v w x y z"


def value(metric, candidate, reference) -> float:
    ((number,),) = metric.compare([(candidate, reference)], prepared(metric))
    return number


def test_one_token_each_is_their_distance_at_every_level():
    one, other = pieces("a", [[2.0, 0]]), pieces("b", [[0, 3.0]])
    for metric in (DepthScore(), DepthScore(p=1, eps=0, levels=3)):
        assert value(metric, one, other) == pytest.approx(math.sqrt(2), rel=2e-3)


def test_levels_are_averaged_by_hand():
    """Of three unit vectors the middle one is deepest: it alone is left at the upper level, all at the lower one."""
    angles = np.array([-0.4, 0.1, 0.5])
    three = pieces("a b c", np.stack([np.cos(angles), np.sin(angles)], axis=1))
    one = pieces("d", [[1.0, 0.0]])
    reach = [2 * math.sin(angle / 2) for angle in (0.5, 0.1)]
    for p in (1, 5):
        expected = np.mean([d**p for d in reach]) ** (1 / p)
        assert value(DepthScore(p=p, eps=0, levels=2), three, one) == pytest.approx(expected, rel=2e-3)


def test_identity_symmetry_and_order():
    same, there, back = scored(
        DepthScore(special=False), [row("w1 w2 w3", "w1 w2 w3"), row("w1 w2 w3", "w7 w5"), row("w7 w5", "w1 w2 w3")]
    )
    assert same.parts[0] == pytest.approx(0, abs=1e-6)
    assert there.parts[0] == pytest.approx(back.parts[0], rel=1e-9) and there.parts[0] > 0.01
    assert there.parts[0] <= 2


def test_two_tokens_are_equally_deep_whatever_rounding_says():
    """Both are as far from their mean, so both are in the region of every level."""
    metric = DepthScore(special=False)
    for _ in range(20):
        two = pieces("a b", RNG.normal(size=(2, 384)))
        assert metric._regions(two)[1].all()


def test_turning_both_clouds_changes_nothing():
    x, y = RNG.normal(size=(5, 6)), RNG.normal(size=(7, 6))
    turn = np.linalg.qr(RNG.normal(size=(6, 6)))[0]
    straight, turned = (
        value(DepthScore(), pieces(LETTERS[:9], a), pieces(LETTERS[:13], b)) for a, b in ((x, y), (x @ turn, y @ turn))
    )
    assert turned == pytest.approx(straight, rel=2e-3)


def test_special_tokens_belong_to_the_cloud_unless_told():
    one = pieces("a", [[1.0, 0], [0, 1.0], [1.0, 0]], frame=True)
    other = pieces("b", [[0, 1.0], [0, 1.0], [0, 1.0]], frame=True)
    assert value(DepthScore(special=False), one, other) == pytest.approx(0, abs=1e-6)
    assert value(DepthScore(), one, other) > 0.5


@pytest.mark.parametrize(
    "wrong",
    [
        {"layer": -1}, {"layer": True}, {"levels": 0}, {"p": 0.5}, {"p": math.inf},
        {"p": True}, {"eps": 1}, {"eps": -0.1}, {"eps": math.nan}, {"special": "no"},
    ],
)  # fmt: skip
def test_parameters_outside_their_domain_are_refused(wrong):
    with pytest.raises(SpecError, match="DepthScore: "):
        DepthScore(**wrong)


def test_the_layer_is_the_models_best_or_the_last_unless_one_is_named():
    best = FakeModel(card=ModelCard(layers={"BERTScore": 0, "DepthScore": 1}))
    assert prepared(DepthScore()).facts == {"layer": 3}
    assert prepared(DepthScore(), model=best).facts == {"layer": 1}
    assert prepared(DepthScore(layer=0), model=best).facts == {"layer": 0}

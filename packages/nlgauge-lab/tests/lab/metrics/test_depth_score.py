import math

import numpy as np
import pytest

from nlgauge.errors import SpecError
from nlgauge_lab.metrics.depth_score import DepthScore
from tests.metrics.pieces import pieces, prepared


def value(metric, candidate, reference) -> float:
    ((number,),) = metric.compare([(candidate, reference)], prepared(metric))
    return number


def test_levels_are_averaged_by_hand():
    """Of three unit vectors the middle one is deepest: it alone is left at the upper level, all at the lower one."""
    angles = np.array([-0.4, 0.1, 0.5])
    three = pieces("a b c", np.stack([np.cos(angles), np.sin(angles)], axis=1))
    one = pieces("d", [[1.0, 0.0]])
    reach = [2 * math.sin(angle / 2) for angle in (0.5, 0.1)]
    for p in (1, 5):
        expected = np.mean([d**p for d in reach]) ** (1 / p)
        assert value(DepthScore(p=p, eps=0, levels=2), three, one) == pytest.approx(expected, rel=2e-3)


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

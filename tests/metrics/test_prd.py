import numpy as np
import pytest

from nlgauge.metrics.prd import PRD, curve

# Two kinds of text, far apart; the system has one of them.
KINDS = np.concatenate([np.random.default_rng(0).normal(size=(20, 3)) + 50 * i for i in range(2)]).astype(np.float32)


def test_a_system_with_one_of_two_kinds():
    found = PRD(clusters=2).compare(KINDS[:20], KINDS)
    wanted = curve(np.array([1.0, 0]), np.array([0.5, 0.5]))
    assert found.parts == pytest.approx((wanted.f_score(8), wanted.f_score(1 / 8), 0.5, 0.5))
    assert found.notes == ()
    turned = PRD(clusters=2).compare(KINDS, KINDS[:20]).parts
    assert turned[:2] == pytest.approx(found.parts[1::-1], abs=1e-6)

"""CDER and EED: values by hand, and the plain algorithm."""

from __future__ import annotations

import math

import pytest

from nlgauge.data.corpus import Row
from nlgauge_lab.metrics.cder import CDER
from nlgauge_lab.metrics.eed import EED
from tests.metrics.strings import scored, value


def test_cder_worked_by_hand() -> None:
    metric = CDER(tokenizer="spaces")
    assert value(metric, "a b c d", "a b c d") == 0
    # Read c d, jump to the start, read a b: a jump before and one between; nothing asks where the path ends.
    assert value(metric, "a b c d", "a b x d") == 25
    assert value(metric, "a b c d e f", "d e f a b c") == pytest.approx(100 * 3 / 6)
    assert value(metric, "a", "b c") == 100


def test_eed_of_the_published_programs_example() -> None:
    # torchmetrics 1.9 gives their mean as 0.3078.
    found = [
        value(EED(), "this is the prediction", "this is the reference"),
        value(EED(), "here is an other sample", "here is another one"),
    ]
    assert found == pytest.approx([0.38345864661654133, 0.2320675105485232], rel=1e-12)


@pytest.mark.parametrize("metric", [CDER(tokenizer="spaces"), EED()], ids=str)
def test_texts_that_would_take_hours_have_a_reason(metric: CDER | EED, monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    short, long = "one two", "one two three four " * 30
    near = value(metric, short, short)
    monkeypatch.setattr("nlgauge_lab.maths.jumps.MOST_CELLS", 400)
    (far,) = scored(metric, [Row(long, (long,))])
    assert math.isnan(far.parts[0]) and far.reason is not None and "too long: over 100,000,000 pairs" in far.reason
    assert value(metric, short, short, long) == near
    (kept,) = scored(replace(metric, empty="worst"), [Row(long, (long,))])
    assert math.isnan(kept.parts[0]) and kept.reason == far.reason

"""What is reworded says the same."""

from __future__ import annotations

import random

from nlgauge.lab.training.support.faithful import reworded


def test_what_is_reworded_has_the_same_quantities_or_rounded_ones():
    text = "In 1987, the firm (a small one) did not sell 1,200,000 boats in 3 weeks."
    texts = {reworded(text, random.Random(seed)) for seed in range(60)}
    assert len(texts) > 4
    assert any("1.2 million" in one for one in texts) and any("21 days" in one for one in texts)
    assert all("1987" in one or "thousand" in one for one in texts)

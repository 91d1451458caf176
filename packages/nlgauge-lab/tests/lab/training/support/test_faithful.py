"""What is reworded says the same."""

from __future__ import annotations

import random

import pytest

from nlgauge_lab.training.support.faithful import reworded, written_otherwise


def test_what_is_reworded_has_the_same_quantities_or_rounded_ones():
    text = "In 1987, the firm (a small one) did not sell 1,200,000 boats in 3 weeks."
    texts = {reworded(text, random.Random(seed)) for seed in range(60)}
    assert len(texts) > 4
    assert any("1.2 million" in one for one in texts) and any("21 days" in one for one in texts)
    assert all("1987" in one or "thousand" in one for one in texts)


@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("It did not open.", {"It didn't open."}),
        ("It's late.", set()),  # "it's" may be "it has"
        ("It opened on 3 May 1990.", {"It opened on May 3, 1990."}),
        ("It opened on May 3, 1990.", {"It opened on 3 May 1990."}),
        ("It had three lanes.", {"It had 3 lanes."}),
        ("It had 3 lanes.", {"It had three lanes."}),
        ("It cost 12,500 pounds.", {"It cost 12500 pounds."}),
        ("It grew 5%.", {"It grew 5 percent."}),
        ("Nothing here.", set()),
    ],
)
def test_other_spellings(text: str, others: set[str]):
    assert {way(text) for way in written_otherwise(text)} == others

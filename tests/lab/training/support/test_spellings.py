"""Other spellings of the same words."""

from __future__ import annotations

import pytest

from nlgauge.lab.training.support.spellings import written_otherwise


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

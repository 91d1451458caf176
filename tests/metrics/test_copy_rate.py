"""CopyRate: shares by hand."""

from __future__ import annotations

import pytest

from nlgauge.data.corpus import Row
from nlgauge.metrics.simple import CopyRate
from tests.metrics.strings import scored


def test_worked_by_hand() -> None:
    row = Row("The boat, the BOAT sank.", (), "A boat sank", "the boat")
    # the, the are new; boat, boat, sank are copied, and boat counts twice though the source has it once.
    assert scored(CopyRate(), [row])[0].parts == (pytest.approx(3 / 5),)
    assert scored(CopyRate(ngram=2), [row])[0].parts == (pytest.approx(1 / 4),)
    assert scored(CopyRate(side="context", ngram=2), [row])[0].parts == (pytest.approx(2 / 4),)

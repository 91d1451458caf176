"""What a page is made of: which text belongs to which row, and how well rows do."""

from __future__ import annotations

import pytest

from nlgauge import Corpus, InputError, Row
from nlgauge.reports.page.scored import Scored
from tests.report_tables import corpus, table

ROWS = corpus()


def test_outputs_of_other_rows_are_refused() -> None:
    with pytest.raises(InputError, match="no row of the outputs has the system and item"):
        _ = Scored(table(ROWS), Corpus((Row("A text."),)), None).texts

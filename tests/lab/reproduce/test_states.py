"""Which tables can be rebuilt with what is at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from nlgauge.lab.reproduce.published import table, tables
from nlgauge.lab.reproduce.rated import Data
from nlgauge.lab.reproduce.states import states
from tests.lab.reproduce import pieces
from tests.lab.reproduce.pieces import UNRATED

pytestmark = pytest.mark.usefixtures("counting")


def test_states_say_what_can_be_rebuilt(folder: Path) -> None:
    rows = [UNRATED, {"row": "Tomorrow", "spec": "Tomorrow"}, {"row": "People", "rating": "quality"}]
    made = table(pieces.table(rows=rows))
    absent = table(pieces.table(data={"tiny": [{"file": "huge"}]}))
    never = next(one for one in tables().values() if one.name == "mark-evaluate-table-3")
    given = list(states([made, absent, never], Data(folder)))
    assert [state for _, state in given] == [
        "yes, 2 of 3 rows",
        f"needs in {folder}: huge",
        "no: licence: NIST gives the data to signatories only",
    ]
    assert [state for _, state in states([made], None)] == ["needs --data with tiny"]

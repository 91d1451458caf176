"""The page of the papers: what was made, what is prepared, and what is not to be had."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from lab.reproduce import pieces
from lab.reproduce.pieces import rebuilt
from nlgauge import InputError
from nlgauge_lab.reproduce import exhibits, records
from nlgauge_lab.reproduce.exhibits import ABSENT, MADE, PREPARED, page, state
from nlgauge_lab.reproduce.published import table, tables
from nlgauge_lab.reproduce.records import Record
from tests.command import nlgauge

ROOT = Path(__file__).resolve().parents[5]
RECORDED = ROOT / "docs" / "data" / "reproduced.csv"


def test_a_row_has_its_date_and_number_or_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        pieces.table(differs="another model", also=["ctc-figure-9"], name="ctc-table-9"),
        pieces.table(name="ctc-table-8", unrun="not by the other: hours"),
        pieces.table(name="ctc-table-10", unrun="hours"),
        {"name": "ctc-table-11", "paper": "ctc", "title": "Table 11: people", "why": "not released"},
    ]
    monkeypatch.setattr(exhibits, "tables", lambda: {one["name"]: table(one) for one in rows})
    made = {"ctc-table-9": [Record("ctc-table-9", "2026-11-26", "m@1", "2 of 3"), Record("x", "2026-11-27", "", "3")]}
    made["ctc-table-8"] = [Record("ctc-table-8", "2026-11-28", "m@1", "4")]
    text = page(made)
    assert "There are 4 rows: 2 are made, 1 are prepared, 1 are not to be had." in text
    cells = [line.strip("| ").split(" | ")[:3] for line in text.splitlines() if line.startswith("| Table")]
    assert cells == [
        ["Table 8", "Made up", "**made** 2026-11-28 by m@1: 4; not by the other: hours"],
        ["Table 9, Figure 9", "Made up", "**made** 2026-11-26 by m@1: 2 of 3; 2026-11-27: 3"],
        ["Table 10", "Made up", "**prepared**: hours"],
        ["Table 11", "people", "**not to be had**: not released"],
    ]


def test_mean_differences_are_in_correlations_whatever_the_scale_of_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    printed = pieces.table(name="ctc-table-9", scale=100)
    monkeypatch.setattr(exhibits, "tables", lambda: {"ctc-table-9": table(printed)})
    for numbers in (
        "2 of 3 published; mean difference 3.2",
        "2 of 3 published; mean difference of correlations 0.0320",
    ):
        made = page({"ctc-table-9": [Record("ctc-table-9", "2026-11-26", "m@1", numbers)]})
        assert "m@1: 2 of 3 published; mean difference of correlations 0.0320 |" in made
    alone = page({"ctc-table-9": [Record("ctc-table-9", "2026-11-26", "m@1", "3 numbers; none is published")]})
    assert "m@1: 3 numbers; none is published |" in alone


@pytest.mark.usefixtures("one_model", "counting")
def test_a_record_takes_the_place_of_the_one_of_the_same_table_and_model(folder: Path, tmp_path: Path) -> None:
    one = rebuilt(folder, table(pieces.table()))
    new = records.record(one, date(2026, 11, 26))
    assert new[:2] == ("made-up", "2026-11-26") and new.models.startswith("pocket@")
    assert new.numbers.startswith("2 of 3 published numbers compared, 2 of them to the last digit in print")
    place = tmp_path / "new" / "reproduced.csv"
    old = [new._replace(date="2026-01-01", models="pocket@0"), new._replace(models="base@1"), new._replace(table="b")]
    records.write(place, old)
    records.write(place, [new])
    assert records.read(place) == {"b": [old[2]], "made-up": [old[1], new]}
    short = ",".join(records.Record._fields) + "\nmade-up,2026-11-26\n"
    for content, problem in (
        ("", "is no file of records"),
        ("a,b\n", "is no file of records"),
        (short, "2 cells, not 4"),
    ):
        place.write_text(content, encoding="utf-8")
        with pytest.raises(InputError, match=problem):
            records.read(place)
    assert records.read(tmp_path / "none.csv") == records.read(None) == {}


def test_every_row_of_the_page_was_recorded_or_says_why_not() -> None:
    recorded = records.read(RECORDED)
    assert recorded.keys() <= tables().keys()
    for one in tables().values():
        kind = state(one, recorded)
        assert kind in (MADE, PREPARED, ABSENT)
        models = [record.models.partition("@")[0] for record in recorded.get(one.name, ())]
        lacks_base = models == ["pocket"]
        assert (one.unrun is not None) == (kind == PREPARED or lacks_base), f"{one.name} is {kind} by {models}"


def test_one_measurement_is_one_row() -> None:
    columns = [
        (tuple(one.columns), str(one.data), one.view, [row.name for row in one.rows], one.kind)
        for one in tables().values()
        if one.rows
    ]
    assert all(columns.count(one) == 1 for one in columns)


def test_the_page_is_what_the_tables_and_the_records_say() -> None:
    result = nlgauge("reproduce", "papers", "--record", RECORDED, "--readme", ROOT / "docs/reproduce.md", "--check")
    assert result.exit_code == 0, f"{result.stderr}run it without --check"

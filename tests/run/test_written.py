"""A folder that a run writes as it goes: resumed, refused, and read by whatever reads scores."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nlgauge
from nlgauge import ScoreTable
from nlgauge.corpus import Corpus
from nlgauge.errors import InputError
from nlgauge.run import written
from tests.run.test_together import rows

pytest.importorskip("pyarrow", reason="needs nlgauge[tables]")
METRICS = ["TokenF1", "Length"]


def run(place: Path | str, corpus: Corpus | None = None, **options: object) -> ScoreTable:
    given = {"metrics": METRICS, "cache": False, "rows_per_block": 3, **options}
    return nlgauge.evaluate(corpus or rows(3, 8), output=place, **given)  # type: ignore[arg-type]


def test_killed_run_goes_on_and_scores_nothing_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, taken = tmp_path / "scores", []
    whole = written.Written.take

    def broken(self: written.Written, block: written.Block) -> None:
        if len(taken) == 2:
            raise KeyboardInterrupt
        taken.append(block.rows[0])
        whole(self, block)

    monkeypatch.setattr(written.Written, "take", broken)
    with pytest.raises(KeyboardInterrupt):
        run(place)
    assert sorted(path.name for path in place.iterdir()) == [
        "_plan.json", "rows-000000000000.parquet", "rows-000000000003.parquet",
    ]  # fmt: skip
    with pytest.raises(InputError, match=r"has not ended .* it goes on"):
        ScoreTable.load(place)
    monkeypatch.setattr(written.Written, "take", whole)
    before = (place / "rows-000000000003.parquet").stat().st_mtime_ns
    assert run(place) == nlgauge.evaluate(rows(3, 8), metrics=METRICS, cache=False)
    assert (place / "rows-000000000003.parquet").stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("other", "what"),
    [
        ({"metrics": ["TokenF1"]}, "metrics differs"),
        ({"rows_per_block": 4}, "rows_per_block differs"),
        ({"corpus": rows(4, 8)}, "corpus differs"),
        ({"evidence": True}, "evidence differs"),
    ],
)
def test_folder_of_another_run_is_refused(tmp_path: Path, other: dict[str, object], what: str) -> None:
    run(tmp_path / "scores")
    with pytest.raises(InputError, match=what):
        run(tmp_path / "scores", **other)  # type: ignore[arg-type]


def test_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a folder of scores"):
        ScoreTable.load(tmp_path)
    run(tmp_path / "scores")
    (tmp_path / "scores" / "_plan.json").unlink()
    with pytest.raises(InputError, match=r"scores without _plan\.json"):
        run(tmp_path / "scores")


def test_damage_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "scores"
    run(place)
    block = place / "rows-000000000003.parquet"
    whole = block.read_bytes()
    block.write_bytes(whole[:-50])
    with pytest.raises(InputError, match=r"rows-000000000003\.parquet cannot be read"):
        ScoreTable.load(place)
    block.unlink()
    with pytest.raises(InputError, match="holds 5 of 8 rows"):
        ScoreTable.load(place)
    (place / "_header.json").write_text("[]")
    with pytest.raises(InputError, match=r"_header\.json is not a JSON object"):
        ScoreTable.load(place)


def test_place_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        run(tmp_path / "file" / "scores")


def test_address_is_written_and_read(tmp_path: Path) -> None:
    place = (tmp_path / "scores").as_uri()
    assert run(place) == ScoreTable.load(place) == ScoreTable.load(tmp_path / "scores")


def test_table_of_a_folder_is_saved_as_any_other(tmp_path: Path) -> None:
    table = run(tmp_path / "scores")
    table.save(tmp_path / "scores.jsonl")
    assert ScoreTable.load(tmp_path / "scores.jsonl") == table


def test_ledger_and_columns_stand_in_the_folder(tmp_path: Path) -> None:
    from pyarrow import parquet

    run(tmp_path / "scores")
    header = json.loads((tmp_path / "scores" / "_header.json").read_text())
    assert header["run"]["rows"] == 8
    assert header["ledger"]["seconds"] >= 0
    table = parquet.read_table(tmp_path / "scores" / "rows-000000000003.parquet")
    assert table["row"].to_pylist() == [3, 4, 5]
    f1 = nlgauge.evaluate(rows(3, 8), metrics="TokenF1", cache=False).values("TokenF1")
    np.testing.assert_array_equal(table["TokenF1.f1"].to_numpy(), f1[3:6])


def edited(place: Path, change: Callable[[dict[str, Any]], object]) -> None:
    header = json.loads((place / "_header.json").read_text())
    change(header)
    (place / "_header.json").write_text(json.dumps(header))


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda header: header.pop("metrics"), "has no nlgauge header"),
        (
            lambda header: header["metrics"]["TokenF1"].update(parts=["f1", "f2"]),
            r"no column TokenF1\.f2 of double",
        ),
        (lambda header: header["signatures"].pop("TokenF1"), "TokenF1 has no signature"),
        (lambda header: header.pop("systems"), "systems is not an object"),
        (lambda header: header["systems"].pop("MarkEvaluate"), r"systems\.MarkEvaluate is missing"),
        (lambda header: header["systems"]["MarkEvaluate"]["values"].pop(), "are not those of 2 systems"),
        (lambda header: header["systems"]["MarkEvaluate"]["values"][0].__setitem__(0, "much"), "are not those of"),
        (lambda header: header["run"].update(rows=9), "holds 8 of 9 rows"),
    ],
)
def test_header_that_was_edited_is_refused(
    tmp_path: Path, change: Callable[[dict[str, Any]], object], what: str, one_model: None
) -> None:
    place = tmp_path / "scores"
    table = run(place, metrics=["TokenF1", "MarkEvaluate"])
    assert len(table.systems) == 2
    edited(place, change)
    with pytest.raises(InputError, match=what):
        ScoreTable.load(place)


def test_block_of_other_rows_and_evidence_of_another_shape_are_refused(tmp_path: Path) -> None:
    from pyarrow import array, parquet

    place = tmp_path / "scores"
    run(place, metrics=["TokenF1"], evidence=True)
    block = place / "rows-000000000003.parquet"
    whole = parquet.read_table(block)
    for name, content, what in (
        ("row", [3, 5, 4], "does not hold the rows from there on"),
        ("system", ["a", None, "b"], "rows without a system or an item"),
        ("TokenF1.evidence", [None, "[]", None], "row 5: TokenF1: evidence is not an object"),
        ("TokenF1.evidence", [None, "{", None], "row 5: TokenF1: evidence is not an object"),
    ):
        at = whole.column_names.index(name)
        parquet.write_table(whole.set_column(at, name, array(content)), block)
        with pytest.raises(InputError, match=what):
            ScoreTable.load(place)
    parquet.write_table(whole, block)
    assert ScoreTable.load(place).columns["TokenF1"].evidence


def test_other_files_of_the_folder_are_left_alone(tmp_path: Path) -> None:
    run(tmp_path / "scores")
    (tmp_path / "scores" / "rows-x.parquet").write_text("")
    assert len(ScoreTable.load(tmp_path / "scores").rows) == 8

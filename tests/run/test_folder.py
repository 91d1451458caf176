"""A folder that a run writes as it goes: resumed, refused, and read by whatever reads scores."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import nlgauge
from nlgauge import ScoreTable
from nlgauge.contract.base import Prepared, RowMetric, Value
from nlgauge.data.corpus import Corpus, Row
from nlgauge.engine.features.request import Features
from nlgauge.errors import InputError
from nlgauge.run.folder import FolderWriter
from tests.run.rows import rows

pytest.importorskip("pyarrow", reason="needs nlgauge[tables]")
METRICS = ["TokenF1", "Length"]
BLOCK = "rows-000000000003.parquet"


@dataclass(frozen=True)
class Noted(RowMetric):
    """Characters of a candidate, with a note where they are odd, and a reason where there are none."""

    columns = ("candidate",)

    def score_rows(self, rows: Sequence[Row], prepared: Prepared, features: Features) -> list[Value]:
        sizes = [len(row.candidate) for row in rows]
        return [
            Value((float(size),), None, ("odd",) * (size % 2)) if size else Value((math.nan,), "empty")
            for size in sizes
        ]


def run(place: Path | str, corpus: Corpus | None = None, **options: object) -> ScoreTable:
    given = {"metrics": METRICS, "cache": False, "rows_per_block": 3, **options}
    return nlgauge.evaluate(corpus or rows(3, 8), output=place, **given)  # type: ignore[arg-type]


def test_killed_run_goes_on_and_scores_nothing_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, taken = tmp_path / "scores", []
    whole = FolderWriter._write

    def broken(self: FolderWriter, some: Sequence[int]) -> None:
        if len(taken) == 2:
            raise KeyboardInterrupt
        taken.append(some[0])
        whole(self, some)

    monkeypatch.setattr(FolderWriter, "_write", broken)
    with pytest.raises(KeyboardInterrupt):
        run(place)
    assert sorted(path.name for path in place.iterdir()) == [
        "_plan.json",
        "rows-000000000000.parquet",
        "rows-000000000003.parquet",
    ]
    with pytest.raises(InputError, match=r"has not ended .* it goes on"):
        ScoreTable.load(place)
    monkeypatch.setattr(FolderWriter, "_write", whole)
    before = (place / "rows-000000000003.parquet").stat().st_mtime_ns
    assert run(place) == nlgauge.evaluate(rows(3, 8), metrics=METRICS, cache=False)
    assert (place / "rows-000000000003.parquet").stat().st_mtime_ns == before


def shortened(block: Path) -> None:
    from pyarrow import parquet

    parquet.write_table(parquet.read_table(block).slice(0, 2), block)


def lengthened(block: Path) -> None:
    from pyarrow import array, concat_tables, parquet

    table = parquet.read_table(block)
    more = table.slice(0, 1).set_column(0, "row", array([6]))
    parquet.write_table(concat_tables([table, more]), block)


def changed(name: str, content: Sequence[object]) -> Callable[[Path], None]:
    def change(block: Path) -> None:
        from pyarrow import array, parquet

        table = parquet.read_table(block)
        parquet.write_table(table.set_column(table.column_names.index(name), name, array(content)), block)

    return change


def without(name: str) -> Callable[[Path], None]:
    def change(block: Path) -> None:
        from pyarrow import parquet

        parquet.write_table(parquet.read_table(block).drop_columns([name]), block)

    return change


def cut(block: Path) -> None:
    block.write_bytes(block.read_bytes()[:-50])


def one_bit(block: Path) -> None:
    """In a number, where without its checksum the page would be read as if nothing had happened."""
    from pyarrow import ArrowException, parquet

    table, whole = parquet.read_table(block), block.read_bytes()
    values = table["TokenF1.f1"].to_pylist()
    for at in range(len(whole)):
        block.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
        with suppress(OSError, ValueError, ArrowException):
            other = parquet.read_table(block)
            if other.schema == table.schema and other["TokenF1.f1"].to_pylist() != values:
                return
    pytest.fail("no such bit")


@pytest.mark.parametrize(
    "damage",
    [
        shortened,
        lengthened,
        cut,
        one_bit,
        changed("row", [3, 5, 4]),
        changed("system", ["s0", "s1", "s1"]),
        changed("item", ["1", None, "2"]),
        changed("TokenF1.f1", ["0", "0", "0"]),
        changed("TokenF1.notes", [0, 0, 0]),
        changed("TokenF1.evidence", [None, "{", None]),
        changed("TokenF1.evidence", [None, "[]", None]),
        without("TokenF1.reason"),
        without("TokenF1.longer"),
        without("TokenF1.evidence"),
    ],
)
@pytest.mark.parametrize("ended", [True, False])
def test_a_block_that_is_damaged_is_scored_again(tmp_path: Path, damage: Callable[[Path], None], ended: bool) -> None:
    """Alone, and no other with it; the table is that of an undisturbed run.

    After a run that has ended the digests in the header tell, and before it what the block holds.
    """
    place, options = tmp_path / "scores", {"metrics": ["TokenF1", Noted()], "evidence": True}
    undisturbed = run(place, **options)
    before = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in place.iterdir()}
    damage(place / BLOCK)
    if not ended:
        (place / "_header.json").unlink()
    assert (place / BLOCK).read_bytes() != before[BLOCK][0]
    table = run(place, **options)
    assert table == undisturbed and table.run == undisturbed.run
    assert table.columns["TokenF1"].evidence == undisturbed.columns["TokenF1"].evidence
    after = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in place.iterdir()}
    assert {name for name in after if name.startswith("rows") and after[name] != before[name]} == {BLOCK}
    assert after[BLOCK][0] == before[BLOCK][0] and after.keys() == before.keys()


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


def test_folder_of_something_else_and_place_that_cannot_be_written_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a folder of scores"):
        ScoreTable.load(tmp_path)
    run(tmp_path / "scores")
    (tmp_path / "scores" / "_plan.json").unlink()
    with pytest.raises(InputError, match=r"scores without _plan\.json"):
        run(tmp_path / "scores")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        run(tmp_path / "file" / "scores")


def test_address_is_written_and_read(tmp_path: Path) -> None:
    place = (tmp_path / "scores").as_uri()
    assert run(place) == ScoreTable.load(place) == ScoreTable.load(tmp_path / "scores")


def edited(place: Path, change: Callable[[dict[str, Any]], object]) -> None:
    header = json.loads((place / "_header.json").read_text())
    header.pop("seal", None)
    change(header)
    (place / "_header.json").write_text(json.dumps(header))


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda header: header.pop("metrics"), "has no nlgauge header"),
        (
            lambda header: header["metrics"]["TokenF1"].update(parts=["f1", "f2"], limits={}),
            r"no column TokenF1\.f2 of double",
        ),
        (lambda header: header["signatures"].pop("TokenF1"), "TokenF1 has no signature"),
        (lambda header: header.pop("systems"), "systems: Expected `object`, got `null`"),
        (lambda header: header["systems"].pop("MarkEvaluate"), "the values of MarkEvaluate are not those of 2 systems"),
        (lambda header: header["systems"]["MarkEvaluate"]["values"].pop(), "are not those of 2 systems"),
        (
            lambda header: header["systems"]["MarkEvaluate"]["values"][0].__setitem__(0, "much"),
            r"systems\.MarkEvaluate: .*'much' is not a number",
        ),
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
    edited(place, lambda header: None)
    block = place / "rows-000000000003.parquet"
    whole = parquet.read_table(block)
    for name, content, what in (
        ("row", [4, 6, 5], "does not hold the rows from there on"),
        ("system", ["a", None, "b"], "rows without a system or an item"),
        ("TokenF1.evidence", [None, "[]", None], "row 5: TokenF1: evidence: Expected `object`, got"),
        ("TokenF1.evidence", [None, "{", None], "row 5: TokenF1: evidence: Expected `object`, got"),
    ):
        at = whole.column_names.index(name)
        parquet.write_table(whole.set_column(at, name, array(content)), block)
        with pytest.raises(InputError, match=what):
            ScoreTable.load(place)
    parquet.write_table(whole, block)
    assert ScoreTable.load(place).columns["TokenF1"].evidence

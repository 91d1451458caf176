"""A scores file comes back as it went, and a damaged one is refused by its line."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nlgauge.data.table import ScoreTable
from nlgauge.errors import InputError, NlgaugeError
from tests.by_hand import by_hand
from tests.score_tables import KL, L1, PARTS, counted, mixed, saved


@pytest.fixture
def table() -> ScoreTable:
    return mixed()


def test_a_table_comes_back_as_it_went(table: ScoreTable, tmp_path: Path) -> None:
    table.columns[L1].values[0] = -math.inf
    table.columns[PARTS].details = ("r",)
    path, _ = saved(table, tmp_path)
    again = ScoreTable.load(str(path))
    assert again == table
    assert (again.metrics, again.run, again.version) == (table.metrics, table.run, table.version)
    for spec, before in table.columns.items():
        after = again.columns[spec]
        np.testing.assert_array_equal(after.values, before.values)
        assert (after.parts, after.details, after.evidence) == (before.parts, before.details, before.evidence)
        assert (after.reasons, after.higher_is_better) == (before.reasons, before.higher_is_better)
        assert after.values.flags.writeable
    second = tmp_path / "again.jsonl"
    again.save(second)
    assert by_hand(second).read_bytes() == path.read_bytes()


Edit = Callable[[list[str]], list[str]]


def changed(number: int, **values: Any) -> Edit:
    """Replace fields of the record on line `number` (from 1)."""

    def edit(lines: list[str]) -> list[str]:
        lines[number - 1] = json.dumps({**json.loads(lines[number - 1]), **values})
        return lines

    return edit


def described(spec: str, **values: Any) -> Edit:
    """Change what the header says of a metric."""

    def edit(lines: list[str]) -> list[str]:
        header = json.loads(lines[0])
        header["metrics"][spec].update(values)
        return [json.dumps(header), *lines[1:]]

    return edit


def without(number: int, key: str) -> Edit:
    def edit(lines: list[str]) -> list[str]:
        record = json.loads(lines[number - 1])
        del record[key]
        lines[number - 1] = json.dumps(record)
        return lines

    return edit


@pytest.mark.parametrize(
    ("edit", "row"),
    [
        pytest.param(lambda lines: [], None, id="empty"),
        pytest.param(lambda lines: lines[1:], 1, id="no header"),
        pytest.param(without(1, "signatures"), 1, id="header without signatures"),
        pytest.param(changed(1, signatures={KL: 3}), 1, id="signature that is no text"),
        pytest.param(changed(1, facts={KL: [1]}), 1, id="facts of a metric that are a list"),
        pytest.param(changed(1, metrics=[]), 1, id="header with another shape of metrics"),
        pytest.param(lambda lines: [*lines[:3], "{oops", *lines[4:]], 4, id="broken line"),
        pytest.param(lambda lines: [*lines[:-1], lines[-1][:20]], 26, id="cut within a line"),
        pytest.param(lambda lines: lines[:-1], None, id="cut within a row"),
        pytest.param(lambda lines: lines[:9], None, id="cut within a metric"),
        pytest.param(lambda lines: lines[:1], None, id="header alone"),
        pytest.param(changed(3, metric="BLEU"), 3, id="unknown metric"),
        pytest.param(without(3, "value"), 3, id="no value"),
        pytest.param(without(3, "reason"), 3, id="no reason"),
        pytest.param(changed(3, value="0.5"), 3, id="value that is a text"),
        pytest.param(changed(12, part="f"), 12, id="parts out of order"),
        pytest.param(lambda lines: ["[" * 100_000, *lines[1:]], 1, id="header of brackets"),
        pytest.param(
            lambda lines: [lines[0].replace('"run"', '"run": 1e999, "r"', 1), *lines[1:]], 1, id="infinite number"
        ),
        pytest.param(changed(3, value=10**400), 3, id="value of 400 digits"),
        pytest.param(changed(3, item=7), 3, id="item that is a number"),
        pytest.param(changed(3, counts=3), 3, id="counts that are a number"),
        pytest.param(changed(3, evidence={"texts": [{"words": []}]}), 3, id="evidence that cannot be drawn"),
        pytest.param(changed(1, run={"asked": {"a": 3}}), 1, id="asked that is a number"),
        pytest.param(changed(1, run={"notes": {KL: [1]}}), 1, id="notes that are a list"),
        pytest.param(changed(1, rows=[["a"]]), 1, id="rows without items"),
        pytest.param(described(KL, parts="kl"), 1, id="parts that are a text"),
        pytest.param(described(KL, higher_is_better=None), 1, id="no direction"),
        pytest.param(described(KL, level="row"), 1, id="unknown level"),
        pytest.param(described(KL, details=["x"]), 1, id="details that are no parts"),
        pytest.param(described(KL, formula={"name": "no formula"}), 1, id="unknown formula"),
        pytest.param(changed(8, item="other"), None, id="another row"),
    ],
)
def test_a_damaged_file_is_refused(table: ScoreTable, tmp_path: Path, edit: Edit, row: int | None) -> None:
    path, records = saved(table, tmp_path)
    lines = edit([json.dumps(record) for record in records])
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        ScoreTable.load(path)
    assert caught.value.row == row
    assert str(caught.value).startswith(f"{path}: " + (f"row {row}: " if row else ""))
    assert len(str(caught.value).splitlines()) == 1


def test_files_that_are_no_tables_are_refused(tmp_path: Path) -> None:
    latin = tmp_path / "latin.jsonl"
    latin.write_bytes('{"nlgauge": "größer"}\n'.encode("latin-1"))
    for path, problem in ((latin, "not UTF-8"), (tmp_path / "absent.jsonl", "cannot be read")):
        with pytest.raises(InputError, match=problem) as caught:
            ScoreTable.load(path)
        assert caught.value.file == str(path)
        assert caught.value.remedy
    with pytest.raises(NlgaugeError, match=r"is not a folder of scores|needs an optional library"):
        ScoreTable.load(tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('"name": "rate"', '"name": "newer"', "formula"),
        ('"counts": [0.0, 6.0]', '"counts": [0.0]', "unlike counts"),
        ('"counts": [0.0, 6.0]', '"counts": [0.0, 1e300]', r"at `\$\.counts\[1\]`"),
        ('"counts": [0.0, 6.0]', '"counts": [0.0, "six"]', r"Expected `float`, got `str` - at `\$\.counts\[1\]`"),
        (
            '{"system": "B", "item": null, "metric": "TER", "part": "score", "value": 30.0, "reason": null}\n',
            "",
            "rows of TER",
        ),
    ],
)
def test_an_edited_file_is_refused(tmp_path: Path, old: str, new: str, problem: str) -> None:
    path = tmp_path / "scores.jsonl"
    counted().save(path)
    text = by_hand(path).read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(InputError, match=problem):
        ScoreTable.load(path)


@pytest.mark.parametrize("settings", [{"smooth": []}, {"constant": "x", "smooth": "floor"}, {"unknown": 1}])
def test_a_formula_that_cannot_be_used_is_refused(tmp_path: Path, settings: dict[str, Any]) -> None:
    path, (header, *records) = saved(counted(), tmp_path)
    (about,) = (one for one in header["metrics"].values() if "formula" in one)
    about["formula"] = {"name": "bleu", **settings}
    path.write_text("".join(json.dumps(record) + "\n" for record in (header, *records)), encoding="utf-8")
    if "smooth" in settings and settings["smooth"] == []:
        ScoreTable.load(path).by_system()  # a way of smoothing that there is not smooths nothing
        return
    with pytest.raises(InputError, match="the formula"):
        ScoreTable.load(path)

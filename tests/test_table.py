"""ScoreTable: looking values up, means with their intervals, and a file that comes back as it went."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nlgauge import table as module
from nlgauge.errors import InputError
from nlgauge.metrics.infolm import InfoLM
from nlgauge.table import Column, ScoreTable, Sums, SystemScore

KEYS = {"system", "item", "metric", "part", "value", "reason"}
KL, L1, PARTS = "InfoLM(measure='kl')", "InfoLM(measure='l1', stride=2)", "Parts"


def column(*values: float, **facts: Any) -> Column:
    return Column(("score",), np.array(values, dtype=float).reshape(-1, 1), **facts)


@pytest.fixture
def table() -> ScoreTable:
    """Two systems, two metrics of one number and one of three, a missing value and an infinite one."""
    rows = [("größte Ü", "b"), ("模型 🙂", "b"), ("größte Ü", "a"), ("模型 🙂", "a"), ("größte Ü", "c")]
    parts = Column(("p", "r", "f"), np.arange(15, dtype=float).reshape(5, 3) / 7, evidence={3: {"token": "ﬁ\u2028"}})
    columns = {
        KL: column(0.5, math.nan, 1 / 3, 2e-17, math.inf, reasons={1: "no reference"}, higher_is_better=False),
        L1: column(1, 2, 3, 4, 5, higher_is_better=False),
        PARTS: parts,
    }
    signatures = {spec: f"{spec}|model:none" for spec in columns}
    return ScoreTable(rows, columns, signatures, {"rows": 5, "notes": {KL: {"a note": 1}}}, "9.9")


def one(values: list[float], system: str = "s", **facts: Any) -> ScoreTable:
    return ScoreTable([(system, str(i)) for i in range(len(values))], {"M": column(*values, **facts)}, {"M": "M|x"})


# ---- Looking up


def test_values_by_spec_object_name_and_part(table: ScoreTable) -> None:
    assert table.values(KL)[2] == 1 / 3
    assert table.values(InfoLM(measure="kl"))[0] == 0.5
    assert table.values('InfoLM( measure = "l1",stride=2 )').tolist() == [1, 2, 3, 4, 5]
    assert (
        table.values("Parts").tolist()
        == table.values("Parts", part="p").tolist()
        == table.columns["Parts"].values[:, 0].tolist()
    )
    assert table.values("Parts", part="f").tolist() == table.columns["Parts"].values[:, 2].tolist()
    assert table.values("Parts").shape == (5,)
    assert table.metrics == [KL, L1, PARTS]
    assert table.systems == ["größte Ü", "模型 🙂"]


def test_a_name_of_several_metrics_is_ambiguous(table: ScoreTable) -> None:
    with pytest.raises(KeyError) as caught:
        table.values("InfoLM")
    assert "not one metric but 2" in str(caught.value)
    assert "measure='kl'" in str(caught.value)
    assert "measure='l1'" in str(caught.value)


def test_a_name_that_is_a_spec_is_not_ambiguous(table: ScoreTable) -> None:
    table.columns["InfoLM"] = column(9, 9, 9, 9, 9)
    assert table.values("InfoLM").tolist() == [9] * 5


def test_what_is_not_there_is_a_key_error_that_lists_what_is(table: ScoreTable) -> None:
    with pytest.raises(KeyError, match="no metric BLEU"):
        table.values("BLEU")
    with pytest.raises(KeyError, match="Parts"):
        table.column(InfoLM(measure="l2"))
    with pytest.raises(KeyError, match="p, r, f"):
        table.values("Parts", part="score")


# ---- Means and intervals


def test_by_system_has_one_entry_per_metric_part_and_system(table: ScoreTable) -> None:
    scores = table.by_system()
    assert [(score.metric, score.part, score.system) for score in scores] == [
        (spec, part, system)
        for spec, parts in ((KL, ["score"]), (L1, ["score"]), (PARTS, ["p", "r", "f"]))
        for part in parts
        for system in table.systems
    ]
    found = {(score.metric, score.part, score.system): score for score in scores}
    assert found[L1, "score", "größte Ü"].mean == 3
    assert found[L1, "score", "模型 🙂"].mean == 3
    assert found[PARTS, "r", "模型 🙂"].mean == pytest.approx((4 + 10) / 2 / 7)
    assert [found[L1, "score", system].n for system in table.systems] == [3, 2]


def test_the_interval_is_that_of_a_literal_bootstrap() -> None:
    values = np.random.default_rng(3).normal(size=23)
    got = one(values.tolist()).by_system(level=0.9, replicates=200, seed=7)[0]
    picks = np.random.default_rng([7, 23]).integers(0, 23, (200, 23), dtype=np.int32)
    means = sorted(sum(values[i] for i in pick) / 23 for pick in picks)

    def quantile(share: float) -> float:
        place = share * (len(means) - 1)
        below = math.floor(place)
        return means[below] + (place - below) * (means[min(below + 1, len(means) - 1)] - means[below])

    assert got.mean == pytest.approx(values.mean(), abs=1e-12)
    assert (got.low, got.high) == pytest.approx((quantile(0.05), quantile(0.95)), abs=1e-12)


def test_the_interval_of_many_items_is_that_of_a_literal_bootstrap_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_DRAWN_AT_ONCE", 1)
    values = np.random.default_rng(4).normal(size=20)
    got = one(values.tolist()).by_system(replicates=50, seed=1)[0]
    generator = np.random.default_rng([1, 20])
    means = [values[generator.integers(0, 20, 20, dtype=np.int32)].mean() for _ in range(50)]
    assert (got.low, got.high) == pytest.approx(np.quantile(means, [0.025, 0.975]), abs=1e-12)


def test_intervals_repeat_and_follow_the_seed() -> None:
    values = np.random.default_rng(5).normal(size=30).tolist()
    table = one(values)
    assert table.by_system(seed=1) == table.by_system(seed=1)
    assert table.by_system(seed=1)[0].low != table.by_system(seed=2)[0].low
    assert table.by_system(seed=1)[0].mean == table.by_system(seed=2)[0].mean


def test_the_interval_holds_the_mean_and_grows_with_the_level() -> None:
    for size in (2, 3, 10, 100):
        table = one(np.random.default_rng(size).exponential(size=size).tolist())
        narrow, wide = table.by_system(level=0.5)[0], table.by_system(level=0.99)[0]
        assert narrow.low <= narrow.mean <= narrow.high
        assert wide.low <= narrow.low < narrow.high <= wide.high


def test_an_interval_does_not_depend_on_the_other_systems(table: ScoreTable) -> None:
    alone = ScoreTable(
        [row for row in table.rows if row[0] == "模型 🙂"], {L1: column(2, 4, higher_is_better=False)}, {L1: "x"}
    )
    together = [score for score in table.by_system() if (score.system, score.metric) == ("模型 🙂", L1)]
    assert alone.by_system() == together


def test_missing_values_are_left_out_and_counted() -> None:
    whole, holes = one([1.0, 2.0, 4.0]), one([math.nan, 1.0, 2.0, math.nan, 4.0])
    expected, got = whole.by_system()[0], holes.by_system()[0]
    assert (got.mean, got.low, got.high, got.n) == (expected.mean, expected.low, expected.high, 3)
    assert (expected.undefined, got.undefined) == (0, 2)


def test_one_item_has_a_mean_and_no_interval() -> None:
    score = one([0.25, math.nan]).by_system()[0]
    assert (score.mean, score.n, score.undefined) == (0.25, 1, 1)
    assert math.isnan(score.low)
    assert math.isnan(score.high)


def test_no_value_at_all_has_no_mean() -> None:
    score = one([math.nan, math.nan]).by_system()[0]
    assert (score.n, score.undefined) == (0, 2)
    assert all(math.isnan(number) for number in (score.mean, score.low, score.high))


def test_an_infinite_value_makes_the_mean_infinite_and_no_interval() -> None:
    score = one([1.0, math.inf, 2.0]).by_system()[0]
    assert (score.mean, score.n, score.undefined) == (math.inf, 3, 0)
    assert math.isnan(score.low)


def test_equal_values_have_an_interval_of_no_width() -> None:
    score = one([0.5] * 9).by_system()[0]
    assert isinstance(score, SystemScore)
    assert score.low == score.mean == score.high == 0.5


# ---- The file


def saved(table: ScoreTable, folder: Path) -> tuple[Path, list[dict[str, Any]]]:
    path = folder / "scores.jsonl"
    table.save(path)
    return path, [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]


def test_the_first_line_is_the_header(table: ScoreTable, tmp_path: Path) -> None:
    _, (header, *_) = saved(table, tmp_path)
    assert header["nlgauge"] == "9.9"
    assert header["signatures"] == table.signatures
    assert header["run"] == table.run
    assert list(header)[:2] == ["nlgauge", "signatures"]
    assert header["metrics"][KL] == {"parts": ["score"], "higher_is_better": False, "level": "item"}


def test_then_comes_one_record_per_value(table: ScoreTable, tmp_path: Path) -> None:
    path, (_, *records) = saved(table, tmp_path)
    assert len(records) == 5 + 5 + 15
    assert all(set(record) - {"evidence"} == KEYS for record in records)
    assert [(record["system"], record["item"]) for record in records[:5]] == table.rows
    assert [record["part"] for record in records[10:16]] == ["p", "r", "f"] * 2
    assert records == list(table.records())
    assert "größte Ü" in path.read_text(encoding="utf-8")
    assert path.read_bytes().endswith(b"}\n")
    assert b"\r" not in path.read_bytes()


def test_missing_is_null_with_a_reason_and_infinity_is_a_word(table: ScoreTable, tmp_path: Path) -> None:
    path, (_, *records) = saved(table, tmp_path)
    assert (records[1]["value"], records[1]["reason"]) == (None, "no reference")
    assert (records[0]["value"], records[0]["reason"]) == (0.5, None)
    assert records[4]["value"] == "Infinity"
    assert "NaN" not in path.read_text(encoding="utf-8")


def test_evidence_is_in_the_file_only_where_there_is_some(table: ScoreTable) -> None:
    with_evidence = [record for record in table.records() if "evidence" in record]
    assert [(record["metric"], record["item"], record["part"]) for record in with_evidence] == [(PARTS, "a", "p")]
    assert with_evidence[0]["evidence"] == {"token": "ﬁ\u2028"}


def test_a_table_comes_back_as_it_went(table: ScoreTable, tmp_path: Path) -> None:
    table.columns[L1].values[0] = -math.inf
    path, _ = saved(table, tmp_path)
    again = ScoreTable.load(str(path))
    assert again.rows == table.rows
    assert again.metrics == table.metrics
    assert (again.signatures, again.run, again.version) == (table.signatures, table.run, table.version)
    for spec, column_ in table.columns.items():
        other = again.columns[spec]
        np.testing.assert_array_equal(other.values, column_.values)
        assert (other.parts, other.reasons, other.evidence) == (column_.parts, column_.reasons, column_.evidence)
        assert other.higher_is_better == column_.higher_is_better
    second = tmp_path / "again.jsonl"
    again.save(second)
    assert second.read_bytes() == path.read_bytes()


def test_odd_names_of_systems_and_items_come_back(tmp_path: Path) -> None:
    rows = [("a\nb", "\u2028"), ("", "null"), ("\0", '"}'), ("\x85", "1"), ("1", "1"), ("1", "1")]
    table = ScoreTable(rows, {"M": column(*range(6))}, {"M": "x"})
    path, _ = saved(table, tmp_path)
    assert ScoreTable.load(path).rows == rows


def test_saving_replaces_a_file_and_leaves_no_other(table: ScoreTable, tmp_path: Path) -> None:
    (tmp_path / "scores.jsonl").write_text("old", encoding="utf-8")
    path, records = saved(table, tmp_path)
    assert len(records) == 26
    assert list(tmp_path.iterdir()) == [path]


def test_a_table_that_cannot_be_written_leaves_the_old_file_and_no_other(table: ScoreTable, tmp_path: Path) -> None:
    path = tmp_path / "scores.jsonl"
    path.write_text("old", encoding="utf-8")
    table.columns[PARTS].evidence[0] = {"share": math.nan}
    with pytest.raises(ValueError, match="JSON"):
        table.save(path)
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["absent/scores.jsonl", "."])
def test_a_place_that_cannot_be_written_to_is_an_input_error(table: ScoreTable, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(InputError, match="cannot be written") as caught:
        table.save(folder / name)
    assert caught.value.file == folder / name
    assert [path.name for path in tmp_path.rglob("*")] == ["folder"]


Edit = Callable[[list[str]], list[str]]


def changed(number: int, **values: Any) -> Edit:
    """Replace fields of the record on line `number` (from 1)."""

    def edit(lines: list[str]) -> list[str]:
        lines[number - 1] = json.dumps({**json.loads(lines[number - 1]), **values})
        return lines

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
        pytest.param(lambda lines: [], 1, id="empty"),
        pytest.param(lambda lines: lines[1:], 1, id="no header"),
        pytest.param(lambda lines: ["", *lines], 1, id="blank first line"),
        pytest.param(lambda lines: ["[1]", *lines[1:]], 1, id="header is a list"),
        pytest.param(without(1, "signatures"), 1, id="header without signatures"),
        pytest.param(changed(1, metrics=[]), 1, id="header with another shape of metrics"),
        pytest.param(changed(1, run=None), 1, id="header without a run"),
        pytest.param(lambda lines: [*lines[:3], "{oops", *lines[4:]], 4, id="broken line"),
        pytest.param(lambda lines: [*lines[:3], "7", *lines[4:]], 4, id="line that is a number"),
        pytest.param(lambda lines: [*lines[:-1], lines[-1][:20]], 26, id="cut within a line"),
        pytest.param(lambda lines: lines[:-1], None, id="cut within a row"),
        pytest.param(lambda lines: lines[:-3], None, id="cut after a row"),
        pytest.param(lambda lines: lines[:9], None, id="cut within a metric"),
        pytest.param(lambda lines: lines[:6], None, id="cut after a metric"),
        pytest.param(lambda lines: lines[:1], None, id="header alone"),
        pytest.param(changed(3, metric="BLEU"), 3, id="unknown metric"),
        pytest.param(changed(3, metric=["x"]), 3, id="metric that is a list"),
        pytest.param(without(3, "value"), 3, id="no value"),
        pytest.param(without(3, "reason"), 3, id="no reason"),
        pytest.param(changed(3, value="0.5"), 3, id="value that is a text"),
        pytest.param(changed(3, value="nan"), 3, id="value that is the word nan"),
        pytest.param(changed(3, value=True), 3, id="value that is true"),
        pytest.param(changed(3, value=[]), 3, id="value that is a list"),
        pytest.param(changed(12, part="f"), 12, id="parts out of order"),
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


def test_a_table_of_one_metric_that_was_cut_off_is_refused(tmp_path: Path) -> None:
    table = one([1.0, 2.0, 3.0])
    table.run = {"rows": 3}
    path, records = saved(table, tmp_path)
    path.write_text("".join(json.dumps(record) + "\n" for record in records[:-1]), encoding="utf-8")
    with pytest.raises(InputError, match="2 of 3 rows"):
        ScoreTable.load(path)


def test_files_that_are_no_tables_are_refused(tmp_path: Path) -> None:
    latin = tmp_path / "latin.jsonl"
    latin.write_bytes('{"nlgauge": "größer"}\n'.encode("latin-1"))
    for path, problem in (
        (latin, "not UTF-8"),
        (tmp_path / "absent.jsonl", "cannot be read"),
        (tmp_path, "cannot be read"),
    ):
        with pytest.raises(InputError, match=problem) as caught:
            ScoreTable.load(path)
        assert caught.value.file == path
        assert caught.value.remedy


# ---- Values of all rows together


def counted() -> ScoreTable:
    """Edits and words of two systems; one row of B has no reference."""
    rows = [("A", "1"), ("A", "2"), ("A", "3"), ("B", "1"), ("B", "2"), ("B", "3")]
    counts = np.array([[1, 4], [0, 6], [5, 10], [2, 2], [np.nan, np.nan], [1, 8]])
    column = Column(("score",), (100 * counts[:, :1] / counts[:, 1:]), {4: "no reference"}, higher_is_better=False)
    column.sums = Sums({"name": "rate"}, counts)
    return ScoreTable(rows, {"TER": column}, {"TER": "TER|v:1"}, {"rows": 6}, "0")


def test_a_value_of_all_rows_is_no_mean_of_rows() -> None:
    a, b = counted().by_system()
    assert (a.mean, b.mean) == (100 * 6 / 20, 100 * 3 / 10)
    assert (a.n, a.undefined, b.n, b.undefined) == (3, 0, 2, 1)
    assert a.whole and b.whole
    assert 0 <= a.low <= a.mean <= a.high <= 50
    # Of two rows a resample has one of three values, the ends in a quarter of all.
    assert (b.low, b.high) == (pytest.approx(12.5), pytest.approx(100))


def test_its_interval_is_that_of_the_same_resamples_as_the_means(monkeypatch: pytest.MonkeyPatch) -> None:
    table = counted()
    counts = table.columns["TER"].sums.counts  # type: ignore[union-attr]
    draws = np.random.default_rng([7, 3]).integers(0, 3, (400, 3), dtype=np.int32)
    sums = counts[:3][draws].sum(axis=1)
    wanted = np.quantile(100 * sums[:, 0] / sums[:, 1], [0.05, 0.95])
    found = table.by_system(level=0.9, replicates=400, seed=7)[0]
    assert (found.low, found.high) == pytest.approx(tuple(wanted))
    monkeypatch.setattr("nlgauge.table._DRAWN_AT_ONCE", 1)
    again = table.by_system(level=0.9, replicates=400, seed=7)[0]
    assert (again.low, again.high) == pytest.approx(tuple(wanted))


def test_it_survives_a_file_whole(tmp_path: Path) -> None:
    table = counted()
    table.save(tmp_path / "scores.jsonl")
    again = ScoreTable.load(tmp_path / "scores.jsonl")
    assert again.by_system() == table.by_system()
    assert again.rows == table.rows
    np.testing.assert_array_equal(again.columns["TER"].sums.counts, table.columns["TER"].sums.counts)  # type: ignore[union-attr]
    records = [json.loads(line) for line in (tmp_path / "scores.jsonl").read_text().splitlines()[1:]]
    assert [(r["system"], r["item"], r["value"]) for r in records if r["item"] is None] == [
        ("A", None, 30),
        ("B", None, 30),
    ]
    assert [r.get("counts") for r in records] == [[1, 4], [0, 6], [5, 10], [2, 2], None, [1, 8], None, None]


def test_a_system_of_which_nothing_is_counted_has_a_reason(tmp_path: Path) -> None:
    table = counted()
    table.columns["TER"].sums.counts[3:] = np.nan  # type: ignore[union-attr]
    b = table.by_system()[1]
    assert math.isnan(b.mean) and math.isnan(b.low)
    assert (b.n, b.undefined) == (0, 3)
    table.save(tmp_path / "scores.jsonl")
    assert math.isnan(ScoreTable.load(tmp_path / "scores.jsonl").by_system()[1].mean)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('"name": "rate"', '"name": "newer"', "formula"),
        ('"counts": [0.0, 6.0]', '"counts": [0.0]', "unlike counts"),
        ('"counts": [0.0, 6.0]', '"counts": [0.0, "six"]', "not a number"),
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
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(InputError, match=problem):
        ScoreTable.load(path)

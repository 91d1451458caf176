"""Several rows of one system and item: refused by both their places, or averaged where they are meant."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import nlgauge
from nlgauge import Corpus, InputError, ScoreTable, SpecError
from nlgauge.data.table import Column
from nlgauge.gate import check
from tests.command import nlgauge as command
from tests.command import refused
from tests.extras import lacking

REFERENCES = {"1": "red boat", "2": "blue car", "3": "green hat", "4": "grey cat"}


def lines(system: str, answers: list[tuple[str, str]]) -> str:
    rows = (
        {"system": system, "item": item, "candidate": text, "references": REFERENCES[item]} for item, text in answers
    )
    return "".join(json.dumps(row) + "\n" for row in rows)


A = [("1", "red boat"), ("1", "x"), ("2", "blue car"), ("3", "x"), ("3", "x"), ("3", "green hat"), ("4", "x")]
"""Means of 0.5, 1, 1/3 and 0"""
B = [("1", "x"), ("2", "blue x"), ("3", "x"), ("4", "grey cat")]


@pytest.fixture
def outputs(tmp_path: Path) -> Path:
    path = tmp_path / "outputs.jsonl"
    path.write_text(lines("A", A) + lines("B", B))
    return path


def test_two_runs_of_one_system_are_refused_by_their_files(tmp_path: Path) -> None:
    for name in ("one.jsonl", "two.jsonl"):
        (tmp_path / name).write_text(lines("B", B))
    with pytest.raises(InputError, match=r"two\.jsonl: row 1: .*'B', item '1' is there twice: .*one\.jsonl, row 1 has"):
        nlgauge.evaluate(Corpus.read(tmp_path), metrics="TokenF1", cache=False)


def test_only_known_ways_are_taken() -> None:
    with pytest.raises(SpecError, match="repeats 'max' is not one of error, mean"):
        nlgauge.evaluate([{"candidate": "a"}], metrics="Length", repeats="max")  # type: ignore[arg-type]


@pytest.mark.parametrize("metric", ["TokenF1", "WER"])
def test_repeats_are_scored_one_by_one_and_their_mean_stands_for_the_item(outputs: Path, metric: str) -> None:
    if metric == "WER" and lacking(["rapidfuzz"]):
        pytest.skip("needs nlgauge[strings]")
    table = nlgauge.evaluate(Corpus.read(outputs), metrics=metric, cache=False, repeats="mean")
    assert len(table) == 11 and table.run["repeats"] == "mean"
    items = table.per_item()
    assert items.rows == [(s, i) for s in "AB" for i in "1234"] and items.per_item() is items
    own = table.values(metric)
    wanted = [own[:2].mean(), own[2], own[3:6].mean(), *own[6:]]
    np.testing.assert_allclose(items.values(metric), wanted)
    a, b = [one for one in table.by_system() if one.part in ("f1", "score")]
    assert (a.n, b.n) == (4, 4)
    if metric == "TokenF1":
        assert a.mean == pytest.approx(np.mean(wanted[:4]))
        assert a.mean != pytest.approx(own[:7].mean())
    # Everything that compares says the same of the rows and of the table with one row an item.
    compared = (nlgauge.compare(one, "A", "B").records for one in (table, items))
    for one, other in ((table.by_system(), items.by_system()), tuple(compared)):
        assert repr(list(one)) == repr(list(other))


def test_a_repeat_without_a_value_leaves_the_others(outputs: Path) -> None:
    values = np.array([[1.0, np.nan], [np.nan, np.nan], [3.0, 2.0]])
    column = Column(("p", "r"), values, {0: "half", 1: "none"}, evidence={0: {}})
    table = ScoreTable([("s", "1"), ("s", "1"), ("s", "2")], {"M": column}, {}, {"repeats": "mean"})
    got = table.per_item().columns["M"]
    np.testing.assert_array_equal(got.values, [[1.0, np.nan], [3.0, 2.0]])
    assert got.reasons == {0: "half"} and got.evidence == {}


def test_the_rows_of_an_item_are_of_one_cluster() -> None:
    column = Column(("score",), np.arange(3.0)[:, None])
    table = ScoreTable([("s", "1"), ("s", "1"), ("s", "2")], {"M": column}, {}, {"repeats": "mean"})
    assert table.clustered("aab").per_item().clusters == ["a", "b"]
    with pytest.raises(InputError, match="row 2: the outputs of system 's' for item '1' are of several clusters"):
        table.clustered("abb").by_system()


def test_a_table_of_repeats_that_are_not_meant_is_refused(tmp_path: Path) -> None:
    column = Column(("score",), np.arange(2.0)[:, None])
    table = ScoreTable([("s", "1"), ("s", "1")], {"M": column}, {}, {"rows": 2})
    with pytest.raises(InputError, match="row 2: system 's', item '1' is there twice"):
        table.by_system()
    assert "ScoreTable: 2 rows" in repr(table)
    table.save(tmp_path / "scores.jsonl")
    for name, *more in (("report", "-o", tmp_path / "page.html"), ("compare", "s", "t")):
        refused(
            name,
            tmp_path / "scores.jsonl",
            *more,
            say="scores.jsonl: row 2: system 's', item '1' is there twice: row 1",
        )


def test_the_commands_take_repeats_that_are_meant(outputs: Path, tmp_path: Path) -> None:
    scores, page = tmp_path / "scores.jsonl", tmp_path / "page.html"
    result = command("score", outputs, "-m", "TokenF1", "--repeats", "mean", "-o", scores, "--no-cache")
    assert result.exit_code == 0, result.output
    assert "11 rows are trials of 8 outputs: the mean over its trials stands for each" in result.stderr
    assert "0.4583" in result.stdout  # (1/2 + 1 + 1/3 + 0) / 4
    table = ScoreTable.load(scores)
    assert len(table) == 11
    assert command("compare", scores, "A", "B").exit_code == 0
    shown = command("report", scores, "--outputs", outputs, "-o", page, "--replicates", 20)
    assert shown.exit_code == 0, shown.output
    gate = command("check", outputs, "-m", "TokenF1", "--at-least", 0, "--repeats", "mean", "--no-cache")
    assert gate.exit_code == 0, gate.output
    with pytest.raises(InputError, match="'A' has 4 items in common with the baseline"):  # and not 7
        check(table, part="f1", against=table)

"""nlgauge compare: details are shown where they are named, and a note stands once for all parts of a metric."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from nlgauge import ScoreTable
from nlgauge.data.table import Column
from tests.command import nlgauge, refused, table_of, written


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    """A corpus-level metric with two scores and a detail, and one of rows."""
    rows = [(system, item) for item in "xyz" for system in "AB"]
    columns = {
        "Set": Column(
            ("score", "quality", "n"), np.array([[0.5, 0.25, 3], [0.75, 0.5, 4]]), level="system", details=("n",)
        ),
        "Words": Column(("score", "words"), np.arange(12.0).reshape(6, 2), details=("words",)),
    }
    path = tmp_path / "scores.jsonl"
    ScoreTable(rows, columns, {}, {"rows": 6}, "0").save(path)
    return path


def test_a_detail_is_compared_by_name_without_an_arrow_or_a_winner(scores: Path) -> None:
    result = nlgauge("compare", scores, "A", "B", "--metric", "Words words")
    assert result.exit_code == 0, result.stderr
    (_, line) = table_of(result.stdout)
    assert result.stdout.startswith("No metric can tell whether A is better than B.\n\n")
    assert line.startswith("Words words  3") and "*" not in line


@pytest.mark.parametrize("higher", [True, False])
def test_the_better_one_has_a_star_where_that_is_beyond_chance(tmp_path: Path, higher: bool) -> None:
    rows = [(system, str(item)) for item in range(12) for system in "AB"]
    values = np.arange(24.0)[:, None] + np.array([[0], [0.1], [0], [-0.1]] * 6)  # B has about one more on every item
    alike = np.array([[1.0], [2], [2], [1]] * 6)
    columns = {"M": Column(("score",), values, higher_is_better=higher), "Alike": Column(("score",), alike)}
    path = tmp_path / "scores.jsonl"
    ScoreTable(rows, columns, {}, {"rows": 24}, "0").save(path)
    result = nlgauge("compare", path, "A", "B")
    m, alike_ = (line.split() for line in table_of(result.stdout)[1:])
    better = "B is better than A" if higher else "A is better than B"
    said = f"{better} by 1 of 2 metrics; 1 shows no significant difference. By M, the first of them: "
    said += "B 12.00 against A 11.00 on 12" if higher else "A 11.00 against B 12.00 on 12"
    assert " ".join(result.stdout.split()).startswith(said) and "95 % interval" in result.stdout
    assert m[3:5] == (["11.0000", "12.0000*"] if higher else ["11.0000*", "12.0000"])
    assert alike_[3:5] == ["1.5000", "1.5000"]
    assert result.stderr.splitlines()[0] == "* better, p < 0.05, corrected by Holm for 2 scores"
    assert "**" in nlgauge("compare", path, "A", "B", "--format", "markdown").stdout


@pytest.fixture
def designed(tmp_path: Path) -> tuple[Path, Path]:
    """Twenty items of five sources, and the outputs."""
    rng = np.random.default_rng(2)
    rows = [(system, str(item)) for system in "AB" for item in range(20)]
    values = np.repeat(rng.normal(size=5), 4)
    of = np.concatenate([values + rng.normal(size=20) / 20 + 0.3, np.zeros(20)])
    ScoreTable(rows, {"M": Column(("score",), of[:, None])}, {}, {"rows": 40}, "0").save(tmp_path / "scores.jsonl")
    lines = [{"system": system, "item": item, "candidate": "x", "page": f"p{int(item) // 4}"} for system, item in rows]
    return tmp_path / "scores.jsonl", written(tmp_path / "outputs.jsonl", lines)


def test_clusters_come_from_a_column_of_the_outputs(designed: tuple[Path, Path]) -> None:
    scores, outputs = designed
    plain = json.loads(nlgauge("compare", scores, "A", "B", "--format", "json").stdout)["differences"][0]
    options = ("--cluster", "page", "--outputs", outputs)
    result = nlgauge("compare", scores, "A", "B", *options, "--format", "json")
    found = json.loads(result.stdout)["differences"][0]
    assert (found["clusters"], found["difference"]) == (5, plain["difference"])
    assert found["high"] - found["low"] > plain["high"] - plain["low"] and found["p"] > plain["p"]
    assert "items in 5 clusters" in nlgauge("compare", scores, "A", "B", *options).stderr
    refused("compare", scores, "A", "B", "--cluster", "page", say="give them too")
    refused("compare", scores, "A", "B", "--outputs", outputs, say="are of --cluster")
    refused("compare", scores, "A", "B", "--cluster", "pages", "--outputs", outputs, say="has no 'pages'")


def test_a_margin_and_a_plan(designed: tuple[Path, Path]) -> None:
    scores, _ = designed
    shown = nlgauge("compare", scores, "A", "B", "--margin", 2)
    assert (
        "A is no worse than B by M, up to 2: " in shown.stdout
        and "worse" in table_of(shown.stdout)[1]
        and "equivalent" in shown.stdout
    )
    assert "not shown" in nlgauge("compare", scores, "B", "A", "--margin", 0.001).stdout
    now, planned = (
        json.loads(nlgauge("compare", scores, "A", "B", *options, "--format", "json").stdout)["differences"][0]
        for options in ((), ("--items", 80))
    )
    assert planned["detectable"] == pytest.approx(now["detectable"] / 2, rel=0.1)
    refused("compare", scores, "A", "B", "--margin", -1, say="is not above 0")
    refused("compare", scores, "A", "B", "--margin", 1, "--items", 80, say="the column 'items needed' is the plan")
    assert shown.stderr.startswith("no worse: no loss of 2 or more (one-sided p < 0.05); equivalent: no such gain")


def test_two_systems_need_not_be_named(scores: Path, tmp_path: Path) -> None:
    named = nlgauge("compare", scores, "A", "B")
    assert nlgauge("compare", scores).stdout == named.stdout != ""
    refused("compare", scores, "A", say="name the two systems to compare, A and B: the scores are of A, B")
    three = ScoreTable([(system, "x") for system in "ABC"], {"Words": Column(("score",), np.ones((3, 1)))}, {})
    three.save(tmp_path / "three.jsonl")
    refused("compare", tmp_path / "three.jsonl", say="A and B: the scores are of A, B, C")


def test_outputs_are_scored_now_and_called_as_their_files(tmp_path: Path, one_model: None) -> None:
    source = "Late returns cost two crowns a day, and the library is closed on Sundays."
    answers = {"v1": "A late return costs two crowns a day.", "v2": "A late return costs nine crowns a day."}
    files = []
    for name, answer in answers.items():
        rows = [{"item": item, "source": source, "candidate": answer, "system": "bot"} for item in "abcdefgh"]
        files.append(written(tmp_path / f"{name}.jsonl", rows))
    result = nlgauge("compare", *files)
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("v1 is better than v2 by Faithfulness probability: 0.")
    longer = nlgauge("compare", *files, "--metric", "Length")
    assert longer.exit_code == 0 and "Length  8  8.0000  8.0000" in longer.stdout
    refused("compare", *files, "--metric", "TokenF1 recall", say="no row has references")
    saved = tmp_path / "scores.jsonl"
    nlgauge("score", files[0], "-m", "Length", "-o", saved)
    refused("compare", saved, files[1], say="scores.jsonl holds scores: give outputs alone")

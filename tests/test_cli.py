"""The command: what it writes to which stream, its exit codes, and one line for every wrong input."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nlgauge import Corpus, ScoreTable, compare, correlate
from nlgauge import evaluate as run_evaluate
from nlgauge._version import __version__
from nlgauge.data.table import Column, Sums
from nlgauge.data.to_json import jsonable
from tests.command import nlgauge, on_a_terminal, refused, table_of

pytestmark = pytest.mark.usefixtures("one_model")

LINE = {"candidate": "A cat sat.", "references": ["The cat sat."]}


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Two systems with names of two scripts, two rows each."""
    path = tmp_path / "small.jsonl"
    records = [
        {**LINE, "system": "模型 é", "item": "a"},
        {**LINE, "candidate": "Snow fell at night.", "system": "模型 é", "item": "b"},
        {**LINE, "candidate": "The dog.", "system": "B", "item": "a"},
        {**LINE, "candidate": "", "system": "B", "item": "b"},
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


@pytest.fixture
def no_scoring(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scoring fails the test: what is wrong has to be found before."""

    def fail(*args: Any, **options: Any) -> None:
        pytest.fail("scored before the mistake was found")

    monkeypatch.setattr("nlgauge.evaluate", fail)


# ---- score


def test_the_table_is_on_stdout_and_the_signatures_on_stderr(outputs: Path) -> None:
    result = nlgauge("score", outputs, "-m", "InfoLM", "-m", "InfoLM( measure = 'l1' )")
    assert result.exit_code == 0
    head, *rows = result.stdout.splitlines()
    assert re.fullmatch(r"system +n +people: adequacy ↑ +InfoLM ↓ +InfoLM\(measure='l1'\) ↓", head)
    assert len(rows) == 3
    for row, system in zip(rows, ("copy", "short", "wrong"), strict=True):
        number = r"\d\.\d{4}[*~ ] \[\d\.\d{4}, \d\.\d{4}\]"
        assert re.fullmatch(rf"{system} +4 +{number} +{number} +{number}", row)
    signatures = [line for line in result.stderr.splitlines() if "|model:pocket@" in line]
    assert [line.partition("|")[0] for line in signatures] == ["InfoLM", "InfoLM(measure='l1')"]
    assert "|model:" not in result.stdout


def test_parts_are_shown_on_request_in_blocks_of_their_own(outputs: Path) -> None:
    run = ("score", outputs, "-m", "BERTScore", "-m", "InfoLM", "-m", "MarkEvaluate")
    result = nlgauge(*run)
    people = "people: adequacy ↑"
    head = result.stdout.splitlines()[0]
    assert re.fullmatch(rf"system +n +{people} +BERTScore f1 ↑ +InfoLM ↓", head)
    assert "MarkEvaluate" in result.stdout
    assert "--parts shows more of BERTScore, MarkEvaluate" in result.stderr.splitlines()
    result = nlgauge(*run, "--parts")
    simple, matched, sets = (block.splitlines() for block in result.stdout.split("\n\n"))
    assert re.fullmatch(rf"system +n +{people} +InfoLM ↓", simple[0])
    assert re.fullmatch(r"BERTScore +n +f1 ↑ +precision ↑ +recall ↑", matched[0])
    assert re.match(r"MarkEvaluate +n +score ↑ +quality ↑", sets[0])
    assert [len(block) for block in (simple, matched, sets)] == [4, 4, 4]
    assert re.search(r" 4$", sets[1]), "a count has no decimals"
    assert max(map(len, result.stdout.splitlines())) <= 100 and "--parts" not in result.stderr


def test_a_long_candidate_is_announced_where_a_metric_reads_a_model(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_module("nlgauge.cli.terminal"), "LONG", 3)
    said = "a metric that reads a model may take minutes"
    assert said not in nlgauge("score", small, "-m", "TokenF1").stderr
    assert said in nlgauge("score", small, "-m", "TokenF1", "-m", "SentenceMovers").stderr


def test_score_prints_the_other_forms(outputs: Path) -> None:
    run = ("score", outputs, "-m", "Length", "-m", "MarkEvaluate", "--format")
    rows = list(csv.DictReader(nlgauge(*run, "csv").stdout.splitlines()))
    assert [row["system"] for row in rows] == ["copy", "short", "wrong"]
    table = run_evaluate(Corpus.read(outputs), metrics=["Length"])
    assert float(rows[0]["Length"]) == table.by_system()[0].mean
    assert nlgauge(*run, "markdown").stdout.startswith(
        "| system | n | people: adequacy ↑ | Length | MarkEvaluate score ↑ |\n| --- |"
    )
    assert r"\begin{tabular}{lrrrr}" in nlgauge(*run, "latex").stdout.splitlines()
    parts = nlgauge(*run, "csv", "--parts").stdout.splitlines()
    assert (
        len(parts) == 4 and parts[0].startswith("system,n,people: adequacy ↑,") and parts[0].endswith(",MarkEvaluate m")
    )


def test_stdout_with_format_json_is_one_json_value(small: Path) -> None:
    result = nlgauge("score", small, "-m", "InfoLM", "--format", "json")
    assert result.exit_code == 0
    found = json.loads(result.stdout, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))
    assert found["nlgauge"] == __version__
    assert [(score["system"], score["n"], score["undefined"]) for score in found["systems"]] == [
        ("模型 é", 2, 0),
        ("B", 1, 1),
    ]
    assert (found["systems"][1]["low"], found["systems"][1]["high"]) == (None, None)
    assert found["systems"][0]["low"] <= found["systems"][0]["mean"] <= found["systems"][0]["high"]
    assert found["signatures"]["InfoLM"].startswith("InfoLM|model:pocket@")
    assert found["run"]["rows"] == 4
    assert "模型 é" in result.stdout


def test_json_has_a_word_for_an_infinite_mean(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = run_evaluate([LINE], metrics="InfoLM")
    table.columns["InfoLM"].values[0] = np.inf
    monkeypatch.setattr("nlgauge.evaluate", lambda *args, **options: table)
    result = nlgauge("score", small, "-m", "InfoLM", "--format", "json")
    found = json.loads(result.stdout, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))
    assert found["systems"][0]["mean"] == "Infinity"


def test_missing_values_are_told_with_their_rows_and_reason(small: Path) -> None:
    result = nlgauge("score", small, "-m", "InfoLM")
    assert "InfoLM: no value for 1 of 4 rows (4): the candidate has no words" in result.stderr.splitlines()
    assert re.search(r"^B +1 ", result.stdout, re.MULTILINE), "n counts items with a value"


def test_csv_tsv_and_text_files_give_what_json_lines_give(tmp_path: Path, small: Path) -> None:
    records = [json.loads(line) for line in small.read_text(encoding="utf-8").splitlines()[:2]]
    files: dict[str, Path] = {}
    for name, delimiter in (("csv", ","), ("tsv", "\t")):
        files[name] = tmp_path / f"outputs.{name}"
        with files[name].open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, delimiter=delimiter)
            writer.writerow(["system", "prediction", "references"])
            writer.writerows([record["system"], record["candidate"], record["references"][0]] for record in records)
    for name, key in (("candidates", "candidate"), ("references", "references")):
        files[name] = tmp_path / f"{name}.txt"
        texts = [record[key] if isinstance(record[key], str) else record[key][0] for record in records]
        files[name].write_text("\n".join(texts) + "\n", encoding="utf-8")
    small.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    expected = nlgauge("score", small, "-m", "InfoLM")
    assert expected.exit_code == 0
    texts_ = ("--candidates", files["candidates"], "--references", files["references"], "--system", "模型 é")
    for arguments in (
        (files["csv"], "--map", "candidate=prediction"),
        (files["tsv"], "--map", "candidate=prediction"),
        texts_,
    ):
        result = nlgauge("score", *arguments, "-m", "InfoLM")
        assert (result.exit_code, result.stdout) == (0, expected.stdout), result.stderr


def test_output_holds_what_python_loads(small: Path, tmp_path: Path) -> None:
    path = tmp_path / "scores.jsonl"
    result = nlgauge("score", small, "-m", "InfoLM", "-o", path, "--evidence", "--window", "cut")
    assert result.exit_code == 0
    table = ScoreTable.load(path)
    assert table.rows == [("模型 é", "a"), ("模型 é", "b"), ("B", "a"), ("B", "b")]
    assert np.isnan(table.values("InfoLM")).tolist() == [False, False, False, True]
    assert "|window:cut@" in str(table.signatures["InfoLM"])
    assert str(table.signatures["InfoLM"]) in result.stderr
    assert sorted(table.column("InfoLM").evidence) == [0, 1, 2]
    assert [file.name for file in tmp_path.iterdir() if file != small] == ["scores.jsonl"]


def test_the_seed_is_of_the_intervals_alone(small: Path) -> None:
    first, again, other = (
        json.loads(nlgauge("score", small, "-m", "InfoLM", "--format", "json", "--seed", seed).stdout)["systems"][0]
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first["mean"] == other["mean"]
    assert nlgauge("score", small, "-m", "InfoLM", "--seed", -1).exit_code == 2


# ---- explain


@pytest.fixture
def claims(tmp_path: Path) -> Path:
    """Outputs of two systems, each with something that the source does not say."""
    path = tmp_path / "claims.jsonl"
    source = "The library opens in May."
    records = [
        {"candidate": "The library opens in a volcano.", "source": source, "system": "A", "item": "x"},
        {"candidate": "The zebra opens\n\x1b[31min May.", "source": source, "system": "B", "item": "x"},
        {"candidate": "", "source": source, "system": "B", "item": "y", "references": ["It opens."]},
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def test_explain_marks_weakly_aligned_words_without_colours(claims: Path) -> None:
    result = nlgauge("explain", claims, "-m", "Consistency")
    assert result.exit_code == 0
    values = run_evaluate(Corpus.read(claims), metrics="Consistency").values("Consistency")
    assert "[volcano]" in result.stdout and "[zebra]" in result.stdout
    assert "library opens" in result.stdout
    assert "\x1b" not in result.stdout
    assert re.sub(r"\[(\w+)\]", r"\1", result.stdout).splitlines() == [
        f"row 1, system A, item x: Consistency {values[0]:.4f}",
        "  candidate, against the source:",
        "    The library opens in a volcano.",
        f"row 2, system B, item x: Consistency {values[1]:.4f}",
        "  candidate, against the source:",
        "    The zebra opens",
        "    \ufffd[31min May.",
        "row 3, system B, item y: Consistency has no value: the candidate has no words",
    ]
    assert result.stderr == ""


@pytest.mark.parametrize(
    ("arguments", "rows"),
    [((), [1, 2, 3]), (("--row", 2), [2]), (("--item", "x"), [1, 2]), (("--system", "B", "--item", "x"), [2])],
)
def test_explain_shows_the_rows_asked_for_as_json(claims: Path, arguments: tuple[object, ...], rows: list[int]) -> None:
    result = nlgauge("explain", claims, "-m", "Consistency", "--format", "json", *arguments)
    assert result.exit_code == 0
    found = json.loads(result.stdout, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))["rows"]
    assert [record["row"] for record in found] == rows
    table = run_evaluate(Corpus.read(claims), metrics="Consistency", evidence=True)
    for record in found:
        index = record["row"] - 1
        assert record["evidence"] == table.column("Consistency").evidence[index]
        assert record["reason"] == table.column("Consistency").reasons.get(index)
        value = table.values("Consistency")[index]
        assert record["values"]["score"] == (None if np.isnan(value) else pytest.approx(value, abs=1e-5))


def test_explain_counts_on_all_rows_and_shows_one(outputs: Path) -> None:
    spec = "BERTScore(idf='references')"
    result = nlgauge("explain", outputs, "-m", spec, "--row", 6, "--format", "json")
    (record,) = json.loads(result.stdout)["rows"]
    table = run_evaluate(Corpus.read(outputs), metrics=spec)
    assert list(record["values"].values()) == pytest.approx(table.columns[spec].values[5], abs=1e-5)


@pytest.mark.parametrize(
    ("spec", "lines"),
    [
        ("BERTScore", ["reference 1:", "of the candidate", "of the reference"]),
        ("MoverScore", ["reference", "moved to"]),
        ("BaryScore(idf='none')", ["moved to", "(special token)"]),
        ("InfoLM(stride=4)", ["reference", "candidate", "share"]),
        ("Consistency", ["candidate, against the source:"]),
        ("Perplexity(stride=4)", ["candidate, against"]),
    ],
)
def test_explain_draws_every_shape_of_evidence(outputs: Path, spec: str, lines: list[str]) -> None:
    result = nlgauge("explain", outputs, "-m", spec, "--row", 1)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("row 1, ") and len(result.stdout.splitlines()) > 1
    for line in lines:
        assert line in result.stdout
    (row,) = json.loads(nlgauge("explain", outputs, "-m", spec, "--row", 1, "--format", "json").stdout)["rows"]
    assert row["evidence"]


def test_explain_says_where_there_is_nothing_to_show(outputs: Path) -> None:
    result = nlgauge("explain", outputs, "-m", "Length", "--row", 1)
    assert result.exit_code == 0
    assert re.fullmatch(r"row 1, .*: Length \d+\.\d+\n", result.stdout)
    assert result.stderr == "Length has nothing to show of these rows\n"


def test_explain_draws_systems_by_a_metric_of_sets(outputs: Path) -> None:
    result = nlgauge("explain", outputs, "-m", "MarkEvaluate(k=1)", "--system", "wrong")
    assert result.exit_code == 0, result.output
    head, *lines = result.stdout.splitlines()
    assert head.startswith("system wrong: MarkEvaluate score ") and any("nearest" in line for line in lines)
    (record,) = json.loads(nlgauge("explain", outputs, "-m", "PRD", "--system", "wrong", "--format", "json").stdout)[
        "rows"
    ]
    assert record["row"] is None and record["item"] is None and record["evidence"]["items"][0]["name"] == "curve"


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("TokenF1", "not shared"),
        ("Consistency", "not supported"),
        ("MaskEval(stride=4)", "guessed wrong"),
        ("BERTScore", "matched with"),
        ("BaryScore(idf='none')", "The dearest flows"),
        ("InfoLM(stride=4)", "Vocabulary items that drive the distance"),
        ("MarkEvaluate(k=1)", "Outputs beside the nearest reference"),
        ("PRD", "polyline"),
        ("FrechetDistance", "dimensions"),
        ("Length", "has nothing to show of single words"),
    ],
)
def test_explain_writes_a_page_for_every_family(outputs: Path, tmp_path: Path, spec: str, said: str) -> None:
    page = tmp_path / "page.html"
    which = (
        ("--system", "wrong") if spec.partition("(")[0] in ("MarkEvaluate", "PRD", "FrechetDistance") else ("--row", 1)
    )
    result = nlgauge("explain", outputs, "-m", spec, *which, "-o", page)
    assert (result.exit_code, result.stdout) == (0, f"{page}\n"), result.output
    assert said in page.read_text(encoding="utf-8")


def test_a_metric_for_which_no_row_has_what_it_needs_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bare.jsonl"
    path.write_text('{"candidate": "A text."}\n')
    refused("score", path, "-m", "BLEU", say="no row has references, which BLEU needs")
    refused("score", path, "-m", "Consistency", say="--map source=THEIRS; beside text files, --source FILE")


def test_explain_shows_notes(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({**LINE, "references": ["The cat.", "?"], "source": "A cat."}), encoding="utf-8")
    result = nlgauge("explain", path, "-m", "Relevance")
    assert "  note: references without words left out" in result.stdout.splitlines()


@pytest.mark.parametrize(
    ("arguments", "say"),
    [
        ([], "-m Consistency"),
        (["-m", "PRD", "--row", 1], "sets of texts"),
        (["-m", "Consistency", "-o", "no/such/page.html"], "name a file in a folder that exists"),
        (["-m", "Consistency", "--row", 4], "there is no row 4 (there are 3 rows"),
        (["-m", "Consistency", "--item", "x", "--system", "C"], "there is no item x and system C"),
        (["-m", "Consistency", "--row", 1, "--item", "x"], "leave out --item"),
    ],
)
def test_a_wrong_explain_is_one_line(claims: Path, arguments: list[object], say: str) -> None:
    refused("explain", claims, *arguments, say=say)


# ---- correlate and compare


@pytest.fixture(scope="session")
def scored(tmp_path_factory: pytest.TempPathFactory, records: list[dict[str, Any]]) -> tuple[Path, Path]:
    """A scores file of two metrics and the rated outputs, with a column of scores from elsewhere."""
    folder = tmp_path_factory.mktemp("scored")
    rng = np.random.default_rng(0)
    truth = np.array([record["scores"]["adequacy"] + rng.normal() for record in records])
    columns = {
        "Good": Column(("score",), truth[:, None] + rng.normal(size=(len(truth), 1)) / 9),
        "Bad(k=1)": Column(("p", "r"), np.stack([truth, rng.normal(size=len(truth))], 1), higher_is_better=False),
    }
    rows = [(record["system"], record["item"]) for record in records]
    ScoreTable(rows, columns, {}, {"rows": len(rows)}, "0").save(folder / "scores.jsonl")
    rated = [
        {**record, "scores": {"adequacy": float(truth[n]), "luck": n % 5}, "comet": -float(truth[n])}
        for n, record in enumerate(records)
    ]
    (folder / "rated.jsonl").write_text("".join(json.dumps(record) + "\n" for record in rated), encoding="utf-8")
    return folder / "scores.jsonl", folder / "rated.jsonl"


def test_correlate_prints_a_line_per_part_and_a_column_per_aspect(scored: tuple[Path, Path]) -> None:
    result = nlgauge("correlate", scored[0], "--ratings", scored[1], "--replicates", 60)
    assert result.exit_code == 0, result.output
    head, *rows = result.stdout.splitlines()
    assert head.split() == ["metric", "adequacy", "luck"]
    names = [row.split("  ")[0] for row in rows]
    assert names[:3] == ["Good", "Bad(k=1) p", "Bad(k=1) r"] and names[3] == "Length", "a sentinel stands beside them"
    assert re.search(r"0\.9\d{3} \[0\.\d{4}, [01]\.\d{4}\] p=0\.\d{4}", rows[0])
    assert "-1.0000 [-1.0000, -1.0000]" in rows[1]
    said = [line for line in result.stderr.splitlines() if "p is below 0.05" not in line]
    assert said[-1] == "lower is better, so the sign is turned: Bad(k=1)"
    assert all("no significantly better agreement than" in line for line in said[:-1])
    assert "luck: no significantly better agreement than Length: Good, Bad(k=1)" in said


@pytest.mark.parametrize("level", ["item", "system", "pooled"])
def test_correlate_in_json_is_what_python_says(scored: tuple[Path, Path], level: str) -> None:
    options = ("--level", level, "--coefficient", "kendall", "--replicates", 40, "--seed", 3, "--format", "json")
    result = nlgauge("correlate", scored[0], "--ratings", scored[1], *options)
    found = json.loads(result.stdout, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))
    expected = correlate(
        ScoreTable.load(scored[0]), Corpus.read(scored[1]), level=level, coefficient="kendall", replicates=40, seed=3
    )
    own = [one for one in found["agreements"] if one["metric"] not in ("Length", "CopyRate")]
    assert [one["value"] for one in own] == [one.value for one in expected]
    assert found["agreements"][0] == {**vars(expected.records[0]), "threshold": None}
    assert (found["level"], found["coefficient"], found["seed"], found["replicates"]) == (level, "kendall", 3, 40)
    assert (found["unrated"], found["unscored"]) == ({"adequacy": 0, "luck": 0}, [])


def test_correlate_puts_raters_beside_metrics(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    quality = rng.normal(size=40)
    rows = [("s", str(n)) for n in range(40)]
    metric = quality + rng.normal(size=40) / 3
    ScoreTable(rows, {"M": Column(("score",), metric[:, None])}, {}, {"rows": 40}, "0").save(tmp_path / "scores.jsonl")
    rated = [
        {"system": "s", "item": str(n), "candidate": "x", "scores": {name: quality[n] + rng.normal() for name in "abc"}}
        for n in range(40)
    ]
    (tmp_path / "rated.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rated), encoding="utf-8")
    run = ("correlate", tmp_path / "scores.jsonl", "--ratings", tmp_path / "rated.jsonl", "--level", "pooled")
    raters = ("--rater", "a", "--rater", "b", "--rater", "c")
    head, people, line, constant = nlgauge(*run, *raters).stdout.splitlines()
    assert head.split() == ["agreement", "advantage", "wins", "against", "may", "stand", "in"]
    assert people.startswith("a rater, with the others") and line.startswith("M ") and constant.startswith("Constant")
    found = json.loads(nlgauge(*run, *raters, "--format", "json").stdout)
    assert [one["metric"] for one in found["lines"]] == ["", "M", "Constant"] and len(found["lines"][1]["p"]) == 3
    refused(*run, "--rater", "a", say="one rater has nobody")


def test_correlate_adds_columns_and_score_files(scored: tuple[Path, Path], tmp_path: Path) -> None:
    file = tmp_path / "mine.sys.score"
    file.write_text("copy\t3\nshort\t2\nwrong\t1\nhuman\t4\n", encoding="utf-8")
    result = nlgauge(
        "correlate", scored[0], "--ratings", scored[1], "--level", "system", "--replicates", 0, "--format", "json",
        "--add", "COMET=comet", "--lower", "COMET", "--add", f"Mine={file}",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    found = {(one["metric"], one["aspect"]): one for one in json.loads(result.stdout)["agreements"]}
    assert found["COMET", "adequacy"]["value"] == pytest.approx(1)
    assert found["COMET", "adequacy"]["low"] is None
    assert found["Mine", "adequacy"]["n"] == 3
    assert "Mine, from mine.sys.score: 3 joined, 0 without a score, 1 scores without a row" in result.stderr


def test_correlate_tells_what_is_missing(scored: tuple[Path, Path], tmp_path: Path) -> None:
    records = [json.loads(line) for line in scored[1].read_text(encoding="utf-8").splitlines()]
    records[0]["scores"] = {"adequacy": 1.0}
    records[1]["item"] = "elsewhere"
    for record in records[2:]:
        record["scores"] = {"adequacy": 1.0}
    path = tmp_path / "rated.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    result = nlgauge("correlate", scored[0], "--ratings", path, "--replicates", 0)
    assert result.exit_code == 0
    told = result.stderr.splitlines()
    assert "adequacy: 1 of 12 rows have no rating" in told
    assert "1 rated outputs are not in the scores (copy/elsewhere)" in told
    assert "Good score, adequacy: no value: the ratings are constant within every item" in told
    assert "Good score, luck: no value: no row has both a score and a rating" in told
    assert result.stdout.splitlines()[1].split() == ["Good", "-", "-"]


@pytest.mark.parametrize(
    ("options", "say"),
    [
        (["--level", "segment"], "item, system, pooled"),
        (["--coefficient", "tau"], "kendall_c"),
        (["--resample", "rows"], "both, items, systems"),
        (["--add", "COMET"], "write NAME=COLUMN"),
        (["--add", "COMET=absent"], "rated.jsonl: no row has a number in the column 'absent' (there are comet"),
        (["--add", "Good=comet"], "the name 'Good' is taken"),
        (["--add", "X=absent.seg.score"], "absent.seg.score: cannot be read"),
        (["--lower", "Good"], "no --add has that name"),
        (["--map", "item=candidate"], "no row of the ratings has the system and item"),
    ],
)
def test_a_wrong_correlate_is_one_line(scored: tuple[Path, Path], options: list[str], say: str) -> None:
    refused("correlate", scored[0], "--ratings", scored[1], *options, say=say)


def test_correlate_needs_ratings_and_scores(scored: tuple[Path, Path], tmp_path: Path) -> None:
    assert nlgauge("correlate", scored[0]).exit_code == 2
    refused("correlate", scored[1], "--ratings", scored[1], say="no nlgauge header")
    refused("correlate", scored[0], "--ratings", tmp_path / "absent.jsonl", say="No such file")


def test_correlate_finds_a_threshold_for_ties_and_compares_certainties(scored: tuple[Path, Path]) -> None:
    run = ("correlate", scored[0], "--ratings", scored[1], "--replicates", 20, "--format", "json")
    calibrated = nlgauge(*run, "--coefficient", "accuracy_calibrated")
    assert calibrated.exit_code == 0, calibrated.stderr
    ratings = Corpus.read(scored[1])
    expected = correlate(ScoreTable.load(scored[0]), ratings, coefficient="accuracy_calibrated", replicates=20)
    found = json.loads(calibrated.stdout)["agreements"]
    assert {one["metric"] for one in found[len(expected) :]} == {"Length", "CopyRate", "Constant"}
    found = found[: len(expected)]
    assert [one["threshold"] for one in found] == [one.threshold for one in expected]
    assert all(one["threshold"] >= 0 for one in found) and all(0 <= one["value"] <= 1 for one in found)
    soft = nlgauge(*run, "--coefficient", "soft_accuracy", "--level", "system")
    assert soft.exit_code == 0, soft.stderr
    assert "intervals of soft_accuracy resample systems only" in soft.stderr
    assert all(0 <= one["value"] <= 1 for one in json.loads(soft.stdout)["agreements"])
    refused(*run, "--coefficient", "soft_accuracy", say="soft_accuracy compares systems (take level='system')")


def test_compare_prints_a_line_per_part(scored: tuple[Path, Path]) -> None:
    result = nlgauge("compare", scored[0], "copy", "wrong")
    assert result.exit_code == 0, result.output
    head, *rows = table_of(result.stdout)
    assert head.split() == ["metric", "n", "copy", "wrong", "difference", "p", "items", "needed", "shows"]
    assert len(rows) == 2
    assert re.fullmatch(r"Good ↑ +4 +\S+ +\S+ +\S+ +\[\S+, \S+\] +0\.\d{4} +\d+ +\d\.\d{4}", rows[0])
    assert rows[1].startswith("Bad(k=1) p ↓")
    assert result.stderr.splitlines() == ["p: corrected by Holm for 2 scores", "--parts shows 1 more"]
    every = nlgauge("compare", scored[0], "copy", "wrong", "--parts")
    assert [line.split("  ")[0] for line in table_of(every.stdout)[1:]] == ["Good ↑", "Bad(k=1) p ↓", "Bad(k=1) r ↓"]
    assert every.stderr == "p: corrected by Holm for 3 scores\n"


def test_compare_in_json_is_what_python_says(scored: tuple[Path, Path]) -> None:
    result = nlgauge("compare", scored[0], "copy", "wrong", "--metric", "Good", "--seed", 2, "--format", "json")
    found = json.loads(result.stdout, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))
    (expected,) = compare(ScoreTable.load(scored[0]), "copy", "wrong", "Good", seed=2)
    assert found["differences"] == [jsonable(expected)]
    assert (found["a"], found["b"], found["seed"]) == ("copy", "wrong", 2)


def test_compare_takes_values_of_all_items_together(tmp_path: Path) -> None:
    counts = np.array([[2, 8], [4, 8], [0, 2], [2, 2], [5, 10], [5, 10]], float)
    rates = Column(("score",), 100 * counts[:, :1] / counts[:, 1:], higher_is_better=False)
    rates.sums = Sums({"name": "rate"}, counts)
    rows = [(system, item) for item in "xyz" for system in "AB"]
    path = tmp_path / "scores.jsonl"
    ScoreTable(rows, {"Edits": rates}, {}, {"rows": 6}, "0").save(path)
    result = nlgauge("compare", path, "A", "B", "--replicates", 50)
    cells = table_of(result.stdout)[1].split()
    assert cells[:6] == ["Edits", "↓", "3", "35.0000", "55.0000", "-20.0000"]
    assert result.stderr == "of all items together, and not means of their values: Edits\n"


def test_compare_says_what_is_missing(tmp_path: Path) -> None:
    values = Column(("score",), np.array([[1.0], [1.0], [np.nan], [2.0], [2.0]]), {2: "empty"})
    path = tmp_path / "scores.jsonl"
    rows = [("A", "x"), ("B", "x"), ("A", "y"), ("B", "y"), ("A", "z")]
    ScoreTable(rows, {"M": values}, {}, {"rows": 5}, "0").save(path)
    result = nlgauge("compare", path, "A", "B")
    assert table_of(result.stdout)[1].split() == ["M", "↑", "1", "1.0000", "1.0000", "0.0000", *"---"]
    assert result.stderr.splitlines() == [
        "M score: 1 of 2 items left out, where one of the two has no value",
        "M score: one item only",
        "1 items have an output of one of the two only, and are left out",
    ]


def test_a_wrong_compare_is_one_line(scored: tuple[Path, Path]) -> None:
    refused("compare", scored[0], "copy", "other", say="there is no system 'other' (there are copy, short, wrong)")
    refused(
        "compare", scored[0], "copy", "short", "--metric", "BLEU", say="no metric BLEU in the table: Good, Bad(k=1)"
    )


# ---- Files that are wrong

BAD_FILES: dict[str, tuple[str, bytes, str, str]] = {
    "missing column": ("a.csv", b"prediction,references\nA cat.,The cat.\n", "row 1: ", "--map candidate=prediction"),
    "ragged CSV": ("a.csv", b"candidate,references\nA cat.,The cat.\nA dog, barking.,The dog.\n", "row 2: ", "quotes"),
    "open quote": ("a.csv", b'candidate,references\n"A cat.,The cat.\n', "row 1: ", "quotes"),
    "broken JSON": ("a.jsonl", b'{"candidate": "a"}\n{"candidate": "b",}\n', "row 2: ", "remove the comma"),
    "blank line": ("a.jsonl", b'{"candidate": "a"}\n\n{"candidate": "b"}\n', "row 2: ", "remove it"),
    "not a text": ("a.jsonl", b'{"candidate": "a"}\n{"candidate": 3}\n', "row 2: ", "give a string"),
    "no candidate": ("a.jsonl", b'{"candidate": "a"}\n{"summary": "b"}\n', "row 2: ", "--map candidate=summary"),
    "wrong encoding": ("a.jsonl", '{"candidate": "a"}\n{"candidate": "é"}\n'.encode("latin-1"), "line 2", "iconv"),
    "UTF-16": ("a.csv", "candidate\nA cat.\n".encode("utf-16"), "line 1", "iconv"),
    "empty": ("a.jsonl", b"", "", "at least one row"),
    "header alone": ("a.csv", b"candidate,references\n", "", "at least one row"),
    "not gzip": ("a.jsonl.gz", b'{"candidate": "a"}\n', "", "compress"),
    "unknown format": ("a.docx", b"PK", "", ".jsonl"),
    "broken list": ("a.json", b'[{"candidate": "a"},\n', "line 2", "list"),
}


@pytest.mark.usefixtures("no_scoring")
@pytest.mark.parametrize("case", BAD_FILES)
def test_a_bad_file_is_one_line_with_file_row_and_remedy(tmp_path: Path, case: str) -> None:
    name, content, where, remedy = BAD_FILES[case]
    path = tmp_path / name
    path.write_bytes(content)
    line = refused("score", path, "-m", "InfoLM", say=where)
    assert line.startswith(f"nlgauge: {path}: {where if where.startswith('row') else ''}")
    assert remedy in line
    assert line.endswith(")")
    assert "Traceback" not in line


@pytest.mark.usefixtures("no_scoring")
def test_a_missing_path_and_a_directory_are_one_line(tmp_path: Path) -> None:
    for path, problem in ((tmp_path / "absent.jsonl", "No such file"), (tmp_path, "the folder holds no files")):
        line = refused("score", path, "-m", "InfoLM", say=problem)
        assert line.startswith(f"nlgauge: {path}: ")
        assert line.endswith(("(give the path of one readable file)", "(name a folder with files of rows)"))


@pytest.mark.usefixtures("no_scoring")
def test_text_files_of_unequal_length_are_one_line(tmp_path: Path) -> None:
    candidates, references = tmp_path / "c.txt", tmp_path / "r.txt"
    candidates.write_text("one\ntwo\n", encoding="utf-8")
    references.write_text("one\n", encoding="utf-8")
    line = refused("score", "--candidates", candidates, "--references", references, "-m", "InfoLM", say="has 1 lines")
    assert line.startswith(f"nlgauge: {references}: ")


def test_a_text_too_long_under_window_error_names_file_and_row(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    path.write_text(json.dumps(LINE) + "\n" + json.dumps({**LINE, "candidate": "word " * 600}) + "\n", encoding="utf-8")
    line = refused("score", path, "-m", "InfoLM", "--window", "error", say="600 sub-words")
    assert line.startswith(f"nlgauge: {path}: row 2: ")


# ---- Commands that are wrong


@pytest.mark.parametrize(
    ("arguments", "say"),
    [
        ([], "-m InfoLM"),
        (["-m", "BLEURT"], "InfoLM"),
        (["-m", "infolm"], "did you mean InfoLM?"),
        (["-m", "InfoLM(measure='kl'"], "cannot read the metric spec"),
        (["-m", "InfoLM(\n'kl')"], "cannot read the metric spec"),
        (["-m", "InfoLM(mesure='kl')"], "measure"),
        (["-m", "InfoLM(measure='alpha')"], "needs alpha"),
        (["-m", "InfoLM(model={})"], "model"),
        (["-m", "InfoLM", "--window", "wrap"], "slide"),
        (["-m", "InfoLM", "--precision", "float16"], "bfloat16"),
        (["-m", "InfoLM", "--model", "no-such/model/anywhere"], "no-such/model/anywhere"),
        (["-m", "InfoLM", "--map", "candidate"], "OURS=THEIRS"),
        (["-m", "InfoLM", "--map", "=x"], "OURS=THEIRS"),
        (["-m", "InfoLM", "--map", "candidate="], "OURS=THEIRS"),
        (["-m", "InfoLM", "--map", "output=x"], "'output'"),
        (["-m", "InfoLM", "--map", "source=absent"], "'absent'"),
        (["-m", "InfoLM", "--candidates", "c.txt"], "beside --candidates: leave it out"),
        (["-m", "InfoLM", "--references", "r.txt"], "--candidates"),
        (["-m", "InfoLM", "--system", "x"], "the file is given as of 'x'"),
        (["-m", "InfoLM", "--system", "x", "--system", "y"], "1 table and 2 names of systems"),
    ],
)
def test_a_wrong_command_is_one_line(small: Path, arguments: list[str], say: str) -> None:
    refused("score", small, *arguments, say=say)


def test_score_needs_rows_and_text_files_have_no_columns(small: Path) -> None:
    refused("score", "-m", "InfoLM", say="either a table of outputs or --candidates")
    refused("score", "--candidates", small, "--map", "candidate=x", "-m", "InfoLM", say="text files have none")
    refused("score", "--candidates", small, "b.txt", "-m", "InfoLM", say="or write --candidates b.txt if it holds")


def test_explain_says_what_there_is_where_nothing_matches(small: Path) -> None:
    refused("explain", small, "-m", "Length", "--item", "absent", say="rows; systems: ")


def test_explain_takes_one_metric(outputs: Path) -> None:
    refused("explain", outputs, "-m", "Length", "-m", "TokenF1", say="2 metrics were given, and this command takes one")


@pytest.mark.usefixtures("no_scoring")
@pytest.mark.parametrize("place", ["absent/scores.jsonl", "."])
def test_an_output_that_cannot_be_written_is_found_before_scoring(small: Path, tmp_path: Path, place: str) -> None:
    line = refused("score", small, "-m", "InfoLM", "-o", tmp_path / place, say="cannot be written")
    assert str(tmp_path / place) in line
    assert sorted(tmp_path.iterdir()) == [small]


@pytest.mark.parametrize(
    "arguments", [["nonsense"], ["score", "--nonsense"], ["score", "x", "--format", "xml"], ["list", "--format", "x"]]
)
def test_a_usage_error_of_click_is_exit_code_2(arguments: list[str]) -> None:
    result = nlgauge(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Error: " in result.stderr


# ---- The other commands


def test_version() -> None:
    assert nlgauge("--version").stdout == f"nlgauge {__version__}\n"


@pytest.mark.parametrize(
    "command",
    [
        [],
        ["score"],
        ["explain"],
        ["correlate"],
        ["compare"],
        ["list"],
        ["doctor"],
        ["export"],
    ],
)
def test_every_command_has_help(command: list[str]) -> None:
    for flag in ("-h", "--help"):
        result = nlgauge(*command, flag)
        assert result.exit_code == 0
        assert result.stdout.startswith("Usage: ")
        assert result.stderr == ""


# ---- As a process


@pytest.fixture
def process(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[bytes]]:
    def run(*arguments: object) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-W", "error", "-m", "nlgauge", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, cwd=tmp_path, timeout=120)

    return run


def test_a_process_scores(process: Callable[..., Any], small: Path) -> None:
    done = process("score", small, "-m", "InfoLM", "--format", "json")
    assert done.returncode == 0, done.stderr.decode()
    assert json.loads(done.stdout)["systems"][0]["system"] == "模型 é"
    assert done.stderr.decode().splitlines()[-1].startswith("InfoLM|model:pocket@")


def test_a_process_fails_in_one_line(process: Callable[..., Any]) -> None:
    done = process("score", "absent.jsonl", "-m", "InfoLM")
    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr.decode().splitlines() == [
        "nlgauge: absent.jsonl: cannot be read: No such file or directory (give the path of one readable file)"
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
@pytest.mark.parametrize("no_color", ["", "1"])
def test_explain_colours_on_a_terminal_unless_told_not_to(claims: Path, no_color: str) -> None:
    shown = on_a_terminal("explain", str(claims), "-m", "Consistency", "--row", "1", NO_COLOR=no_color)
    assert (b"[volcano]" in shown) is bool(no_color)
    assert (b"\x1b[31m\x1b[4mvolcano\x1b[0m" in shown) is not bool(no_color)
    assert (b"\x1b[32mlibrary\x1b[0m" in shown) is not bool(no_color)


def test_blocks_go_to_a_folder_or_to_a_file(small: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="needs nlgauge[tables]")
    options = ["score", str(small), "-m", "TokenF1", "-m", "Length", "--no-cache"]
    whole = nlgauge(*options, "-o", str(tmp_path / "whole.jsonl"))
    for place, blocks in (("scores", ["--rows-per-block", "3"]), ("blocks.jsonl", ["--rows-per-block", "1"])):
        done = nlgauge(*options, "-o", str(tmp_path / place), *blocks)
        assert (done.exit_code, done.stdout) == (0, whole.stdout)
        assert ScoreTable.load(tmp_path / place) == ScoreTable.load(tmp_path / "whole.jsonl")
    assert (tmp_path / "blocks.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    assert (tmp_path / "scores" / "rows-000000000003.parquet").exists()


def test_a_folder_of_outputs_and_an_address_are_read(small: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="needs nlgauge[tables]")
    folder = tmp_path / "rows"
    folder.mkdir()
    small.rename(folder / "small.jsonl")
    shown = [
        nlgauge("score", place, "-m", "TokenF1", "--no-cache").stdout
        for place in (str(folder), folder.as_uri(), (folder / "small.jsonl").as_uri())
    ]
    assert shown[0] == shown[1] == shown[2]
    assert "模型 é" in shown[0]


def test_ray_that_is_not_installed_is_named(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    refused("score", small, "-m", "TokenF1", "--no-cache", "--ray", "local", say="pip install 'nlgauge[ray]'")


def test_text_files_of_several_systems_are_compared(tmp_path: Path) -> None:
    for name, texts in (("a.txt", "One cat.\nTwo dogs.\n"), ("b.txt", "Rain.\nSnow.\n"), ("r.txt", "A cat.\nDogs.\n")):
        (tmp_path / name).write_text(texts)
    options = [
        "--candidates",
        tmp_path / "a.txt",
        "--candidates",
        tmp_path / "b.txt",
        "--references",
        tmp_path / "r.txt",
    ]
    scores = tmp_path / "scores.jsonl"
    assert nlgauge("score", *options, "-m", "TokenF1", "-o", scores, "--no-cache").exit_code == 0
    assert ScoreTable.load(scores).systems == ["a", "b"]
    assert nlgauge("compare", scores, "a", "b").exit_code == 0
    names = ["--system", "old", "--system", "new"]
    nlgauge("score", *options, *names, "-m", "TokenF1", "-o", scores, "--no-cache")
    assert ScoreTable.load(scores).systems == ["old", "new"]
    refused("score", *options, "--system", "old", "-m", "TokenF1", say="2 files and 1 names of systems")
    refused("score", *options, "--system", "x", "--system", "x", "-m", "TokenF1", say="2 files and 1 names of systems")


def test_tables_given_together_are_systems_by_their_names(tmp_path: Path) -> None:
    row = {"candidate": "One cat.", "references": "A cat."}
    places = [tmp_path / name for name in ("gpt-4.1.jsonl", "old.jsonl")]
    for place in places:
        place.write_text(json.dumps(row) + "\n" + json.dumps(row) + "\n")
    scores = tmp_path / "scores"
    options = ["-m", "TokenF1", "-o", scores, "--no-cache"]
    for given in (places, [tmp_path]):
        scores.unlink(missing_ok=True)
        result = nlgauge("score", *given, *options)
        assert result.exit_code == 0, result.output
        assert "each file is a system of its own name (gpt-4.1, old)" in result.stderr
        items = [("gpt-4.1", "1"), ("gpt-4.1", "2"), ("old", "1"), ("old", "2")]
        assert ScoreTable.load(scores).rows == items
    scores.unlink()
    result = nlgauge("score", tmp_path, "--system", "all", *options)
    assert ScoreTable.load(scores).rows == [("all", str(item)) for item in (1, 2, 3, 4)]
    assert "of its own name" not in result.stderr
    assert nlgauge("score", *places, "--system", "a", "--system", "b", *options).exit_code == 0
    assert ScoreTable.load(scores).systems == ["a", "b"]


def test_map_takes_paths_and_a_field_several_times(tmp_path: Path) -> None:
    row = {"output": {"answer": "One cat."}, "gold": "A dog.", "other": {"x": "One cat."}}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n")
    maps = [f"--map={pair}" for pair in ("candidate=output.answer", "references=gold", "references=other.x")]
    result = nlgauge("score", tmp_path / "rows.jsonl", *maps, "-m", "TokenF1", "--no-cache", "--format", "json")
    assert json.loads(result.stdout)["systems"][0]["mean"] == 1


def test_the_list_of_commands_has_no_sentence_cut_short() -> None:
    listed = nlgauge("--help").stdout.partition("Commands:\n")[2]
    assert len(listed.splitlines()) in (17, 20), "three more with nlgauge-lab"
    assert "..." not in listed


# ---- places that are no files


def reads_as(content: str, table: ScoreTable, folder: Path) -> bool:
    """Whether a text is the scores file of a table."""
    (folder / "read.jsonl").write_text(content, encoding="utf-8")
    return ScoreTable.load(folder / "read.jsonl") == table


@pytest.mark.parametrize("more", [(), ("--rows-per-block", 2)])
def test_scores_go_to_stdout_alone(small: Path, tmp_path: Path, more: tuple[object, ...]) -> None:
    if more:
        pytest.importorskip("pyarrow", reason="needs nlgauge[tables]")
    result = nlgauge("score", small, "-m", "Length", "-o", "-", "--no-cache", *more)
    assert result.exit_code == 0 and "Length" in result.stderr
    assert reads_as(result.stdout, run_evaluate(Corpus.read(small), metrics="Length", cache=False), tmp_path)
    assert not Path("-").exists()


def test_what_is_printed_beside_a_file_on_stdout_goes_to_stderr(small: Path, tmp_path: Path) -> None:
    result = nlgauge("check", small, "-m", "Length", "--at-least", 0, "-o", "-", "--no-cache", "--allow-missing")
    assert result.exit_code == 0 and '"nlgauge"' in result.stdout.splitlines()[0] and result.stderr
    assert reads_as(result.stdout, run_evaluate(Corpus.read(small), metrics="Length", cache=False), tmp_path)
    explained = nlgauge("explain", small, "-m", "TokenF1", "-o", "-", "--no-cache")
    nlgauge("score", small, "-m", "Length", "-o", tmp_path / "scores.jsonl", "--no-cache")
    reported = nlgauge("report", tmp_path / "scores.jsonl", "-o", "-")
    for page in (explained, reported):
        assert page.exit_code == 0 and page.stdout.lower().startswith("<!doctype html>")
        assert page.stdout.rstrip().endswith("</html>") and "-" in page.stderr.splitlines()


@pytest.mark.skipif(sys.platform == "win32", reason="files of POSIX")
def test_links_and_pipes_are_written_and_stay(small: Path, tmp_path: Path) -> None:
    place = tmp_path / "there"
    place.mkdir()
    (place / "pipe.sh").write_text(
        "set -e\nmkfifo pipe\ncat pipe > piped &\ntouch kept.jsonl\nchmod 600 kept.jsonl\nln -s kept.jsonl link\n"
        'for to in pipe link; do "$@" -o $to > /dev/null; done\n'
        '"$@" -o /dev/stdout > out.jsonl\n"$@" -o /dev/stdout | cat > through.jsonl\nwait\n'
    )
    command = ["sh", "pipe.sh", sys.executable, "-m", "nlgauge", "score", str(small), "-m", "Length", "--no-cache"]
    subprocess.run(command, cwd=place, check=True, stderr=subprocess.DEVNULL)
    table = run_evaluate(Corpus.read(small), metrics="Length", cache=False)
    for name in ("piped", "kept.jsonl", "out.jsonl", "through.jsonl"):
        assert reads_as((place / name).read_text(encoding="utf-8"), table, tmp_path), name
    assert (place / "link").is_symlink() and (place / "pipe").is_fifo()
    assert (place / "kept.jsonl").stat().st_mode & 0o777 == 0o600
    names = {"pipe.sh", "pipe", "piped", "kept.jsonl", "link", "out.jsonl", "through.jsonl"}
    assert {path.name for path in place.iterdir()} == names


@pytest.mark.skipif(sys.platform == "win32", reason="links of POSIX")
def test_a_link_to_nowhere_is_found_before_anything_is_scored(small: Path, tmp_path: Path, no_scoring: None) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "none" / "scores.jsonl")
    refused("score", small, "-m", "Length", "-o", tmp_path / "link", say="name a file in a folder that exists")


def test_a_run_into_a_folder_goes_on_with_metrics_of_both_kinds(small: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="needs nlgauge[tables]")
    command = ["score", small, "-m", "BERTScore", "-m", "Length", "--rows-per-block", 1, "-o", tmp_path / "folder"]
    first, second = nlgauge(*command, "--no-cache"), nlgauge(*command, "--no-cache")
    assert (first.exit_code, first.stdout) == (second.exit_code, second.stdout) == (0, first.stdout)

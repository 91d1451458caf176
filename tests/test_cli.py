"""The command: what it writes to which stream, its exit codes, and one line for every wrong input."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nlgauge import Corpus, ScoreTable, correlate
from nlgauge import evaluate as run_evaluate
from nlgauge._version import __version__
from nlgauge.data.jsonable import jsonable
from nlgauge.data.table import Column, Sums
from tests.command import nlgauge, on_a_terminal, refused, table_of, written

pytestmark = pytest.mark.usefixtures("one_model")

LINE = {"candidate": "A cat sat.", "references": ["The cat sat."]}


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Two systems with names of two scripts, two rows each."""
    records = [
        {**LINE, "system": "模型 é", "item": "a"},
        {**LINE, "candidate": "Snow fell at night.", "system": "模型 é", "item": "b"},
        {**LINE, "candidate": "The dog.", "system": "B", "item": "a"},
        {**LINE, "candidate": "", "system": "B", "item": "b"},
    ]
    return written(tmp_path / "small.jsonl", records)


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


def test_a_long_candidate_is_announced_where_a_metric_reads_a_model(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_module("nlgauge.cli.outputs"), "LONG", 3)
    said = "a metric that reads a model may take minutes"
    assert said not in nlgauge("score", small, "-m", "TokenF1").stderr
    assert said in nlgauge("score", small, "-m", "TokenF1", "-m", "SentenceMovers").stderr


def test_tables_and_text_files_give_the_same(tmp_path: Path) -> None:
    rows = [("A cat sat.", "The cat sat."), ("Snow fell at night.", "The cat sat.")]
    table, texts = tmp_path / "outputs.csv", [tmp_path / "candidates.txt", tmp_path / "references.txt"]
    table.write_text("system,prediction,references\n" + "".join(f"模型 é,{a},{b}\n" for a, b in rows), encoding="utf-8")
    for file, column in zip(texts, zip(*rows, strict=True), strict=True):
        file.write_text("\n".join(column) + "\n", encoding="utf-8")
    of_table = nlgauge("score", table, "--map", "candidate=prediction", "-m", "TokenF1")
    given = ("--candidates", texts[0], "--references", texts[1], "--system", "模型 é")
    of_texts = nlgauge("score", *given, "-m", "TokenF1")
    assert of_table.exit_code == of_texts.exit_code == 0, of_texts.stderr
    assert of_table.stdout == of_texts.stdout


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


# ---- explain


@pytest.fixture
def claims(tmp_path: Path) -> Path:
    """Outputs of two systems, each with something that the source does not say."""
    source = "The library opens in May."
    records = [
        {"candidate": "The library opens in a volcano.", "source": source, "system": "A", "item": "x"},
        {"candidate": "The zebra opens\n\x1b[31min May.", "source": source, "system": "B", "item": "x"},
        {"candidate": "", "source": source, "system": "B", "item": "y", "references": ["It opens."]},
    ]
    return written(tmp_path / "claims.jsonl", records)


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
        ("BERTScore", "matched with"),
        ("InfoLM(stride=4)", "Vocabulary items that drive the distance"),
        ("MarkEvaluate(k=1)", "Outputs beside the nearest reference"),
        ("Length", "has nothing to show of single words"),
    ],
)
def test_explain_writes_a_page_for_every_family(outputs: Path, tmp_path: Path, spec: str, said: str) -> None:
    page = tmp_path / "page.html"
    which = ("--system", "wrong") if spec.startswith("MarkEvaluate") else ("--row", 1)
    result = nlgauge("explain", outputs, "-m", spec, *which, "-o", page)
    assert (result.exit_code, result.stdout) == (0, f"{page}\n"), result.output
    assert said in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "say"),
    [
        ([], "-m Faithfulness"),
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
    assert found["agreements"][0] == jsonable(expected.records[0])
    assert (found["level"], found["coefficient"], found["seed"], found["replicates"]) == (level, "kendall", 3, 40)
    assert (found["unrated"], found["unscored"]) == ({"adequacy": 0, "luck": 0}, [])


def test_correlate_takes_metrics_sub_scores_and_aspects(scored: tuple[Path, Path]) -> None:
    run = ("correlate", scored[0], "--ratings", scored[1], "--level", "pooled", "--replicates", 20)

    def shown(*options: str) -> list[list[str]]:
        return [
            line.split()[:2]
            for line in nlgauge(*run, *options, "--format", "csv").stdout.replace(",", " ").splitlines()
        ]

    assert [line[0] for line in shown()] == ["metric", "Good", "Bad(k=1)", "Length", "CopyRate"]
    assert ["Bad(k=1)", "p"] in shown() and ["Bad(k=1)", "r"] not in shown()
    assert [line[:2] for line in shown("--parts")][2:4] == [["Bad(k=1)", "p"], ["Bad(k=1)", "r"]]
    assert [line[:2] for line in shown("-m", "Bad(k=1) r", "-m", "Good")][1:3] == [["Bad(k=1)", "r"], shown()[1]]
    assert "--parts shows 1 more" in nlgauge(*run).stderr and "--parts" not in nlgauge(*run, "--parts").stderr
    head = nlgauge(*run, "--aspect", "luck").stdout.splitlines()[0].split()
    assert head == ["metric", "luck"]
    whole = json.loads(nlgauge(*run, "-m", "Bad", "--aspect", "luck", "--format", "json").stdout)
    assert [(one["metric"], one["part"], one["aspect"]) for one in whole["agreements"]][:2] == [
        ("Bad(k=1)", "p", "luck"),
        ("Bad(k=1)", "r", "luck"),
    ]
    alone = correlate(ScoreTable.load(scored[0]), Corpus.read(scored[1]), level="pooled", replicates=20)
    assert whole["agreements"][1] == jsonable(alone.get("Bad(k=1)", "luck", "r"))  # whatever else was asked for


@pytest.mark.parametrize("end", [".json", ".csv", ".md", ".tex", ".txt"])
def test_correlate_writes_a_file_in_the_form_of_its_name(scored: tuple[Path, Path], tmp_path: Path, end: str) -> None:
    run = ("correlate", scored[0], "--ratings", scored[1], "--level", "pooled", "--replicates", 20)
    forms = {".json": "json", ".csv": "csv", ".md": "markdown", ".tex": "latex", ".txt": "text"}
    printed = nlgauge(*run, "-o", tmp_path / f"found{end}")
    assert printed.exit_code == 0 and printed.stdout == nlgauge(*run).stdout
    written = (tmp_path / f"found{end}").read_text(encoding="utf-8")
    assert written == nlgauge(*run, "--format", forms[end]).stdout


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
    nlgauge(*run, *raters, "-o", tmp_path / "found.json")
    assert json.loads((tmp_path / "found.json").read_text(encoding="utf-8")) == found
    refused(*run, *raters, "--aspect", "a", say="--rater names the aspects")
    assert [one["metric"] for one in found["lines"]] == ["", "M", "Constant"] and len(found["lines"][1]["p"]) == 3
    refused(*run, "--rater", "a", say="one rater has nobody")


def test_correlate_adds_columns_and_score_files(scored: tuple[Path, Path], tmp_path: Path) -> None:
    file = tmp_path / "mine.sys.score"
    file.write_text("copy\t3\nshort\t2\nwrong\t1\nhuman\t4\n", encoding="utf-8")
    result = nlgauge(
        "correlate",
        scored[0],
        "--ratings",
        scored[1],
        "--level",
        "system",
        "--replicates",
        0,
        "--format",
        "json",
        "--add",
        "COMET=comet",
        "--lower",
        "COMET",
        "--add",
        f"Mine={file}",
    )
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
        (["--add", "COMET="], "write COLUMN or NAME=COLUMN"),
        (["--add", "COMET"], "rated.jsonl: no row has a number in the column 'COMET'"),
        (["--add", "COMET=absent"], "rated.jsonl: no row has a number in the column 'absent' (there are comet"),
        (["--add", "Good=comet"], "the name 'Good' is taken"),
        (["--add", "X=absent.seg.score"], "absent.seg.score: cannot be read"),
        (["--lower", "Good"], "no --add has that name"),
        (["-m", "Bad x"], "has no sub-score 'x'"),
        (["--aspect", "charm"], "nothing is rated for 'charm' (rated are adequacy, luck)"),
        (["-o", "found.xlsx"], "-o found.xlsx: the end of the name says the form: .json, .csv, .md, .tex, .txt"),
        (["-o", "absent/found.csv"], "its folder does not exist"),
        (["--map", "item=candidate"], "no row of the ratings has the system and item"),
    ],
)
def test_a_wrong_correlate_is_one_line(scored: tuple[Path, Path], options: list[str], say: str) -> None:
    refused("correlate", scored[0], "--ratings", scored[1], *options, say=say)


def test_compare_takes_values_of_all_items_together(tmp_path: Path) -> None:
    counts = np.array([[2, 8], [4, 8], [0, 2], [2, 2], [5, 10], [5, 10]], float)
    rates = Column(("score",), 100 * counts[:, :1] / counts[:, 1:], higher_is_better=False)
    rates.sums = Sums({"name": "rate"}, counts)
    rows = [(system, item) for item in "xyz" for system in "AB"]
    path = tmp_path / "scores.jsonl"
    ScoreTable(rows, {"Edits": rates}, {}, {"rows": 6}, "0").save(path)
    result = nlgauge("compare", path, "A", "B")
    cells = table_of(result.stdout)[1].split()
    assert cells[:6] == ["Edits", "↓", "3", "35.0000", "55.0000", "-20.0000"]
    assert result.stderr == "of all items together, and not means of their values: Edits\n"


# ---- Files that are wrong

BAD_FILES: dict[str, tuple[str, bytes, str, str]] = {
    "missing column": ("a.csv", b"prediction,references\nA cat.,The cat.\n", "row 1: ", "--map candidate=prediction"),
    "ragged CSV": ("a.csv", b"candidate,references\nA cat.,The cat.\nA dog, barking.,The dog.\n", "row 2: ", "quotes"),
    "wrong encoding": ("a.jsonl", '{"candidate": "a"}\n{"candidate": "é"}\n'.encode("latin-1"), "line 2", "iconv"),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_a_bad_file_is_one_line_with_file_row_and_remedy(tmp_path: Path, case: str) -> None:
    name, content, where, remedy = BAD_FILES[case]
    path = tmp_path / name
    path.write_bytes(content)
    line = refused("score", path, "-m", "InfoLM", say=where)
    assert line.startswith(f"nlgauge: {path}: {where if where.startswith('row') else ''}")
    assert remedy in line and line.endswith(")")


# ---- Commands that are wrong


@pytest.mark.parametrize(
    ("arguments", "say"),
    [
        ([], "-m InfoLM"),
        (["-m", "infolm"], "did you mean InfoLM?"),
        (["-m", "InfoLM", "--window", "wrap"], "slide"),
        (["-m", "InfoLM", "--model", "no-such/model/anywhere"], "no-such/model/anywhere"),
        (["-m", "InfoLM", "--map", "candidate"], "OURS=THEIRS"),
        (["-m", "InfoLM", "--map", "source=absent"], "'absent'"),
        (["-m", "InfoLM", "--candidates", "c.txt"], "beside --candidates: leave it out"),
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


# ---- The other commands


def test_version() -> None:
    assert nlgauge("--version").stdout == f"nlgauge {__version__}\n"


@pytest.mark.parametrize(
    "command", [[], ["score"], ["explain"], ["correlate"], ["compare"], ["list"], ["doctor"], ["export"]]
)
def test_every_command_has_help(command: list[str]) -> None:
    for flag in ("-h", "--help"):
        result = nlgauge(*command, flag)
        assert result.exit_code == 0
        assert result.stdout.startswith("Usage: ")
        assert result.stderr == ""


# ---- As a process


def test_a_process_fails_in_one_line(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", "-m", "nlgauge", "score", "absent.jsonl", "-m", "InfoLM"]
    done = subprocess.run(command, capture_output=True, cwd=tmp_path, timeout=120, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    say = "absent.jsonl: cannot be read: No such file or directory (give the path of one readable file)"
    assert done.stderr == f"nlgauge: {say}\n"


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


def test_ray_that_is_not_installed_is_named(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    refused("score", small, "-m", "TokenF1", "--no-cache", "--ray", "local", say="pip install 'nlgauge[ray]'")


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


# ---- places that are no files


def reads_as(content: str, table: ScoreTable, folder: Path) -> bool:
    """Whether a text is the scores file of a table."""
    (folder / "read.jsonl").write_text(content, encoding="utf-8")
    return ScoreTable.load(folder / "read.jsonl") == table


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

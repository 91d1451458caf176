"""nlgauge check: exit codes, what people read, JSON, and a case of JUnit for each row."""

from __future__ import annotations

import json
import math
from pathlib import Path
from xml.etree import ElementTree

import pytest

from nlgauge import Corpus, ScoreTable, evaluate
from nlgauge.cli.check.text import compared, counted
from nlgauge.gate import Outcome, Regression, Verdict
from nlgauge.gate import check as nlgauge_check
from tests.command import nlgauge, refused, written

pytestmark = pytest.mark.usefixtures("one_model")

RUN = ("-m", "Consistency")
SOURCE = "The library opens in May."


@pytest.fixture
def claims(tmp_path: Path) -> Path:
    """A true output, one with a word that the source does not support, and an empty one; names that want care."""
    records = [
        {"candidate": SOURCE, "source": SOURCE, "system": "A", "item": "x"},
        {"candidate": "The library opens in a volcano.", "source": SOURCE, "system": "A", "item": "50%, y:\x1b[1m"},
        {"candidate": "", "source": SOURCE, "references": [SOURCE], "system": "A", "item": "z"},
    ]
    return written(tmp_path / "claims.jsonl", records)


@pytest.mark.parametrize("layout", ["text", "json", "github", "junit"])
@pytest.mark.parametrize("gate", [(*RUN, "--at-least", 0.1), ("--grounded",)])
def test_a_gate_that_decided_about_no_row_fails_and_says_so(
    claims: Path, gate: tuple[object, ...], layout: str
) -> None:
    row = {"candidate": "", "source": "The library opens in May."}
    claims.write_text(f"{json.dumps(row)}\n" * 2, encoding="utf-8")
    result = nlgauge("check", claims, *gate, "--allow-missing", "--format", layout)
    assert result.exit_code == 2, result.output
    if layout == "json":
        assert json.loads(result.stdout)["nothing_checked"] is True
    else:
        assert result.stdout.count("nothing was checked") == 1
    if layout == "junit":
        assert 'tests="3" failures="1" errors="0" skipped="2"' in result.stdout


def test_against_an_earlier_run_that_check_itself_wrote(claims: Path, tmp_path: Path) -> None:
    good, bad = "The library opens in May.", "The library opens in a volcano, with bears."
    before, now = tmp_path / "before.jsonl", tmp_path / "now.jsonl"
    for path, text in ((before, good), (now, bad)):
        records = [{"candidate": f"{text} {'Yes. ' * n}", "source": good, "item": str(n)} for n in range(8)]
        path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    saved = tmp_path / "scores.jsonl"
    assert nlgauge("check", before, *RUN, "--at-least", 0, "-o", saved).exit_code == 0
    assert len(ScoreTable.load(saved).rows) == 8
    same = nlgauge("check", before, *RUN, "--against", saved)
    assert same.exit_code == 0, same.output
    assert same.stdout.splitlines()[0] == f"system system, against {saved}: the same mean"
    worse = nlgauge("check", now, *RUN, "--against", saved)
    assert worse.exit_code == 1
    assert worse.stdout.splitlines()[0] == f"system system, against {saved}: worse"
    assert ", on 8 items; difference -" in worse.stdout
    result = nlgauge("check", now, *RUN, "--against", saved, "--format", "junit")
    (suite,) = ElementTree.fromstring(result.stdout)
    assert suite[-1].get("name") == f"system system against {saved}" and suite.get("failures") == "1"
    assert "worse" in str(suite[-1][0].get("message"))


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"difference": -0.2, "worse": True}, "worse"),
        ({"difference": -0.2}, "no significant difference"),
        ({"difference": 0.2}, "no significant difference"),
        ({"difference": 0.2, "adjusted": 0.001}, "better"),
        ({"difference": 0.0}, "the same mean"),
        ({"difference": 0.2, "adjusted": 0.001, "no_worse": 0.001}, "no worse, up to the margin"),
        ({"difference": 0.0, "no_worse": 0.3, "worse": True}, "not shown to be within the margin"),
    ],
)
def test_no_worse_is_said_of_a_margin_that_was_shown_alone(facts: dict[str, float], said: str) -> None:
    given = {"low": -0.5, "high": 0.01, "p": 0.06, "adjusted": 0.06, "worse": False, **facts}
    head, _ = compared(Regression(system="a", baseline="a", n=9, now=0.5, before=0.6, reason=None, **given), "old")
    assert head == f"system a, against old: {said}"


def test_json_holds_all_rows(claims: Path) -> None:
    result = nlgauge("check", claims, *RUN, "--at-least", 0.99, "--format", "json")
    assert result.exit_code == 1
    found = json.loads(result.stdout, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))
    assert (found["passed"], found["metric"], found["at_least"], found["at_most"]) == (False, "Consistency", 0.99, None)
    assert [row["state"] for row in found["rows"]] == ["passed", "failed", "missing"]
    assert found["rows"][2]["value"] is None
    (text,) = found["rows"][1]["unsupported"]
    begin, end = text["spans"][-1]
    assert text["words"][-1] == text["text"][begin:end] and text["words"][-1].endswith("volcano")


@pytest.mark.parametrize(
    ("arguments", "say"),
    [
        ([], "no metric was given"),
        ([*RUN], "give --grounded, --at-least, --at-most, --threshold, --ratings or --against"),
        ([*RUN, "-m", "Length", "--at-least", 1], "2 metrics were given, and this command takes one"),
        ([*RUN, "--against", "absent.jsonl"], "absent.jsonl: cannot be read"),
        ([*RUN, "--at-least", 1, "-o", "absent/scores.jsonl"], "cannot be written"),
    ],
)
def test_a_wrong_check_is_one_line_and_exit_code_2(claims: Path, arguments: list[object], say: str) -> None:
    refused("check", claims, *arguments, say=say)


def test_counts_tell_rows_that_are_gone_from_rows_without_a_value() -> None:
    outcomes = (
        Outcome("A", "x", 1, 1.0, "passed", None),
        Outcome("A", "y", 2, math.nan, "allowed", "no value"),
        Outcome("A", "z", None, math.nan, "allowed", "gone"),
    )
    verdict = Verdict("M", "f1", True, 0.5, None, 0.05, outcomes)
    assert counted(verdict) == (
        "M f1: 1 of 2 rows pass, 1 without a value, 1 of the baseline and not in the outputs (allowed)"
    )
    sets = Verdict("M", "score", None, 0.5, 1, 0.05, (Outcome("A", None, None, 2.0, "failed", "above"),))
    assert counted(sets) == "M: 0 of 1 systems pass, 1 below 0.5 or above 1"


@pytest.mark.parametrize(
    ("more", "third", "counted"), [((), "error", "errors"), (("--allow-missing",), "skipped", "skipped")]
)
def test_each_row_is_a_case(claims: Path, more: tuple[str, ...], third: str, counted: str) -> None:
    result = nlgauge("check", claims, "-m", "Consistency", "--at-least", 0.99, "--format", "junit", *more)
    assert result.exit_code == 1
    (suite,) = ElementTree.fromstring(result.stdout)
    cases = list(suite)
    assert [[child.tag for child in case] for case in cases] == [[], ["failure"], [third]]
    assert [case.get("name") for case in cases][1] == "row 2, system A, item 50%, y:\ufffd[1m"
    assert "volcano]." in (cases[1][0].text or "")
    counts = {key: suite.get(key) for key in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "3", "failures": "1", "errors": "0", "skipped": "0", counted: "1"}


def test_an_end_of_a_name_that_is_not_written_is_refused_before_anything_is_scored(
    claims: Path, tmp_path: Path
) -> None:
    result = nlgauge("check", claims, *RUN, "--at-least", 0, "-o", tmp_path / "gate.pdf")
    assert result.exit_code == 2 and "-o writes .html, .csv, .jsonl, .jsonl.gz" in result.stderr
    assert not (tmp_path / "gate.pdf").exists()


def test_names_of_systems_are_not_read_as_markdown_in_a_comment(tmp_path: Path) -> None:
    source = "The library opens in May."
    rows = [{"candidate": source, "source": source, "system": name, "item": "x"} for name in ("@all", "*b*")]
    comment = nlgauge("check", written(tmp_path / "rows.jsonl", rows), "--grounded", "--format", "markdown").stdout
    assert "\\@all: The set passes" in comment and "@" not in comment.replace("\\@", "")


def test_json_is_the_sealed_verdict_and_its_notes_are_told_on_stderr(claims: Path) -> None:
    result = nlgauge("check", claims, "--grounded", "--format", "json")
    record = json.loads(result.stdout)
    assert list(record)[:3] == ["nlgauge", "command", "notes"] and record["seal"]
    assert result.stderr.splitlines()[-1] == record["signature"]
    assert result.stderr == nlgauge("check", claims, "--grounded").stderr


def test_a_verdict_in_python_says_what_does_not_pass(claims: Path) -> None:
    verdict = nlgauge_check(evaluate(Corpus.read(claims, on_missing="skip"), metrics="TokenF1"), at_least=0.9)
    answer = verdict.to_answer()
    assert repr(verdict).splitlines()[0] == answer.sentences[0] == f"{verdict.headline}."
    assert repr(verdict).splitlines()[1].split() == ["row", "item", "verdict", "why"]
    assert answer.record == {name: value for name, value in verdict.record.items() if name != "notes"}

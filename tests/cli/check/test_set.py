"""nlgauge check --grounded: the set decides, by what the command line gives."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from nlgauge import Corpus
from tests.command import nlgauge

SOURCE = "The pool opens at nine. Guests pay two euros. Towels are free."
RIGHT, WRONG = "Guests pay two euros.", "Guests pay five euros."


@pytest.fixture
def outputs(tmp_path: Path) -> Path:
    """23 right answers and one that differs from its source for sure, with ratings of all."""
    rows = [
        {
            "item": str(n),
            "question": "What do guests pay?",
            "source": SOURCE,
            "candidate": WRONG if n == 4 else RIGHT,
            "scores": {"good": float(n != 4)},
        }
        for n in range(24)
    ]
    place = tmp_path / "answers.jsonl"
    place.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return place


def test_a_set_passes_with_a_failing_row_and_strict_fails_by_it(outputs: Path) -> None:
    passes = nlgauge("check", outputs, "--grounded")
    first, *rest = passes.stdout.splitlines()
    assert passes.exit_code == 0 and first.startswith("The set passes: 1 of 24 answers is doubted")
    assert rest[-1] == "passed" and any(line.startswith("FAIL  row 5") for line in rest)
    strict = nlgauge("check", outputs, "--grounded", "--strict")
    assert strict.exit_code == 1 and strict.stdout.splitlines()[-1] == "FAILED"


def test_ratings_pass_fail_or_cannot_tell(outputs: Path) -> None:
    asked = ("check", outputs, "--grounded", "--ratings", outputs)
    few = nlgauge(*asked, "--at-most-wrong", "5%")
    assert few.exit_code == 3 and few.stdout.splitlines()[-1] == "CANNOT TELL"
    assert "of the answers are wrong (95 % interval" in " ".join(few.stdout.split())
    assert "nlgauge sample draws them" in " ".join(few.stdout.split())
    most = nlgauge(*asked, "--at-most-wrong", "0.6", "--format", "json")
    found = json.loads(most.stdout)
    assert most.exit_code == 0 and found["ruling"] == "passes" and found["decision"]["by"] == "ratings"
    assert found["decision"]["systems"][0]["wrong"] == pytest.approx(1 / 24, abs=0.02)


@pytest.mark.parametrize("share", ["5", "0", "100%", "many"])
def test_a_share_that_is_none_is_refused(outputs: Path, share: str) -> None:
    asked = nlgauge("check", outputs, "--grounded", "--ratings", outputs, "--at-most-wrong", share)
    assert asked.exit_code == 2 and "give 5% or 0.05" in asked.stderr


def test_an_accepted_answer_does_not_count(outputs: Path, tmp_path: Path) -> None:
    place = tmp_path / "accepted.jsonl"
    (row,) = [row for row in Corpus.read(outputs) if row.candidate == WRONG]
    line = {"texts": row.fingerprint, "reason": "They pay five since May.", "date": "2026-11-27"}
    place.write_text(json.dumps(line) + "\n", encoding="utf-8")
    found = json.loads(nlgauge("check", outputs, "--grounded", "--accepted", place, "--format", "json").stdout)
    assert found["decision"]["by"] == "accepted"
    assert (found["decision"]["systems"][0]["n"], found["decision"]["systems"][0]["doubted"]) == (23, 0)
    wrong = nlgauge("check", outputs, "--grounded", "--accepted", tmp_path / "absent.jsonl")
    assert wrong.exit_code == 2 and "cannot be read" in wrong.stderr


def test_a_server_is_told_what_decides(outputs: Path, tmp_path: Path) -> None:
    made = ET.fromstring(nlgauge("check", outputs, "--grounded", "--format", "junit").stdout)
    assert next(case.get("name") for case in made.iter("testcase")) == "the set"
    assert not list(made.iter("failure")) and made[0].get("failures") == "0"
    strict = ET.fromstring(nlgauge("check", outputs, "--grounded", "--strict", "--format", "junit").stdout)
    assert len(list(strict.iter("failure"))) == 1 and strict[0].get("failures") == "1"
    lines = nlgauge("check", outputs, "--grounded", "--format", "github").stdout.splitlines()
    assert [line.split(" ")[0] for line in lines] == ["::notice", "::warning", "::notice"]
    page = tmp_path / "gate.html"
    nlgauge("check", outputs, "--grounded", "-o", page)
    html = page.read_text(encoding="utf-8")
    assert '<h1 class="good">The set passes' in html and "Save accepted.jsonl" in html
    (row,) = [row for row in Corpus.read(outputs) if row.candidate == WRONG]
    assert f'value="{row.fingerprint}"' in html

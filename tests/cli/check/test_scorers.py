"""nlgauge check --grounded by another scorer: a judge, the verdicts of another tool; what cannot decide is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import nlgauge, refused
from tests.metrics.court import chance, court


@pytest.fixture
def outputs(tmp_path: Path) -> Path:
    rows = [
        {"item": str(n), "source": f"Source {n}.", "candidate": f"answer {n}", "verdict": n != 4, "share": n / 10}
        for n in range(12)
    ]
    place = tmp_path / "answers.jsonl"
    place.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return place


def states(found: str) -> list[str]:
    return [row["state"] for row in json.loads(found)["rows"]]


def test_verdicts_of_another_tool_decide_row_by_row(outputs: Path) -> None:
    run = nlgauge("check", outputs, "--grounded", "-m", "Column('verdict')", "--format", "json")
    assert run.exit_code == 1 and states(run.stdout) == ["passed"] * 4 + ["failed"] + ["passed"] * 7
    found = json.loads(run.stdout)
    assert (found["metric"], found["part"], found["at_least"]) == ("Column('verdict')", "score", 0.5)
    assert found["decision"] is None and "was not measured, so rows decide" in found["notes"][0]


def test_a_judge_decides_and_tells_its_price(outputs: Path) -> None:
    with court(chance) as server:
        spec = f"Judge('{server.url}', wait=0.001)"
        run = nlgauge("check", outputs, "--grounded", "-m", spec, "--no-cache", "--format", "json")
        told = {text: chance(text) for text in server.asked}
    numbers = [next(value for text, value in told.items() if f"answer {n}\n" in f"{text}\n") for n in range(12)]
    assert states(run.stdout) == ["passed" if number >= 0.5 else "failed" for number in numbers]
    assert run.exit_code == 1 and {"passed", "failed"} == set(states(run.stdout))
    (price,) = (line for line in run.stderr.splitlines() if "1,000 such rows cost" in line)
    assert "1,167 requests, 10,833 tokens in" in price and price.endswith(" seconds")  # 14 requests for 12 rows


@pytest.mark.parametrize("spec", ["Length", "TER", "Column('verdict', higher_is_better=False)", "FrechetDistance"])
def test_what_gives_no_probability_is_refused_before_a_row_is_read(tmp_path: Path, spec: str) -> None:
    refused("check", tmp_path / "not there.jsonl", "--grounded", "-m", spec, say="gives no probability that the source")


def test_numbers_beyond_one_are_no_probability(outputs: Path) -> None:
    rows = outputs.read_text(encoding="utf-8").replace('"share": 0.4', '"share": 4')
    outputs.write_text(rows, encoding="utf-8")
    refused("check", outputs, "--grounded", "-m", "Column('share')", say="the table has no metric with a probability")


@pytest.fixture
def unsure(tmp_path: Path) -> Path:
    """Answers of which the embedded model cannot decide about some, one that claims nothing, and one surely wrong."""
    source = "The pool opens at nine. Guests pay two euros. Towels are free."
    said = [
        "Guests pay two euros.",
        "It is warm there.",
        "Guests pay five euros.",
        "Thank you!",
        "Swimming costs little.",
    ]
    rows = [{"item": str(n), "source": source, "candidate": text, "other": n == 1} for n, text in enumerate(said)]
    place = tmp_path / "unsure.jsonl"
    place.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return place


@pytest.mark.usefixtures("one_model")
def test_a_judge_or_a_column_decides_what_the_model_cannot(unsure: Path) -> None:
    low, high = 0.001, 0.999
    with court(chance) as server:
        spec = f"Judge('{server.url}', wait=0.001)"
        options = ("--then", spec, "--unsure", low, high, "--no-cache", "--format", "json")
        run = nlgauge("check", unsure, "--grounded", "--strict", *options)
        asked = [text for text in server.asked if "Guests pay five" in text or "Thank you" in text]
        told = {text: chance(text) for text in server.asked}
    found = json.loads(run.stdout)
    assert not any("Thank you" in text for text in asked), "what claims nothing is not asked about"
    decided = {row["item"]: row["decided_by"] for row in found["rows"]}
    assert decided["1"] == spec and decided["3"] == "pocket"
    (number,) = (value for text, value in told.items() if "It is warm there." in text)
    assert found["rows"][1]["value"] == number
    assert found["rows"][1]["state"] == ("passed" if number >= 0.5 else "failed")
    assert "1,000 such rows cost" in run.stderr and f"{spec} read" in json.dumps(found["notes"])

    column = nlgauge(
        "check", unsure, "--grounded", "--then", "Column('other')", "--unsure", low, high, "--format", "json"
    )
    rows = json.loads(column.stdout)["rows"]
    assert [row["value"] for row in rows if row["decided_by"] == "Column('other')"][:2] == [0.0, 1.0]


def test_a_second_scorer_that_cannot_decide_is_refused_before_a_row_is_scored(outputs: Path) -> None:
    check = ("check", outputs, "--grounded", "--no-cache", "--then")
    refused(*check, "Length()", say="gives no probability that the source supports an answer")
    refused(*check, "Column('none such')", say="none such")
    refused(*check, "Judge('http://127.0.0.1:9/v1', retries=0)", say="127.0.0.1:9")
    refused(*check, "Nothing()", say="Nothing")

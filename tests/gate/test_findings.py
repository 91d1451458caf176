"""What the gate found of a row, from its evidence; on the embedded model, from rows to page, table and comment."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

import nlgauge
from nlgauge.gate.verdict import Outcome, finding_of
from tests.command import nlgauge as command

ROWS = [
    ("supported", "When does it open?", "The bakery opens at 9 am on Sundays [1]."),
    ("contradicted", "When does it open?", "The bakery opens at 9 pm on Sundays."),
    ("doubtful", None, "The text does not say when the bakery opens on Sundays."),
    ("abstained", None, "The text does not say who owns the bakery."),
    ("no claim", None, "Thank you!"),
]
SOURCE = "The bakery opens at 9 am on Sundays."


def stretch(begin: int, end: int, supported: float, **more: object) -> dict[str, object]:
    return {"begin": begin, "end": end, "quotes": [0], "supported": supported, **more}


def evidence(
    *stretches: dict[str, object], reasons: list[dict[str, object]] | None = None, quote: str = "B."
) -> dict[str, object]:
    """Two claims, of which the second shares its word with the first quote."""
    words = [{"begin": 0, "alignment": 0.1}, {"begin": 3, "alignment": 0.9, "quote": 0}]
    quotes = [{"text": quote}, {"text": "C."}]
    text = {"name": "candidate", "text": "A. B.", "words": words, "quotes": quotes, "weak": 0.5}
    text["stretches"] = list(stretches)
    return {"texts": [{**text, "reasons": reasons or []}]}


@pytest.mark.parametrize(
    ("given", "state", "finding"),
    [
        (evidence(stretch(0, 2, 0.9), stretch(3, 5, 0.8)), "passed", "supported"),
        (evidence(stretch(0, 2, 0.9), stretch(3, 5, 0.2, contradicted=0.7)), "failed", "contradicted"),
        (evidence(stretch(0, 2, 0.1, contradicted=0.7), stretch(3, 5, 0.2)), "failed", "not found"),
        (evidence(stretch(3, 5, 0.2, contradicted=0.7), quote="D."), "failed", "not found"),
        (evidence(stretch(0, 2, 0.1, contradicted=0.2), stretch(3, 5, 0.2, contradicted=0.9)), "failed", "not found"),
        (evidence(stretch(0, 2, 0.1), reasons=[{"begin": 0, "said": "x", "sure": True}]), "failed", "contradicted"),
        (evidence(stretch(0, 2, 0.1), reasons=[{"begin": 0, "said": "x"}]), "failed", "not found"),
        (evidence(stretch(0, 2, 0.9, abstains=True)), "passed", "abstained"),
        (evidence(stretch(0, 2, 0.9, abstains=True), stretch(3, 5, 0.9)), "passed", "supported"),
        (evidence(stretch(0, 2, 0.1, abstains=True), stretch(3, 5, 0.9)), "failed", "false refusal"),
        (evidence(stretch(0, 2, 0.4)), "doubtful", "doubtful"),
        (evidence(stretch(0, 2, 0.4)), "unread", "other words"),
        (None, "unread", "other words"),
        (None, "failed", None),
        (None, "doubtful", "doubtful"),
    ],
)
def test_the_worst_claim_decides(given: dict[str, object] | None, state: str, finding: str | None) -> None:
    assert finding_of(given, state).finding == finding


def test_a_claim_stands_beside_the_sentence_that_shares_most_with_it() -> None:
    said = finding_of(evidence(stretch(0, 2, 0.4), stretch(3, 5, 0.2, contradicted=0.9)), "failed")
    assert [(one.text, one.probability, one.quote) for one in said.claims] == [("B.", 0.2, "B."), ("A.", 0.4, None)]
    assert said.quotes == ("B.",)
    assert said.claims[0].said == "“B.” (0.20); the source: “B.”"
    assert said.claims[1].said == "“A.” (0.40); no sentence of the source shares a word with it"
    outcome = Outcome("bot", None, 1, 0.3, "failed", "0.3 is below 0.5", **said._asdict())
    assert outcome.why == "the source says something else: “B.” (0.20); the source: “B.”"
    assert replace(outcome, finding="not found").why == "not sure of: “B.” (0.20); the source: “B.”"
    assert replace(outcome, finding="doubtful", claims=()).why == "it may not be what the source says"


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("gate") / "v2.jsonl"
    rows = [
        {"item": name, "source": SOURCE, "candidate": answer, **({"question": question} if question else {})}
        for name, question, answer in ROWS
    ]
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return file


def test_each_state_of_a_row_has_its_name(outputs: Path) -> None:
    table = nlgauge.evaluate(nlgauge.Corpus.read(outputs), metrics="Faithfulness", evidence=True)
    verdict = nlgauge.check(table, grounded=True)
    assert [one.finding for one in verdict.outcomes] == [name for name, _, _ in ROWS]
    assert [one.failed for one in verdict.outcomes] == [False, True, False, False, False]
    assert verdict.outcomes[1].reasons == ("9 pm: the source has 9 am",)
    assert verdict.outcomes[1].quotes == (SOURCE,)
    assert verdict.record["findings"] == {name: 1 for name, _, _ in ROWS}


def test_the_page_the_table_and_the_comment_say_the_same(outputs: Path, tmp_path: Path) -> None:
    before = tmp_path / "v1.jsonl"
    earlier = outputs.read_text(encoding="utf-8").replace("9 pm", "9 am").replace("9 am on Sundays [1]", "8 am [1]")
    before.write_text(earlier, encoding="utf-8")
    page = tmp_path / "gate.html"
    ran = command("check", outputs, "--grounded", "--strict", "--against", before, "-o", page, "--format", "markdown")
    assert ran.exit_code == 1
    assert "1 of 5 answers fail" in ran.stdout
    assert "| 2 | contradicted |" in ran.stdout and "9 pm: the source has 9 am" in ran.stdout
    html = page.read_text(encoding="utf-8")
    assert '<h1 class="bad">1 of 5 answers fail</h1>' in html
    assert "<b>1</b> answer was fixed and <b>1</b> was broken" in html
    changes = dict(re.findall(r'id="row-(\d)"[^>]*data-of="[^"]*\|(fixed|broken)"', html))
    assert changes == {"1": "fixed", "2": "broken"}
    assert (
        f"nlgauge check {outputs} --grounded --strict" in html.split('id="repeat"')[1] and "When does it open?" in html
    )
    assert html.index("row 3, item") < html.index("row 1, item")  # what fails comes first
    assert '<mark class="differs" title="9 pm: the source has 9 am">9 pm</mark>' in html
    table = tmp_path / "verdicts.csv"
    assert command("check", outputs, "--grounded", "--strict", "-o", table).exit_code == 1
    with table.open(encoding="utf-8", newline="") as file:
        assert [row["finding"] for row in csv.DictReader(file)] == [name for name, _, _ in ROWS]


def test_texts_of_a_stranger_stay_texts_on_the_page_and_in_the_comment(tmp_path: Path) -> None:
    file, page = tmp_path / "rows.jsonl", tmp_path / "gate.html"
    hostile = "<script>alert(1)</script> | **9 pm** ](x) \u202e"
    file.write_text(json.dumps({"source": SOURCE, "candidate": hostile, "question": hostile}), encoding="utf-8")
    ran = command("check", file, "--grounded", "-o", page, "--format", "markdown")
    assert "<script>alert" not in page.read_text(encoding="utf-8")
    assert "<script>" not in ran.stdout.replace("\\<", "")

"""The page of check: its first row says why, and rows of an earlier run stand beside those of now."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.command import nlgauge

pytestmark = pytest.mark.usefixtures("one_model")
SOURCE = ["A late return costs two crowns a day.", "The reading room opens at nine."]
ANSWERS = {
    "right": "A late return costs two crowns a day.",
    "wrong": "A late return costs five crowns a day.",
    "other": "The reading room opens at nine.",
}


def written(path: Path, **answers: str) -> Path:
    rows = [
        {"item": item, "question": f"Question {item}?", "source": SOURCE, "candidate": answer}
        for item, answer in answers.items()
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def now(tmp_path: Path) -> Path:
    return written(tmp_path / "v2.jsonl", **ANSWERS)


def test_the_page_says_first_how_many_fail_and_why(now: Path, tmp_path: Path) -> None:
    page = tmp_path / "gate.html"
    result = nlgauge("check", now, "--grounded", "-o", page)
    assert result.exit_code == 1
    html = page.read_text(encoding="utf-8")
    assert '<h1 class="bad">1 of 3 answers fail</h1>' in html
    first = re.search(r"<article.*?</article>", html, re.DOTALL)
    assert first is not None and 'id="row-2"' in first[0], "the worst comes first"
    assert "five crowns: the source has two crowns" in first[0] and "Question wrong?" in first[0]
    assert len(re.findall("<li>", first[0])) == 2, "two passages"
    assert "nlgauge check" in html.split('id="repeat"')[1] and "--grounded" in html.split('id="repeat"')[1]


def test_rows_of_an_earlier_run_stand_beside_those_of_now(tmp_path: Path) -> None:
    names = [f"q{number}" for number in range(8)]
    now = written(tmp_path / "v2.jsonl", **{name: ANSWERS["wrong" if name == "q1" else "right"] for name in names})
    before = written(tmp_path / "v1.jsonl", **{name: ANSWERS["wrong" if name == "q2" else "right"] for name in names})
    page = tmp_path / "gate.html"
    nlgauge("check", now, "--grounded", "--against", before, "-o", page)
    html = page.read_text(encoding="utf-8")
    assert "<b>1</b> answer was fixed and <b>1</b> was broken" in html
    changes = dict(re.findall(r'id="row-(\d)"[^>]*data-of="[^"]*\|(fixed|broken)"', html))
    assert changes == {"2": "broken", "3": "fixed"}

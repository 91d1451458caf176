"""How every format of nlgauge check shows answers in other words than their source."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from nlgauge import Corpus, Row
from nlgauge.cli.check.answer import answer_of
from nlgauge.cli.terminal import show
from nlgauge.gate import check
from nlgauge.reports.gate import gate_page, write_verdicts
from tests.gate.test_decision import OTHER, answers, table

TABLE = table(answers(4, 1), wording=[1.0, 1.0, 0.2, 1.0, 1.0])
VERDICT = check(TABLE, grounded=True)
WHY = "cannot say: in other words than the source (20% of its longer words stand there)"


def printed(layout: str, capsys: pytest.CaptureFixture[str]) -> str:
    show(answer_of(VERDICT, TABLE, outputs=Path("answers.jsonl"), against=None, how=""), layout)
    return capsys.readouterr().out


def test_the_terminal_counts_and_lists_them(capsys: pytest.CaptureFixture[str]) -> None:
    said = printed("text", capsys)
    assert OTHER in " ".join(said.split()[:60])
    assert f"UNREAD  row 3, system bot, item 2: {WHY}" in said
    assert "3 of 5 rows pass, 1 doubtful, 1 in other words than the source" in said.replace(" below 0.1", "")
    assert said.splitlines()[-1] == "passed"


def test_a_server_is_told_that_nothing_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    github = [line for line in printed("github", capsys).splitlines() if "line=3" in line]
    assert len(github) == 1 and github[0].startswith("::notice file=answers.jsonl,line=3,")
    suite = ET.fromstring(printed("junit", capsys)).find("testsuite")
    assert suite is not None and (suite.get("skipped"), suite.get("failures")) == ("1", "0")
    (skipped,) = suite.iter("skipped")
    assert skipped.get("message") == WHY
    assert f"| 3 | other words |  | {WHY.replace('(', '(')} |" in printed("markdown", capsys)


def test_page_table_and_json_have_them(tmp_path: Path) -> None:
    rows = Corpus(tuple(Row(item=str(n), candidate=f"Answer {n}.", source="It is so.") for n in range(5)))
    gate_page(VERDICT, TABLE, rows, tmp_path / "gate.html")
    page = (tmp_path / "gate.html").read_text(encoding="utf-8")
    assert 'class="row unread" id="row-3"' in page and OTHER in page and WHY in page
    write_verdicts(VERDICT, rows, tmp_path / "gate.csv")
    assert "3,bot,2,unread,other words," in (tmp_path / "gate.csv").read_text(encoding="utf-8")
    record = json.loads(json.dumps(VERDICT.record))
    assert record["rows"][2]["state"] == "unread" and record["decision"]["systems"][0]["unread"] == 1
    assert record["findings"]["other words"] == 1

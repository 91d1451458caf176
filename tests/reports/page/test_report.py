"""The file as a whole; tests/contracts/test_pages.py opens it in a browser."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from base64 import b64encode
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import nlgauge
from nlgauge import Corpus, InputError, ScoreTable
from nlgauge.data.table import Column
from nlgauge.render.markup.environment import shown
from nlgauge.reports.page.report import repeat
from tests.outline import NASTY, Outline
from tests.report_tables import DOWN, UP, corpus, table
from tests.score_tables import mixed, one
from tests.stats import hidden

ROWS = corpus()


def written(tmp_path: Path, of: ScoreTable, **options: object) -> str:
    path = tmp_path / "report.html"
    nlgauge.report(of, path, replicates=50, **options)  # type: ignore[arg-type]
    return path.read_text(encoding="utf-8")


def held(page: str) -> dict:
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return json.loads(data)


class Page(Outline):
    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        super().handle_starttag(tag, attributes)
        if tag in ("meta", "input"):
            self.open.pop()


def test_a_page_is_closed_and_has_its_sections(tmp_path: Path) -> None:
    page = written(tmp_path, table(ROWS), outputs=ROWS)
    parser = Page()
    parser.feed(page)
    assert parser.open == []
    assert re.findall(r'<section id="(\w+)"', page) == ["summary", "pairs", "spread", "agreement", "rows", "repeat"]
    assert "<title>Scores of good, twin and bad</title>" in page


def test_nothing_in_a_page_asks_for_anything(tmp_path: Path) -> None:
    page = written(tmp_path, table(ROWS), outputs=ROWS)
    assert not re.findall(r'(?:src|href)="(?!#)', page) and "url(" not in page and "@import" not in page
    assert "default-src 'none'" in page
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert len(scripts) == 1
    assert f"sha256-{b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()}" in page


@pytest.mark.parametrize("text", NASTY, ids=range(len(NASTY)))
def test_any_text_is_inert_and_whole(tmp_path: Path, text: str) -> None:
    named = (replace(row, candidate=text, source=text, item=f"{row.item} {text[:90]}") for row in ROWS)
    rows = Corpus(tuple(named))
    of = table(rows)
    page = written(tmp_path, of, outputs=rows, title=text[:90])
    assert page.count("<script") == 2 and page.count("</script>") == 2
    texts = held(page)["rows"]["texts"]
    assert shown(text) in texts


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    of = table(ROWS)
    of.columns[UP].evidence.clear()
    page = written(tmp_path, of)
    assert "This page was made without the texts." in page and "The scores file holds no evidence." in page
    assert "agreement with people is not known" in page
    assert held(page)["rows"]["texts"] == []


def test_totals_stay_those_of_all_rows_where_not_all_are_listed(tmp_path: Path) -> None:
    page = written(tmp_path, table(ROWS), outputs=ROWS, rows=9)
    assert (
        "This page lists 9 of 72 rows: 3 of the worst, 2 of the best, 2 of the most disputed, 2 as an even sample."
        in page
    )
    data = held(page)
    assert len(data["rows"]["number"]) == 9 and data["total"] == 72
    assert sum(system["n"] for system in data["spread"][0]["systems"]) == 72


def test_a_table_of_odd_names_infinite_values_and_gaps(tmp_path: Path) -> None:
    page = written(tmp_path, mixed())
    assert "∞" in page or "Infinity" in str(held(page)["rows"]["values"])
    assert held(page)["systems"] == ["größte Ü", "模型 🙂"]


def test_one_system_has_no_pairs(tmp_path: Path) -> None:
    page = written(tmp_path, one([1.0, 2.0, 3.0]))
    assert 'id="pairs"' not in page and "There is one system" in page


def test_equal_tables_give_equal_pages(tmp_path: Path) -> None:
    assert written(tmp_path, table(ROWS), outputs=ROWS) == written(tmp_path, table(ROWS), outputs=ROWS)


def test_notes_of_how_files_fit_are_returned_and_shown(tmp_path: Path) -> None:
    notes = nlgauge.report(table(ROWS), tmp_path / "p.html", outputs=Corpus(ROWS[1:].rows), replicates=10)
    assert len(notes) == 3 and "different items" in notes[2]
    assert notes[1] in (tmp_path / "p.html").read_text(encoding="utf-8")


def test_wrong_input_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no scores to show"):
        nlgauge.report(ScoreTable([], {}, {}), tmp_path / "p.html")
    with pytest.raises(InputError, match="cannot be written"):
        nlgauge.report(table(ROWS), tmp_path / "no" / "p.html", replicates=0)
    assert list(tmp_path.iterdir()) == []


def test_a_page_begins_with_people_and_what_only_describes_has_no_vote(tmp_path: Path) -> None:
    of = table(ROWS)
    words = Column(("score",), np.arange(float(len(of.rows)))[:, None], details=("score",))
    page = written(tmp_path, replace(of, columns={**of.columns, "Length": words}), outputs=ROWS)
    said = re.sub(r"<[^>]*>", "", page.split('class="said"')[1].split("</div>")[0])
    people, metrics = said.split("Metrics:")
    assert " ".join(people.split()).startswith("> People: good is best by the one aspect that people rated.")
    assert "of 2 metrics" in metrics or "both metrics" in metrics
    length = page.split(">Length</h3>")[1].split("</article>")[0]
    assert "better" not in length and 'class="tag' not in length
    assert page.index(">fluency</h3>") < page.index(">Up</h3>")
    alone = written(tmp_path, of)
    assert "People:" not in alone and "What people say" not in alone


def test_a_page_of_few_ratings_begins_with_the_estimate_of_all_rows(tmp_path: Path) -> None:
    of, rows, _ = hidden.outputs(200, 60)
    page = written(tmp_path, of, outputs=rows)
    said = " ".join(re.sub(r"<[^>]*>", "", page.split('class="said"')[1].split("</div>")[0]).split())
    a, b, difference = nlgauge.estimate(of, rows)
    shown = " and ".join(f"{one.system} {one.estimate:.3g} ({one.low:.3g} to {one.high:.3g})" for one in (b, a))
    assert f"For all rows, good is estimated at {shown}." in said
    assert ("beyond chance" in said.split("Metrics:")[0]) == (difference.p < 0.05)
    card = page.split(">good</h3>")[1].split("</article>")[0]
    assert "from 120 ratings and the scores by" in card and "unrated" not in card


def test_a_page_draws_the_history_of_a_gate(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    rng = np.random.default_rng(0)
    before = one(rng.normal(0.5, 0.1, 30).tolist(), "<b>bot</b>")
    for loss in (0, 0, 0.2):
        now = one((before.values("M") + rng.normal(-loss, 0.02, 30)).tolist(), "<b>bot</b>")
        nlgauge.check(now, against=before, history=path)
    page = written(tmp_path, table(ROWS), outputs=ROWS, history=path)
    assert '<section id="days"' in page and page.count('class="band"') == 3
    assert page.count('<circle class="alarm"') == 1 and "Worse beyond chance at run 3." in page
    assert "<b>bot" not in page.split('id="days"')[1].split("</section>")[0]
    with pytest.raises(InputError, match="no look of a gate"):
        written(tmp_path, table(ROWS), history=tmp_path / "report.html")


def test_commands_name_what_was_asked_for_and_survive_a_shell() -> None:
    made = table(corpus())
    made.run["asked"] = {"Up( k=1 )": UP, "Down(a='$x')": DOWN}
    found = repeat(made, "a page.html")
    score = shlex.split(found.commands[1])
    assert found.commands[0] == "pip install nlgauge==9.9"
    assert [score[at + 1] for at, word in enumerate(score) if word == "-m"] == ["Up( k=1 )", "Down(a='$x')", "Sets"]
    assert "--evidence" in score
    assert shlex.split(found.commands[2])[-1] == "a page.html"


def test_signatures_windows_notes_and_facts() -> None:
    found = repeat(table(corpus()))
    assert found.signatures[0] == f"{UP}|window:slide@512,longer 2/72"
    assert (UP, "slide@512,longer 2/72") in found.windows
    assert found.notes == [(DOWN, "a note", 3)]
    assert ("rows", "72") in found.facts

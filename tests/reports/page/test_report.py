"""The file as a whole; tests/contracts/test_pages.py opens it in a browser."""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from dataclasses import replace
from pathlib import Path

import pytest

import nlgauge
from nlgauge import Corpus, InputError, ScoreTable
from nlgauge.show.environment import shown
from tests.outline import NASTY, Outline
from tests.report_tables import corpus, table
from tests.score_tables import mixed

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


def test_a_page_is_closed_has_its_sections_and_asks_for_nothing(tmp_path: Path) -> None:
    page = written(tmp_path, table(ROWS), outputs=ROWS)
    parser = Page()
    parser.feed(page)
    assert parser.open == []
    assert re.findall(r'<section id="(\w+)"', page) == ["summary", "pairs", "spread", "agreement", "rows", "repeat"]
    assert "<title>Scores of good, twin and bad</title>" in page
    # Nothing in it asks for anything.
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


def test_a_table_of_odd_names_infinite_values_and_gaps(tmp_path: Path) -> None:
    page = written(tmp_path, mixed())
    assert "∞" in page or "Infinity" in str(held(page)["rows"]["values"])
    assert held(page)["systems"] == ["größte Ü", "模型 🙂"]


def test_notes_of_how_files_fit_are_returned_and_shown(tmp_path: Path) -> None:
    notes = nlgauge.report(table(ROWS), tmp_path / "p.html", outputs=Corpus(ROWS[1:].rows), replicates=10)
    assert len(notes) == 3 and "different items" in notes[2]
    assert notes[1] in (tmp_path / "p.html").read_text(encoding="utf-8")


def test_wrong_input_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no scores to show"):
        nlgauge.report(ScoreTable([], {}, {}), tmp_path / "p.html")
    with pytest.raises(InputError, match="cannot be written"):
        nlgauge.report(table(ROWS), tmp_path / "no" / "p.html", replicates=0)
    with pytest.raises(InputError, match="no row of the outputs has the system and item"):
        nlgauge.report(table(ROWS), tmp_path / "p.html", outputs=Corpus.from_texts(["A text."]))
    assert list(tmp_path.iterdir()) == []

"""Explanations: rows, systems, pages and notebooks; tests/test_cli.py has the command."""

from __future__ import annotations

from pathlib import Path

import pytest

import nlgauge
from nlgauge import Corpus, SpecError
from tests.markup.test_environment import NASTY
from tests.markup.test_evidence import outline
from tests.reporting.test_report import Page

ROWS = Corpus.from_texts(
    ["The cat sat twice twice.", "<b>No</b> cat."],
    references=[["A cat sat twice.", "Rain."], ["No cat sat."]],
    systems=["a", "b"],
)


def test_rows_are_those_asked_for_with_their_texts() -> None:
    (found,) = nlgauge.explain(ROWS, "TokenF1", [1], cache=False)
    assert (found.row, found.system, found.item, found.defined) == (2, "b", "1", True)
    assert found.texts == {"candidate": "<b>No</b> cat.", "references": ["No cat sat."]}
    assert len(nlgauge.explain(ROWS, "TokenF1", cache=False)) == 2


def test_records_are_taken_as_evaluate_takes_them() -> None:
    records = [{"prediction": row.candidate, "references": list(row.references), "system": row.system} for row in ROWS]
    columns = {"candidate": "prediction"}
    found = nlgauge.explain(records, "TokenF1", columns=columns, cache=False)
    assert [one.record for one in found] == [one.record for one in nlgauge.explain(ROWS, "TokenF1", cache=False)]
    with pytest.raises(SpecError, match="there are none here"):
        nlgauge.explain(ROWS, "TokenF1", columns=columns, cache=False)


def test_shared_words_count_as_often_as_they_stand_in_both() -> None:
    found = nlgauge.explain(ROWS, "TokenF1", [0], cache=False)[0]
    candidate, reference = found.evidence["texts"]
    assert found.evidence["reference"] == 0
    assert [(word["text"], word["alignment"]) for word in candidate["words"]] == [
        ("The", 0.0), ("cat", 1.0), ("sat", 1.0), ("twice", 1.0), ("twice", 0.0),
    ]  # fmt: skip
    assert [word["alignment"] for word in reference["words"]] == [0.0, 1.0, 1.0, 1.0]


@pytest.mark.usefixtures("one_model")
def test_a_metric_of_sets_is_explained_by_system() -> None:
    found = nlgauge.explain(ROWS, "MarkEvaluate(k=1)", cache=False)
    assert [(one.row, one.system, one.item) for one in found] == [(None, "a", None), (None, "b", None)]
    with pytest.raises(SpecError, match="sets of texts"):
        nlgauge.explain(ROWS, "MarkEvaluate(k=1)", [0], cache=False)


@pytest.mark.parametrize("text", NASTY[:6], ids=range(6))
def test_a_page_and_a_notebook_hold_any_text(tmp_path: Path, text: str) -> None:
    rows = Corpus.from_texts([text], references=[[text]], systems=[text])
    found = nlgauge.explain(rows, "TokenF1(words='any')", cache=False)
    found.save(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    parser = Page()
    parser.feed(page)
    assert parser.open == [] and page.count("<script") == 1
    assert "script" not in outline(found._repr_html_()).tags


def test_what_has_nothing_to_show_shows_its_texts(tmp_path: Path) -> None:
    nlgauge.explain(ROWS, "Length", cache=False).save(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Length has nothing to show of single words." in page and "&lt;b&gt;No&lt;/b&gt; cat." in page


def test_a_notebook_draws_the_first_and_counts_the_rest() -> None:
    rows = Corpus.from_texts([f"Text {n}." for n in range(8)], references=[["Text."]] * 8)
    made = nlgauge.explain(rows, "TokenF1", cache=False)._repr_html_()
    assert made.count("<h4><bdi>") == 5 and "3 more are not drawn here" in made

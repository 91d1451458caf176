"""Explanations: rows, systems, pages and notebooks; tests/test_cli.py has the command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nlgauge
from nlgauge import Corpus, InputError, ScoreTable, SpecError
from tests.outline import NASTY, outline
from tests.reports.page.test_report import Page

ROWS = Corpus.from_texts(
    ["The cat sat twice twice.", "<b>No</b> cat."],
    references=[["A cat sat twice.", "Rain."], ["No cat sat."]],
    systems=["a", "b"],
)


def test_rows_are_those_asked_for_with_their_texts() -> None:
    (found,) = nlgauge.explain(ROWS, "TokenF1", [2], cache=False)
    assert (found.row, found.system, found.item, found.defined) == (2, "b", "1", True)
    assert found.texts == {"candidate": "<b>No</b> cat.", "references": ["No cat sat."]}
    assert len(nlgauge.explain(ROWS, "TokenF1", cache=False)) == 2
    for row in (0, 3):
        with pytest.raises(InputError, match=rf"there is no row {row} \(rows are counted from 1; there are 2\)"):
            nlgauge.explain(ROWS, "TokenF1", [row], cache=False)


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


LONG = " ".join(f"word{number} of a long text." for number in range(110))
LONG_ROWS = Corpus.from_texts([LONG, "A cat sat."], references=[LONG[::-1], "The cat sat."], systems=["a", "b"])


@pytest.mark.usefixtures("one_model")
@pytest.mark.parametrize("options", [{}, {"precision": "int8", "window": "cut"}])
def test_the_number_that_is_explained_is_that_of_the_table(options: dict[str, Any], tmp_path: Path) -> None:
    spec = "BERTScore"
    table = nlgauge.evaluate(LONG_ROWS, metrics=spec, cache=False, **options)
    told = [list(one.values.values()) for one in nlgauge.explain(LONG_ROWS, spec, cache=False, **options)]
    np.testing.assert_allclose(told, table.columns[spec].values, atol=1e-6)
    table.save(tmp_path / "scores.jsonl")
    found = nlgauge.explain(LONG_ROWS, spec, [2, 1], scores=ScoreTable.load(tmp_path / "scores.jsonl"), cache=False)
    np.testing.assert_allclose([list(one.values.values()) for one in found], told[::-1], atol=1e-6)


def test_a_table_of_other_rows_or_of_other_numbers_is_refused() -> None:
    table = nlgauge.evaluate(ROWS, metrics="TokenF1", cache=False)
    with pytest.raises(InputError, match="the scores are of other rows"):
        nlgauge.explain(ROWS[:1], "TokenF1", scores=table, cache=False)
    with pytest.raises(SpecError, match="no metric Length in the table"):
        nlgauge.explain(ROWS, "Length", scores=table, cache=False)
    table.columns["TokenF1"].values[1, 0] += 0.01
    assert nlgauge.explain(ROWS, "TokenF1", [1], scores=table, cache=False)
    with pytest.raises(InputError, match=r"row 2: TokenF1 f1 is .* in the scores and .* here"):
        nlgauge.explain(ROWS, "TokenF1", scores=table, cache=False)


def test_it_prints_the_same_of_new_scores_and_of_cached_ones(tmp_path: Path) -> None:
    rows = [{"source": "The train left at nine.", "candidate": "The train left at ten."}]
    new, cached = (nlgauge.explain(rows, "Faithfulness", cache=tmp_path) for _ in range(2))
    assert repr(new) == repr(cached) and ", claims 1.0000\n" in repr(new)
    assert repr(new).startswith("row 1, system system, item 1: Faithfulness probability ")
    assert new[0].record == cached[0].record


def test_its_tables_hold_the_values_alone() -> None:
    answer = nlgauge.explain(ROWS, "TokenF1", [2], cache=False).to_answer()
    ((head, (row, *_)),) = answer.tables
    assert [str(name) for name in head] == ["row", "system", "item", "f1", "precision", "recall", "exact", "reason"]
    assert (row.value, answer.record["rows"][0]["row"]) == (2, 2)
    notes = nlgauge.explain(ROWS, "Length", cache=False).to_answer().notes
    assert notes == ["Length has nothing to show of these rows"]

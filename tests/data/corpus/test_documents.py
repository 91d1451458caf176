"""Columns made of several, paths into records, and documents of retrievers."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import nlgauge
from nlgauge import Corpus, InputError

RECORDS = [{"prediction": "c", "a, 1": "x", "b": "y"}, {"prediction": "d", "a, 1": None, "b": "z"}]
COLUMNS = {"candidate": "prediction", "references": ["a, 1", "b"]}


def _frame(records: list[dict[str, Any]]) -> Any:
    return pytest.importorskip("pandas", reason="needs nlgauge[tables]").DataFrame(records)


def _lists(records: list[dict[str, Any]]) -> dict[str, list[Any]]:
    return {name: [record[name] for record in records] for name in records[0]}


@pytest.mark.parametrize("kind", [list, _lists, _frame])
def test_several_columns_are_references(kind: Any) -> None:
    corpus = Corpus.from_records(kind(RECORDS), columns=COLUMNS)
    assert [row.references for row in corpus] == [("x", "y"), ("z",)]
    table = nlgauge.evaluate(kind(RECORDS), columns=COLUMNS, metrics="TokenF1", cache=False)
    assert len(table) == 2


def test_several_columns_of_a_file_are_references(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("prediction,\"a, 1\",b\nc,x,\"['y', 'z']\"\n")
    assert Corpus.read(tmp_path / "rows.csv", columns=COLUMNS)[0].references == ("x", "y", "z")


def test_one_text_is_not_made_of_several_columns() -> None:
    with pytest.raises(InputError, match=r"question is mapped to list .* and is one text"):
        Corpus.from_records(RECORDS, columns={"candidate": "prediction", "question": ["a, 1", "b"]})
    with pytest.raises(InputError, match="no row has the column 'q', mapped to references"):
        Corpus.from_records(RECORDS, columns={"candidate": "prediction", "references": ["b", "q"]})


def test_a_path_leads_into_a_record() -> None:
    record = {
        "input": {"contexts": ["one", {"page_content": "two"}], "q": "When?"},
        "output": {"choices": [{"message": {"content": "c"}}]},
        "a.b": "whole name",
    }
    names = {"candidate": "output.choices.0.message.content", "source": "input.contexts", "references": "a.b"}
    (row,) = Corpus.from_records([record], columns={**names, "question": "input.q"})
    assert (row.candidate, row.source, row.references, row.question) == ("c", "one\ntwo", ("whole name",), "When?")
    (row,) = Corpus.from_records([record], columns={**names, "source": ["input.contexts", "input.q"]})
    assert row.source == "one\ntwo\nWhen?"


def test_a_path_that_leads_nowhere_is_refused_with_the_likeliest() -> None:
    rows = [{"output": {"answer": "c"}}]
    with pytest.raises(InputError, match=r"--map candidate=output\.answer"):
        Corpus.from_records(rows)
    with pytest.raises(InputError, match=r"no column 'output\.text'"):
        Corpus.from_records(rows, columns={"candidate": "output.text"})
    with pytest.raises(InputError, match=r"no row has the column 'output\.source', mapped to source"):
        Corpus.from_records(rows, columns={"candidate": "output.answer", "source": "output.source"})


@pytest.mark.parametrize(
    "document",
    [{"page_content": "t"}, {"text": "t"}, {"content": "t", "id": 1}, SimpleNamespace(page_content="t", metadata={})],
)
@pytest.mark.parametrize("field", ["source", "context"])
def test_a_document_gives_its_text(document: Any, field: str) -> None:
    for given, text in ((document, "t"), ([document, "u"], "t\nu")):
        assert getattr(Corpus.from_records([{"candidate": "c", field: given}])[0], field) == text
    assert Corpus.from_texts(["c"], sources=[[document]])[0].source == "t"


def test_an_object_without_a_text_is_refused_by_its_row() -> None:
    with pytest.raises(InputError, match=r"row 1: source, entry 2, is dict .*under page_content, text or content"):
        Corpus.from_texts(["c"], sources=[["a", {"id": 3}]])


def test_a_json_list_of_documents_in_a_cell(tmp_path: Path) -> None:
    cell = json.dumps([{"page_content": "one"}, {"page_content": "two"}]).replace('"', '""')
    (tmp_path / "rows.csv").write_text(f'candidate,source\nc,"{cell}"\n')
    assert Corpus.read(tmp_path / "rows.csv")[0].source == "one\ntwo"

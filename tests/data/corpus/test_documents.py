"""Columns made of several, paths into records, and documents of retrievers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import nlgauge
from nlgauge import Corpus
from nlgauge.data.corpus.place import looked_up

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


def test_a_path_leads_into_a_record() -> None:
    record = {
        "input": {"contexts": ["one", {"page_content": "two"}], "q": "When?"},
        "output": {"choices": [{"message": {"content": "c"}}]},
        "a.b": "whole name",
        "a": {"b": "path"},
    }
    names = {"candidate": "output.choices.0.message.content", "source": "input.contexts", "references": "a.b"}
    (row,) = Corpus.from_records([record], columns={**names, "question": "input.q"})
    assert (row.candidate, row.source, row.references, row.question) == ("c", "one\ntwo", ("whole name",), "When?")
    (row,) = Corpus.from_records([record], columns={**names, "source": ["input.contexts", "input.q"]})
    assert row.source == "one\ntwo\nWhen?"
    assert [looked_up(record, path) for path in ("input.contexts.2", "input.q.0", "input.x.y")] == [None] * 3


@pytest.mark.parametrize(
    "document",
    [{"page_content": "t"}, {"text": "t"}, {"content": "t", "id": 1}, SimpleNamespace(page_content="t", metadata={})],
)
@pytest.mark.parametrize("field", ["source", "context"])
def test_a_document_gives_its_text(document: Any, field: str) -> None:
    for given, text in ((document, "t"), ([document, "u"], "t\nu")):
        assert getattr(Corpus.from_records([{"candidate": "c", field: given}])[0], field) == text
    assert Corpus.from_texts(["c"], sources=[[document]])[0].source == "t"

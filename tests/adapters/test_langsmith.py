"""The LangSmith evaluator: by itself, and by `langsmith.evaluate` without its service where that is installed."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

import nlgauge
from nlgauge import InputError, SpecError
from nlgauge.adapters.langsmith import evaluator
from tests.adapters.needed import needed, run_example


def test_a_score_or_why_there_is_none() -> None:
    judge = evaluator("TokenF1", candidate="answer", references="gold")
    assert judge({}, {"answer": "A cat."}, {"gold": "A cat."}) == {"key": "TokenF1 f1", "score": 1.0}
    none = judge({}, {"answer": "A cat."}, {"gold": None})
    assert none == {"key": "TokenF1 f1", "score": None, "comment": "no reference"}


def test_what_is_missing_is_named() -> None:
    with pytest.raises(InputError, match=r"the outputs have no 'output' \(they have answer\)"):
        evaluator("TokenF1", references="gold")({}, {"answer": "A cat."}, {"gold": "A cat."})
    with pytest.raises(InputError, match=r"the inputs have no 'document' \(they have nothing\)"):
        evaluator("Consistency", source="document")({}, {"output": "A cat."}, {})
    with pytest.raises(SpecError, match="depends on the other rows"):
        evaluator("InfoLM(idf='references')", references="gold")


def test_langsmith_keeps_the_scores(rows: list[dict[str, Any]]) -> None:
    langsmith = needed("langsmith", "langsmith")
    from langsmith.schemas import Example

    data = [
        Example(
            id=uuid.UUID(int=at), dataset_id=uuid.UUID(int=0), inputs={"number": at, "document": row["source"]},
            outputs={"gold": row["references"]},
        )
        for at, row in enumerate(rows)
    ]  # fmt: skip
    client = langsmith.Client(api_url="http://127.0.0.1:9", api_key="none", auto_batch_tracing=False)
    done = langsmith.evaluate(
        lambda inputs: {"output": rows[inputs["number"]]["candidate"]},
        data=data,
        evaluators=[evaluator("BERTScore", references="gold"), evaluator("Consistency", source="document")],
        upload_results=False,
        client=client,
        error_handling="ignore",
    )
    table = nlgauge.evaluate(rows, metrics=["BERTScore", "Consistency"])
    found = {one["example"].inputs["number"]: one["evaluation_results"]["results"] for one in done}
    for place, metric in enumerate(("BERTScore", "Consistency")):
        values = table.values(metric).tolist()
        assert [found[at][place].score for at in range(5)] == pytest.approx(values[:5], abs=1e-6)
        assert (found[5][place].score, found[5][place].comment) == (None, "the candidate has no words")


def test_the_example_prints_what_the_page_says() -> None:
    needed("langsmith", "langsmith")
    run_example("LangSmith")

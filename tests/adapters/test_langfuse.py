"""The Langfuse evaluator, by the real `Evaluation`, without its service."""

from __future__ import annotations

from typing import Any

import pytest

import nlgauge
from nlgauge import InputError, SpecError
from tests.adapters.needed import needed, run_example

needed("langfuse", "langfuse")


def test_an_experiment_keeps_the_scores(rows: list[dict[str, Any]]) -> None:
    from langfuse import Langfuse

    from nlgauge.adapters.langfuse import evaluator

    nowhere = {"public_key": "pk-lf-none", "secret_key": "sk-lf-none", "base_url": "http://127.0.0.1:9"}
    client = Langfuse(**nowhere, tracing_enabled=False)
    data = [
        {"input": {"number": at, "document": row["source"]}, "expected_output": row["references"][0]}
        for at, row in enumerate(rows)
    ]
    done = client.run_experiment(
        name="tried",
        data=data,
        task=lambda item, **more: rows[item["input"]["number"]]["candidate"],
        evaluators=[
            evaluator("TokenF1", references="expected_output"),
            evaluator("Consistency", source="input.document"),
        ],
    )
    records = [{**row, "references": row["references"][:1]} for row in rows]
    table = nlgauge.evaluate(records, metrics=["TokenF1", "Consistency"], cache=False)
    for one in done.item_results:
        at = one.item["input"]["number"]
        found = {evaluation.name: evaluation.value for evaluation in one.evaluations}
        assert len(found) == (2 if at < 5 else 0), "an empty output has no score"
        if found:
            assert found["TokenF1 f1"] == pytest.approx(table["TokenF1"][at], abs=1e-6)
            assert found["Consistency"] == pytest.approx(table["Consistency"][at], abs=1e-6)


def test_what_is_missing_is_named() -> None:
    from nlgauge.adapters.langfuse import evaluator

    ask = evaluator("Consistency", source="input.document")
    with pytest.raises(InputError, match=r"the input has no 'document' \(it has question\)"):
        ask(input={"question": "?"}, output="A cat.", expected_output=None, metadata=None)
    with pytest.raises(SpecError, match="depends on the other rows"):
        evaluator("CIDEr", references="expected_output")


def test_the_example_prints_what_the_page_says() -> None:
    run_example("Langfuse")

"""Files in the structure in which tools write them, with texts of ours: several outputs, empty ones, none, trials."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from nlgauge.data.corpus import Corpus
from nlgauge.errors import InputError
from tests.data.corpus.test_logs import written

ASKED = ("Which town has the tall minster?", "How many bells hang there?", "Who cast them?")
SAID = ("Ulm has it.", "Four bells.", "")
WANTED = ("Ulm", "thirteen", "a founder from Ulm")
GIVEN = ("The tall minster stands in Ulm.", "Thirteen bells hang in the tower.", "A founder cast them.")
CASES = list(zip(ASKED, SAID, WANTED, GIVEN, strict=True))


def read(folder: Path, name: str, content: object) -> Corpus:
    return Corpus.read(written(folder, name, content))


def texts(corpus: Corpus) -> list[tuple[str, str | None, tuple[str, ...]]]:
    return [(row.candidate, row.question, row.references) for row in corpus]


EXPECTED = [(said, asked, (wanted,)) for asked, said, wanted, _ in CASES]


def mlflow_trace(asked: object, said: object, wanted: object, spans: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    assessed = [
        {"assessment_name": "short", "source": {"source_type": "CODE"}, "feedback": {"value": True}, "valid": True},
        {"assessment_name": "expected_response", "source": {"source_type": "HUMAN"}, "expectation": wanted},
    ]
    outermost = {
        "span_id": "a",
        "parent_span_id": None,
        "name": "predict",
        "attributes": {
            "mlflow.spanType": '"CHAIN"',
            "mlflow.spanInputs": json.dumps(asked),
            **({} if said is None else {"mlflow.spanOutputs": json.dumps(said)}),
        },
    }
    return {
        "info": {"trace_id": "tr-1", "state": "OK", "trace_metadata": {}, "assessments": assessed},
        "data": {"spans": [*spans, outermost]},
    }


def test_traces_of_mlflow(tmp_path: Path) -> None:
    documents = [{"page_content": GIVEN[0], "metadata": {"n": 1}}, {"page_content": GIVEN[1]}]
    retriever = {
        "span_id": "b",
        "parent_span_id": "a",
        "attributes": {"mlflow.spanType": '"RETRIEVER"', "mlflow.spanOutputs": json.dumps(documents)},
    }
    traces = [mlflow_trace({"question": a}, s, {"value": w}, [retriever]) for a, s, w, _ in CASES]
    corpus = read(tmp_path, "traces.jsonl", traces)
    assert texts(corpus) == EXPECTED
    assert corpus[0].source == "\n".join(GIVEN[:2]) and corpus[0].extra["graded"] == {"short": True}
    assert "traces of MLflow" in str(corpus.read_as)
    serialized = {"serialized_value": {"value": json.dumps([WANTED[0], "Ulm, in the south"])}}
    (row,) = read(tmp_path, "one.jsonl", [mlflow_trace({"question": ASKED[0]}, {"answer": SAID[0]}, serialized)])
    assert (row.candidate, row.references, row.source) == (SAID[0], (WANTED[0], "Ulm, in the south"), None)


def mlflow_rows() -> list[dict[str, Any]]:
    """As `search_traces` and `mlflow.genai.evaluate` give their tables: traces and spans are there as texts."""
    return [
        {
            "trace_id": f"tr-{number}",
            "short/value": True,
            "expected_response/value": wanted,
            "trace": json.dumps(mlflow_trace({"question": asked}, said, {"value": wanted})),
            "state": "OK",
            "request": {"question": asked},
            "response": said,
            "spans": json.dumps([{"name": "predict"}]),
            "assessments": "[{'assessment_name': 'short'}]",
        }
        for number, (asked, said, wanted, _) in enumerate(CASES)
    ]


@pytest.mark.parametrize("name", ["table.jsonl", "columns.json", "table.csv"])
def test_tables_of_mlflow_are_no_traces_of_opik(tmp_path: Path, name: str) -> None:
    rows = mlflow_rows()
    if name == "table.csv":
        path = tmp_path / name
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows({column: str(value) for column, value in row.items()} for row in rows)
        corpus = Corpus.read(path)
    else:
        columns = {column: {str(n): row[column] for n, row in enumerate(rows)} for column in rows[0]}
        corpus = read(tmp_path, name, columns if name == "columns.json" else rows)
    assert texts(corpus) == EXPECTED and "MLflow" in str(corpus.read_as)


def opik_trace(number: int, output: object) -> dict[str, Any]:
    return {
        "trace": {"id": f"t{number}", "input": {"question": ASKED[number]}, "output": output, "feedback_scores": None},
        "spans": [{"id": "s", "input": {"x": 1}, "output": {"y": "draft"}}],
        "downloaded_at": "2026-11-28T00:00:00",
        "project_name": "towns",
    }


def test_a_folder_of_traces_of_opik(tmp_path: Path) -> None:
    for number, said in enumerate(SAID):
        written(tmp_path, f"trace_{number}.json", opik_trace(number, {"answer": said} if said else None))
    with pytest.raises(InputError, match="candidate is null"):
        Corpus.read(tmp_path)
    corpus = Corpus.read(tmp_path, on_missing="skip")
    assert [(row.candidate, row.question, row.missing) for row in corpus] == [
        (SAID[0], ASKED[0], False),
        (SAID[1], ASKED[1], False),
        ("", ASKED[2], True),
    ]
    with pytest.raises(InputError, match=r"record 1: there is no text in trace\.output, or more than one"):
        read(tmp_path / "..", "trace_9.json", opik_trace(0, {"draft": "Ulm.", "final": "Ulm has it."}))


def test_a_trace_of_opik_in_csv_is_one_row_whatever_spans_it_has(tmp_path: Path) -> None:
    flat = "trace_id,trace_start_time,trace_input_question,trace_output_answer,span_id,span_trace_id,span_output"
    lines = [f"t{n},2026-11-01,{ASKED[n]},{SAID[n]},s{n}{k},t{n},draft" for n in range(2) for k in range(3)]
    corpus = read(tmp_path, "traces.csv", "\n".join([flat, *lines]) + "\n")
    assert [(row.candidate, row.question) for row in corpus] == [(SAID[0], ASKED[0]), (SAID[1], ASKED[1])]


def opik_result(number: int, trial: int) -> dict[str, Any]:
    asked, said, wanted, given = CASES[number]
    return {
        "test_case": {
            "trace_id": f"t{number}",
            "dataset_item_id": f"d{number}",
            "task_output": {"output": said, "context": [given]},
            "dataset_item_content": {"question": asked, "expected_output": wanted},
            "mapped_scoring_inputs": None,
        },
        "score_results": [{"name": "exact", "value": 0.25, "reason": None, "scoring_failed": False}],
        "trial_id": trial,
        "task_execution_time": None,
    }


def test_results_of_opik_with_trials(tmp_path: Path) -> None:
    results = [opik_result(number, trial) for trial in range(2) for number in range(3)]
    whole = {
        "experiment_id": "x",
        "dataset_id": "d",
        "trial_count": 2,
        "experiment_scores": [],
        "test_results": results,
    }
    corpus = read(tmp_path, "result.json", whole)
    assert texts(corpus) == EXPECTED * 2
    assert [(row.item, row.trial) for row in corpus] == [(f"d{n}", f"{k}") for k in range(2) for n in range(3)]
    assert corpus[0].source == GIVEN[0] and corpus[0].extra["graded"] == {"exact": 0.25}
    whole["test_results"] = results[:3]
    assert [(row.item, row.trial) for row in read(tmp_path, "result.json", whole)] == [
        (f"d{n}", None) for n in range(3)
    ]


def test_several_outputs_of_one_item_of_an_experiment_of_opik_are_trials(tmp_path: Path) -> None:
    items = [
        {
            "id": f"e{number}",
            "dataset_item_id": f"d{number % 2}",
            "trace_id": f"t{number}",
            "dataset_item_data": {"question": ASKED[number % 2], "expected_output": WANTED[number % 2]},
            "evaluation_task_output": {"output": SAID[number % 2]},
            "feedback_scores": [],
            "assertion_results": [],
        }
        for number in range(4)
    ]
    corpus = read(tmp_path, "experiment_x.json", {"experiment": {"id": "x"}, "items": items, "downloaded_at": "now"})
    assert [(row.item, row.trial) for row in corpus] == [("d0", "1"), ("d1", "1"), ("d0", "2"), ("d1", "2")]


def braintrust(number: int, **more: Any) -> dict[str, Any]:
    asked, said, wanted, given = CASES[number]
    return {
        "input": asked if number else {"question": asked},
        "output": said,
        "scores": {"exact": 0.5},
        "classifications": None,
        "expected": wanted,
        "metadata": {"context": given},
        "tags": None,
        "error": None,
        "exc_info": None,
        "origin": None,
        **more,
    }


def test_results_of_braintrust(tmp_path: Path) -> None:
    corpus = read(tmp_path, "results.jsonl", [braintrust(number) for number in range(3)])
    assert texts(corpus) == EXPECTED and [row.source for row in corpus] == list(GIVEN)
    assert [(row.item, row.trial) for row in corpus] == [("1", None), ("2", None), ("3", None)]
    assert corpus[0].extra["graded"] == {"exact": 0.5} and not corpus[0].scores
    again = [braintrust(number) for number in (0, 0, 1, 1)]
    trials = [(row.item, row.trial) for row in read(tmp_path, "trials.jsonl", again)]
    assert trials == [("1", "1"), ("1", "2"), ("3", "1"), ("3", "2")]
    failed = [braintrust(0), braintrust(1, output=None, scores={}, error="TimeoutError")]
    with pytest.raises(InputError, match="row 2: candidate is null"):
        read(tmp_path, "failed.jsonl", failed)


def azure(number: int, target: bool = False, **more: Any) -> dict[str, Any]:
    asked, said, wanted, given = CASES[number]
    return {
        "inputs.query": asked,
        "inputs.context": given,
        "inputs.ground_truth": wanted,
        **({"outputs.response": said, "inputs.line_number": number} if target else {"inputs.response": said}),
        "outputs.length.length": len(said),
        **more,
    }


@pytest.mark.parametrize("target", [False, True])
def test_an_empty_answer_in_azures_results_is_an_answer(tmp_path: Path, target: bool) -> None:
    rows = [azure(number, target) for number in range(3)]
    corpus = read(tmp_path, "out.json", {"rows": rows, "metrics": {"length.length": 7.0}, "studio_url": None})
    assert texts(corpus) == EXPECTED and [row.source for row in corpus] == list(GIVEN)
    rows[1]["outputs.response" if target else "inputs.response"] = None
    with pytest.raises(InputError, match="row 2: candidate is null"):
        read(tmp_path, "out.json", {"rows": rows, "metrics": {}, "studio_url": None})


def ragchecker(number: int) -> dict[str, Any]:
    asked, said, wanted, given = CASES[number]
    context = [{"doc_id": "d1", "text": given}, {"doc_id": "d2", "text": "More."}] if number < 2 else None
    return {
        "query_id": f"q{number}",
        "query": asked,
        "gt_answer": wanted,
        "response": said,
        "retrieved_context": context,
        "response_claims": [["minster", "is in", "Ulm"]] if number == 0 else None,
        "answer2response": None,
        "metrics": {"precision": 1.0} if number == 0 else {},
    }


def test_results_of_ragchecker(tmp_path: Path) -> None:
    whole = {"results": [ragchecker(number) for number in range(3)], "metrics": {"overall_metrics": {"f1": 50.0}}}
    corpus = read(tmp_path, "out.json", whole)
    assert texts(corpus) == EXPECTED
    assert [(row.item, row.source) for row in corpus] == [
        ("q0", f"{GIVEN[0]}\nMore."),
        ("q1", f"{GIVEN[1]}\nMore."),
        ("q2", None),
    ]


def eee(number: int, result: str, epoch: int, text: str | None = None, score: float = 1.0) -> dict[str, Any]:
    asked, said, wanted, _ = CASES[number]
    return {
        "schema_version": "0.3.0",
        "evaluation_id": "towns/acme_m/1.0",
        "model_id": "acme/m",
        "evaluation_name": "towns",
        "evaluation_result_id": result,
        "sample_id": f"{number}",
        "interaction_type": "single_turn",
        "input": {"raw": asked, "formatted": None, "reference": [wanted], "choices": None},
        "output": {"raw": [said if text is None else text], "reasoning_trace": None},
        "messages": None,
        "answer_attribution": [],
        "evaluation": {"score": score, "is_correct": True},
        "metadata": {"stop_reason": "stop", "epoch": str(epoch)},
    }


def test_samples_of_every_eval_ever_by_several_scorers_and_epochs(tmp_path: Path) -> None:
    records = [
        eee(number, result, epoch, score=score)
        for epoch in (1, 2)
        for number in range(2)
        for result, score in (("includes:accuracy", 0.5), ("length:mean", 9.0))
    ]
    corpus = read(tmp_path, "run_samples.jsonl", records)
    assert texts(corpus) == EXPECTED[:2] * 2
    assert [(row.item, row.trial) for row in corpus] == [("0", "1"), ("1", "1"), ("0", "2"), ("1", "2")]
    assert all(row.extra["graded"] == {"includes:accuracy": 0.5, "length:mean": 9.0} for row in corpus)
    records[1] = eee(0, "length:mean", 1, text=SAID[0].lower())
    with pytest.raises(InputError, match="records 1 and 2 have unlike texts for one output"):
        read(tmp_path, "run_samples.jsonl", records)
    twice = [eee(0, "length:mean", 1), eee(0, "length:mean", 1)]  # the same number is there twice: both stay
    assert [row.item for row in read(tmp_path, "run_samples.jsonl", twice)] == ["0", "0"]


def promptfoo(test: int, column: int, case: int, label: str = "A prompt") -> dict[str, Any]:
    asked, said, wanted, given = CASES[case]
    return {
        "promptIdx": column,
        "testIdx": test,
        "promptId": label,
        "provider": {"id": "scripted", "label": "loud" if column else "plain"},
        "prompt": {"raw": asked, "label": label},
        "response": {"output": said.upper() if column else said},
        "success": True,
        "score": 1,
        "namedScores": {},
        "testCase": {"vars": {"question": asked}, "assert": [{"type": "equals", "value": wanted}]},
        "vars": {"question": asked, "context": given},
    }


@pytest.mark.parametrize("name", ["out.json", "out.jsonl"])
def test_repeats_of_promptfoo_are_trials_and_providers_are_systems(tmp_path: Path, name: str) -> None:
    results = [promptfoo(test, column, test // 2) for test in range(4) for column in range(2)]
    whole = results if name == "out.jsonl" else {"evalId": "e", "results": {"version": 3, "results": results}}
    corpus = read(tmp_path, name, whole)
    assert [(row.system, row.item, row.trial) for row in corpus] == [
        (system, item, trial) for item in ("0", "2") for trial in ("1", "2") for system in ("plain", "loud")
    ]
    assert [row.candidate for row in corpus][:2] == [SAID[0], SAID[0].upper()]
    assert "results of promptfoo" in str(corpus.read_as)


def test_two_prompts_and_two_columns_of_one_provider_of_promptfoo(tmp_path: Path) -> None:
    two = [promptfoo(0, 0, 0, "A prompt"), promptfoo(0, 2, 0, "Another")]
    assert [row.system for row in read(tmp_path, "out.jsonl", two)] == ["plain", "loud, prompt 2"]
    same = [{**promptfoo(0, column, 0), "provider": {"id": "scripted", "label": ""}} for column in (0, 1)]
    assert [row.system for row in read(tmp_path, "out.jsonl", same)] == ["scripted, column 1", "scripted, column 2"]

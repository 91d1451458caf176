"""What other tools write is read as it is: tables by their columns, logs by their shape."""

from __future__ import annotations

import io
import json
import math
import sys
import zipfile
import zlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from nlgauge import Corpus, InputError
from nlgauge.data.corpus import opening
from nlgauge.data.corpus.numbers import numbers_in
from tests.command import nlgauge as command
from tests.command import refused

WANTED = {
    "candidate": "It was closed.",
    "source": "The bridge was closed.\nIt rained.",
    "question": "Was it closed?",
    "references": ("Closed.",),
}
C, Q, R, S = WANTED["candidate"], WANTED["question"], "Closed.", ["The bridge was closed.", "It rained."]


def fields(corpus: Corpus) -> dict[str, Any]:
    (row,) = corpus
    return {name: getattr(row, name) for name in WANTED}


TABLES: dict[str, dict[str, Any]] = {
    "Ragas": {"user_input": Q, "retrieved_contexts": S, "response": C, "reference": R},
    "Ragas ": {"question": Q, "contexts": S, "answer": C, "ground_truth": R},
    "DeepEval": {"input": Q, "actual_output": C, "expected_output": R, "retrieval_context": S, "context": None},
    "DeepEval ": {"input": Q, "actualOutput": C, "expectedOutput": R, "retrievalContext": S},
    "LangChain": {"query": Q, "result": C, "source_documents": [{"page_content": s, "metadata": {}} for s in S]},
    "LangChain or Langfuse": {"input": Q, "output": C, "expectedOutput": R, "context": S},
    "LlamaIndex": {"query": Q, "response": {"response": C, "source_nodes": [{"node": {"text": s}} for s in S]}},
    "LangSmith": {
        "inputs": {"question": Q},
        "outputs": {"answer": C, "documents": S},
        "reference_outputs": {"answer": R},
    },
    "Phoenix": {
        "attributes.output.value": C,
        "attributes.input.value": Q,
        "attributes.retrieval.documents": [{"document.content": s, "document.score": 1} for s in S],
    },
    "promptfoo": {"vars": {"query": Q, "context": "\n".join(S)}, "response": {"output": C}},
}


@pytest.mark.parametrize("tool", TABLES)
def test_a_table_is_read_by_its_columns_and_that_is_told(tool: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({**TABLES[tool], "verdict": "pass"}) + "\n", encoding="utf-8")
    corpus = Corpus.read(path)
    wanted = WANTED if R in json.dumps(TABLES[tool]).replace(C, "") else {**WANTED, "references": ()}
    assert fields(corpus) == wanted
    assert fields(Corpus.from_records([TABLES[tool]])) == wanted
    assert corpus[0].extra["verdict"] == "pass"
    (said,) = corpus.read_as
    assert said.startswith(f"{path}: read as {tool.strip()} names its columns: candidate=")
    done = command("score", path, "-m", "Length", "-m", "Column('verdict')", "--no-cache")
    assert said in done.stderr and "Column('verdict')" in done.stdout


def test_lists_in_cells_are_read_too(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(f'user_input,retrieved_contexts,response,reference\n{Q},"{S}",{C},{R}\n', encoding="utf-8")
    assert fields(Corpus.read(path)) == WANTED


@pytest.mark.parametrize(
    "record",
    [
        {"candidate": C, "user_input": Q, "response": "another"},
        {"response": C},
        {"input": Q, "text": C},
        {"response": C, "reference": R, "actual_output": C, "input": Q},
    ],
)
def test_what_is_not_clear_is_not_guessed(record: dict[str, Any]) -> None:
    if "candidate" in record:
        corpus = Corpus.from_records([record])
        assert corpus[0].candidate == C and corpus[0].question is None and corpus.read_as == ()
    else:
        with pytest.raises(InputError, match="no column 'candidate'"):
            Corpus.from_records([record])


def test_what_the_user_maps_goes_before() -> None:
    record = {**TABLES["Ragas"], "docs": "Others."}
    (row,) = Corpus.from_records([record], columns={"source": "docs"})
    assert (row.candidate, row.source, row.question) == (C, "Others.", Q)
    (row,) = Corpus.from_records([record], columns={"candidate": "reference"})
    assert (row.candidate, row.source, row.question) == (R, None, None)


def inspect_log(**more: Any) -> dict[str, Any]:
    samples = [
        {
            "id": "q1",
            "epoch": 1,
            "target": R,
            "metadata": {"context": S},
            "attachments": {"ab12": Q},
            "input": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "attachment://ab12"}],
            "output": {"choices": [{"message": {"role": "assistant", "content": [{"type": "text", "text": C}]}}]},
            "scores": {"match": {"value": "C"}, "model_graded_qa": {"value": "P"}, "f1": {"value": 0.25}},
        },
        {
            "id": "q2",
            "epoch": 1,
            "input": "Why?",
            "target": ["a", "b"],
            "scores": {"match": {"value": "I"}},
            "output": {"choices": [{"message": {"content": "Rain."}}]},
        },
    ]
    return {"version": 2, "status": "success", "eval": {"model": "mock/model", "task": "t"}, "samples": samples, **more}


def zipped(log: dict[str, Any], **how: Any) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED, **how) as file:
        file.writestr("header.json", json.dumps({**log, "samples": None}))
        for sample in log["samples"]:
            file.writestr(f"samples/{sample['id']}_epoch_1.json", json.dumps(sample))
    return data.getvalue()


def test_epochs_of_an_inspect_log_are_trials(tmp_path: Path) -> None:
    log = inspect_log()
    again = [{**sample, "epoch": 2} for sample in log["samples"]]
    place = tmp_path / "log.json"
    place.write_text(json.dumps({**log, "samples": [*log["samples"], *again]}), encoding="utf-8")
    assert [row.key[1:] for row in Corpus.read(place)] == [("q1", "1"), ("q2", "1"), ("q1", "2"), ("q2", "2")]


@pytest.mark.parametrize("name", ["log.json", "log.eval"])
def test_an_inspect_log_is_a_table(name: str, tmp_path: Path) -> None:
    path, log = tmp_path / name, inspect_log()
    path.write_bytes(zipped(log) if name.endswith(".eval") else json.dumps(log).encode())
    corpus = Corpus.read(path, columns={"source": "metadata.context"})
    assert {name: getattr(corpus[0], name) for name in WANTED} == WANTED
    assert [(row.system, row.item) for row in corpus] == [("mock/model", "q1"), ("mock/model", "q2")]
    assert corpus[1].references == ("a", "b") and corpus[0].extra["graded"] == {
        "match": 1,
        "model_graded_qa": 0.5,
        "f1": 0.25,
    }
    assert corpus.read_as == (f"{path}: read as an Inspect log",)
    done = command("score", path, "-m", "Column('graded.match')", "--no-cache")
    assert done.exit_code == 0 and "0.5000" in done.stdout
    assert "name it: --map source=metadata.context" in command("score", path, "-m", "CopyRate").stderr
    refused("score", path, "-m", "CopyRate", "--map", "source=metadata.x", say="the columns are ['metadata.context']")


def test_a_saved_run_of_deepeval_is_a_table(tmp_path: Path) -> None:
    case = {
        "name": "t_0",
        "input": Q,
        "actualOutput": C,
        "expectedOutput": R,
        "retrievalContext": S,
        "success": False,
        "metricsData": [
            {"name": "Faithfulness", "threshold": 0.5, "success": True, "score": 1.0, "reason": "r", "error": None},
            {"name": "Answer Relevancy", "threshold": 0.5, "success": False, "score": 0.25, "reason": "r"},
        ],
    }
    run = {"testFile": None, "testCases": [case, {**case, "metricsData": None}], "conversationalTestCases": []}
    for log in ({"testRunData": run, "lastLink": None}, run):
        path = tmp_path / ".latest_test_run.json"
        path.write_text(json.dumps(log), encoding="utf-8")
        corpus = Corpus.read(path)
        assert {name: getattr(corpus[0], name) for name in WANTED} == WANTED
        assert numbers_in(corpus, "metrics.Answer Relevancy") == pytest.approx([0.25, math.nan], nan_ok=True)
        assert numbers_in(corpus, "success") == [0, 0] and "DeepEval" in corpus.read_as[0]


def test_a_log_that_is_compressed_by_zstandard_is_read(tmp_path: Path) -> None:
    """Inspect writes so, and zipfile reads it from Python 3.14 on: a zip of stored files is marked as such."""
    pyarrow = pytest.importorskip("pyarrow", reason="needs nlgauge[tables]")
    plain, log, data = zipped(inspect_log()), io.BytesIO(), bytearray()
    with zipfile.ZipFile(io.BytesIO(plain)) as source, zipfile.ZipFile(log, "w", zipfile.ZIP_STORED) as target:
        sizes = {}
        for name in source.namelist():
            sizes[name] = zlib.crc32(source.read(name)), len(source.read(name))
            target.writestr(name, pyarrow.compress(source.read(name), codec="zstd", asbytes=True))
    data[:] = log.getvalue()
    for name, (crc, size) in sizes.items():
        for start, method, at in ((b"PK\x03\x04", 8, 30), (b"PK\x01\x02", 10, 46)):
            place = data.index(name.encode()) - at if at == 30 else data.rindex(name.encode()) - at
            assert data[place : place + 4] == start
            data[place + method : place + method + 2] = (93).to_bytes(2, "little")
            data[place + method + 6 : place + method + 10] = crc.to_bytes(4, "little")
            data[place + method + 14 : place + method + 18] = size.to_bytes(4, "little")
    path = tmp_path / "log.eval"
    path.write_bytes(data)
    assert [row.item for row in Corpus.read(path)] == ["q1", "q2"]
    at = data.index(b"header.json") + len("header.json") + 20
    path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    with pytest.raises(InputError, match="not readable as an Inspect log"):
        Corpus.read(path)


def test_promptfoo_results_are_a_table(tmp_path: Path) -> None:
    def result(number: int, prompt: int, output: object, passed: bool) -> dict[str, Any]:
        asserted = [{"type": "equals", "value": R}, {"type": "javascript", "value": "true"}]
        return {
            "testIdx": number,
            "promptIdx": prompt,
            "success": passed,
            "score": float(passed),
            "provider": {"id": "echo", "label": ""},
            "prompt": {"raw": "Say", "label": f"Say {prompt}"},
            "vars": {"query": Q, "context": "\n".join(S), "tone": f"{number}"},
            "response": {"output": output},
            "testCase": {"assert": asserted},
        }

    path = tmp_path / "results.json"
    results = [result(0, 0, C, True), result(1, 0, {"a": 1}, False), result(0, 1, "No.", False)]
    path.write_text(json.dumps({"evalId": "e", "results": {"version": 3, "results": results}}), encoding="utf-8")
    corpus = Corpus.read(path)
    assert {name: getattr(corpus[0], name) for name in WANTED} == WANTED
    assert [(row.system, row.item) for row in corpus] == [("echo", "0"), ("echo", "1"), ("echo, prompt 2", "0")]
    assert corpus[1].candidate == '{"a": 1}' and [row.extra["success"] for row in corpus] == [True, False, False]


def pairs(**values: Any) -> list[dict[str, Any]]:
    kinds = {bool: "boolValue", float: "doubleValue", str: "stringValue"}
    return [{"key": key.replace("__", "."), "value": {kinds[type(value)]: value}} for key, value in values.items()]


def span(name: str, parent: str = "", events: Any = (), **values: Any) -> dict[str, Any]:
    return {
        "traceId": "t1",
        "spanId": name,
        "parentSpanId": parent,
        "attributes": pairs(**values),
        "events": list(events),
    }


def test_traces_are_a_row_each(tmp_path: Path) -> None:
    documents = {f"retrieval__documents__{n}__document__content": text for n, text in enumerate(S)}
    judged = {
        "name": "gen_ai.evaluation.result",
        "attributes": pairs(gen_ai__evaluation__name="Relevance", gen_ai__evaluation__score__value=0.75),
    }
    messages = json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": "Rain."}]}])
    spans = [
        span("b", "a", **documents),
        span("c", "a", output__value="not this"),
        span("a", events=[judged], input__value=Q, output__value=C),
        {**span("x", gen_ai__output__messages=messages), "traceId": "t2"},
    ]
    resource = {"attributes": pairs(service__name="bot", service__version="1.2")}
    log = {"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": spans}]}]}
    record = {
        "traceId": "t2",
        "eventName": "gen_ai.evaluation.result",
        "attributes": pairs(gen_ai__evaluation__name="Relevance", gen_ai__evaluation__score__label="pass"),
    }
    logs = {"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}
    for name, lines in (("traces.json", [{**log, **logs}]), ("traces.jsonl", [log, logs])):
        path = tmp_path / name
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        corpus = Corpus.read(path)
        assert {name: getattr(corpus[0], name) for name in WANTED} == {**WANTED, "references": ()}
        assert [(row.system, row.item) for row in corpus] == [("bot 1.2", "t1"), ("bot 1.2", "t2")]
        assert corpus[1].candidate == "Rain." and corpus[1].source is None
        done = command("score", path, "-m", "Column('evaluations.Relevance')", "--no-cache")
        assert "0.8750" in done.stdout


@pytest.mark.parametrize(
    "content",
    [
        json.dumps({"candidate": C}) + "\n" + json.dumps({"candidate": "b"}),
        json.dumps([{"candidate": C}, {"candidate": "b"}], indent=1),
        f"candidate,item\n{C},1\nb,2\n",
        f"candidate\titem\n{C}\t1\nb\t2\n",
        json.dumps({"testCases": [{"input": "q", "actualOutput": one} for one in (C, "b")]}, indent=2),
    ],
)
def test_standard_input_is_a_file(content: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content.encode())))
    opening._standard_input.cache_clear()
    assert [row.candidate for row in Corpus.read("-")] == [C, "b"]
    assert [row.candidate for row in Corpus.read("-")] == [C, "b"]
    opening._standard_input.cache_clear()


@pytest.mark.parametrize("library", ["polars", "pyarrow", "duckdb"])
def test_data_frames_of_other_libraries_are_read(library: str) -> None:
    module = pytest.importorskip(library, reason=f"needs {library}")
    pytest.importorskip("narwhals", reason="needs nlgauge[tables]")
    columns = {"response": [C, "b"], "user_input": [Q, None], "retrieved_contexts": [S, None]}
    if library == "duckdb":
        frame = module.sql(
            f"SELECT '{C}' AS response, '{Q}' AS user_input, {S} AS retrieved_contexts UNION ALL SELECT 'b', NULL, NULL"
        )
    else:
        frame = module.DataFrame(columns) if library == "polars" else module.table(columns)
    first, second = sorted(Corpus.from_records(frame), key=lambda row: row.candidate)
    assert (first.candidate, first.question, first.source) == (C, Q, "\n".join(S))
    assert (second.candidate, second.question, second.source) == ("b", None, None)


@pytest.mark.parametrize(
    ("log", "tool"),
    [
        ({**inspect_log(), "samples": [{"id": 1, "scores": ["C"], "output": {}}]}, "an Inspect log"),
        ({"results": {"results": [{"vars": ["a"], "response": {"output": C}}]}}, "results of promptfoo"),
        ({"resourceSpans": [{"scopeSpans": {"spans": 1}}]}, "traces of OpenTelemetry"),
        ({"resourceSpans": 7}, "traces of OpenTelemetry"),
    ],
)
def test_a_log_of_another_shape_is_one_clear_error(log: dict[str, Any], tool: str, tmp_path: Path) -> None:
    for content, say in ((b"no zip", "not readable as an Ins"), (zipped(inspect_log(samples=[])), "has no samples")):
        (tmp_path / "log.eval").write_bytes(content)
        with pytest.raises(InputError, match=say):
            Corpus.read(tmp_path / "log.eval")
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log), encoding="utf-8")
    with pytest.raises(InputError, match=f"log.json: not readable as {tool}"):
        Corpus.read(path)

"""Logs of tools of evaluation are read as they are, JSON in cells is no text, and tables stand in any order."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nlgauge import Corpus, InputError
from nlgauge.data.corpus.json_cells import held_in, path_inside
from nlgauge.data.corpus.numbers import numbers_in
from tests.command import nlgauge as command
from tests.command import refused

C, Q, R, S = "It was closed.", "Was it closed?", "Closed.", "The bridge was closed."


def written(folder: Path, name: str, content: object) -> Path:
    path = folder / name
    if isinstance(content, str):
        path.write_text(content, encoding="utf-8")
    elif name.endswith(".jsonl"):
        assert isinstance(content, list)
        path.write_text("".join(json.dumps(record) + "\n" for record in content), encoding="utf-8")
    else:
        path.write_text(json.dumps(content), encoding="utf-8")
    return path


def lm_eval(**more: Any) -> dict[str, Any]:
    return {
        "doc_id": 0,
        "doc": {"question": Q, "passage": S},
        "target": R,
        "arguments": {"gen_args_0": {"arg_0": Q, "arg_1": {"until": ["\n"]}}},
        "resps": [[C]],
        "filtered_resps": [C],
        "filter": "none",
        "metrics": ["exact_match"],
        "exact_match": 0.0,
        **more,
    }


def choice(target: object) -> dict[str, Any]:
    asked = {f"gen_args_{n}": {"arg_0": Q, "arg_1": text} for n, text in enumerate((" Open.", " It was closed."))}
    return lm_eval(arguments=asked, filtered_resps=[["-7.5", "False"], ["-2.25", "True"]], target=target, acc=1.0)


LOGS: dict[str, tuple[str, Any, dict[str, Any]]] = {
    "lm-evaluation-harness": ("samples_task.jsonl", [lm_eval()], {"question": Q, "references": (R,), "item": "0"}),
    "lm-evaluation-harness, choices": (
        "samples_task.jsonl",
        [choice("1")],
        {"question": Q, "references": (C,), "item": "0"},
    ),
    "Every Eval Ever": (
        "run_samples.jsonl",
        [
            {
                "schema_version": "0.2.1",
                "evaluation_id": "e",
                "model_id": "acme/m",
                "evaluation_name": "qa",
                "sample_id": "id1",
                "interaction_type": "single_turn",
                "input": {"raw": Q, "reference": [R]},
                "output": {"raw": [C]},
                "evaluation": {"score": 0.0, "is_correct": False},
            }
        ],
        {"question": Q, "references": (R,), "item": "id1", "system": "acme/m"},
    ),
    "Opik, an experiment": (
        "experiment.json",
        [
            {
                "id": "x",
                "dataset_item_id": "d1",
                "trace_id": "t",
                "dataset_item_data": {"input": {"question": Q}, "expected_output": R, "context": [S]},
                "evaluation_task_output": {"output": C},
                "feedback_scores": [{"name": "hallucination", "value": 0.25}],
            }
        ],
        {"question": Q, "references": (R,), "item": "d1", "source": S},
    ),
    "Opik, a trace": (
        "trace_1.json",
        {
            "trace": {"id": "t1", "input": {"messages": [{"role": "user", "content": Q}]}, "output": {"answer": C}},
            "spans": [],
            "project_name": "p",
        },
        {"item": "1", "system": "p"},
    ),
    "Braintrust, spans": (
        "experiment.json",
        {
            "events": [
                {"id": "a", "span_id": "s1", "root_span_id": "s1", "input": {"question": Q}, "output": C, "expected": R,
                 "scores": {"Factuality": 0.5}},
                {"id": "b", "span_id": "s2", "root_span_id": "s1", "input": "a prompt", "output": "a call of a model"},
            ]
        },
        {"question": Q, "references": (R,)},
    ),
    "Braintrust, a table": (
        "rows.jsonl",
        [{"input": Q, "output": C, "expected": R, "scores": {"Factuality": 0.5}, "metadata": None}],
        {"question": Q, "references": (R,)},
    ),
    "Braintrust, a table of CSV": (
        "rows.csv",
        f'input,output,expected,scores\n"{{""question"": ""{Q}""}}",{C},{R},"{{""Factuality"": 0.5}}"\n',
        {"question": Q, "references": (R,)},
    ),
    "MLflow, evaluate": (
        "eval_results_table.json",
        {"columns": ["inputs", "ground_truth", "outputs", "toxicity/v1/score"], "data": [[Q, R, C, 0.1]]},
        {"question": Q, "references": (R,)},
    ),
    "MLflow, genai": (
        "results.json",
        [{"trace_id": "t", "request": Q, "response": C, "assessments": [], "expected_response/value": R}],
        {"question": Q, "references": (R,)},
    ),
    "MLflow, genai with objects": (
        "results.jsonl",
        [{"trace_id": "t", "request": {"question": Q}, "response": {"answer": C}, "assessments": []}],
        {"question": Q, "item": "1"},
    ),
    "Azure AI Evaluation": (
        "results.json",
        {
            "rows": [
                {"inputs.query": Q, "inputs.response": C, "inputs.context": S, "inputs.ground_truth": R,
                 "outputs.groundedness.groundedness": 4}
            ],
            "metrics": {"groundedness.groundedness": 4.0},
            "studio_url": None,
        },
        {"question": Q, "references": (R,), "source": S},
    ),
    "Azure AI Evaluation, CSV": (
        "results.csv",
        f"inputs.query,inputs.response,inputs.context,inputs.ground_truth\n{Q},{C},{S},{R}\n",
        {"question": Q, "references": (R,), "source": S},
    ),
    "RAGChecker": (
        "checking_outputs.json",
        {
            "results": [
                {"query_id": "7", "query": Q, "gt_answer": R, "response": C,
                 "retrieved_context": [{"doc_id": "d", "text": S}], "metrics": {"precision": 1.0}}
            ],
            "metrics": {"overall_metrics": {}},
        },
        {"question": Q, "references": (R,), "source": S, "item": "7"},
    ),
    "chats": (
        "chats.jsonl",
        [{"messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hello."},
            {"role": "assistant", "content": "Good day."},
            {"role": "user", "content": [{"type": "text", "text": Q}]},
            {"role": "assistant", "content": C},
        ]}],
        {"question": Q, "context": "Hello.\nGood day."},
    ),
}  # fmt: skip


@pytest.mark.parametrize("tool", LOGS)
def test_a_log_is_read_as_it_is_and_that_is_told(tool: str, tmp_path: Path) -> None:
    name, content, wanted = LOGS[tool]
    path = written(tmp_path, name, content)
    corpus = Corpus.read(path)
    (row,) = corpus
    assert row.candidate == C
    assert {field: getattr(row, field) for field in wanted} == wanted
    assert row.scores == {}, "scores of programs are no ratings of people"
    (said,) = corpus.read_as
    assert said.startswith(f"{path}: read as ") and (tool.partition(",")[0] in said)
    done = command("score", path, "-m", "Length", "--no-cache")
    assert done.exit_code == 0 and said in done.stderr


def test_what_programs_scored_is_a_column(tmp_path: Path) -> None:
    for tool, column, value in (
        ("lm-evaluation-harness", "exact_match", 0.0),
        ("Every Eval Ever", "evaluation.score", 0.0),
        ("Opik, an experiment", "graded.hallucination", 0.25),
        ("Braintrust, spans", "graded.Factuality", 0.5),
        ("Braintrust, a table", "scores.Factuality", 0.5),
        ("Braintrust, a table of CSV", "scores.Factuality", 0.5),
        ("MLflow, evaluate", "toxicity/v1/score", 0.1),
        ("Azure AI Evaluation", "outputs.groundedness.groundedness", 4),
        ("RAGChecker", "metrics.precision", 1.0),
    ):
        name, content, _ = LOGS[tool]
        assert numbers_in(Corpus.read(written(tmp_path, name, content)), column) == [value]


def test_records_in_python_are_read_the_same() -> None:
    for tool in ("lm-evaluation-harness", "Opik, an experiment", "chats"):
        _, content, wanted = LOGS[tool]
        (row,) = Corpus.from_records(content)
        assert row.candidate == C and {field: getattr(row, field) for field in wanted} == wanted


def test_several_filters_are_items_of_their_own_and_several_answers_are_trials(tmp_path: Path) -> None:
    samples = [lm_eval(filter="strict"), lm_eval(filter="loose", filtered_resps=[["a", "b"]])]
    rows = Corpus.read(written(tmp_path, "samples.jsonl", samples))
    found = [(row.item, row.trial, row.candidate) for row in rows]
    assert found == [("0 strict", "1", C), ("0 loose", "1", "a"), ("0 loose", "2", "b")]


def test_the_likeliest_choice_is_the_answer_and_targets_are_texts(tmp_path: Path) -> None:
    for target, references in ((0, ("Open.",)), ("1", (C,)), ("It was closed.", (C,)), (None, ())):
        (row,) = Corpus.read(written(tmp_path, "samples.jsonl", [choice(target)]))
        assert (row.candidate, row.references) == (C, references)


def test_what_the_user_maps_goes_before(tmp_path: Path) -> None:
    path = written(tmp_path, "samples.jsonl", [lm_eval()])
    (row,) = Corpus.read(path, columns={"candidate": "resps.0.0", "source": "doc.passage"})
    assert (row.candidate, row.source, row.question) == (C, S, None)
    (row,) = Corpus.read(path, columns={"source": "doc.passage"})
    assert (row.candidate, row.source, row.question) == (C, S, Q)


@pytest.mark.parametrize(
    ("name", "content", "say"),
    [
        (
            "s.jsonl",
            [lm_eval(filtered_resps=["-31.5"], arguments={"gen_args_0": {"arg_0": S}})],
            "no text to be scored, but likelihoods",
        ),
        ("s.jsonl", [lm_eval(filtered_resps=[["-1", "False"], ["-2", "True"]])], "2 likelihoods stand beside 0 texts"),
        ("s.jsonl", [{"messages": [{"role": "user", "content": Q}]}], "there is no column 'candidate'"),
        (
            "s.jsonl",
            [*LOGS["chats"][1], {"messages": [{"role": "user", "content": Q}]}],
            "record 2: the last of its messages is not the assistant's",
        ),
        (
            "s.json",
            [{"dataset_item_id": "d", "evaluation_task_output": {"a": "x", "b": "y"}}],
            "record 1: there is no text in evaluation_task_output, or more than one",
        ),
        ("s.json", {"columns": ["candidate", "b"], "data": [["x"]]}, "a value for each of the columns"),
        (
            "s.json",
            {"candidate": ["a", "b"], "source": ["c"]},
            "unlike numbers of values: candidate has 2, source has 1",
        ),
        ("s.json", {"a": 1, "b": [2]}, "this is dict"),
    ],
)
def test_what_is_not_clear_is_refused(name: str, content: object, say: str, tmp_path: Path) -> None:
    refused("score", written(tmp_path, name, content), "-m", "Length", "--no-cache", say=say)


@pytest.mark.parametrize(
    "content",
    [
        {"candidate": ["a", "b"], "source": ["s", "t"]},
        {"candidate": {"0": "a", "1": "b"}, "source": {"0": "s", "1": "t"}},
        {"candidate": {"x": "a", "y": "b"}, "source": {"x": "s", "y": "t"}},
        {"columns": ["candidate", "source"], "index": [0, 1], "data": [["a", "s"], ["b", "t"]]},
        {"x": {"candidate": "a", "source": "s"}, "y": {"candidate": "b", "source": "t"}},
        {"candidate": ["a", "b"], "source": ["s", "t"], "results": [{"n": 1}, {"n": 2}]},
        {"results": [{"candidate": "a", "source": "s"}, {"candidate": "b", "source": "t"}], "config": {"n": 2}},
    ],
    ids=[
        "lists",
        "pandas",
        "pandas with an index",
        "pandas, split",
        "pandas, a row each",
        "results too",
        "in a list of an object",
    ],
)
def test_json_by_column_is_a_table(content: object, tmp_path: Path) -> None:
    rows = Corpus.read(written(tmp_path, "rows.json", content))
    assert [(row.candidate, row.source) for row in rows] == [("a", "s"), ("b", "t")]


def test_a_path_leads_into_the_json_of_a_cell(tmp_path: Path) -> None:
    cells = '"{""question"": ""q"", ""docs"": [""s"", ""t""]}","{\'answer\': \'a\', \'ok\': True}"'
    path = written(tmp_path, "rows.csv", f"inputs,outputs\n{cells}\n")
    mapped = {"candidate": "outputs.answer", "source": "inputs.docs", "question": "inputs.question"}
    (row,) = Corpus.read(path, columns=mapped)
    assert (row.candidate, row.source, row.question) == ("a", "s\nt", "q")
    assert numbers_in([row], "outputs.ok") == [1]
    (row,) = Corpus.read(path)
    assert row.candidate == "a", "LangSmith's names are known inside cells too"
    refused("score", path, "-m", "Length", "--map", "candidate=outputs.text", say="there is no column 'outputs.text'")


def test_json_in_a_cell_is_never_scored_as_a_text(tmp_path: Path) -> None:
    nine, ten = '"{""answer"": ""nine""}"', '"{""answer"": ""ten""}"'
    path = written(tmp_path, "rows.csv", f"candidate,references.1\nnine,ten\n{nine},{ten}\n")
    say = "row 2: the cell of 'candidate' holds an object in JSON, not a text"
    assert "--map candidate=candidate.answer" in refused("score", path, "-m", "TokenF1", "--no-cache", say=say)
    path = written(tmp_path, "rows.csv", f"candidate,references.1\nnine,{ten}\n")
    refused("score", path, "-m", "TokenF1", "--no-cache", say="the cell of 'references.1' holds an object in JSON")
    path = written(tmp_path, "rows.csv", f"answer,references\n{nine},{ten}\n")
    mapped = ("--map", "candidate=answer.answer", "--map", "references=references.answer")
    done = command("score", path, "-m", "TokenF1", "--no-cache", *mapped)
    assert done.exit_code == 0 and "0.0000" in done.stdout
    with pytest.raises(InputError, match="holds a list in JSON"):
        Corpus.read(written(tmp_path, "rows.csv", 'candidate\n"[{""role"": ""assistant"", ""content"": ""x""}]"\n'))
    for text in ("{not json}", "[1] The room", "{}", "[1, 2]", "{a} and {b}"):
        (row,) = Corpus.read(written(tmp_path, "rows.csv", f'candidate\n"{text}"\n'))
        assert row.candidate == text
    # In JSON itself a text is what its writer made it, and a source may be a record.
    (row,) = Corpus.read(written(tmp_path, "rows.jsonl", [{"candidate": '{"answer": "nine"}'}]))
    assert row.candidate == '{"answer": "nine"}'
    (row,) = Corpus.read(written(tmp_path, "rows.csv", f"candidate,source\nnine,{ten}\n"))
    assert row.source == '{"answer": "ten"}'


def test_json_in_a_text() -> None:
    assert held_in("{'a': 1}") == {"a": 1} and held_in(' ["a"] ') == ["a"]
    for text in ("", "{", "a", "{'a'", "{1, 2}", "3", "{'a': f()}", "[" * 100_000 + "]" * 100_000):
        assert held_in(text) is None
    assert path_inside('[{"role": "user", "content": "x"}]') == "0.content"
    assert path_inside('{"n": 1}') == "n" and path_inside("[1]") is None and path_inside("{}") is None


@pytest.mark.parametrize("header", ["Candidate,Source,ITEM", "candidate, source,Item ", " CANDIDATE ,SOURCE,item"])
def test_capitals_and_blanks_in_names_are_read_and_told(header: str, tmp_path: Path) -> None:
    path = written(tmp_path, "rows.csv", f"{header}\na,\"['s', 't']\",x\n")
    corpus = Corpus.read(path)
    assert [(row.candidate, row.source, row.item) for row in corpus] == [("a", "s\nt", "x")]
    (said,) = corpus.read_as
    assert "read by names that are nearly ours: " in said and "source=" in said


def test_numbered_references_ratings_and_names_of_tools_too(tmp_path: Path) -> None:
    header = "Candidate, References.1,References.2 ,SCORES.Tone"
    (row,) = Corpus.read(written(tmp_path, "rows.csv", f"{header}\na,r,s,4\n"))
    assert (row.candidate, row.references, row.scores) == ("a", ("r", "s"), {"Tone": 4})
    corpus = Corpus.read(written(tmp_path, "rows.csv", f"User Input,Response,Reference\n{Q},{C},{R}\n"))
    (row,) = corpus
    assert (row.question, row.candidate, row.references) == (Q, C, (R,))
    assert "read as Ragas names its columns: candidate=Response, question=User Input" in corpus.read_as[0]


def test_names_that_are_nearly_ours_are_not_guessed_where_there_are_two(tmp_path: Path) -> None:
    path = written(tmp_path, "rows.csv", "candidate,Source,SOURCE\na,s,t\n")
    assert Corpus.read(path)[0].source is None
    path = written(tmp_path, "rows.csv", "candidate,source,Source\na,s,t\n")
    assert Corpus.read(path)[0].source == "s" and Corpus.read(path)[0].extra == {"Source": "t"}
    path = written(tmp_path, "rows.csv", "candidate,Source\na,s\n")
    (row,) = Corpus.read(path, columns={"context": "Source"})
    assert (row.source, row.context) == (None, "s")


def test_passages_are_the_source() -> None:
    corpus = Corpus.from_records([{"candidate": "a", "passages": [{"text": "s"}, {"text": "t"}]}])
    assert corpus[0].source == "s\nt" and "source='passages'" in corpus.read_as[0]


def test_excel_names_what_separates_cells(tmp_path: Path) -> None:
    (row,) = Corpus.read(written(tmp_path, "rows.csv", "sep=;\ncandidate;source\na, b;s\n"))
    assert (row.candidate, row.source) == ("a, b", "s")
    (row,) = Corpus.read(written(tmp_path, "rows.csv", "sep=|\r\ncandidate|source\r\na|s\r\n"))
    assert (row.candidate, row.source) == ("a", "s")


def test_null_among_references_is_no_reference() -> None:
    rows = Corpus.from_records(
        [{"candidate": "a", "references": ["r", None]}, {"candidate": "a", "references": [None]}]
    )
    assert [row.references for row in rows] == [("r",), ()]


def test_an_unknown_file_gets_a_command_that_is_ready(tmp_path: Path) -> None:
    record = {"Prediction": "a", "gold": "r", "docs": "a", "passage": "a", "query": "q", "latency": 3}
    path = written(tmp_path, "rows.jsonl", [record])
    options = "--map candidate=Prediction --map references=gold --map source=passage --map question=query"
    line = refused("score", path, "-m", "Length", say=f"say which one it is with {options}")
    assert "not read then: 'docs', 'latency'" in line
    done = command("score", path, "-m", "CopyRate", "--no-cache", *options.split())
    assert done.exit_code == 0 and "1.0000" in done.stdout


def test_the_ready_command_names_the_system_and_the_item_and_says_what_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    row = {"id": "q1", "version": "v1", "response": "Yes.", "passages": ["It is."], "question": "Is it?", "cost": 2}
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    with pytest.raises(InputError) as refused:
        Corpus.read(path)
    told = str(refused.value)
    options = ("candidate=response", "source=passages", "system=version", "item=id")
    assert all(f"--map {option}" in told for option in options)
    assert told.endswith("not read then: 'cost')"), "a question has our name, and is read"
    (read,) = Corpus.read(path, columns=dict(option.split("=") for option in options))
    assert (read.system, read.item, read.source, read.question) == ("v1", "q1", "It is.", "Is it?")

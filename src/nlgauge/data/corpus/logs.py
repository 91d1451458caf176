"""Readers of logs of evaluation tools, and of JSON objects that hold a table, as records with our field names.

The logs are samples of lm-evaluation-harness and of Every Eval Ever, experiments, results and traces of Opik, traces of
MLflow, experiments of Braintrust, results of promptfoo and of Azure AI Evaluation, and chats. A record has the other
columns of the log too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from nlgauge.data.corpus.json_cells import held_in
from nlgauge.data.corpus.promptfoo import promptfoo_rows
from nlgauge.data.corpus.trials import trials_of

Record = dict[str, Any]
_OUTPUTS = ("output", "answer", "response", "result", "text", "content", "completion", "prediction")
_INPUTS = ("question", "query", "input", "user_input", "prompt", "message", "text", "content")
_EXPECTED = ("expected_output", "expected", "expected_answer", "reference", "ground_truth", "target", "answer")
_SOURCES = ("context", "contexts", "retrieved_contexts", "documents", "source", "passages")
_LISTS = (
    "rows",
    "results",
    "data",
    "samples",
    "records",
    "examples",
    "items",
    "events",
    "experiment_items",
    "test_results",
)
"""Keys under which an object may hold its records"""


class Log(NamedTuple):
    """A kind of log: the fields by which it is recognised, and the function that reads it."""

    tool: str
    marks: tuple[str, ...]
    """The fields that every record of the log has"""
    read: Callable[[Sequence[Record]], Iterator[Record]]
    cells: bool = False
    """Whether the tool writes the log as CSV, so that each value is a text"""


def log_of(records: Sequence[object], cells: bool = False) -> Log | None:
    """Return the kind of log that a file holds; None where its records are of no known tool.

    Args:
        records: the records of the file. Only the first one is read.
        cells: whether the records come from CSV.

    Returns:
        The kind of log, or None.
    """
    first = records[0] if records else None
    if not isinstance(first, Mapping) or "candidate" in first:
        return None
    kinds = (log for log in _LOGS if log.cells or not cells)
    return next((log for log in kinds if all(mark in first for mark in log.marks) and _fits(log, first)), None)


def _fits(log: Log, record: Mapping[str, Any]) -> bool:
    """Return whether a record is of a log whose marks it has, because records of other tools may have them too."""
    if log.marks == ("messages",):
        turns = record["messages"]
        turns = held_in(turns) if isinstance(turns, str) else turns
        named = isinstance(turns, list) and all(isinstance(turn, dict) and "role" in turn for turn in turns)
        elsewhere = any(name in record for name in ("response", "output", "prediction", "answer"))
        return named and bool(turns) and turns[-1]["role"] == "assistant" and not elsewhere
    if log.marks == ("trace", "spans"):
        return isinstance(record["trace"], Mapping) and isinstance(record["spans"], list)
    if log.marks == ("info", "data"):
        info, data = record["info"], record["data"]
        return isinstance(info, Mapping) and isinstance(data, Mapping) and isinstance(data.get("spans"), list)
    return True


def the_text(value: object, names: Sequence[str]) -> str | None:
    """Return the text that a value holds; None if it holds no text, or several.

    The text of a chat is that of its last turn. The texts of a list of parts are joined with newlines. In an object,
    the text is under the first of `names` that has one; without such a name, it is the only text of the object.

    Args:
        value: a text, a chat, a list of parts, or an object.
        names: the keys of an object under which its text may be, likeliest first.

    Returns:
        The text, or None.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(isinstance(turn, dict) and "role" in turn for turn in value):
        return the_text(value[-1].get("content"), names)
    if isinstance(value, list):
        parts = [part.get("text") for part in value if isinstance(part, dict)]
        return "\n".join(part for part in parts if isinstance(part, str)) or None
    if not isinstance(value, dict):
        return None
    named = [value[name] for name in names if isinstance(value.get(name), str)]
    texts = [inner for inner in value.values() if isinstance(inner, str)]
    return named[0] if named else texts[0] if len(texts) == 1 else None


def _needed(text: str | None, number: int, where: str) -> str:
    if text is None:
        raise ValueError(f"record {number}: there is no text in {where}, or more than one; name it by --map candidate=")
    return text


def _output(value: object, number: int, where: str) -> str | None:
    """Return the text of an output.

    Args:
        value: the output, as `the_text` takes it.
        number: the number of the record, for the error.
        where: the field that holds the output, for the error.

    Returns:
        The text; None where the system gave no output.

    Raises:
        ValueError: the output holds no text, or several.
    """
    return None if value is None else _needed(the_text(value, _OUTPUTS), number, where)


def _several(value: object, names: Sequence[str]) -> list[Any]:
    """Return a list of texts unchanged; for another value, a list with the text that `the_text` returns, if any."""
    if isinstance(value, list) and all(isinstance(inner, str) for inner in value):
        return value
    text = the_text(value, names)
    return [] if text is None else [text]


def _present(record: Mapping[str, Any], names: Sequence[str]) -> Any:
    """Return the value under the first of `names` that a record has, even a null or empty value; None without any."""
    return next((record[name] for name in names if name in record), None)


def _first(record: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((record[name] for name in names if record.get(name) not in (None, "", [])), None)


# ---- lm-evaluation-harness


def _lm_eval(samples: Sequence[Record]) -> Iterator[Record]:
    """Yield a row for each response. Several responses to one document are trials."""
    filters = {sample.get("filter") for sample in samples}
    read = [(sample, *_responses(sample, number)) for number, sample in enumerate(samples, 1)]
    several = any(len(texts) > 1 for _, texts, *_ in read)
    for sample, texts, prompts, choices in read:
        for count, text in enumerate(texts, 1):
            yield {
                **sample,
                "candidate": text,
                "references": _targets(sample.get("target"), choices),
                "question": prompts[0][0] if prompts and prompts[0] and isinstance(prompts[0][0], str) else None,
                "item": f"{sample['doc_id']}" + (f" {sample.get('filter')}" if len(filters) > 1 else ""),
                **({"trial": str(count)} if several else {}),
            }


def _responses(sample: Record, number: int) -> tuple[list[str], list[list[Any]], list[str]]:
    """Return the texts of a sample that are to be scored, with the prompts and the choices of the sample.

    Args:
        sample: a sample of lm-evaluation-harness.
        number: the number of the sample, for the error.

    Returns:
        The texts, in a task of multiple choice the likeliest choice alone; the arguments of each request to the model,
        the prompt first; and the choices.

    Raises:
        ValueError: the sample has no text to be scored.
    """
    asked = list(sample["arguments"].values()) if isinstance(sample["arguments"], dict) else sample["arguments"]
    prompts = [list(prompt.values()) if isinstance(prompt, dict) else prompt for prompt in asked]
    responses = sample["filtered_resps"]
    choices = [prompt[1].strip() for prompt in prompts if len(prompt) > 1 and isinstance(prompt[1], str)]
    if responses and all(isinstance(pair, list) and len(pair) == 2 and _is_number(pair[0]) for pair in responses):
        if len(choices) != len(responses):
            raise ValueError(f"record {number}: {len(responses)} likelihoods stand beside {len(choices)} texts")
        _, likeliest = max(zip((float(pair[0]) for pair in responses), choices, strict=True), key=itemgetter(0))
        texts = [likeliest]
    else:
        texts = [text for response in responses for text in (response if isinstance(response, list) else [response])]
    likelihoods = any(len(prompt) < 2 for prompt in prompts)  # of whole texts, which are asked for alone
    if likelihoods or not texts or not all(isinstance(text, str) for text in texts):
        raise ValueError(f"record {number}: the task has no text to be scored, but likelihoods of texts alone")
    return texts, prompts, choices


def _is_number(value: object) -> bool:
    try:
        float(str(value))
    except ValueError:
        return False
    return True


def _targets(target: object, choices: Sequence[str]) -> list[str]:
    targets = target if isinstance(target, list) else [target]
    numbers = [int(str(target)) if str(target).isdecimal() else -1 for target in targets]
    if choices and all(0 <= number < len(choices) for number in numbers):
        return [choices[number] for number in numbers]
    return [str(target) for target in targets if target not in (None, "")]


# ---- Every Eval Ever


class _Sample(NamedTuple):
    """One run of a model on a sample of Every Eval Ever. The log has a record for each score of the run."""

    number: int
    """Number of the first record of the run, counted from 1"""
    record: Record
    texts: list[Any]
    graded: Record


def _every_eval_ever(records: Sequence[Record]) -> Iterator[Record]:
    """Yield a row for each output. Several outputs of one sample, and several epochs of a sample, are trials."""
    samples = _samples(records)
    names = {sample.record.get("evaluation_name") for sample in samples}
    epochs = {_epoch(sample.record) for sample in samples}
    several = len(epochs) > 1 or any(len(sample.texts) > 1 for sample in samples)
    for number, record, texts, graded in samples:
        for count, text in enumerate(texts, 1):
            run = [str(_epoch(record))] if len(epochs) > 1 else []
            trial = " ".join([*run, str(count)] if len(texts) > 1 or not run else run)
            yield {
                **record,
                "candidate": _needed(text if isinstance(text, str) else None, number, "output.raw"),
                "references": _several(record["input"].get("reference"), ()),
                "question": record["input"].get("raw"),
                "system": record.get("model_id"),
                "item": str(record["sample_id"]) + (f" {record['evaluation_name']}" if len(names) > 1 else ""),
                **({"trial": trial} if several else {}),
                "graded": graded,
            }


def _samples(records: Sequence[Record]) -> list[_Sample]:
    """Return each run once. Raises ValueError where the records of one run have different texts of the model."""
    samples: list[_Sample] = []
    places: dict[tuple[object, ...], int] = {}
    for number, record in enumerate(records, 1):
        key = (record.get("evaluation_name"), record["sample_id"], record.get("model_id"), _epoch(record))
        sample = _Sample(number, record, _raw(record), {})
        result = record.get("evaluation_result_id")
        if key in places and result is not None and result not in samples[places[key]].graded:
            before = samples[places[key]]
            if before.texts != sample.texts:
                raise ValueError(
                    f"records {before.number} and {number} have unlike texts for one output, because a scorer's record "
                    "may hold what it took from the text: give those of one evaluation_result_id alone"
                )
            sample = before
        else:
            places[key] = len(samples)
            samples.append(sample)
        sample.graded[str(result)] = (record.get("evaluation") or {}).get("score")
    return samples


def _epoch(sample: Record) -> object:
    about = sample.get("metadata")
    return about.get("epoch") if isinstance(about, Mapping) else None


def _raw(sample: Record) -> list[object]:
    turns = sample.get("messages") or []
    last = next((turn for turn in reversed(turns) if turn.get("role") == "assistant"), None)
    output = last.get("content") if last else (sample.get("output") or {}).get("raw")
    return output if isinstance(output, list) else [output]


# ---- Opik


def _opik_experiment(items: Sequence[Record]) -> Iterator[Record]:
    """Yield a row for each item of an experiment. Several items of one item of the data set are trials."""
    repeats = trials_of([item.get("dataset_item_id") for item in items])
    for number, (item, repeat) in enumerate(zip(items, repeats, strict=True), 1):
        asked, output = item.get("dataset_item_data") or {}, item.get("evaluation_task_output")
        yield {
            **item,
            "candidate": _output(output, number, "evaluation_task_output"),
            **_opik_case(asked, output),
            **repeat,
            "item": str(item.get("dataset_item_id")),
            "graded": _graded(item.get("feedback_scores")),
        }


def _opik_results(results: Sequence[Record]) -> Iterator[Record]:
    """Yield a row for each result of `opik.evaluate`."""
    several = len({result["trial_id"] for result in results}) > 1
    for number, result in enumerate(results, 1):
        case = result["test_case"]
        asked, output = case.get("dataset_item_content") or {}, case.get("task_output")
        yield {
            **result,
            "candidate": _output(output, number, "test_case.task_output"),
            **_opik_case(asked, output),
            "item": str(case.get("dataset_item_id")),
            **({"trial": str(result["trial_id"])} if several else {}),
            "graded": _graded(result.get("score_results")),
        }


def _opik_case(asked: Mapping[str, Any], output: object) -> Record:
    said = output if isinstance(output, Mapping) else {}
    return {
        "question": the_text(_first(asked, _INPUTS), _INPUTS),
        "references": _several(_first(asked, _EXPECTED), _EXPECTED),
        "source": _first(said, _SOURCES) or _first(asked, _SOURCES),
    }


def _opik_trace(logs: Sequence[Record]) -> Iterator[Record]:
    for number, log in enumerate(logs, 1):
        trace = log["trace"]
        yield {
            **trace,
            "candidate": _output(trace.get("output"), number, "trace.output"),
            "question": the_text(trace.get("input"), _INPUTS),
            "source": _first(trace["output"], _SOURCES) if isinstance(trace.get("output"), dict) else None,
            "system": log.get("project_name"),
            "graded": _graded(trace.get("feedback_scores")),
        }


def _opik_flat_trace(rows: Sequence[Record]) -> Iterator[Record]:
    """Yield a row for each trace of a CSV file that has a line for each span."""
    traces = {row["trace_id"]: row for row in reversed(rows)}
    for number, row in enumerate(reversed(traces.values()), 1):
        held = {name: value for name, value in row.items() if name.startswith("trace_")}
        asked, output = ({name[len(at) :]: held[name] for name in held if name.startswith(at)} for at in _OPIK_FLAT)
        whole = output or held.get("trace_output") or None
        yield {
            **held,
            "candidate": _output(whole, number, "the columns trace_output_..."),
            "question": the_text(asked or held.get("trace_input"), _INPUTS),
            "source": _first(output, _SOURCES),
        }


_OPIK_FLAT = ("trace_input_", "trace_output_")
"""Beginnings of the names of columns with the input and the output of a trace"""


def _graded(scores: object) -> Record:
    listed = scores if isinstance(scores, list) else []
    return {str(score["name"]): score.get("value") for score in listed if isinstance(score, dict) and "name" in score}


# ---- MLflow


def _mlflow_traces(traces: Sequence[Record]) -> Iterator[Record]:
    """Yield a row for each trace: input and output of its outermost span, expected answers, and retrieved texts."""
    for number, trace in enumerate(traces, 1):
        info, spans = trace["info"], [span for span in trace["data"]["spans"] if isinstance(span, Mapping)]
        outermost = next((span for span in spans if not span.get("parent_span_id") and not span.get("parent_id")), {})
        assessed = [entry for entry in info.get("assessments") or [] if isinstance(entry, Mapping)]
        expected = {
            str(assessment.get("assessment_name")): _mlflow_value(assessment["expectation"])
            for assessment in assessed
            if "expectation" in assessment
        }
        yield {
            **trace,
            "candidate": _output(
                _mlflow_attribute(outermost, "spanOutputs"), number, "the outputs of its outermost span"
            ),
            "question": the_text(_mlflow_attribute(outermost, "spanInputs"), _INPUTS),
            "references": _several(_first(expected, ("expected_response", *_EXPECTED)), _EXPECTED),
            "source": [text for span in spans for text in _mlflow_documents(span)] or None,
            "graded": {
                str(each.get("assessment_name")): each["feedback"].get("value")
                for each in assessed
                if isinstance(each.get("feedback"), Mapping)
            },
        }


def _mlflow_attribute(span: Mapping[str, Any], name: str) -> Any:
    """Return the value of an attribute of a span, which MLflow writes as JSON; None where the span has none."""
    attributes = span.get("attributes")
    value = attributes.get(f"mlflow.{name}") if isinstance(attributes, Mapping) else None
    return json.loads(value) if isinstance(value, str) else value


def _mlflow_value(expectation: Mapping[str, Any]) -> Any:
    serialized = expectation.get("serialized_value")
    return json.loads(serialized["value"]) if isinstance(serialized, Mapping) else expectation.get("value")


def _mlflow_documents(span: Mapping[str, Any]) -> list[str]:
    """Return the texts of the documents that a retriever's span gave; an empty list for a span of another type."""
    documents = _mlflow_attribute(span, "spanOutputs") if _mlflow_attribute(span, "spanType") == "RETRIEVER" else None
    listed = documents if isinstance(documents, list) else []
    texts = [document.get("page_content") for document in listed if isinstance(document, Mapping)]
    return [text for text in texts if isinstance(text, str)]


# ---- Braintrust, Azure AI Evaluation, RAGChecker, chats


def _braintrust_spans(spans: Sequence[Record]) -> Iterator[Record]:
    """Yield a row for the outermost span of each case. The spans inside are calls of models and scorers."""
    return _braintrust([span for span in spans if span.get("span_id", span["root_span_id"]) == span["root_span_id"]])


def _braintrust(cases: Sequence[Record]) -> Iterator[Record]:
    """Yield a row for each case. Cases with the same input and the same expected output are trials of one item."""
    repeats = trials_of([(case.get("input"), case.get("expected")) for case in cases])
    for number, (case, repeat) in enumerate(zip(cases, repeats, strict=True), 1):
        about = case.get("metadata")
        yield {
            **{name: value for name, value in case.items() if name != "scores"},
            "candidate": _output(case.get("output"), number, "output"),
            "question": the_text(case.get("input"), _INPUTS),
            "references": _several(case.get("expected"), _EXPECTED),
            "source": next(
                (
                    _first(held, _SOURCES)
                    for held in (about, case.get("input"))
                    if isinstance(held, Mapping) and _first(held, _SOURCES)
                ),
                None,
            ),
            **repeat,
            "graded": case.get("scores") or {},
        }


def _azure(rows: Sequence[Record]) -> Iterator[Record]:
    for number, row in enumerate(rows, 1):
        output = _present(row, ("inputs.response", "outputs.response", "inputs.answer", "outputs.answer"))
        yield {
            **row,
            "candidate": _output(output, number, "inputs.response or outputs.response"),
            "question": the_text(_first(row, ("inputs.query", "inputs.question")), _INPUTS),
            "source": _first(row, ("inputs.context", "outputs.context")),
            "references": _several(_first(row, ("inputs.ground_truth", "outputs.ground_truth")), _EXPECTED),
        }


def _chats(records: Sequence[Record]) -> Iterator[Record]:
    """Yield a row for each chat: its last turn is the candidate, the user's last turn the question."""
    for number, record in enumerate(records, 1):
        turns = record["messages"]
        turns = held_in(turns) if isinstance(turns, str) else turns
        if not isinstance(turns, list) or not turns or turns[-1].get("role") != "assistant":
            raise ValueError(f"record {number}: the last of its messages is not the assistant's")
        said = [(turn.get("role"), the_text(turn.get("content"), _OUTPUTS)) for turn in turns]
        asked = max((at for at, (role, _) in enumerate(said[:-1]) if role == "user"), default=None)
        before = [text for role, text in said[: asked or 0] if role in ("user", "assistant") and text]
        yield {
            **record,
            "candidate": _needed(said[-1][1], number, "the last message"),
            "question": None if asked is None else said[asked][1],
            "context": before or record.get("context"),
        }


_LOGS = (
    Log("samples of lm-evaluation-harness", ("doc_id", "arguments", "filtered_resps"), _lm_eval),
    Log("samples of Every Eval Ever", ("evaluation_id", "sample_id", "input", "evaluation"), _every_eval_ever),
    Log("an experiment of Opik", ("dataset_item_id", "evaluation_task_output"), _opik_experiment),
    Log("results of Opik", ("test_case", "score_results", "trial_id"), _opik_results),
    Log("traces of Opik", ("trace", "spans"), _opik_trace),
    Log("traces of Opik", ("trace_id", "trace_start_time", "span_trace_id"), _opik_flat_trace, cells=True),
    Log("traces of MLflow", ("info", "data"), _mlflow_traces),
    Log("an experiment of Braintrust", ("root_span_id", "input", "output"), _braintrust_spans),
    Log("an experiment of Braintrust", ("input", "output", "expected", "scores", "error", "tags"), _braintrust),
    Log("results of promptfoo", ("promptIdx", "testIdx", "provider", "vars"), promptfoo_rows),
    Log("results of Azure AI Evaluation", ("inputs.response",), _azure),
    Log("results of Azure AI Evaluation", ("outputs.response",), _azure),
    Log("chats", ("messages",), _chats),
)


# ---- tables in another order


def held_records(value: Mapping[str, Any]) -> list[Any] | None:
    """Return the records of a table in a JSON object; None where the object has none of the forms below.

    A table of MLflow has `columns` and `data`. A table by columns has a list for each column, all of one length; or, as
    pandas writes it, an object for each column, all with the same keys. Results of a tool are the only list of objects
    under a name such as `rows` or `results`. An object that is a single case, such as a trace, is the only record.
    """
    if isinstance(value.get("candidate"), list | dict):
        return _by_column(value)
    columns, data = value.get("columns"), value.get("data")
    if isinstance(columns, list) and isinstance(data, list) and all(isinstance(name, str) for name in columns):
        if len(set(columns)) < len(columns) or any(
            not isinstance(row, list) or len(row) != len(columns) for row in data
        ):
            raise ValueError("data is not a list of rows with a value for each of the columns")
        return [dict(zip(columns, row, strict=True)) for row in data]
    held = [value[name] for name in _LISTS if isinstance(value.get(name), list) and value[name]]
    if len(held) == 1 and all(isinstance(record, dict) for record in held[0]):
        return list(held[0])
    if log_of([value]) is not None:
        return [dict(value)]
    return _by_column(value)


def _by_column(value: Mapping[str, Any]) -> list[Any] | None:
    columns = list(value.values())
    if (len(columns) > 1 or "candidate" in value) and all(isinstance(column, list) for column in columns):
        lengths = {name: len(column) for name, column in value.items()}
        if len(set(lengths.values())) > 1:
            if "candidate" not in value:
                return None
            told = ", ".join(f"{name} has {length}" for name, length in lengths.items())
            raise ValueError(f"the columns have unlike numbers of values: {told}")
        return [dict(zip(value, row, strict=True)) for row in zip(*columns, strict=True)]
    if columns and all(isinstance(column, dict) and column for column in columns):
        keys = list(columns[0])
        if "candidate" in keys and "candidate" not in value:  # a row each, by the name of the row
            return columns
        if all(list(column) == keys for column in columns) and (len(columns) > 1 or "candidate" in value):
            return [{name: column[key] for name, column in value.items()} for key in keys]
    return None

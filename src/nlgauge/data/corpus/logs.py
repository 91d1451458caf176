"""What tools of evaluation write of each output, as records of ours; and JSON that holds a table in another order.

Samples of lm-evaluation-harness and of Every Eval Ever, experiments and traces of Opik, experiments of Braintrust,
results of Azure AI Evaluation and RAGChecker, and chats. Each keeps its other columns, beside those of ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from nlgauge.data.corpus.json_cells import held_in

Record = dict[str, Any]
_OUTPUTS = ("output", "answer", "response", "result", "text", "content", "completion", "prediction")
_INPUTS = ("question", "query", "input", "user_input", "prompt", "message", "text", "content")
_EXPECTED = ("expected_output", "expected", "expected_answer", "reference", "ground_truth", "target", "answer")
_SOURCES = ("context", "contexts", "retrieved_contexts", "documents", "source", "passages")
_LISTS = ("rows", "results", "data", "samples", "records", "examples", "items", "events", "experiment_items")
"""What an object may hold its records under"""


class Log(NamedTuple):
    """A kind of record that a tool writes, and how it becomes records of ours."""

    tool: str
    marks: tuple[str, ...]
    """The fields that each of its records has"""
    read: Callable[[Sequence[Record]], Iterator[Record]]


def log_of(records: Sequence[object]) -> Log | None:
    """Return the kind of records that a file holds, by the first one; None where it is none of these."""
    first = records[0] if records else None
    if not isinstance(first, Mapping) or "candidate" in first:
        return None
    return next((log for log in _LOGS if all(mark in first for mark in log.marks) and _fits(log, first)), None)


def _fits(log: Log, record: Mapping[str, Any]) -> bool:
    if log.marks == ("messages",):
        turns = record["messages"]
        turns = held_in(turns) if isinstance(turns, str) else turns
        named = isinstance(turns, list) and all(isinstance(turn, dict) and "role" in turn for turn in turns)
        elsewhere = any(name in record for name in ("response", "output", "prediction", "answer"))
        return named and bool(turns) and turns[-1]["role"] == "assistant" and not elsewhere
    return True


def the_text(value: object, names: Sequence[str]) -> str | None:
    """Return a text, the text of an object under the first of some names that it has, or its only text."""
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


def _several(value: object, names: Sequence[str]) -> list[Any]:
    """Return the texts of a value that may be one, none or several."""
    if isinstance(value, list) and all(isinstance(inner, str) for inner in value):
        return value
    text = the_text(value, names)
    return [] if text is None else [text]


def _first(record: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((record[name] for name in names if record.get(name) not in (None, "", [])), None)


# ---- lm-evaluation-harness


def _lm_eval(samples: Sequence[Record]) -> Iterator[Record]:
    """Yield a row of each response; several to one document are trials."""
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
    """Return the texts of a sample, its prompts and its choices. A choice among given texts is the likeliest one."""
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


def _every_eval_ever(samples: Sequence[Record]) -> Iterator[Record]:
    """Yield a row of each output; several to one sample are trials."""
    names = {sample.get("evaluation_name") for sample in samples}
    read = [(number, sample, _raw(sample)) for number, sample in enumerate(samples, 1)]
    several = any(len(texts) > 1 for *_, texts in read)
    for number, sample, texts in read:
        for count, text in enumerate(texts, 1):
            yield {
                **sample,
                "candidate": _needed(text if isinstance(text, str) else None, number, "output.raw"),
                "references": _several(sample["input"].get("reference"), ()),
                "question": sample["input"].get("raw"),
                "system": sample.get("model_id"),
                "item": str(sample["sample_id"]) + (f" {sample['evaluation_name']}" if len(names) > 1 else ""),
                **({"trial": str(count)} if several else {}),
            }


def _raw(sample: Record) -> list[object]:
    turns = sample.get("messages") or []
    last = next((turn for turn in reversed(turns) if turn.get("role") == "assistant"), None)
    output = last.get("content") if last else (sample.get("output") or {}).get("raw")
    return output if isinstance(output, list) else [output]


# ---- Opik


def _opik_experiment(items: Sequence[Record]) -> Iterator[Record]:
    for number, item in enumerate(items, 1):
        asked, output = item.get("dataset_item_data") or {}, item.get("evaluation_task_output") or {}
        yield {
            **item,
            "candidate": _needed(the_text(output, _OUTPUTS), number, "evaluation_task_output"),
            "question": the_text(_first(asked, _INPUTS), _INPUTS),
            "references": _several(_first(asked, _EXPECTED), _EXPECTED),
            "source": _first(output, _SOURCES) or _first(asked, _SOURCES),
            "item": str(item.get("dataset_item_id")),
            "graded": _graded(item.get("feedback_scores")),
        }


def _opik_trace(logs: Sequence[Record]) -> Iterator[Record]:
    for number, log in enumerate(logs, 1):
        trace = log["trace"]
        yield {
            **trace,
            "candidate": _needed(the_text(trace.get("output"), _OUTPUTS), number, "trace.output"),
            "question": the_text(trace.get("input"), _INPUTS),
            "source": _first(trace["output"], _SOURCES) if isinstance(trace.get("output"), dict) else None,
            "system": log.get("project_name"),
            "graded": _graded(trace.get("feedback_scores")),
        }


def _graded(scores: object) -> Record:
    listed = scores if isinstance(scores, list) else []
    return {str(score["name"]): score.get("value") for score in listed if isinstance(score, dict) and "name" in score}


# ---- Braintrust, Azure AI Evaluation, RAGChecker, chats


def _braintrust_spans(spans: Sequence[Record]) -> Iterator[Record]:
    """Yield the outermost span of each case: those inside are calls of models and scorers."""
    outermost = [span for span in spans if span.get("span_id", span["root_span_id"]) == span["root_span_id"]]
    for number, span in enumerate(outermost, 1):
        yield {
            **{name: value for name, value in span.items() if name != "scores"},
            "candidate": _needed(the_text(span.get("output"), _OUTPUTS), number, "output"),
            "question": the_text(span.get("input"), _INPUTS),
            "references": _several(span.get("expected"), _EXPECTED),
            "graded": span.get("scores") or {},
        }


def _azure(rows: Sequence[Record]) -> Iterator[Record]:
    for number, row in enumerate(rows, 1):
        output = _first(row, ("inputs.response", "outputs.response", "inputs.answer", "outputs.answer"))
        yield {
            **row,
            "candidate": _needed(the_text(output, _OUTPUTS), number, "inputs.response or outputs.response"),
            "question": the_text(_first(row, ("inputs.query", "inputs.question")), _INPUTS),
            "source": _first(row, ("inputs.context", "outputs.context")),
            "references": _several(_first(row, ("inputs.ground_truth", "outputs.ground_truth")), _EXPECTED),
        }


def _chats(records: Sequence[Record]) -> Iterator[Record]:
    """Yield the last turn of an assistant, what the user said before it, and the turns before that."""
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
    Log("traces of Opik", ("trace", "spans"), _opik_trace),
    Log("an experiment of Braintrust", ("root_span_id", "input", "output"), _braintrust_spans),
    Log("results of Azure AI Evaluation", ("inputs.response",), _azure),
    Log("results of Azure AI Evaluation", ("outputs.response",), _azure),
    Log("chats", ("messages",), _chats),
)


# ---- tables in another order


def held_records(value: Mapping[str, Any]) -> list[Any] | None:
    """Return the records that a JSON object holds, None where it is none of these.

    MLflow's tables have `columns` and `data`. Columns are lists of one length, or as pandas writes them objects with
    the same keys. Results stand in a list of objects, the only one under a name such as `rows` or `results`. The object
    of a single case, such as a trace, is a record itself.
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

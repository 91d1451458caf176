"""Readers of other tools' output, as records with our field names. Columns identify a table, and its shape a log.

Tables: Ragas, DeepEval, LangChain, LlamaIndex, LangSmith, Langfuse, Phoenix, promptfoo, Braintrust, MLflow, Azure AI
Evaluation, RAGChecker. Logs: Inspect, promptfoo, DeepEval, those of `nlgauge.data.corpus.logs`, and traces of
OpenTelemetry (OTLP as JSON) with the attributes of OpenInference or of its own conventions.
"""

from __future__ import annotations

import json
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from nlgauge.data.corpus.json_cells import held_in
from nlgauge.data.corpus.json_records import parsed
from nlgauge.data.corpus.logs import held_records, log_of
from nlgauge.data.corpus.place import InputPlace, absent, looked_up
from nlgauge.data.corpus.promptfoo import promptfoo_rows
from nlgauge.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    import zipfile

Record = dict[str, Any]
_NOWHERE = object()


class _Dialect(NamedTuple):
    """The columns by which the table of a tool is recognised."""

    tool: str
    candidate: str
    others: Mapping[str, tuple[str, ...]]
    """Columns or paths for each other field, likeliest first. The table has to have at least one of them"""
    marks: tuple[str, ...] = ()
    """Columns of which the table has to have one, where another tool uses the same names"""
    aside: tuple[str, ...] = ()
    """Fields that are not read, because the tool's column of that name has other content, such as a program's scores"""


_DIALECTS = (
    _Dialect(
        "RAGChecker",
        "response",
        {
            "source": ("retrieved_context",),
            "question": ("query",),
            "references": ("gt_answer",),
            "item": ("query_id",),
        },
        marks=("gt_answer",),
    ),
    *(
        _Dialect(
            "MLflow",
            candidate,
            {
                "source": ("retrieved_context",),
                "question": ("request", "request.question", "request.query", "request.input"),
                "references": ("expected_response/value", "expected_response"),
            },
            marks=("trace_id", "assessments"),
        )
        for candidate in ("response", "response.response", "response.output", "response.answer")
    ),
    _Dialect(
        "MLflow",
        "outputs",
        {
            "question": ("inputs", "inputs.question", "inputs.query"),
            "references": ("ground_truth", "targets", "expectations.expected_response"),
        },
    ),
    _Dialect(
        "Azure AI Evaluation",
        "inputs.response",
        {
            "source": ("inputs.context",),
            "question": ("inputs.query",),
            "references": ("inputs.ground_truth",),
        },
    ),
    _Dialect(
        "Braintrust",
        "output",
        {
            "source": ("metadata.context", "input.context"),
            "question": ("input", "input.question", "input.query", "input.input"),
            "references": ("expected", "expected.answer", "expected.output"),
        },
        marks=("expected",),
        aside=("scores",),
    ),
    _Dialect(
        "Ragas",
        "response",
        {
            "source": ("retrieved_contexts",),
            "question": ("user_input",),
            "references": ("reference",),
        },
    ),
    _Dialect(
        "Ragas",
        "answer",
        {
            "source": ("contexts",),
            "references": ("ground_truth", "ground_truths"),
            "question": ("question",),
        },
    ),
    _Dialect(
        "DeepEval",
        "actual_output",
        {
            "source": ("retrieval_context", "context"),
            "question": ("input",),
            "references": ("expected_output",),
        },
    ),
    _Dialect(
        "DeepEval",
        "actualOutput",
        {
            "source": ("retrievalContext", "context"),
            "question": ("input",),
            "references": ("expectedOutput",),
        },
    ),
    _Dialect("LangChain", "result", {"source": ("source_documents",), "question": ("query",)}),
    _Dialect(
        "LangChain or Langfuse",
        "output",
        {
            "source": ("source_documents", "context"),
            "question": ("query", "input"),
            "references": ("reference", "expected_output", "expectedOutput", "reference_output"),
        },
    ),
    _Dialect("LlamaIndex", "response.response", {"source": ("response.source_nodes",), "question": ("query",)}),
    _Dialect("LlamaIndex", "response.text", {"source": ("source_nodes",), "question": ("query",)}),
    *(
        _Dialect(
            "LangSmith",
            f"outputs.{name}",
            {
                "source": ("outputs.documents", "outputs.context", "inputs.context"),
                "question": ("inputs.question", "inputs.input", "inputs.query"),
                "references": (f"reference_outputs.{name}", "reference_outputs.output", "reference_outputs.answer"),
            },
        )
        for name in ("output", "answer", "response")
    ),
    _Dialect(
        "Phoenix",
        "attributes.output.value",
        {
            "source": ("attributes.retrieval.documents",),
            "question": ("attributes.input.value",),
        },
    ),
    _Dialect("Phoenix", "output.value", {"source": ("retrieval.documents",), "question": ("input.value",)}),
    _Dialect(
        "promptfoo",
        "response.output",
        {
            "source": ("vars.context",),
            "question": ("vars.query", "vars.question"),
        },
    ),
)


def known_columns(record: Mapping[str, object]) -> tuple[str, dict[str, str]] | None:
    """Return the tool whose columns a record has, and the column of each field; None where no tool has them.

    Args:
        record: the first record of a table, or the names in its header, each without a value.

    Returns:
        The tool's name, and its column of each of our fields. None where no tool fits, or where several tools fit that
        have different columns for the candidate.
    """
    fitting: list[tuple[str, dict[str, str]]] = []
    for tool, candidate, others, marks, aside in _DIALECTS:
        if marks and not any(mark in record for mark in marks):
            continue
        value = looked_up(record, candidate, _NOWHERE)
        if not ((isinstance(value, str) and held_in(value) is None) or absent(value)):
            continue
        there = {
            ours: next((name for name in names if _may_be(record, ours, name)), "") for ours, names in others.items()
        }
        if named := {ours: name for ours, name in there.items() if name}:
            fitting.append((tool, {"candidate": candidate, **named, **dict.fromkeys(aside, "")}))
    return fitting[0] if len({columns["candidate"] for _, columns in fitting}) == 1 else None


def _may_be(record: Mapping[str, object], ours: str, name: str) -> bool:
    """Return whether a record has a column that may be read as a field.

    Args:
        record: the record.
        ours: the field. A question, a reference or an item is never an object.
        name: the column, or a path.

    Returns:
        Whether the column is there, and its value may be of this field.
    """
    value = looked_up(record, name, _NOWHERE)
    held = held_in(value) if isinstance(value, str) and ours in ("question", "references") else value
    return value is not _NOWHERE and not (isinstance(held, Mapping) and ours in ("question", "references", "item"))


class Exported(list[Record]):
    """Records with our field names, made from the log of a tool. Raises InputError for a log of another shape."""

    def __init__(self, tool: str, records: Iterable[Record], place: InputPlace) -> None:
        try:
            super().__init__(records)
        except InputError:
            raise
        except (AttributeError, TypeError, ValueError, LookupError) as bad:
            raise place.error(f"not readable as {tool}: {bad}", "write it again, or give a table of records") from None
        self.tool = tool


def exported(log: Mapping[str, Any], place: InputPlace) -> list[Record] | None:
    """Return the records of a tool's log; None if the object is no such log. Raises InputError for a broken log."""
    results = log.get("results")
    if isinstance(log.get("eval"), dict) and "status" in log:
        return Exported("an Inspect log", _inspect(log, log.get("samples") or [], place), place)
    if isinstance(results, dict) and isinstance(results.get("results"), list):
        return Exported("results of promptfoo", promptfoo_rows(list(filter(_is_record, results["results"]))), place)
    if "resourceSpans" in log or "resourceLogs" in log:
        return Exported("traces of OpenTelemetry", _traces([log], place), place)
    run = log["testRunData"] if isinstance(log.get("testRunData"), dict) else log
    if isinstance(run.get("testCases"), list):
        return [_deepeval(case) for case in run["testCases"] if _is_record(case)]
    return None


def with_traces(values: Iterator[object], place: InputPlace) -> Iterable[object]:
    """Return the values of JSON Lines unchanged; or, for traces of OpenTelemetry, one record for each trace."""
    first = next(values, _NOWHERE)
    if not (isinstance(first, dict) and ("resourceSpans" in first or "resourceLogs" in first)):
        return values if first is _NOWHERE else chain([first], values)
    return Exported("traces of OpenTelemetry", _traces([first, *values], place), place)


def records_held(value: Mapping[str, Any], place: InputPlace) -> object:
    """Return the records of a table in a JSON object, or the object itself. Raises InputError for a broken table."""
    try:
        records = held_records(value)
    except ValueError as bad:
        raise place.error(str(bad), "give one of each for every row") from None
    return value if records is None else records


def read_log(values: Iterable[object], place: InputPlace, cells: bool = False) -> Iterable[object]:
    """Return a tool's log as records with our field names; values of any other origin are returned unchanged.

    Args:
        values: records, of a file or of a program.
        place: the file of the values, for errors.
        cells: whether the values come from CSV.

    Returns:
        The values unchanged, or the records made from the log.

    Raises:
        InputError: it is not known which text of a record is the output.
    """
    if isinstance(values, Exported):
        return values
    rest = iter(values)
    first = next(rest, _NOWHERE)
    if first is _NOWHERE:
        return values
    log = log_of([first], cells)
    if log is None:
        return chain([first], rest)
    return Exported(
        log.tool, log.read([dict(record) for record in (first, *rest) if isinstance(record, Mapping)]), place
    )


def _is_record(value: object) -> bool:
    return isinstance(value, dict)


def _text(content: object) -> str | None:
    """Return the text of a message's content, which may be a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        texts = [part if isinstance(part, str) else part.get("text", part.get("content")) for part in content if part]
        return "\n".join(text for text in texts if isinstance(text, str)) or None
    return None


# ---- Inspect

_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""Numbers of the letters that Inspect's scorers give"""
_LARGEST = 1 << 30


def inspect_log(data: BinaryIO, file: str) -> list[Record]:
    """Return the records of an Inspect log in its own format, a zip of JSON files. Raises InputError."""
    import zipfile  # with all that it imports, which nothing else here needs

    place = InputPlace(file)
    remedy = f"write it as JSON: inspect log dump {file} > log.json"
    try:
        with data, zipfile.ZipFile(data) as log:
            infos = {info.filename: info for info in log.infolist()}
            if sum(info.file_size for info in infos.values()) > _LARGEST:
                raise place.error(f"the log holds more than {_LARGEST:,} bytes", remedy)
            head = infos.get("header.json") or infos["_journal/start.json"]
            samples = [info for name, info in infos.items() if name.startswith("samples/") and name.endswith(".json")]
            header, *values = (parsed(_entry(log, name).decode("utf-8"), place) for name in (head, *samples))
    except (zipfile.BadZipFile, KeyError, UnicodeDecodeError, OSError, EOFError, zlib.error) as bad:
        raise place.error(f"not readable as an Inspect log: {bad}", remedy) from None
    return Exported("an Inspect log", _inspect(header, values, place), place)


_ZSTANDARD = 93


def _entry(log: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """Return the bytes of a file in a zip. Inspect compresses by Zstandard, which zipfile reads from Python 3.14 on.

    Earlier versions of Python use pyarrow instead. Raises MissingExtraError where pyarrow is not installed.
    """
    if info.compress_type != _ZSTANDARD or sys.version_info >= (3, 14):
        return log.read(info)
    try:
        import pyarrow
    except ImportError:
        raise MissingExtraError("reading an Inspect log that is compressed by Zstandard", "tables") from None
    assert log.fp is not None  # it is open
    log.fp.seek(info.header_offset + 26)
    lengths = log.fp.read(4)
    log.fp.seek(int.from_bytes(lengths[:2], "little") + int.from_bytes(lengths[2:], "little"), 1)
    # In a stream, because a size that a header claims is not to be trusted.
    with pyarrow.CompressedInputStream(pyarrow.BufferReader(log.fp.read(info.compress_size)), "zstd") as stream:
        content: bytes = stream.read(info.file_size + 1)
    if zlib.crc32(content) != info.CRC:
        raise OSError(f"{info.filename} is damaged")
    return content


def _inspect(log: Mapping[str, Any], samples: Sequence[Any], place: InputPlace) -> Iterator[Record]:
    if not samples:
        raise place.error("the Inspect log has no samples", "give the whole log, not its header")
    about = log.get("eval", {})
    samples = [sample for sample in samples if _is_record(sample)]
    several = len({sample.get("epoch") for sample in samples}) > 1
    for sample in samples:
        held = sample.get("attachments") or {}
        choices = looked_up(sample, "output.choices") or []
        answer = looked_up(choices[0], "message.content") if isinstance(choices, list) and choices else None
        asked = sample.get("input")
        if isinstance(asked, list):
            turns = [_text(turn.get("content")) for turn in asked if _is_record(turn) and turn.get("role") == "user"]
            asked = "\n".join(text for text in turns if text) or None
        target = sample.get("target")
        scores = {
            name: _graded(score.get("value"))
            for name, score in (sample.get("scores") or {}).items()
            if _is_record(score)
        }
        yield {
            "candidate": _attached(_text(answer), held),
            "references": [text for text in (target if isinstance(target, list) else [target]) if text],
            "question": _attached(_text(asked), held),
            "system": about.get("model"),
            "item": str(sample.get("id")),
            **({"trial": str(sample.get("epoch"))} if several else {}),
            "sample": str(sample.get("id")),
            "epoch": sample.get("epoch"),
            "metadata": sample.get("metadata"),
            "graded": scores,
        }


def _graded(value: object) -> object:
    if _is_record(value):
        return {name: _graded(grade) for name, grade in value.items()}  # type: ignore[attr-defined]
    return _GRADES.get(value, value) if isinstance(value, str) else value


def _attached(text: str | None, held: Mapping[str, Any]) -> str | None:
    """Return a text of a sample; or, where the text refers to an attachment, the text of the attachment.

    Args:
        text: the text, or None.
        held: the attachments of the sample, by name.

    Returns:
        The text; None for None.
    """
    name = (text or "").removeprefix("attachment://")
    return held.get(name, text) if text is not None and name != text else text


# ---- DeepEval


def _deepeval(case: Mapping[str, Any]) -> Record:
    """Return a test case of DeepEval as a record, with the score of each metric by the metric's name."""
    metrics = [metric for metric in case.get("metricsData") or [] if _is_record(metric)]
    return {**case, "metrics": {str(metric.get("name")): metric.get("score") for metric in metrics}}


# ---- OpenTelemetry

EVALUATION = "gen_ai.evaluation.result"
"""The event that says how an output was judged"""


def _plain(value: object) -> Any:
    """Return the plain JSON value of a typed value of OTLP."""
    if not isinstance(value, dict):
        return value
    if "arrayValue" in value:
        return [_plain(element) for element in (value["arrayValue"] or {}).get("values", [])]
    if "kvlistValue" in value:
        return _attributes((value["kvlistValue"] or {}).get("values", []))
    if "intValue" in value:  # written as a text
        return int(value["intValue"])
    return next(iter(value.values()), None)


def _attributes(pairs: object) -> Record:
    pairs = pairs if isinstance(pairs, list) else []
    return {pair["key"]: _plain(pair.get("value")) for pair in pairs if _is_record(pair) and "key" in pair}


def _parts(log: Mapping[str, Any], outer: str, middle: str, inner: str) -> Iterator[tuple[Record, Record]]:
    """Yield the spans or log records of an OTLP export, each with the attributes of the program that wrote it.

    Args:
        log: the export, as JSON.
        outer: the key of the list of resources.
        middle: the key of the list of scopes in a resource.
        inner: the key of the list of spans, or of records, in a scope.

    Returns:
        An iterator over (attributes of the resource, span or log record).
    """
    for resource in log.get(outer) or []:
        about = _attributes(looked_up(resource, "resource.attributes"))
        for scope in resource.get(middle) or []:
            for span in scope.get(inner) or []:
                yield about, span


def _traces(logs: Sequence[Any], place: InputPlace) -> Iterator[Record]:
    """Yield a record for each trace: input and output of the outermost span, retrieved documents and evaluations."""
    traces: dict[str, list[tuple[Record, Record]]] = {}
    judged: dict[str, Record] = {}
    for log in logs:
        for about, span in _parts(log, "resourceSpans", "scopeSpans", "spans"):
            traces.setdefault(str(span.get("traceId")), []).append((about, span))
            for event in span.get("events") or []:
                _judged(judged, str(span.get("traceId")), event.get("name"), event)
        for _, record in _parts(log, "resourceLogs", "scopeLogs", "logRecords"):
            _judged(judged, str(record.get("traceId")), record.get("eventName"), record)
    if not traces:
        raise place.error("there are no spans, so there is nothing to score", "give the traces, with the outputs")
    for trace, spans in traces.items():
        ids = {span.get("spanId") for _, span in spans}
        outermost = [(about, span) for about, span in spans if span.get("parentSpanId") not in ids]
        attributes = [_attributes(span.get("attributes")) for _, span in outermost]
        inner = [_attributes(span.get("attributes")) for _, span in spans]
        about = outermost[0][0] if outermost else {}
        version = about.get("service.version")
        yield {
            "candidate": next(filter(None, map(_output, [*attributes, *reversed(inner)])), None),
            "question": next(filter(None, map(_input, [*attributes, *inner])), None),
            "source": [text for span in inner for text in _documents(span)] or None,
            "system": " ".join(filter(None, [about.get("service.name"), version])) or None,
            "item": trace,
            "evaluations": judged.get(trace, {}),
        }


def _judged(judged: dict[str, Record], trace: str, event: object, record: Mapping[str, Any]) -> None:
    """Add an evaluation to `judged`. A record of anything else is ignored.

    Args:
        judged: for each trace, the numbers or labels of its evaluations by name. A label is taken where there is no
            number.
        trace: the id of the trace.
        event: the name of the event.
        record: the event of a span, or the record of a log, with its attributes.
    """
    said = _attributes(record.get("attributes"))
    if EVALUATION in (event, said.get("event.name")) and "gen_ai.evaluation.name" in said:
        score = said.get("gen_ai.evaluation.score.value", said.get("gen_ai.evaluation.score.label"))
        judged.setdefault(trace, {})[str(said["gen_ai.evaluation.name"])] = score


def _output(said: Mapping[str, Any]) -> str | None:
    text = said.get("output.value") or said.get("llm.output_messages.0.message.content")
    return text if isinstance(text, str) else _messages(said.get("gen_ai.output.messages"), ("assistant",))


def _input(said: Mapping[str, Any]) -> str | None:
    text = said.get("input.value")
    return text if isinstance(text, str) else _messages(said.get("gen_ai.input.messages"), ("user",))


def _messages(value: object, roles: Sequence[str]) -> str | None:
    """Return the text of the last message by one of the roles. Messages are a list, or a text of JSON."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
    messages = (
        [message for message in value if _is_record(message) and message.get("role") in roles]
        if isinstance(value, list)
        else []
    )
    return _text(messages[-1].get("parts", messages[-1].get("content"))) if messages else None


def _documents(said: Mapping[str, Any]) -> Iterator[str]:
    """Yield the texts of the documents that a span retrieved, in order. `said` holds the attributes of the span."""
    number = 0
    while isinstance(text := said.get(f"retrieval.documents.{number}.document.content"), str):
        yield text
        number += 1

"""The writer of scores files, for `ScoreTable.save`. A scores file is JSON Lines: a header, then a record per value.

The header holds {"nlgauge": version, "signatures": {metric: text}, "facts": {metric: the facts in that text},
"metrics": {metric: {"parts", "higher_is_better", "level", and where there are any "details", "limits", "formula"}},
"run", "seal"}. Where anchor rows were scored again, "anchors" holds their header, with their records as "records".
A record is {"system", "item", "metric", "part", "value", "reason"}, with "trial" where rows name trials, and "evidence"
and "counts" where there are any.
Evidence is written in its packed form (`packed`). Where an earlier metric has the same evidence for the row, the spec
of that metric is written instead. JSON has no NaN and no infinity: a missing value is null with a reason, and an
infinite value is a word.

`write_events` writes a table as OpenTelemetry's evaluation events: OTLP logs as JSON Lines, which collectors of traces
read. `write_leaderboard` writes the leaderboard of a judge for TREC AutoJudge, whose tools read it as `jsonl`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from shutil import copyfileobj
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, Any, TextIO

from nlgauge.data.atomic_write import atomic_write
from nlgauge.data.jsonable import plain
from nlgauge.data.seal import LineSeal
from nlgauge.data.table.column import Column
from nlgauge.data.table.packed import packed
from nlgauge.errors import InputError

if TYPE_CHECKING:
    from nlgauge.data.table import ScoreTable


Record = dict[str, object]
_HELD = 64 << 20
"""Characters of a file that are held in memory while it is written"""


def save(table: ScoreTable, path: str | Path) -> None:
    """Write a table in the format that the end of the file name says. Raises InputError where it cannot be written."""
    name = str(path)
    writes = write_events if name.endswith(EVENTS) else write_leaderboard if name.endswith(LEADERBOARDS) else write
    writes(table, path)


def write(table: ScoreTable, path: str | Path) -> None:
    """Write a table as a sealed scores file, whole or not at all. Raises InputError where it cannot be written."""
    seal = LineSeal(json.dumps(header(table), ensure_ascii=False, allow_nan=False))
    # The seal stands in the first line, and is made of all others: these are held until then.
    with _file(path) as file, SpooledTemporaryFile(_HELD, "w+", encoding="utf-8", newline="\n") as others:
        for line in _lines(table):
            seal.add(line)
            others.write(f"{line}\n")
        file.write(seal.sealed() + "\n")
        others.seek(0)
        copyfileobj(others, file)


def _lines(table: ScoreTable) -> Iterator[str]:
    """Yield every line of the file but the first, without its line end."""
    encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
    line_starts: dict[str, list[str]] = {}  # by level: rows are named again by every metric and part
    shown: dict[str, dict[str, Mapping[int, Any]]] = {}  # by level and metric
    for spec, column in table.columns.items():
        if column.level not in line_starts:
            places = table.places(column.level)
            line_starts[column.level] = [
                encode({"system": system, "item": item, **_trial(table, column, row)})[:-1]
                for row, (system, item) in enumerate(places)
            ]
        starts, earlier = line_starts[column.level], shown.setdefault(column.level, {})
        named = [f", {encode({'metric': spec, 'part': name})[1:-1]}, " for name in column.parts]
        for index, part, content in _contents(column):
            evidence = content.pop("evidence", None)
            # Nearly all records are a number alone, and need no encoder.
            alone = len(content) == 2 and type(content["value"]) is float
            rest = f'"value": {content["value"]!r}, "reason": null' if alone else encode(content)[1:-1]
            rest += f', "evidence": {_evidence(evidence, index, earlier)}' if evidence else ""
            yield f"{starts[index]}{named[part]}{rest}}}"
        earlier[spec] = column.evidence
        yield from (encode(record) for record in _wholes(table, spec, column))


def _evidence(evidence: object, index: int, earlier: Mapping[str, Mapping[int, Any]]) -> str:
    """Return the evidence of a row as JSON, or the spec of an earlier metric with the same evidence for the row."""
    same = next((spec for spec, evidence_of in earlier.items() if evidence_of.get(index) == evidence), None)
    return json.dumps(same or packed(evidence), ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _file(path: str | Path) -> AbstractContextManager[TextIO]:
    return atomic_write(path, gzipped=str(path).lower().endswith(".gz"))


def header(table: ScoreTable) -> Record:
    """Return the record that the first line of the file holds."""
    first: Record = {
        "nlgauge": table.version,
        "signatures": {spec: str(signature) for spec, signature in table.signatures.items()},
        "facts": {spec: signature.facts for spec, signature in table.signatures.items() if signature.facts},
        "metrics": {spec: _described(column) for spec, column in table.columns.items()},
        "run": dict(table.run),
    }
    if not any(column.level == "item" for column in table.columns.values()):
        first["rows"] = [list(row) for row in table.rows]  # no record names them
    if table.anchors is not None:
        first["anchors"] = {**header(table.anchors), "records": list(records(table.anchors))}
    return first


def records(table: ScoreTable) -> Iterator[Record]:
    """Yield one record for every value, in the order of the file."""
    for spec, column in table.columns.items():
        places = table.places(column.level)
        for index, part, content in _contents(column):
            system, item = places[index]
            named = {"system": system, "item": item, **_trial(table, column, index)}
            yield {**named, "metric": spec, "part": column.parts[part], **content}
        yield from _wholes(table, spec, column)


def _trial(table: ScoreTable, column: Column, row: int) -> Record:
    """Return {"trial": name} for a row of a column, where rows name their trials; else an empty dict."""
    return dict(table.named_trial(row)) if column.level == "item" else {}


def _described(column: Column) -> Record:
    described: Record = {
        "parts": list(column.parts),
        "higher_is_better": column.higher_is_better,
        "level": column.level,
    }
    if column.details:
        described["details"] = list(column.details)
    if column.limits:
        described["limits"] = {part: [plain(limit) for limit in limits] for part, limits in column.limits.items()}
    if column.sums is not None:
        described["formula"] = column.sums.formula
    return described


def _contents(column: Column) -> Iterator[tuple[int, int, Record]]:
    """Yield (index of row or system, index of sub-score, further fields of the record) for every value."""
    summed = column.sums is not None
    counts: list[list[float]] = column.sums.counts.tolist() if column.sums is not None else []
    for index, values in enumerate(column.values.tolist()):
        for part, value in enumerate(values):
            content: Record = {"value": plain(value), "reason": None}
            if content["value"] is None:
                content["reason"] = column.reasons.get(index, "")
            if part == 0 and column.evidence.get(index):
                content["evidence"] = column.evidence[index]
            if part == 0 and summed and not any(map(math.isnan, counts[index])):
                content["counts"] = counts[index]
            yield index, part, content


def _wholes(table: ScoreTable, spec: str, column: Column) -> Iterator[Record]:
    """Yield a record of each system's value, for a metric that computes it from the counts of all rows."""
    if column.sums is None:
        return
    for system in table.systems:
        rows = table.rows_of(system)
        counts = column.sums.of(rows)
        values: Sequence[float | None]
        values = column.sums.value(counts).tolist() if len(counts) else [None] * len(column.parts)
        for name, value in zip(column.parts, values, strict=True):
            reason = None if value is not None else column.reasons.get(int(rows[0]), "")
            yield {"system": system, "item": None, "metric": spec, "part": name, "value": value, "reason": reason}


EVENT = "gen_ai.evaluation.result"
EVENTS = (".otlp.jsonl", ".otlp.jsonl.gz")
"""Ends of the names of files of events"""
_AT_ONCE = 1000
"""Events on a line, each of which is one request of OTLP"""


def write_events(table: ScoreTable, path: str | Path) -> None:
    """Write an OpenTelemetry event for every value. The file is written whole or not at all.

    Args:
        table: the scores. Where an item is the id of a trace, its events belong to that trace.
        path: the file.

    Raises:
        InputError: the file cannot be written.
    """
    scope = {"name": "nlgauge", "version": table.version}
    with _file(path) as file:
        events: list[dict[str, Any]] = []
        for event in _events(table):
            events.append(event)
            if len(events) == _AT_ONCE:
                file.write(_line(scope, events))
                events = []
        if events:
            file.write(_line(scope, events))


def _line(scope: dict[str, str], events: list[dict[str, Any]]) -> str:
    resource = {"attributes": [_pair("service.name", "nlgauge")]}
    logs = [{"resource": resource, "scopeLogs": [{"scope": scope, "logRecords": events}]}]
    return json.dumps({"resourceLogs": logs}, ensure_ascii=False, allow_nan=False) + "\n"


def _events(table: ScoreTable) -> Iterator[dict[str, Any]]:
    for spec, column in table.columns.items():
        places = table.places(column.level)
        for index, values in enumerate(column.values.tolist()):
            system, item = places[index]
            for part, value in zip(column.parts, values, strict=True):
                said = [_pair("gen_ai.evaluation.name", column.label(spec, part))]
                if math.isfinite(value):
                    said.append(_pair("gen_ai.evaluation.score.value", value))
                else:
                    reason = column.reasons.get(index, "the value is infinite" if math.isinf(value) else "no value")
                    said += [_pair("error.type", "no_value"), _pair("gen_ai.evaluation.explanation", reason)]
                said += [_pair("nlgauge.signature", str(table.signatures[spec])), _pair("nlgauge.system", system)]
                said += [] if item is None else [_pair("nlgauge.item", item)]
                trial = _trial(table, column, index).get("trial")
                said += [] if trial is None else [_pair("nlgauge.trial", str(trial))]
                event: dict[str, Any] = {"eventName": EVENT, "attributes": said}
                if re.fullmatch(r"[0-9a-f]{32}", item or ""):
                    event["traceId"] = item
                yield event


def _pair(key: str, value: str | float) -> dict[str, Any]:
    return {"key": key, "value": {"stringValue": value} if isinstance(value, str) else {"doubleValue": value}}


LEADERBOARDS = (".autojudge.jsonl", ".autojudge.jsonl.gz")
"""Ends of the names of files of leaderboards"""
_ALL = "all"
"""The name of the topic that has the value over all topics"""


def write_leaderboard(table: ScoreTable, path: str | Path) -> None:
    """Write the leaderboard of a judge in the format of TREC AutoJudge. The file is written whole or not at all.

    Each line is {"run_id": system, "topic_id": item, "measure": metric, "value": number}. The topic `all` has the value
    of the system: its corpus score where the metric has one, else the mean over items. An item that was run several
    times has the mean over its trials.

    Args:
        table: the scores.
        path: the file.

    Raises:
        InputError: a value is missing or infinite, because AutoJudge reads what is missing as 0; an item is called
            `all`; or the file cannot be written.
    """
    if any(item == _ALL for _, item in table.rows):
        raise InputError("an item is called 'all', which AutoJudge calls the value of all topics", remedy="rename it")
    items = table.per_item()
    with _file(path) as file:
        for spec, column in items.columns.items():
            for at, part in enumerate(column.parts):
                measure = column.label(spec, part)
                for system, topic, value in _board(table, items, spec, at):
                    if not math.isfinite(value):
                        problem = f"{measure} has no finite value for system {system!r}, item {topic!r}"
                        remedy = "leave such rows or this metric out: AutoJudge reads what is missing as 0"
                        raise InputError(problem, remedy=remedy)
                    line = {"run_id": system, "topic_id": topic, "measure": measure, "value": value}
                    file.write(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n")


def _board(table: ScoreTable, items: ScoreTable, spec: str, at: int) -> Iterator[tuple[str, str, float]]:
    """Yield (system, topic, value) by a sub-score: for each system the topics, and after them the topic `all`.

    Args:
        table: the scores.
        items: the table with one row for each item.
        spec: the spec of the metric.
        at: the index of the sub-score.
    """
    column, sums = items.columns[spec], table.columns[spec].sums
    values = column.values[:, at]
    for number, system in enumerate(items.systems):
        if column.level != "item":
            yield system, _ALL, float(values[number])
            continue
        rows = items.rows_of(system)
        yield from ((system, items.rows[row][1], float(values[row])) for row in rows.tolist())
        if sums is None:
            yield system, _ALL, math.fsum(values[rows]) / len(rows)
        else:
            counts = sums.of(table.rows_of(system))
            yield system, _ALL, float(sums.value(counts)[at]) if len(counts) else math.nan

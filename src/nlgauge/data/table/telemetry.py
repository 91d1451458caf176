"""A table as OpenTelemetry's evaluation events: OTLP logs as JSON Lines, which collectors of traces read."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nlgauge.data.atomic_write import atomic_write

if TYPE_CHECKING:
    from nlgauge.data.table import ScoreTable

EVENT = "gen_ai.evaluation.result"
SUFFIX = ".otlp.jsonl"
_AT_ONCE = 1000
"""Events on a line, each of which is one request of OTLP"""


def write(table: ScoreTable, path: str | Path) -> None:
    """Write an event for every value of a row; an item that is a trace's id belongs to it.

    The file is complete or not there at all. Raises InputError where it cannot be written.
    """
    scope = {"name": "nlgauge", "version": table.version}
    with atomic_write(path) as file:
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
                event: dict[str, Any] = {"eventName": EVENT, "attributes": said}
                if re.fullmatch(r"[0-9a-f]{32}", item or ""):
                    event["traceId"] = item
                yield event


def _pair(key: str, value: str | float) -> dict[str, Any]:
    return {"key": key, "value": {"stringValue": value} if isinstance(value, str) else {"doubleValue": value}}

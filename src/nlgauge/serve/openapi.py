"""What /openapi.json says of each route: fields, examples, and every status that it answers with."""

from __future__ import annotations

from typing import Any

from nlgauge.serve.answers import DOCUMENTED

_TEXT = {"type": "string"}
_ROW = {
    "type": "object",
    "required": ["candidate"],
    "description": "One output, in the row format of nlgauge; columns of other names are allowed and not read.",
    "properties": {
        "candidate": _TEXT,
        "references": {"oneOf": [_TEXT, {"type": "array", "items": _TEXT}]},
        "source": _TEXT,
        "question": {"type": "string", "description": "What the candidate answers; no support of it."},
        "context": {"oneOf": [_TEXT, {"type": "array", "items": _TEXT}]},
        "system": _TEXT,
        "item": {"oneOf": [_TEXT, {"type": "integer"}]},
        "scores": {"type": "object", "additionalProperties": {"type": "number"}},
    },
}
_ROWS = {"type": "array", "items": _ROW, "minItems": 1}
_SPEC = {"type": "string", "description": "A spec: Name or Name(parameter=value); /metrics-list has those there are."}
_EXAMPLE = {
    "candidate": (
        "The bridge was closed on Monday after inspectors found rust, and two hundred workers lost their jobs."
    ),
    "references": ["Inspectors found rust in the bridge, and closed it."],
    "source": (
        "The city council met on Monday to discuss the bridge. Inspectors found rust in the steel. The bridge was "
        "closed in the evening and nobody was hurt."
    ),
}

_ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {"type": "string", "description": "One line: where, what, and what to do about it."},
        "row": {"type": "integer", "description": "The row at fault, counted from 1, where one is."},
    },
}
SCORE_FIELDS = ("rows", "metrics", "evidence")
EXPLAIN_FIELDS = ("rows", "metric")
CHECK_FIELDS = ("rows", "metric", "part", "at_least", "at_most", "allow_missing")


def _route(
    summary: str, what: str, properties: dict[str, Any] | None = None, examples: dict[str, Any] | None = None,
    statuses: tuple[int, ...] = (),
) -> dict[str, Any]:  # fmt: skip
    """What a route's decorator takes."""
    error = {"application/json": {"schema": _ERROR}}
    extra: dict[str, Any] = {}
    if properties is not None:
        required = [name for name in ("rows", "metric") if name in properties]
        schema = {"type": "object", "required": required, "additionalProperties": False, "properties": properties}
        named = {name: {"value": value} for name, value in (examples or {}).items()}
        extra["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": schema, "examples": named}},
        }
    return {
        "summary": summary,
        "response_description": what,
        "responses": {status: {"description": DOCUMENTED[status], "content": error} for status in statuses},
        "openapi_extra": extra,
        "response_model": None,
    }


_ALL = tuple(DOCUMENTED)
SCORE = _route(
    "Score rows by one metric or several.",
    'What a scores file holds: its header, and its records under "scores".',
    {"rows": _ROWS, "metrics": {"type": "array", "items": _SPEC}, "evidence": {"type": "boolean", "default": False}},
    {
        "one row by all metrics": {"rows": [_EXAMPLE]},
        "two metrics": {"rows": [_EXAMPLE], "metrics": ["TokenF1", "Consistency(aligner='D')"]},
    },
    _ALL,
)
EXPLAIN = _route(
    "Show why each row has its score.",
    "What `nlgauge explain --format json` prints.",
    {"rows": _ROWS, "metric": _SPEC},
    {"which words are not supported": {"rows": [_EXAMPLE], "metric": "Consistency(aligner='D')"}},
    _ALL,
)
CHECK = _route(
    "Hold rows to a bar.",
    "What `nlgauge check --format json` prints: passed or not, and why of each row.",
    {
        "rows": _ROWS,
        "metric": _SPEC,
        "part": {"type": "string", "description": "Which part of a metric that has several; the first by default."},
        "at_least": {"type": "number"},
        "at_most": {"type": "number"},
        "allow_missing": {"type": "boolean", "default": False},
    },
    {"a bar": {"rows": [_EXAMPLE], "metric": "Consistency(aligner='D')", "at_least": 0.95}},
    _ALL,
)
LIST = _route("Which metrics there are.", "Their specs, and what each reads.", statuses=(401, 421))
METRICS = _route("For Prometheus.", "Counts and times, in its text format.", statuses=(401, 421))
HEALTH = _route("Whether the service runs.", "It does.", statuses=(421,))
READY = _route("Whether a request would be scored in time.", "It would.", statuses=(421, 503))

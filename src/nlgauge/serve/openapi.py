"""The bodies that the routes take, and what /openapi.json says of each route: examples, and every status."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

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
# What is in a row is read as in a file, with the same errors.
Rows = Annotated[list[Any], WithJsonSchema({"type": "array", "items": _ROW, "minItems": 1})]
Spec = Annotated[str, Field(description="A spec: Name or Name(parameter=value); /metrics-list has those there are.")]


class Body(BaseModel):
    """The fields of every body."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)

    rows: Rows


class ScoreBody(Body):
    """Rows to score; by all metrics of the start where none are given."""

    metrics: Annotated[list[Spec], Field(min_length=1)] | None = None
    evidence: bool = False


class ExplainBody(Body):
    """Rows to explain."""

    metric: Spec


class CheckBody(ExplainBody):
    """Rows to hold to a threshold."""

    part: Annotated[str, Field(description="Which sub-score; the first by default.")] | None = None
    at_least: float | None = None
    at_most: float | None = None
    allow_missing: bool = False


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


def _route(
    summary: str, what: str, body: type[Body] | None = None, examples: dict[str, Any] | None = None,
    statuses: tuple[int, ...] = (),
) -> dict[str, Any]:  # fmt: skip
    """What a route's decorator takes."""
    error = {"application/json": {"schema": _ERROR}}
    extra: dict[str, Any] = {}
    if body is not None:
        named = {name: {"value": value} for name, value in (examples or {}).items()}
        content = {"application/json": {"schema": body.model_json_schema(), "examples": named}}
        extra["requestBody"] = {"required": True, "content": content}
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
    ScoreBody,
    {
        "one row by all metrics": {"rows": [_EXAMPLE]},
        "two metrics": {"rows": [_EXAMPLE], "metrics": ["TokenF1", "Consistency(aligner='D')"]},
    },
    _ALL,
)
EXPLAIN = _route(
    "Show why each row has its score.",
    "What `nlgauge explain --format json` prints.",
    ExplainBody,
    {"which words are not supported": {"rows": [_EXAMPLE], "metric": "Consistency(aligner='D')"}},
    _ALL,
)
CHECK = _route(
    "Hold rows to a threshold.",
    "What `nlgauge check --format json` prints: passed or not, and why of each row.",
    CheckBody,
    {"a threshold": {"rows": [_EXAMPLE], "metric": "Consistency(aligner='D')", "at_least": 0.95}},
    _ALL,
)
LIST = _route("Which metrics there are.", "Their specs, and what each reads.", statuses=(401, 421))
METRICS = _route("For Prometheus.", "Counts and times, in its text format.", statuses=(401, 421))
HEALTH = _route("Whether the service runs.", "It does.", statuses=(421,))
READY = _route("Whether a request would be scored in time.", "It would.", statuses=(421, 503))

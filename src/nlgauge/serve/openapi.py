"""The bodies that the routes take, and the description of each route in /openapi.json: examples and statuses."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from nlgauge.serve.answers import DOCUMENTED

_TEXT: dict[str, Any] = {"type": "string"}
_TEXTS: dict[str, Any] = {"oneOf": [_TEXT, {"type": "array", "items": _TEXT}]}
_ROW = {
    "type": "object",
    "required": ["candidate"],
    "description": "One output, in the row format of nlgauge; columns of other names are allowed and not read.",
    "properties": {
        "candidate": _TEXT,
        "references": _TEXTS,
        "source": {**_TEXTS, "description": "What may support the candidate: a text, or a list of passages."},
        "question": {"type": "string", "description": "What the candidate answers; no support of it."},
        "context": _TEXTS,
        "system": _TEXT,
        "item": {"oneOf": [_TEXT, {"type": "integer"}]},
        "scores": {"type": "object", "additionalProperties": {"type": "number"}},
    },
}
# What is in a row is read as in a file, with the same errors.
Rows = Annotated[list[Any], WithJsonSchema({"type": "array", "items": _ROW, "minItems": 1})]
Spec = Annotated[str, Field(description="A spec: Name or Name(parameter=value); /metrics-list has those there are.")]


_STRICT = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


class Body(BaseModel):
    """The fields that all bodies with rows have."""

    model_config = _STRICT

    rows: Rows


class ScoreBody(Body):
    """Rows to score. Without metrics, all metrics that were named at the start are used."""

    metrics: Annotated[list[Spec], Field(min_length=1)] | None = None
    evidence: bool = False


class ExplainBody(Body):
    """Rows to explain."""

    metric: Spec


class CheckBody(Body):
    """Rows to check against a threshold or against their sources."""

    metric: Spec | None = None
    grounded: Annotated[bool, Field(description="Whether the source supports the answers; the set decides.")] = False
    strict: (
        Annotated[
            Literal["fails", "doubtful"],
            Field(description="With grounded: one failing row fails the set; 'doubtful': one doubtful row too."),
        ]
        | None
    ) = None
    part: Annotated[str, Field(description="Which sub-score; the deciding one by default.")] | None = None
    at_least: float | None = None
    at_most: float | None = None
    allow_missing: bool = False


class StreamBody(BaseModel):
    """The first line of a body of /stream: the source that the answer is checked against, and the question."""

    model_config = _STRICT

    source: Annotated[Any, WithJsonSchema(_TEXTS)]
    question: str | None = None
    metric: Spec | None = None


class PieceBody(BaseModel):
    """A further line of a body of /stream: a piece of the answer, of any length."""

    model_config = _STRICT

    text: str


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
    summary: str,
    what: str,
    body: type[BaseModel] | None = None,
    examples: dict[str, Any] | None = None,
    statuses: tuple[int, ...] = (),
    kind: str = "application/json",
) -> dict[str, Any]:
    """Return the arguments for a route's decorator.

    Args:
        summary: what the route does.
        what: what its answer holds.
        body: the model of a request's body; None for a route without a body.
        examples: bodies by the names of the examples.
        statuses: the statuses of errors that the route may send.
        kind: the content type of the request's body.

    Returns:
        Arguments by name.
    """
    error = {"application/json": {"schema": _ERROR}}
    extra: dict[str, Any] = {}
    if body is not None:
        named = {name: {"value": value} for name, value in (examples or {}).items()}
        content = {kind: {"schema": body.model_json_schema(), "examples": named}}
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
    body=ScoreBody,
    examples={
        "one row by all metrics": {"rows": [_EXAMPLE]},
        "two metrics": {"rows": [_EXAMPLE], "metrics": ["TokenF1", "Faithfulness"]},
    },
    statuses=_ALL,
)
EXPLAIN = _route(
    "Show why each row has its score.",
    "What `nlgauge explain --format json` prints.",
    body=ExplainBody,
    examples={"which words are not supported": {"rows": [_EXAMPLE], "metric": "Faithfulness"}},
    statuses=_ALL,
)
CHECK = _route(
    "Hold rows to a threshold, or to their sources.",
    "What `nlgauge check --format json` prints: passed or not, and of each row what was found and why.",
    body=CheckBody,
    examples={
        "does the source support it": {"rows": [_EXAMPLE], "grounded": True},
        "a threshold": {"rows": [_EXAMPLE], "metric": "Faithfulness", "at_least": 0.95},
    },
    statuses=_ALL,
)
STREAM = _route(
    "Check an answer while it is sent.",
    "A line for each sentence that has ended, as a row of /check; then a line with `passed` and `sentences`. An "
    "error is the last line.",
    body=StreamBody,
    examples={
        'the first line; others hold a piece of the answer each, as in {"text": "The ferry "}': {"source": ["..."]}
    },
    statuses=_ALL,
    kind="application/x-ndjson",
)
LIST = _route("Which metrics there are.", "Their specs, and what each reads.", statuses=(401, 421))
METRICS = _route("For Prometheus.", "Counts and times, in its text format.", statuses=(401, 421))
HEALTH = _route("Whether the service runs.", "It does.", statuses=(421,))
READY = _route("Whether a request would be scored in time.", "It would.", statuses=(421, 503))

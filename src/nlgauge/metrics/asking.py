"""What a judge is told of the form of its answer: in words, and as a JSON schema."""

from __future__ import annotations

import json
from typing import Any

from nlgauge.metrics.replies import Numbers

NAME = "answer"
"""The field of JSON that holds the label, and the name of a question"""
REASON = "reason"
_FEW = 6
TOKENS = 16
"""The longest answer, in tokens, where a label is all that is asked for"""
TOKENS_WITH_REASON = 512


def form_of_answer(labels: Numbers, json_wanted: bool, reason: bool, ours: bool) -> str:
    """Return the sentences that say how to answer, empty for a prompt of the user's that need not give a reason."""
    if not (ours or reason):
        return ""
    words = " or ".join(labels) if len(labels) <= _FEW else f"one of {', '.join(labels)}"
    if json_wanted:
        records = [{**({REASON: "..."} if reason else {}), NAME: label} for label in labels]
        said = " or ".join(map(json.dumps, records[:_FEW]))
        order = f"\nThe {REASON}, in a sentence or two, comes first." if reason else ""
        return f"\nAnswer with JSON alone: {said}.{order}"
    if not reason:
        return f"\nAnswer with one word: {words}."
    return f"\nFirst write the reason, in a sentence or two. Then write the answer alone on the last line: {words}."


def schema_of_answer(labels: Numbers, reason: bool) -> dict[str, Any]:
    """Return the JSON schema of an answer; the reason stands before the label, so that it is written before it."""
    fields: dict[str, Any] = {REASON: {"type": "string"}} if reason else {}
    fields[NAME] = {"type": "string", "enum": list(labels)}
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}

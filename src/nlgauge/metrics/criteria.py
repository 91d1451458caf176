"""Several questions about the same texts in one request to a chat, each answered under its own name in one object."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from nlgauge.errors import SpecError
from nlgauge.metrics.answers import REASON, Chat
from nlgauge.metrics.prompts import Asked
from nlgauge.metrics.reading import Answer, Failure
from nlgauge.metrics.replies import labels_in

MOST = 20
"""Criteria that a request may ask for"""
TOKENS_EACH = 24
"""Tokens of a name and its label"""
_TAKEN = ("score", "spread", "flips", "turns", REASON)


def criteria_of(metric: str, criteria: object) -> dict[str, str]:
    """Return questions by the names of their sub-scores.

    Args:
        metric: the name of the metric, for errors.
        criteria: what the metric was given.

    Returns:
        The questions, in their order.

    Raises:
        SpecError: they are none, or a name is none of a sub-score.
    """
    remedy = "write {'supported': 'Is every statement supported?', 'complete': 'Is nothing left out?'}"
    if not isinstance(criteria, Mapping) or not 2 <= len(criteria) <= MOST:
        raise SpecError(f"{metric}: criteria= are 2 to {MOST} questions by name; {remedy}")
    for name, question in criteria.items():
        if not isinstance(name, str) or not re.fullmatch(r"[a-z][a-z0-9_]{0,39}", name) or name in _TAKEN:
            raise SpecError(f"{metric}: criteria: {name!r} is no name of a sub-score: lower case, and none of ours")
        if not isinstance(question, str) or not question.strip():
            raise SpecError(f"{metric}: criteria: {name!r} has no question; {remedy}")
    return dict(criteria)


@dataclass
class ChatOfCriteria(Chat):
    """Chat completions that answer several questions in one JSON object."""

    criteria: Mapping[str, str] = field(default_factory=dict)

    def question_of(self, asked: Asked) -> str:
        """Return the questions, each behind its name, and how to answer them."""
        questions = "\n".join(f"{name}: {question}" for name, question in self.criteria.items())
        fields = {**({REASON: "..."} if self.reason else {}), **dict.fromkeys(self.criteria, "...")}
        order = f" The {REASON}, in a sentence or two, comes first." if self.reason else ""
        form = f"Answer with JSON alone, each question under its name by one of {', '.join(self.labels)}: "
        before = f"{asked.question.strip()}\n" if asked.question.strip() else ""
        return f"{before}Questions:\n{questions}\n\n{form}{json.dumps(fields)}.{order}"

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of an answer."""
        fields: dict[str, Any] = {REASON: {"type": "string"}} if self.reason else {}
        fields |= {name: {"type": "string", "enum": list(self.labels)} for name in self.criteria}
        return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}

    def each(self, content: Mapping[str, Any]) -> list[Answer]:
        """Return the answer to each question. A question that has none leaves the others theirs."""
        final = self.final(content)
        if isinstance(final, Failure):
            return [final] * len(self.criteria)
        text, choice = final
        labels = labels_in(text, self.labels, list(self.criteria))
        if labels is None:
            return [self.unread(text, choice)] * len(self.criteria)
        return [
            self.number(choice, label, text)
            if (label := labels.get(name)) is not None
            else Failure(f"{name}: the answer has none of {', '.join(map(repr, self.labels))} under this name")
            for name in self.criteria
        ]

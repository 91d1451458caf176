"""Several questions about the same texts in one request to a chat. One JSON object has all answers, by name."""

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
"""The most criteria of a request"""
TOKENS_EACH = 24
"""The number of tokens of a name and its label"""
_TAKEN = ("score", "spread", "flips", "turns", REASON)


def criteria_of(metric: str, criteria: object) -> dict[str, str]:
    """Return the value of the parameter `criteria` after a check: questions by the names of their sub-scores.

    Args:
        metric: the name of the metric, for errors.
        criteria: the value of the parameter.

    Returns:
        The questions, in their order.

    Raises:
        SpecError: the value is no mapping of 2 to 20 names to questions, or a name cannot be that of a sub-score.
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
    """The interface of chat completions, where one JSON object answers several questions."""

    criteria: Mapping[str, str] = field(default_factory=dict)

    def question_of(self, asked: Asked) -> str:
        """Return the questions, each after its name, followed by the sentences on how to answer them."""
        questions = "\n".join(f"{name}: {question}" for name, question in self.criteria.items())
        fields = {**({REASON: "..."} if self.reason else {}), **dict.fromkeys(self.criteria, "...")}
        order = f" The {REASON}, in a sentence or two, comes first." if self.reason else ""
        form = f"Answer with JSON alone, each question under its name by one of {', '.join(self.labels)}: "
        before = f"{asked.question.strip()}\n" if asked.question.strip() else ""
        return f"{before}Questions:\n{questions}\n\n{form}{json.dumps(fields)}.{order}"

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of a reply, with a field for each question."""
        fields: dict[str, Any] = {REASON: {"type": "string"}} if self.reason else {}
        fields |= {name: {"type": "string", "enum": list(self.labels)} for name in self.criteria}
        return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}

    def each(self, content: Mapping[str, Any]) -> list[Answer]:
        """Return the answer to each question, or its failure. The failure of one question does not affect others."""
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

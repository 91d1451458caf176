"""Decision models, which answer typed questions about a text by probabilities: `/decisions` and System One.

A question of yes or no has the type predicate (System One: noul). A question with labels has the type choice. A scale
has the type score, with a level for each number. The number of an answer is the mean over the numbers of the labels,
weighted by their probabilities.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from nlgauge.data.corpus.numbers import label_key
from nlgauge.data.corpus.place import shown
from nlgauge.metrics.answers import NAME
from nlgauge.metrics.prompts import Asked
from nlgauge.metrics.reading import YES_NO, Answer, Failure, Read
from nlgauge.metrics.replies import Numbers

MOST_LEVELS = 10
"""The most levels of a scale"""


@dataclass
class _Form:
    """How a decision model is asked and how its replies are read: what `Decisions` and `SystemOne` have in common."""

    model: str
    labels: Numbers
    scale: bool
    """Whether the labels are the numbers of a scale, in order"""
    criteria: Mapping[str, str] = field(default_factory=dict)
    """The questions of a request, by name; empty for the single question of the prompt"""
    without: set[str] = field(default_factory=set)

    def questions(self, asked: Asked) -> Mapping[str, str]:
        """Return the questions of a request, by name."""
        return self.criteria or {NAME: asked.question}

    def read(self, content: Mapping[str, Any]) -> Answer:
        """Return the number of a reply to a single question, or the failure with the reason."""
        return self.each(content)[0]

    def each(self, content: Mapping[str, Any]) -> list[Answer]:
        """Return the answer to each question of a request, from the reply."""
        raise NotImplementedError

    def learn(self, content: Mapping[str, Any]) -> bool:
        """Return False: no first reply makes it necessary to change the requests."""
        return False

    def refused(self, failure: str) -> str | None:
        """Return None: these interfaces have no parameter that could be left out after a refusal."""
        return None

    def _number(self, answer: object, yes: str) -> Answer:
        """Return the number of an answer, or the failure; `yes` is the field that holds the probability of yes."""
        if not isinstance(answer, dict):
            return Failure("the reply has no answer to the question", temporary=True)
        if answer.get("type") == "refusal":
            said = answer.get("refusal", answer.get("reason"))
            return Failure("the judge refused" + (f": {shown(said)}" if isinstance(said, str) and said else ""))
        if self.labels == YES_NO:
            number = answer.get(yes)
            if not _is_share(number):
                return Failure(f"the answer's {yes} is {shown(number)}, not a number from 0 to 1")
            return Read(float(number), by_probability=True)
        return self._mean(answer)

    def _mean(self, answer: Mapping[str, Any]) -> Answer:
        weights = _by_label(answer.get("probabilities"))
        if weights is None:
            return self._written(answer)
        levels = list(self.labels) if not self.scale else [str(level) for level in range(len(self.labels))]
        total = math.fsum(weights.values())
        if not weights.keys() <= set(levels) or not math.isclose(total, 1, abs_tol=0.02):
            return Failure(f"the answer's probabilities are {shown(weights)}, which are not those of the labels")
        numbers = dict(zip(levels, self.labels.values(), strict=True))
        mean = math.fsum(numbers[name] * weight for name, weight in weights.items()) / total
        return Read(mean, by_probability=True)

    def _written(self, answer: Mapping[str, Any]) -> Answer:
        """Return the number of an answer that has no probabilities, or the failure.

        With labels it is the number of the chosen label. On a scale it is the least number of the scale plus the
        answer's score.
        """
        if self.scale:
            score = answer.get("score")
            if not _is_number(score) or not 0 <= score <= len(self.labels) - 1:
                return Failure(f"the answer's score is {shown(score)}, not a number from 0 to {len(self.labels) - 1}")
            return Read(min(self.labels.values()) + float(score), by_probability=True)
        label = label_key(answer.get("choice"))
        if label not in self.labels:
            return Failure(f"the answer's choice is {shown(answer.get('choice'))}, none of the labels")
        return Read(float(self.labels[label]), by_probability=False, label=label)


@dataclass
class Decisions(_Form):
    """The interface `/decisions` of a decision model."""

    def body(self, asked: Asked, seed: int | None) -> dict[str, Any]:
        """Return the body of a request about a filled prompt. The seed is not used."""
        kind: dict[str, Any] = {"type": "predicate"}
        if self.scale:
            kind = {"type": "score", "levels": [{"label": label} for label in self.labels]}
        elif self.labels != YES_NO:
            kind = {"type": "choice", "choices": [{"value": label} for label in self.labels]}
        questions = [{**kind, "name": name, "instructions": text} for name, text in self.questions(asked).items()]
        return {"model": self.model, "input": asked.material, "questions": questions}

    def each(self, content: Mapping[str, Any]) -> list[Answer]:
        """Return the answer to each question of a request. If there are several, answers are found by name."""
        answers = content.get("answers")
        listed = [answer for answer in answers if isinstance(answer, dict)] if isinstance(answers, list) else []
        if not self.criteria:
            return [self._number(listed[0] if len(listed) == 1 else None, "probability")]
        by_name = {answer.get("name"): answer for answer in listed}
        return [self._number(by_name.get(name), "probability") for name in self.criteria]


@dataclass
class SystemOne(_Form):
    """The interface of the service System One. Its requests and replies have other field names than `/decisions`."""

    def body(self, asked: Asked, seed: int | None) -> dict[str, Any]:
        """Return the body of a request about a filled prompt. The seed is not used."""
        kind: dict[str, Any] = {"type": "noul"}
        if self.scale:
            kind = {"type": "score", "criteria": list(self.labels)}
        elif self.labels != YES_NO:
            kind = {"type": "choice", "criteria": dict.fromkeys(self.labels)}
        questions = {name: {**kind, "instructions": text} for name, text in self.questions(asked).items()}
        return {"model": self.model, "state": asked.material, "questions": questions}

    def each(self, content: Mapping[str, Any]) -> list[Answer]:
        """Return the answer to each question of a request. Answers are found by the names of the questions."""
        answers = content.get("answers")
        by_name = answers if isinstance(answers, dict) else {}
        return [self._number(by_name.get(name), "noul") for name in self.criteria or (NAME,)]


def _by_label(probabilities: object) -> dict[str, float] | None:
    """Return the probabilities by label or level, from a list of records or a mapping; None if there are none."""
    if isinstance(probabilities, list):
        pairs = [(level.get("value"), level.get("probability")) for level in probabilities if isinstance(level, dict)]
    else:
        pairs = list(probabilities.items()) if isinstance(probabilities, dict) else []
    weights = {label_key(label): float(share) for label, share in pairs if _is_share(share)}
    return weights if weights and len(weights) == len(pairs) else None


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_share(value: object) -> TypeGuard[float]:
    return _is_number(value) and 0 <= value <= 1

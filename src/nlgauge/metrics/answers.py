"""What judges are asked and how their answers are read: chat completions, decisions, System One.

An answer becomes a number between those of the labels, or a `Failure` with the reason. Nothing is guessed.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import urlsplit

from nlgauge.data.corpus.numbers import label_key
from nlgauge.data.corpus.place import shown
from nlgauge.metrics.prompts import Asked

Numbers: TypeAlias = Mapping[str, float]
"""Numbers by label, labels in lower case"""
YES_NO: Numbers = {"yes": 1.0, "no": 0.0}
_MOST_LOGPROBS = 20
_THOUGHTS = re.compile(r"^\s*<think>.*?(</think>|\Z)", re.DOTALL)
_KEYS = ("answer", "verdict", "label", "score")
_NAME = "answer"


class Failure(NamedTuple):
    """Why there is no number."""

    reason: str
    temporary: bool = False


class Read(NamedTuple):
    """A number that was read from an answer."""

    number: float
    by_probability: bool
    """Whether it comes from the probabilities of the labels, and not from the label that was written"""


Answer: TypeAlias = Read | Failure


@dataclass
class Chat:
    """Chat completions: one word, with the probabilities of its alternatives where the server gives them."""

    labels: Numbers
    model: str | None
    most_tokens: int
    temperature: float
    json: bool
    ours: bool
    """Whether the question is ours, which has no word yet on how to answer"""
    without: set[str] = field(default_factory=set)
    """Parameters that the server was found not to take"""

    def body(self, asked: Asked, seed: int | None) -> dict[str, Any]:
        question = asked.question
        if self.ours:
            words = " or ".join(self.labels)
            said = " or ".join(json.dumps({_NAME: label}) for label in self.labels)
            question += f"\nAnswer with JSON alone: {said}." if self.json else f"\nAnswer with one word: {words}."
        content = "\n\n".join(part for part in (asked.material, question) if part)
        optional: dict[str, Any] = {
            "logprobs": True,
            "top_logprobs": _MOST_LOGPROBS,
            "temperature": self.temperature,
            "max_tokens": self.most_tokens,
        }
        if seed is not None:
            optional["seed"] = seed
        if self.json:
            schema = {
                "type": "object",
                "properties": {_NAME: {"type": "string", "enum": list(self.labels)}},
                "required": [_NAME],
                "additionalProperties": False,
            }
            form = {"name": "answer", "strict": True, "schema": schema}
            optional["response_format"] = {"type": "json_schema", "json_schema": form}
        if "logprobs" in self.without:
            del optional["top_logprobs"]
        body = {"model": self.model, "messages": [{"role": "user", "content": content}], **optional}
        if "max_tokens" in self.without:
            body["max_completion_tokens"] = self.most_tokens
        return {name: value for name, value in body.items() if value is not None and name not in self.without}

    def refused(self, failure: str) -> str | None:
        """Return the parameter that a server's refusal names, if it can be left out."""
        optional = ("top_logprobs", "logprobs", "response_format", "max_tokens", "temperature", "seed")
        return next((name for name in optional if name in failure and name not in self.without), None)

    def read(self, content: Mapping[str, Any]) -> Answer:
        choices = content.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(choice, dict) or not isinstance(message, dict):
            return Failure("the reply has no choices[0].message", temporary=True)
        if isinstance(message.get("refusal"), str) and message["refusal"]:
            return Failure(f"the judge refused: {shown(message['refusal'])}")
        if choice.get("finish_reason") == "content_filter":
            return Failure("the judge refused: a filter of its server stopped the answer")
        text = message.get("content")
        text = _THOUGHTS.sub("", text).strip() if isinstance(text, str) else ""
        label = self._json_label(text) if self.json or text.startswith(("{", "```")) else self._label(text)
        if label is None:
            cut = ", and is cut: most_tokens is too small" if choice.get("finish_reason") == "length" else ""
            said = f"the answer {shown(text)} is" if text else "the answer is empty, and"
            said = said if text else "the answer is empty:"
            return Failure(f"{said} {'none of' if text else 'not one of'} {', '.join(map(repr, self.labels))}{cut}")
        weights = self._weights(choice.get("logprobs"), label)
        if weights is None:
            return Read(float(self.labels[label]), by_probability=False)
        total = math.fsum(weights.values())
        return Read(math.fsum(self.labels[one] * weight for one, weight in weights.items()) / total, True)

    def _label(self, text: str) -> str | None:
        """Return the only label that the text names; of several the one that begins it and stands alone there."""
        words = "|".join(re.escape(label) for label in sorted(self.labels, key=len, reverse=True))
        found = [match[1] for match in re.finditer(rf"(?<![\w.])({words})(?!\w|\.\d)", text.casefold())]
        if len(set(found)) == 1:
            return found[0]
        first = re.match(rf"[\W_]*({words})(?=[\"'*_]*([.,:;!\n]|\s*$)(?!\d))", text.casefold())
        return first[1] if first else None

    def _json_label(self, text: str) -> str | None:
        """Return the label in a JSON object: under one of the usual keys, or its only value."""
        inner = re.sub(r"^```\w*\s*|\s*```$", "", text)
        try:
            value = json.loads(inner)
        except (ValueError, RecursionError):
            return None
        if isinstance(value, dict):
            keys = [key for key in _KEYS if key in value]
            value = value[keys[0]] if keys else next(iter(value.values())) if len(value) == 1 else None
        if isinstance(value, bool) and {"yes", "no"} <= self.labels.keys():
            return "yes" if value else "no"
        key = label_key(value) if isinstance(value, str | int | float) else ""
        return key if key in self.labels else None

    def _weights(self, logprobs: object, label: str) -> dict[str, float] | None:
        """Return the probability of each label at the token that wrote the label; None where it was not told.

        Labels that begin alike, as 1 and 10 do, are not tokens of their own, and have no probability each.
        """
        tokens = logprobs.get("content") if isinstance(logprobs, dict) else None
        alike = any(one != other and other.startswith(one) for one in self.labels for other in self.labels)
        if alike or not isinstance(tokens, list):
            return None
        for token in tokens:
            if not isinstance(token, dict) or _word(token.get("token")) != label:
                continue
            top = token.get("top_logprobs")
            weights: dict[str, float] = {}
            for one in top if isinstance(top, list) else []:
                word, logprob = (_word(one.get("token")), one.get("logprob")) if isinstance(one, dict) else ("", None)
                if word in self.labels and isinstance(logprob, int | float) and logprob <= 1e-6:
                    weights[word] = weights.get(word, 0.0) + math.exp(logprob)
            return weights if weights.get(label) else None
        return None


def _word(token: object) -> str:
    return token.strip(" \t\r\n\"'`*_.,:;!{}▁Ġ").casefold() if isinstance(token, str) else ""


@dataclass
class Decisions:
    """A decision model: the probability that the answer to a question about a text is yes."""

    model: str
    without: set[str] = field(default_factory=set)

    def body(self, asked: Asked, seed: int | None) -> dict[str, Any]:
        question = {"type": "predicate", "name": _NAME, "instructions": asked.question}
        return {"model": self.model, "input": asked.material, "questions": [question]}

    def refused(self, failure: str) -> str | None:
        return None

    def read(self, content: Mapping[str, Any]) -> Answer:
        answers = content.get("answers")
        found = [one for one in answers if isinstance(one, dict)] if isinstance(answers, list) else []
        return _probability(found[0] if len(found) == 1 else None, "probability")


@dataclass
class SystemOne:
    """A decision model behind System One, which names the same things in other words."""

    model: str
    without: set[str] = field(default_factory=set)

    def body(self, asked: Asked, seed: int | None) -> dict[str, Any]:
        question = {"type": "noul", "instructions": asked.question}
        return {"model": self.model, "state": asked.material, "questions": {_NAME: question}}

    def refused(self, failure: str) -> str | None:
        return None

    def read(self, content: Mapping[str, Any]) -> Answer:
        answers = content.get("answers")
        return _probability(answers.get(_NAME) if isinstance(answers, dict) else None, "noul")


def _probability(answer: object, name: str) -> Answer:
    if not isinstance(answer, dict):
        return Failure("the reply has no answer to the question", temporary=True)
    if answer.get("type") == "refusal":
        said = answer.get("refusal", answer.get("reason"))
        return Failure("the judge refused" + (f": {shown(said)}" if isinstance(said, str) and said else ""))
    number = answer.get(name)
    if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number <= 1:
        return Failure(f"the answer's {name} is {shown(number)}, not a number from 0 to 1")
    return Read(float(number), by_probability=True)


APIS = {"chat": "/chat/completions", "decisions": "/decisions", "systemone": "/systemone"}


def endpoint(url: str, api: str | None) -> tuple[str, str, str]:
    """Return the interface, the address that is asked, and the one that lists the models.

    Args:
        url: a base such as http://HOST:PORT/v1, or the whole address of an interface.
        api: the interface; None is the one that the address ends in, else chat.

    Returns:
        Three texts: the interface and two addresses.
    """
    ends = [name for name, path in APIS.items() if url.endswith(path)]
    api = api or (ends[0] if ends else "chat")
    if ends:
        return api, url, url.removesuffix(APIS[ends[0]]) + "/models"
    if api == "systemone":
        parts = urlsplit(url)
        url = f"{parts.scheme}://{parts.netloc}/v1"
    return api, url + APIS[api], url + "/models"


def model_names(content: Mapping[str, Any]) -> Sequence[str]:
    """Return the models that a server lists."""
    data = content.get("data", content.get("models"))
    ids = [one.get("id", one.get("name")) for one in data if isinstance(one, dict)] if isinstance(data, list) else []
    return [one for one in ids if isinstance(one, str)]

"""What judges are asked and how their answers are read: chat completions, and the addresses of all interfaces.

An answer becomes a number between those of the labels, or a `Failure` with the reason. Nothing is guessed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from nlgauge.data.corpus.place import shown
from nlgauge.metrics.final_text import final_text
from nlgauge.metrics.prompts import Asked
from nlgauge.metrics.reading import Answer, Failure, Read
from nlgauge.metrics.replies import Labelled, Numbers, abstains, label_of

NAME = "answer"
"""The field of JSON that holds the label, and the name of a question"""
REASON = "reason"
_FEW = 6
TOKENS = 16
"""The longest answer, in tokens, where a label is all that is asked for"""
TOKENS_WITH_REASON = 512
TOKENS_OF_JSON = 32
"""Tokens of an object beside names and labels: braces, quotation marks, line ends, a fence"""
_MOST_LOGPROBS = 20
_CUT = ", and is cut: most_tokens is too small"
_BLANKS = str.maketrans({"▁": " ", "Ġ": " ", "Ċ": "\n"})


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
    reason: bool = False
    """Whether the reason is asked for before the label"""
    system_role: bool = False
    """Whether the question is the system's message, and the texts are the user's"""
    without: set[str] = field(default_factory=set)
    """Parameters that the server was found not to take"""
    anew: bool = False
    """Whether the server is asked to compute each prompt from its beginning"""

    def question_of(self, asked: Asked) -> str:
        """Return the question, and how to answer it."""
        return asked.question + _form_of_answer(self.labels, self.json, self.reason, self.ours)

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of an answer; the reason stands before the label, so that it is written before it."""
        fields: dict[str, Any] = {REASON: {"type": "string"}} if self.reason else {}
        fields[NAME] = {"type": "string", "enum": list(self.labels)}
        return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}

    def body(self, asked: Asked, seed: int | None) -> dict[str, Any]:
        """Return what is sent."""
        question = self.question_of(asked).strip()
        messages = [{"role": "user", "content": "\n\n".join(part for part in (asked.material, question) if part)}]
        if self.system_role:
            messages = [{"role": "system", "content": question}, {"role": "user", "content": asked.material}]
        optional: dict[str, Any] = {
            "logprobs": True,
            "top_logprobs": _MOST_LOGPROBS,
            "temperature": self.temperature,
            "max_tokens": self.most_tokens,
        }
        if seed is not None:
            optional["seed"] = seed
        if self.json:
            form = {"name": NAME, "strict": True, "schema": self.schema()}
            optional["response_format"] = {"type": "json_schema", "json_schema": form}
        if self.anew:
            optional["cache_prompt"] = False
        if "logprobs" in self.without:
            del optional["top_logprobs"]
        body = {"model": self.model, "messages": messages, **optional}
        if "max_tokens" in self.without:
            body["max_completion_tokens"] = self.most_tokens
        return {name: value for name, value in body.items() if value is not None and name not in self.without}

    def learn(self, content: Mapping[str, Any]) -> bool:
        """Return whether a first reply changes what is sent: llama.cpp is asked to compute each prompt anew.

        It goes on from the longest beginning that a prompt shares with one before, in batches of another size, and its
        probabilities then differ by several hundredths: a row's number would depend on what was asked before.
        """
        timings = content.get("timings")
        if self.anew or not isinstance(timings, Mapping) or "prompt_ms" not in timings:
            return False
        self.anew = True
        return True

    def refused(self, failure: str) -> str | None:
        """Return the parameter that a server's refusal names, if it can be left out."""
        optional = ("top_logprobs", "logprobs", "response_format", "max_tokens", "temperature", "seed", "cache_prompt")
        return next((name for name in optional if name in failure and name not in self.without), None)

    def each(self, content: Mapping[str, Any]) -> list[Answer]:
        """Return the answer to each question that was asked, which is one."""
        return [self.read(content)]

    def read(self, content: Mapping[str, Any]) -> Answer:
        """Return the number of a reply, or why there is none."""
        final = self.final(content)
        if isinstance(final, Failure):
            return final
        text, choice = final
        label = label_of(text, self.labels)
        if label is None or self._may_be_cut(label, text, choice):
            return self.unread(text, choice)
        return self.number(choice, label, text)

    def _may_be_cut(self, label: Labelled, text: str, choice: Mapping[str, Any]) -> bool:
        """Whether a reply that was cut ends in what may be the beginning of another label, as 1 is of 10."""
        longer = any(other != label.label and other.startswith(label.label) for other in self.labels)
        return longer and choice.get("finish_reason") == "length" and text.casefold().endswith(label.label)

    def final(self, content: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]] | Failure:
        """Return the final answer of a reply and its choice, or why there is none."""
        choices = content.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(choice, dict) or not isinstance(message, dict):
            return Failure("the reply has no choices[0].message", temporary=True)
        answer = final_text(message)
        if answer.refusal is not None:
            return Failure(f"the judge refused: {shown(answer.refusal)}")
        if choice.get("finish_reason") == "content_filter":
            return Failure("the judge refused: a filter of its server stopped the answer")
        cut = _CUT if choice.get("finish_reason") == "length" else ""
        if answer.unknown is not None:
            return Failure(f"the answer has a part of the type {shown(answer.unknown)}, which is no text")
        if answer.unfinished:
            return Failure(f"the answer ends in a thought{cut or ': there is no answer behind it'}")
        if not answer.text:
            return Failure(f"the answer is empty: not one of {', '.join(map(repr, self.labels))}{cut}")
        return answer.text, choice

    def unread(self, text: str, choice: Mapping[str, Any]) -> Failure:
        """Return why a final answer has no number."""
        if abstains(text):
            return Failure(f"the judge cannot tell: {shown(text)}", abstains=True)
        cut = _CUT if choice.get("finish_reason") == "length" else ""
        return Failure(f"the answer {shown(text)} is none of {', '.join(map(repr, self.labels))}{cut}")

    def number(self, choice: Mapping[str, Any], label: Labelled, text: str) -> Read:
        """Return the number of a label, by the probabilities at its place where they were told."""
        weights = self._weights(choice.get("logprobs"), label, text)
        if weights is None:
            return Read(float(self.labels[label.label]), False, label.label, label.said)
        total = math.fsum(weights.values())
        mean = math.fsum(self.labels[word] * weight for word, weight in weights.items()) / total
        return Read(mean, True, label.label, label.said)

    def _weights(self, logprobs: object, label: Labelled, text: str) -> dict[str, float] | None:
        """Return the probability of each label at the token that begins the label; None where it was not told.

        Labels that begin alike, as 1 and 10 do, are not tokens of their own, and have no probability each.
        """
        tokens = logprobs.get("content") if isinstance(logprobs, dict) else None
        alike = any(begin != other and other.startswith(begin) for begin in self.labels for other in self.labels)
        if alike or label.place is None or not isinstance(tokens, list):
            return None
        token = _token_at(tokens, text, label.place)
        if token is None or _word(token.get("token")) != label.label:
            return None
        top = token.get("top_logprobs")
        weights: dict[str, float] = {}
        for choice in top if isinstance(top, list) else []:
            if not isinstance(choice, dict):
                continue
            word, logprob = _word(choice.get("token")), choice.get("logprob")
            if word in self.labels and isinstance(logprob, int | float) and logprob <= 1e-6:
                weights[word] = weights.get(word, 0.0) + math.exp(logprob)
        return weights if weights.get(label.label) else None


def _form_of_answer(labels: Numbers, json_wanted: bool, reason: bool, ours: bool) -> str:
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


def _token_at(tokens: Sequence[object], text: str, place: int) -> Mapping[str, Any] | None:
    """Return the token that holds a character of the final answer; None where the tokens do not spell the answer.

    The tokens may also be those of the thoughts before the answer, and of marks behind it.
    """
    spelt = [_spelling(token) for token in tokens]
    begin = "".join(spelt).rfind(text)
    if begin < 0:
        return None
    end = 0
    for token, piece in zip(tokens, spelt, strict=True):
        end += len(piece)
        if end > begin + place:
            return token if isinstance(token, Mapping) else None
    return None


def _spelling(token: object) -> str:
    said = token.get("token") if isinstance(token, Mapping) else None
    return said.translate(_BLANKS) if isinstance(said, str) else ""


def _word(token: object) -> str:
    return token.strip(" \t\r\n\"'`*_.,:;!{}▁Ġ").casefold() if isinstance(token, str) else ""


APIS = {"chat": "/chat/completions", "decisions": "/decisions", "systemone": "/systemone"}


def endpoint(url: str, api: str | None) -> tuple[str, str, str]:
    """Return the interface, the address that is asked, and the one that lists the models.

    Args:
        url: a base such as http://HOST:PORT/v1, or the whole address of an interface.
        api: the interface; None is the one that the address ends in, else chat.

    Returns:
        Three texts: the interface and two addresses.
    """
    url, mark, query = url.partition("?")
    url = url.rstrip("/")
    ends = [name for name, path in APIS.items() if url.endswith(path)]
    api = api or (ends[0] if ends else "chat")
    if ends:
        return api, url + mark + query, url.removesuffix(APIS[ends[0]]) + "/models" + mark + query
    if api == "systemone":
        parts = urlsplit(url)
        url = f"{parts.scheme}://{parts.netloc}/v1"
    return api, url + APIS[api] + mark + query, url + "/models" + mark + query


def model_names(content: Mapping[str, Any]) -> Sequence[str]:
    """Return the models that a server lists."""
    data = content.get("data", content.get("models"))
    ids = (
        [model.get("id", model.get("name")) for model in data if isinstance(model, dict)]
        if isinstance(data, list)
        else []
    )
    return [name for name in ids if isinstance(name, str)]

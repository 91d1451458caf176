"""Requests to judges by chat completions, how the replies are read, and the addresses of all interfaces of judges.

An answer becomes a number between the numbers of the labels, or a `Failure` with the reason. Nothing is guessed.
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
"""The field of JSON that holds the label, and the name of a single question"""
REASON = "reason"
_FEW = 6
TOKENS = 16
"""The longest answer, in tokens, where the judge is asked for a label alone"""
TOKENS_WITH_REASON = 512
TOKENS_OF_JSON = 32
"""The number of tokens of a JSON object beside names and labels: braces, quotation marks, line ends, a fence"""
_MOST_LOGPROBS = 20
_CUT = ", and is cut: most_tokens is too small"
_BLANKS = str.maketrans({"▁": " ", "Ġ": " ", "Ċ": "\n"})


@dataclass
class Chat:
    """The interface of chat completions. An answer is a label, with probabilities if the server gives them."""

    labels: Numbers
    model: str | None
    most_tokens: int
    temperature: float
    json: bool
    ours: bool
    """Whether the prompt is one of nlgauge's, to which the sentences on how to answer are added"""
    reason: bool = False
    """Whether the judge is asked for its reason before the label"""
    system_role: bool = False
    """Whether the question is sent as the system's message, and the texts as the user's message"""
    without: set[str] = field(default_factory=set)
    """Parameters that are not sent, because the server refused them"""
    anew: bool = False
    """Whether the server is asked to compute each prompt from its beginning"""

    def question_of(self, asked: Asked) -> str:
        """Return the question of a filled prompt, followed by the sentences on how to answer it."""
        return asked.question + _form_of_answer(self.labels, self.json, self.reason, self.ours)

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of an answer. The reason is the first field, so that the judge writes it first."""
        fields: dict[str, Any] = {REASON: {"type": "string"}} if self.reason else {}
        fields[NAME] = {"type": "string", "enum": list(self.labels)}
        return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}

    def body(self, asked: Asked, seed: int | None) -> dict[str, Any]:
        """Return the body of a request about a filled prompt; without a seed if `seed` is None."""
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
        """Return whether a first reply changes the requests: llama.cpp is then asked to compute each prompt anew.

        By default llama.cpp reuses the longest beginning that a prompt shares with an earlier one, in batches of
        another size. Its probabilities then differ by several hundredths, so that a row's number would depend on
        earlier requests.

        Args:
            content: the reply.

        Returns:
            Whether `body` now gives another request than before.
        """
        timings = content.get("timings")
        if self.anew or not isinstance(timings, Mapping) or "prompt_ms" not in timings:
            return False
        self.anew = True
        return True

    def refused(self, failure: str) -> str | None:
        """Return the parameter that a server's message of failure names, if it can be left out; else None."""
        optional = ("top_logprobs", "logprobs", "response_format", "max_tokens", "temperature", "seed", "cache_prompt")
        return next((name for name in optional if name in failure and name not in self.without), None)

    def each(self, content: Mapping[str, Any]) -> list[Answer]:
        """Return a list with the answer to the single question of a request."""
        return [self.read(content)]

    def read(self, content: Mapping[str, Any]) -> Answer:
        """Return the number of a reply, or the failure with the reason."""
        final = self.final(content)
        if isinstance(final, Failure):
            return final
        text, choice = final
        label = label_of(text, self.labels)
        if label is None or self._may_be_cut(label, text, choice):
            return self.unread(text, choice)
        return self.number(choice, label, text)

    def _may_be_cut(self, label: Labelled, text: str, choice: Mapping[str, Any]) -> bool:
        """Return whether a reply was cut behind a label that may be the beginning of another label, as 1 of 10."""
        longer = any(other != label.label and other.startswith(label.label) for other in self.labels)
        return longer and choice.get("finish_reason") == "length" and text.casefold().endswith(label.label)

    def final(self, content: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]] | Failure:
        """Return the text of the final answer of a reply, with `choices[0]`, or the failure with the reason."""
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
        """Return the failure for a final answer without a label: the judge abstains, or the text is no label."""
        if abstains(text):
            return Failure(f"the judge cannot tell: {shown(text)}", abstains=True)
        cut = _CUT if choice.get("finish_reason") == "length" else ""
        return Failure(f"the answer {shown(text)} is none of {', '.join(map(repr, self.labels))}{cut}")

    def number(self, choice: Mapping[str, Any], label: Labelled, text: str) -> Read:
        """Return the number of an answer: the mean over the labels, weighted by their probabilities.

        If the server gives no probabilities, it is the number of the written label.

        Args:
            choice: `choices[0]` of the reply.
            label: the label that the answer names.
            text: the final answer.

        Returns:
            The number, with the label and the reason of the judge.
        """
        weights = self._weights(choice.get("logprobs"), label, text)
        if weights is None:
            return Read(float(self.labels[label.label]), False, label.label, label.said)
        total = math.fsum(weights.values())
        mean = math.fsum(self.labels[word] * weight for word, weight in weights.items()) / total
        return Read(mean, True, label.label, label.said)

    def _weights(self, logprobs: object, label: Labelled, text: str) -> dict[str, float] | None:
        """Return the probability of each label at the token of the answer's label; None if the server did not give it.

        If one label begins with another, as 10 with 1, they are not tokens of their own, and the result is None.
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
    """Return the sentences that tell the judge how to answer; empty for a user's prompt without a reason.

    Args:
        labels: the number of each label.
        json_wanted: whether the answer is a JSON object.
        reason: whether the judge also gives its reason.
        ours: whether the prompt is one of nlgauge's.
    """
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
    """Return the token that holds a character of the final answer; None if the tokens do not spell the answer.

    Args:
        tokens: the tokens of the whole message, with thoughts before the answer and marks behind it.
        text: the final answer.
        place: the index of the character in the final answer.
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
    """Return the name of an interface, the address for its requests, and the address that lists the models.

    Args:
        url: a base such as http://HOST:PORT/v1, or the whole address of an interface.
        api: the name of the interface ('chat', 'decisions', 'systemone'). None takes the interface that the address
            ends in, or else 'chat'.

    Returns:
        The name of the interface, and the two addresses.
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
    """Return the names of the models in a server's list of models."""
    data = content.get("data", content.get("models"))
    ids = (
        [model.get("id", model.get("name")) for model in data if isinstance(model, dict)]
        if isinstance(data, list)
        else []
    )
    return [name for name in ids if isinstance(name, str)]

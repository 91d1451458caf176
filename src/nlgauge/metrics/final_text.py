"""The final answer in the message of a chat model, without the model's thoughts before it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

_TAGS = "think|thinking|thought|thoughts|reasoning|reflection|analysis|scratchpad|seed:think"
_OPENED = re.compile(rf"<(?:{_TAGS})>|\[think\]|◁think▷|<\|(?:begin_of_thought|start_thinking)\|>", re.IGNORECASE)
_CLOSED = re.compile(rf"</(?:{_TAGS})>|\[/think\]|◁/think▷|<\|(?:end_of_thought|end_thinking)\|>", re.IGNORECASE)
_CHANNEL = re.compile(r"<\|channel\|>\s*(\w+)[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>")
_END = re.compile(r"(?:<\|[\w ]{1,30}\|>|</s>|<end_of_turn>|<eos>)\Z")
_LONGEST_END = 40
_RESPONSE = re.compile(r"\s*Here(?: is|'s) my thought process:.*Here(?: is|'s) my response:", re.DOTALL)
_BARE_CHANNELS = re.compile(r"\s*analysis.*assistantfinal", re.DOTALL)
_THINKING = frozenset(("thinking", "reasoning", "redacted_thinking", "thought", "reasoning_text", "summary_text"))
_TEXT = frozenset(("text", "output_text"))


class FinalText(NamedTuple):
    """The final answer of a message, or the reason why the message has none."""

    text: str
    unfinished: bool = False
    """Whether the message ends inside a thought, so that there is no answer"""
    refusal: str | None = None
    """The words of the model if it refused to answer; else None"""
    unknown: str | None = None
    """The type of a part of the message that is neither text nor thought; None without such a part"""


def final_text(message: Mapping[str, Any]) -> FinalText:
    """Return the final answer of a message.

    The fields of a message that hold thoughts (`reasoning_content`, `reasoning`, `thinking`) are never read. Thoughts
    in the content are removed: parts of the type 'thinking', all text before the last closing tag (served models often
    lose the opening tag), and all channels except the final one.

    Args:
        message: `choices[0].message` of a reply. Its content is a text, a list of parts, or null.

    Returns:
        The answer without thoughts, or an empty text with the reason.
    """
    if isinstance(refusal := message.get("refusal"), str) and refusal:
        return FinalText("", refusal=refusal)
    content = message.get("content")
    if isinstance(content, Mapping):
        content = [content]
    if isinstance(content, list):
        return _of_parts(content)
    return _without_thoughts(content) if isinstance(content, str) else FinalText("")


def _of_parts(parts: list[Any]) -> FinalText:
    texts: list[str] = []
    for part in parts:
        if isinstance(part, str):
            texts.append(part)
            continue
        kind = part.get("type", "text") if isinstance(part, Mapping) else type(part).__name__
        if kind in _THINKING or (isinstance(part, Mapping) and part.get("thought") is True):
            continue
        if kind == "refusal":
            return FinalText("", refusal=str(part.get("refusal", "")))
        text = part.get("text") if kind in _TEXT else None
        text = text.get("value") if isinstance(text, Mapping) else text
        if not isinstance(text, str):
            return FinalText("", unknown=str(kind))
        texts.append(text)
    return _without_thoughts("".join(texts))


def _without_thoughts(text: str) -> FinalText:
    channels = list(_CHANNEL.finditer(text))
    if channels:
        if channels[-1][1] != "final":
            return FinalText("", unfinished=True)
        text = text[channels[-1].end() :]
    for thoughts in (_BARE_CHANNELS, _RESPONSE):
        if thought := thoughts.match(text):
            text = text[thought.end() :]
    closed = [tag.end() for tag in _CLOSED.finditer(text)]
    if closed:
        text = text[closed[-1] :]
    if _OPENED.search(text):
        return FinalText("", unfinished=True)
    text = text.strip()
    while end := _END.search(text[-_LONGEST_END:]):
        text = text[: len(text) - len(end[0])].rstrip()
    return FinalText(text)

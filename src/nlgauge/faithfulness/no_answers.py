"""Texts that are no answer: messages that a program writes when a model gave no answer, and answers that break off."""

from __future__ import annotations

import re
from collections.abc import Sequence

from nlgauge.faithfulness.layout import SHORT
from nlgauge.maths.text import words

_PROGRAM = re.compile(
    r"\W*(?:(?:undefined|null|nil|nan|nonetype|object object|todo|tbd|fixme)\W*\Z"
    r"|(?:fatal |internal |api |server |http |runtime |openai |model |unknown |unexpected )*"
    r"(?:\w+error|error|exception)\b\s*(?:\d{3}\b|[\]:!–-]|\Z|occurred|generating|calling|while|during|code)"
    r"|traceback \(most recent call last\)"
    r"|(?:http |status )?(?:code |status )?(?:408|429|500|502|503|504)\b[\s:–-]*(?:\Z|error|too many"
    r"|internal|bad|service|gateway)"
    r"|(?:(?:the |your |api )?(?:request|connection|call|generation|operation) )?(?:timed out|timeout)\b\W*\Z"
    r"|(?:the )?(?:request|connection|call|generation|completion|response) (?:has |was |is )?(?:failed|aborted"
    r"|cancelled|canceled|refused|reset|empty|interrupted)\b"
    r"|(?:rate limit|quota|context length|maximum context length|token limit) (?:was |has been |is )?(?:exceeded"
    r"|reached)"
    r"|(?:service|server|model) (?:is )?(?:temporarily |currently )?(?:unavailable|overloaded)"
    r"|(?:failed|unable) to (?:generate|fetch|parse|connect|load|get a response)\b"
    r"|internal server error|bad gateway|too many requests|empty response|no response\W*\Z)",
    re.IGNORECASE,
)
"""A message that a program writes where a model gave no answer"""
_NEVER_LAST = frozenset(
    [
        "the",
        "a",
        "an",
        "and",
        "or",
        "of",
        "because",
        "than",
        "between",
        "their",
        "its",
        "your",
        "our",
        "whose",
        "every",
        "nor",
    ]
)
"""Words after which an English sentence goes on"""
_GOES_ON = frozenset(
    [
        *("about", "after", "as", "at", "before", "by", "during", "for", "from", "in", "into", "on", "over", "through"),
        *("to", "under", "until", "with", "without", "is", "are", "was", "were", "has", "have", "will", "can", "be"),
        *("that", "which", "who", "when", "if", "not", "to", "more", "all", "both", "this", "these", "his", "her"),
    ]
)
"""Words after which most sentences go on"""
_NOT_AVAILABLE = re.compile(r"\W*(?:n/?a|not available|not applicable|no data)\W*", re.IGNORECASE)


def failed_as(text: str, others: Sequence[str], question: str) -> str:
    """Return why a text is no answer.

    Args:
        text: an answer without layout.
        others: the texts of its source.
        question: the question that the text answers; may be empty.

    Returns:
        The reason; empty if the text may be an answer, or if it reads like a message of a program that the source has.
    """
    said = words(text[:SHORT])
    if not said:
        return ""
    if question and len(text) < 2 * len(question) and words(text) == words(question):
        return "it repeats the question"
    if (match := _PROGRAM.match(text)) is not None:
        there = f" {' '.join(word for other in others for word in words(other))} "
        return (
            ""
            if f" {' '.join(words(match.group()))} " in there
            else "it is what a program writes in place of an answer"
        )
    if not question and _NOT_AVAILABLE.fullmatch(text) is not None:
        return "it says alone that there is none"
    last = re.search(r"[^\W\d_]+\Z", text[-SHORT:])
    if last is not None and last.group() in _GOES_ON and len(said) > 2:
        ending = " ".join(words(text)[-3:])
        if any(re.search(rf"\b{re.escape(ending)} \w", " ".join(words(other))) for other in others):
            return "it breaks off"  # where the source goes on
    if last is not None and (last.group().lower() if len(said) == 1 else last.group()) in _NEVER_LAST:
        return "it breaks off" if len(said) > 1 else "it is a single word"
    return ""

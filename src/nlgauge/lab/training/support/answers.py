"""Questions, and short answers that say nothing without them."""

from __future__ import annotations

import random
import re

_CLAUSE = re.compile(
    r"^(?P<subject>(?:He|She|It|They|(?:The|This|His|Her|Its|Their) (?:[\w'’-]+ ){0,3}?[a-z]+"
    r"|[A-Z][a-z]+(?: [A-Z][a-z]+)?)) "
    r"(?P<verb>is|are|was|were|can|could|will|would|must) (?P<rest>[a-z][^?!;:]{8,140})[.]$"
)
_NO_SUBJECT = re.compile(
    r"\b(?:said|says|say|that|told|asked|added|called|and|who|which|where|when|if|there|but|so|also|neither|however"
    r"|moreover|thus|then|this|these|those|today|now|here|some|others?|many|most|all)\b", re.IGNORECASE,
)  # fmt: skip
_SMALL = frozenset(["the", "a", "an", "this", "his", "her", "its", "their", "he", "she", "it", "they"])
_ASKED = (
    "What is known about this?", "What does the text say?", "What happened?", "Who was involved?",
    "When did it happen?", "How does it work?", "Why does it matter?", "Can you summarise this?", "Tell me about it.",
    "What should I know?",
)  # fmt: skip
_ABOUT = ("What is known about {}?", "Tell me about {}.", "What does the text say about {}?", "Who or what is {}?")


def question(names: list[str], rng: random.Random) -> str:
    """A question that a text may be an answer to; about one of the names, where there are some."""
    return rng.choice(_ABOUT).format(rng.choice(names)) if names and rng.random() < 0.6 else rng.choice(_ASKED)


def asked(sentence: str) -> tuple[str, str] | None:
    """The sentence as a question that is answered by yes or no, and its verb; None for one that is built otherwise."""
    match = _CLAUSE.match(sentence)
    if match is None or re.search(r"\bnot\b|n't\b|\bnever\b|, | (?:and|but) ", sentence):
        return None
    if _NO_SUBJECT.search(match["subject"].removeprefix("This ")):
        return None
    subject, verb = match["subject"], match["verb"]
    first, _, others = subject.partition(" ")
    if first.lower() in _SMALL:
        subject = f"{first.lower()} {others}".strip()
    return f"{verb.capitalize()} {subject} {match['rest']}?", verb


def answer(yes: bool, verb: str, rng: random.Random) -> str:
    """A short answer: "Yes." or "No, it was not."."""
    if rng.random() < 0.6:
        return "Yes." if yes else "No."
    whom = "they" if verb in ("are", "were") else "it"
    return f"Yes, {whom} {verb}." if yes else f"No, {whom} {verb} not."

"""A small change of a text, and what makes one."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from nlgauge.maths.sentences import sentence_ends

Span: TypeAlias = "tuple[int, int]"
_NAME = re.compile(r"\b[A-Z][a-z'’-]+(?:\.? (?:(?:of|the|de|van|von|al|and the) )?[A-Z][a-z'’-]+)*(?![A-Za-z])")
_DAYS = re.compile(
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December|Monday|Tuesday|Wednesday"
    r"|Thursday|Friday|Saturday|Sunday|World War|Street|However|But|And)\b"
)


@dataclass(frozen=True)
class Edit:
    """A changed text, and where it says something else than before."""

    text: str
    spans: tuple[Span, ...]
    """Characters of `text` that are no longer supported"""
    contradicts: bool | None
    """Whether what supported the text before contradicts it now (True), or does not mention it; None for either"""


@dataclass(frozen=True)
class Place:
    """A text that is supported, and what it stands among."""

    text: str
    context: str
    """What supports it"""
    elsewhere: str
    """A passage that has nothing to do with it"""


Edits: TypeAlias = "Callable[[Place, random.Random], Edit | None]"
"""An edit of one kind; None where the text has nothing to edit so"""


def replaced(text: str, span: Span, new: str, contradicts: bool | None = True) -> Edit:
    """The text with `new` in place of a span, as large or small at its beginning as what stood there."""
    begin, end = span
    if text[begin:end][:1].isupper() and new[:1].islower():
        new = new[0].upper() + new[1:]
    return Edit(text[:begin] + new + text[end:], ((begin, begin + len(new)),), contradicts)


def sentences(text: str) -> list[str]:
    """The sentences of a text, without the spaces around them."""
    ends = [0, *sentence_ends(text), len(text)]
    return [part for begin, end in pairwise(ends) if (part := text[begin:end].strip())]


def names(text: str) -> list[re.Match[str]]:
    """Places of names: words with a capital, but for the first word of a sentence where it stands alone."""
    starts = {0, *sentence_ends(text)}
    return [
        match
        for match in _NAME.finditer(text)
        if (match.start() not in starts or " " in match.group()) and len(match.group()) > 2
        if not _DAYS.search(match.group())
    ]


def drawn(rng: random.Random, some: Sequence[str]) -> str | None:
    """One of some texts, or None of none."""
    return rng.choice(some) if some else None

"""Small changes of a text after which its source no longer supports it: other names or words, or foreign clauses."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from nlgauge.faithfulness.opposites import OPPOSITES, STRENGTHS
from nlgauge.maths.text import sentence_ends

Span: TypeAlias = "tuple[int, int]"
_NAME = re.compile(r"\b[A-Z][a-z'’-]+(?:\.? (?:(?:of|the|de|van|von|al|and the) )?[A-Z][a-z'’-]+)*(?![A-Za-z])")
_DAYS = re.compile(
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December|Monday|Tuesday|Wednesday"
    r"|Thursday|Friday|Saturday|Sunday|World War|Street|However|But|And)\b"
)


@dataclass(frozen=True)
class Edit:
    """A changed text, with the spans of the change."""

    text: str
    spans: tuple[Span, ...]
    """Characters of `text` that are no longer supported"""
    contradicts: bool | None
    """Whether the source contradicts the change (True) or does not mention it (False); None if it may be either"""


@dataclass(frozen=True)
class Place:
    """A supported text with its source, and a passage about something else."""

    text: str
    context: str
    """The source that supports the text"""
    elsewhere: str
    """A passage about something else"""


Edits: TypeAlias = "Callable[[Place, random.Random], Edit | None]"
"""Makes an edit of one kind; None if the text has nothing that this kind can change"""


def replaced(text: str, span: Span, new: str, contradicts: bool | None = True) -> Edit:
    """Return an edit that puts `new` in place of a span. If the span began with a capital, `new` does too.

    Args:
        text: the text.
        span: the characters that are replaced.
        new: the new words.
        contradicts: whether the source contradicts the new words, as in `Edit.contradicts`.
    """
    begin, end = span
    if text[begin:end][:1].isupper() and new[:1].islower():
        new = new[0].upper() + new[1:]
    return Edit(text[:begin] + new + text[end:], ((begin, begin + len(new)),), contradicts)


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, without the spaces around them."""
    ends = [0, *sentence_ends(text), len(text)]
    return [part for begin, end in pairwise(ends) if (part := text[begin:end].strip())]


def names(text: str) -> list[re.Match[str]]:
    """Return matches of names: words with a capital, except a single word at the beginning of a sentence."""
    starts = {0, *sentence_ends(text)}
    return [
        match
        for match in _NAME.finditer(text)
        if (match.start() not in starts or " " in match.group()) and len(match.group()) > 2
        if not _DAYS.search(match.group())
    ]


def drawn(rng: random.Random, some: Sequence[str]) -> str | None:
    """Return one of some texts, drawn at random; None if there is none."""
    return rng.choice(some) if some else None


_LISTED = re.compile(r"\W*(?:and|or|,)?\W*")
_ROLES = re.compile(
    r"\b(?:by|to|from|over|than|for|against|after|before|told|asked|beat|defeated|replaced|succeeded|married|bought|sold"
    r"|joined|left|of|in|with|at|on)\b"
)


def name(place: Place, rng: random.Random) -> Edit | None:
    """Return an edit that replaces a name by another one, from the context or from the other passage."""
    found = [match for match in names(place.text) if match.group() in place.context]
    if not found:
        return None
    match = rng.choice(found)
    own, spaces = set(match.group().split()), match.group().count(" ")
    there = place.context if rng.random() < 0.5 else place.elsewhere
    others = [other.group() for other in names(there)]
    others = [one for one in others if not own & set(one.split()) and one not in place.text]
    others = [one for one in others if abs(one.count(" ") - spaces) <= 1]
    new = drawn(rng, others)
    return None if new is None else replaced(place.text, match.span(), new)


def roles(place: Place, rng: random.Random) -> Edit | None:
    """Return an edit that exchanges two names of a sentence, so that it is wrong about who did it to whom."""
    text, found = place.text, names(place.text)
    pairs = [
        (a, b)
        for a, b in pairwise(found)
        if not set(a.group().split()) & set(b.group().split())
        and not _LISTED.fullmatch(between := text[a.end() : b.start()])
        and _ROLES.search(between)
        and not re.search(r"[.!?;]", between)
    ]
    if not pairs:
        return None
    a, b = rng.choice(pairs)
    edit = text[: a.start()] + b.group() + text[a.end() : b.start()] + a.group() + text[b.end() :]
    moved = b.start() + len(b.group()) - len(a.group())
    return Edit(edit, ((a.start(), a.start() + len(b.group())), (moved, moved + len(a.group()))), True)


_CAUSE = re.compile(r",? (because|since|due to|as a result of|in order to|so that|thanks to|owing to) ")
_CONNECTED = ("because", "since", "after", "so that", "although", "while")
_PLAIN = re.compile(r"^(?:[Tt]he|[Aa]|[Tt]hey|[Ii]t|[Hh]e|[Ss]he|[Mm]any|[Ss]ome|[Tt]here|[Mm]ost) [^,;:()]{15,90}[.]$")


def addition(place: Place, rng: random.Random) -> Edit | None:
    """Return an edit that adds a sentence of the other passage before or after the text."""
    others = [one for one in sentences(place.elsewhere) if 5 <= len(one.split()) <= 25]
    if not others:
        return None
    new, text = rng.choice(others), place.text
    if rng.random() < 0.6:
        return Edit(f"{text} {new}", ((len(text) + 1, len(text) + 1 + len(new)),), False)
    return Edit(f"{new} {text}", ((0, len(new)),), False)


def tail(place: Place, rng: random.Random) -> Edit | None:
    """Return an edit that adds the end of a sentence of the other passage to the text."""
    ends = [one.split(", ", 1)[1].rstrip(".!?") for one in sentences(place.elsewhere) if one.count(", ") == 1]
    ends = [one for one in ends if 3 <= len(one.split()) <= 12]
    return _ended(place.text, f", {rng.choice(ends)}") if ends else None


def cause(place: Place, rng: random.Random) -> Edit | None:
    """Return an edit that gives a sentence another reason.

    It is the reason of another sentence, or a clause that is no reason.
    """
    there = rng.random() < 0.5
    others = [one for one in sentences(place.context if there else place.elsewhere) if one not in place.text]
    reasons = [match.group(1) + " " + one[match.end() :] for one in others for match in [_CAUSE.search(one)] if match]
    reasons = [one.rstrip(".!?") for one in reasons if 4 <= len(one.split()) <= 16]
    clauses = [f"{rng.choice(_CONNECTED)} {one[0].lower()}{one[1:].rstrip('.')}" for one in others if _PLAIN.match(one)]
    new = rng.choice(reasons) if reasons and rng.random() < 0.6 else rng.choice(clauses or reasons or [""])
    if not new:
        return None
    text = place.text
    if (own := _CAUSE.search(text)) and not re.search(r"[.!?] ", text[own.end() :]):
        end = len(text.rstrip(".!?"))
        begin = own.start(1)
        return Edit(text[:begin] + new + text[end:], ((begin, begin + len(new)),), False)
    return _ended(text, f" {new}")


def _ended(text: str, end: str) -> Edit:
    body = text.rstrip(".!? ")
    first = len(body) + len(end) - len(end.lstrip(" ,"))
    return Edit(f"{body}{end}.", ((first, len(body) + len(end)),), False)


_WORD = re.compile(r"\b[A-Za-z]+\b")
_STRENGTH = {words: [other for other in group if other != words] for group in STRENGTHS for words in group}
_STRONG = re.compile(r"\b(?:" + "|".join(sorted(_STRENGTH, key=len, reverse=True)) + r")\b", re.IGNORECASE)
_BE = (
    *("is", "are", "was", "were", "has", "have", "had", "can", "could", "will", "would", "should", "may", "might"),
    *("must", "does", "do", "did"),
)
_VERB = re.compile(rf"\b({'|'.join(_BE)})\b(?! not\b)(?!n[o']t)(?= [a-z])")
_NOT = re.compile(rf"\b({'|'.join(_BE)})( not|n't)\b")
_TENSES = (
    (r"\bwill be\b", "has already been"),
    (r"\bhas been\b", "will be"),
    (r"\bhave been\b", "will be"),
    (r"\bwas\b", "will be"),
    (r"\bwere\b", "will be"),
    (r"\bis to be\b", "has been"),
    (r"\bwill\b", "has refused to"),
    (r"\bis\b", "used to be"),
    (r"\bare\b", "used to be"),
    (r"\bhas\b(?= [a-z]+ed\b)", "has not yet"),
    (r"\bhad\b(?= [a-z]+ed\b)", "had not yet"),
)


def antonym(place: Place, rng: random.Random) -> Edit | None:
    """Return an edit that replaces a word by its opposite."""
    found = [match for match in _WORD.finditer(place.text) if match.group().lower() in OPPOSITES]
    if not found:
        return None
    match = rng.choice(found)
    return replaced(place.text, match.span(), rng.choice(OPPOSITES[match.group().lower()]))


def strength(place: Place, rng: random.Random) -> Edit | None:
    """Return an edit that replaces a qualifier or a modal by one that is stronger, or has another meaning."""
    found = [match for match in _STRONG.finditer(place.text) if match.group().lower() in _STRENGTH]
    if not found:
        return None
    match = rng.choice(found)
    return replaced(place.text, match.span(), rng.choice(_STRENGTH[match.group().lower()]), None)


def tense(place: Place, rng: random.Random) -> Edit | None:
    """Return an edit that changes the time: what was done becomes planned, and the other way round."""
    found = [(match, new) for pattern, new in _TENSES for match in re.finditer(pattern, place.text)]
    if not found:
        return None
    match, new = rng.choice(found)
    return replaced(place.text, match.span(), new, None)


def negation(place: Place, rng: random.Random) -> Edit | None:
    """Return an edit that removes or inserts a "not"."""
    text = place.text
    there = list(_NOT.finditer(text))
    if there and rng.random() < 0.7:
        match = rng.choice(there)
        return Edit(text[: match.end(1)] + text[match.end() :], (match.span(1),), True)
    open_ = list(_VERB.finditer(text))
    if not open_:
        return None
    match = rng.choice(open_)
    new = rng.choice(("not", "not", "never", "n't"))
    if new == "n't" and match.group() in ("may", "might", "must", "can", "will"):
        new = "not"
    put = new if new == "n't" else f" {new}"
    return Edit(text[: match.end()] + put + text[match.end() :], ((match.start(), match.end() + len(put)),), True)

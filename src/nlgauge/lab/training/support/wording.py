"""Words that turn a sentence into another statement: opposites, degrees and modals, negation."""

from __future__ import annotations

import random
import re

from nlgauge.lab.training.support.edit import Edit, Place, replaced
from nlgauge.maths.opposites import OPPOSITES, STRENGTHS

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
    (r"\bwill be\b", "has already been"), (r"\bhas been\b", "will be"), (r"\bhave been\b", "will be"),
    (r"\bwas\b", "will be"), (r"\bwere\b", "will be"), (r"\bis to be\b", "has been"), (r"\bwill\b", "has refused to"),
    (r"\bis\b", "used to be"), (r"\bare\b", "used to be"), (r"\bhas\b(?= [a-z]+ed\b)", "has not yet"),
    (r"\bhad\b(?= [a-z]+ed\b)", "had not yet"),
)  # fmt: skip


def antonym(place: Place, rng: random.Random) -> Edit | None:
    """A word replaced by its opposite."""
    found = [match for match in _WORD.finditer(place.text) if match.group().lower() in OPPOSITES]
    if not found:
        return None
    match = rng.choice(found)
    return replaced(place.text, match.span(), rng.choice(OPPOSITES[match.group().lower()]))


def strength(place: Place, rng: random.Random) -> Edit | None:
    """A qualifier or a modal replaced by one that says more, or another thing."""
    found = [match for match in _STRONG.finditer(place.text) if match.group().lower() in _STRENGTH]
    if not found:
        return None
    match = rng.choice(found)
    return replaced(place.text, match.span(), rng.choice(_STRENGTH[match.group().lower()]), None)


def tense(place: Place, rng: random.Random) -> Edit | None:
    """What was done becomes what is planned, and the other way round."""
    found = [(match, new) for pattern, new in _TENSES for match in re.finditer(pattern, place.text)]
    if not found:
        return None
    match, new = rng.choice(found)
    return replaced(place.text, match.span(), new, None)


def negation(place: Place, rng: random.Random) -> Edit | None:
    """A "not" taken out, or put in."""
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

"""The corrupted text put together, and which of its words came with the corruption."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from nlgauge.lab.training.weak_labels.pseudo_targets import content_stems
from nlgauge.maths.stopwords import is_stopword

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


class Filled(NamedTuple):
    """What stood somewhere, and what stands there now."""

    original: str
    filling: str


def assembled(
    pieces: Sequence[str], fills: Sequence[Filled], same: Callable[[str, str], bool] = lambda a, b: a == b
) -> tuple[str, list[tuple[int, int]]]:
    """The text of pieces and fillings in turn, and the character spans that are not supported.

    Within a filling, the words with which both it and the original begin or end are the original's. `same` says of two
    words in small letters whether one says what the other does.
    """
    text, spans = "", []
    for piece, fill in zip(pieces, [*fills, None], strict=True):
        # What was put in between two words, and then left out, leaves two spaces.
        text += piece[1:] if text.endswith(" ") and piece.startswith(" ") else piece
        if fill is None:
            break
        filling = fill.filling
        if filling and (not text.strip() or re.search(r"[.!?] $", text)):
            filling = filling[0].upper() + filling[1:]
        spans += [(len(text) + begin, len(text) + end) for begin, end in changed(fill.original, filling, same)]
        text += filling
    return text, spans


def changed(original: str, filling: str, same: Callable[[str, str], bool]) -> list[tuple[int, int]]:
    """The character span of the filling between what it has in common with the original at both ends; or none."""
    ours = [found[0].lower() for found in _WORD.finditer(original)]
    found = list(_WORD.finditer(filling))
    theirs = [match[0].lower() for match in found]

    def equal(i: int, j: int) -> bool:
        return ours[i] == theirs[j] or same(ours[i], theirs[j])

    first = 0
    while first < min(len(ours), len(theirs)) and equal(first, first):
        first += 1
    last = 0
    while last < min(len(ours), len(theirs)) - first and equal(len(ours) - 1 - last, len(theirs) - 1 - last):
        last += 1
    inner = found[first : len(found) - last]
    return [(inner[0].start(), inner[-1].end())] if inner else []


def absent(text: str, words: Sequence[tuple[int, int]], context: str) -> list[bool]:
    """For each word of a text about something else: whether it is supported, because the context has it all the same.

    Content words are by their stems; a stop-word goes with the next content word, the last ones with the one before.
    """
    known = set(content_stems(context))
    verdicts: list[bool | None] = []
    for begin, end in words:
        word = text[begin:end]
        stems = content_stems(word)
        verdicts.append(None if is_stopword(word) or not stems else stems[0] in known)
    following: bool | None = None
    for index in range(len(verdicts) - 1, -1, -1):
        following = verdicts[index] if verdicts[index] is not None else following
        verdicts[index] = following
    before = False
    for index, verdict in enumerate(verdicts):
        verdicts[index] = before = before if verdict is None else verdict
    return [bool(verdict) for verdict in verdicts]

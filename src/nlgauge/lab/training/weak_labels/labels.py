"""Which characters of a corrupted text its context does not support."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from nlgauge.lab.training.weak_labels.inflection import article
from nlgauge.lab.training.weak_labels.targets import content_stems
from nlgauge.maths.stopwords import is_stopword

Spans = tuple[tuple[int, int], ...]
WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_ARTICLE = re.compile(r"\b([Aa])n? $")


def assembled(
    pieces: Sequence[str], originals: Sequence[str], fillings: Sequence[str], same: Callable[[str, str], bool]
) -> tuple[str, Spans]:
    """The text of pieces and fillings in turn, and the characters that are not supported.

    A filling is not taken where nobody could say that it is wrong: it has no content word, or none that the original
    has not. `same` says of two words in small letters whether one says what the other does.
    """
    text, spans = "", []
    for piece, original, filling in zip(pieces, [*originals, ""], [*fillings, ""], strict=True):
        text += piece
        stems = set(content_stems(filling))
        if stems <= set(content_stems(original)):
            filling = original
        if filling and (found := _ARTICLE.search(text)):
            text = f"{text[: found.start()]}{found[1]}{article(filling)[1:]} "
        if filling and (not text.strip() or re.search(r"[.!?] $", text)):
            filling = filling[0].upper() + filling[1:]
        spans += [(len(text) + begin, len(text) + end) for begin, end in changed(original, filling, same)]
        text += filling
    return text, tuple(spans)


def changed(original: str, filling: str, same: Callable[[str, str], bool]) -> list[tuple[int, int]]:
    """The character span of the filling between what it has in common with the original at both ends; or none."""
    ours = [found[0].lower() for found in WORD.finditer(original)]
    found = list(WORD.finditer(filling))
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


def absent(text: str, context: str) -> Spans:
    """The words of a text about something else that the context does not have all the same.

    Content words are by their stems; a stop-word goes with the next content word, the last ones with the one before.
    """
    known = set(content_stems(context))
    words = [found.span() for found in WORD.finditer(text)]
    verdicts: list[bool | None] = []
    for begin, end in words:
        stems = content_stems(text[begin:end])
        verdicts.append(None if is_stopword(text[begin:end]) or not stems else stems[0] in known)
    following: bool | None = None
    for index in range(len(verdicts) - 1, -1, -1):
        following = verdicts[index] if verdicts[index] is not None else following
        verdicts[index] = following
    before = False
    for index, verdict in enumerate(verdicts):
        verdicts[index] = before = before if verdict is None else verdict
    return tuple(word for word, verdict in zip(words, verdicts, strict=True) if not verdict)

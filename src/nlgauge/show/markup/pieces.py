"""A text cut at the marks on it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple


class Piece(NamedTuple):
    """A stretch of a text, and the mark on it where there is one."""

    text: str
    mark: Mapping[str, Any] | None = None


def pieces(text: str, marks: Iterable[tuple[int, int, Mapping[str, Any]]]) -> Iterator[Piece]:
    """All of a text, in order, cut at marks (begin, end, mark); of marks that overlap the first one is kept whole."""
    at = 0
    for begin, end, mark in sorted(marks, key=lambda one: one[:2]):
        begin = max(at, begin)
        if end <= begin:
            continue
        if begin > at:
            yield Piece(text[at:begin])
        yield Piece(text[begin:end], mark)
        at = end
    if at < len(text):
        yield Piece(text[at:])

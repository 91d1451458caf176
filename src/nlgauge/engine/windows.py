"""Windows for texts that are longer than the model's window."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

from nlgauge.errors import InputError

WindowPolicy: TypeAlias = Literal["error", "cut", "slide"]
WINDOW_POLICIES: tuple[WindowPolicy, ...] = ("error", "cut", "slide")


@dataclass(frozen=True)
class Window:
    """Tokens [begin, end) are read together. Tokens [used_from, used_to) take their features from this window."""

    begin: int
    end: int
    used_from: int
    used_to: int


def windows(tokens: int, room: int, policy: WindowPolicy, backwards: bool = False) -> list[Window]:
    """The windows for a text of `tokens` sub-words and a model with room for `room`.

    'slide' reads windows that overlap by half. Each token takes its features from the window where it is closest to the
    middle. So every token is used once and has at least a quarter of a window of text on both sides, except at the ends
    of the text. The last window ends with the text and is as long as the others. backwards: for models that see only
    the tokens before each token. Each token takes its features from the window with most of them: at least half a
    window, except at the beginning of the text.

    Raises InputError under 'error' if the text does not fit.
    """
    if tokens <= room:
        return [Window(0, tokens, 0, tokens)]
    if policy == "error":
        raise InputError(
            f"a text of {tokens} sub-words does not fit the model's window of {room}",
            remedy="shorten it, or choose window='slide' or window='cut'",
        )
    if policy == "cut":
        return [Window(0, room, 0, room)]
    step = max(1, room // 2)
    begins = [*range(0, tokens - room, step), tokens - room]
    shared = ((after, before + room) for before, after in pairwise(begins))
    edges = [0, *(end if backwards else (begin + end) // 2 for begin, end in shared), tokens]
    return [Window(begin, begin + room, edges[i], edges[i + 1]) for i, begin in enumerate(begins)]

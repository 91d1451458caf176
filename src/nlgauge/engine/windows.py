"""Windows of a model over a long text, and over two texts read together, as [first] text [between] other [last]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from nlgauge.errors import InputError

if TYPE_CHECKING:
    from nlgauge.engine.models.capabilities import Ints, Model
    from nlgauge.engine.tokens import SubwordTokenizer

WindowPolicy: TypeAlias = Literal["error", "cut", "slide"]
WINDOW_POLICIES: tuple[WindowPolicy, ...] = ("error", "cut", "slide")


@dataclass(frozen=True)
class Window:
    """A part of a text that is read at once.

    Tokens [begin, end) are read together. Tokens [used_from, used_to) take their features from this window.
    """

    begin: int
    end: int
    used_from: int
    used_to: int


def windows(tokens: int, room: int, policy: WindowPolicy, backwards: bool = False) -> list[Window]:
    """Return the windows for a text.

    'slide' reads windows that overlap by half. Each token takes its features from the window where it is closest to the
    middle. So every token is used once and has at least a quarter of a window of text on both sides, except at the ends
    of the text. The last window ends with the text and is as long as the others.

    Args:
        tokens: the number of sub-words of the text.
        room: the number of sub-words that fit a window.
        policy: 'slide', 'cut' or 'error'.
        backwards: for models that see only the tokens before each token. Each token takes its features from the window
            with the most tokens before it: at least half a window, except at the beginning of the text.

    Returns:
        The windows, in text order.

    Raises:
        InputError: under 'error', the text does not fit.
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


class PairedRow(NamedTuple):
    """A row with a text and another text."""

    ids: list[int]
    begin: int
    """The index at which the text begins in the row"""
    second: int
    """The index at which the second of the two texts begins in the row"""


class PairWindow(NamedTuple):
    """A part of a text that is read with a part of another text."""

    text: Window
    other: Window


def pair_room(window: int, tokenizer: SubwordTokenizer) -> int:
    """Return the largest number of sub-words of both texts together in a row, without special tokens."""
    return window - len(tokenizer.prefix) - 2 * len(tokenizer.suffix)


def pair_windows(text: int, other: int, room: int, policy: WindowPolicy) -> list[PairWindow]:
    """Return the parts of a text and of another text that are read together.

    'slide' reads every part of the text with every part of the other text. The text is split only if it takes more than
    half the room. 'cut' reads the beginning of both.

    Args:
        text: the number of sub-words of the text.
        other: the number of sub-words of the other text.
        room: the number of sub-words that fit a row.
        policy: 'slide', 'cut' or 'error'.

    Returns:
        The parts of both texts in each row.

    Raises:
        InputError: under 'error', the texts do not fit a row.
    """
    if policy == "error" and text + other > room:
        raise InputError(
            f"texts of {text} and {other} sub-words, read together, do not fit the model's window of {room}",
            remedy="shorten them, or choose window='slide' or window='cut'",
        )
    parts = windows(text, max(room // 2, room - other), policy)
    return [PairWindow(part, rest) for part in parts for rest in windows(other, room - (part.end - part.begin), policy)]


def paired_row(
    text: Sequence[int], other: Sequence[int], first: bool, room: int, tokenizer: SubwordTokenizer
) -> PairedRow:
    """Return a row with a text and as much of the beginning of another text as fits.

    Args:
        text: the ids of the text, without special tokens.
        other: the ids of the other text, without special tokens.
        first: whether the text comes first.
        room: the number that `pair_room` returns.
        tokenizer: puts the special tokens around both.

    Returns:
        The row.
    """
    prefix, suffix = tokenizer.prefix, tokenizer.suffix
    shown = other[: max(0, room - len(text))]
    before, after = (text, shown) if first else (shown, text)
    second = len(prefix) + len(before) + len(suffix)
    return PairedRow([*prefix, *before, *suffix, *after, *suffix], len(prefix) if first else second, second)


def pair_types(seconds: Sequence[int], length: int, model: Model) -> dict[str, Ints]:
    """Return the argument `types` of an encoder or masked LM for rows of pairs; nothing if the model has one type.

    Args:
        seconds: where the second text of each row begins.
        length: the length of the rows, with padding.
        model: the model that reads them.

    Returns:
        {"types": [rows, length]}, or {}.
    """
    if not model.second_type:
        return {}
    return {"types": np.where(np.arange(length) < np.array(seconds)[:, None], 0, model.second_type)}

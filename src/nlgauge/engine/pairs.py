"""Two texts read together, as [first] text [between] other [last], and what to do if they do not fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nlgauge.engine.models.capabilities import Ints, Model
from nlgauge.engine.tokens import SubwordTokenizer
from nlgauge.engine.windows import Window, WindowPolicy, windows
from nlgauge.errors import InputError


class PairedRow(NamedTuple):
    """A row with a text and another one."""

    ids: list[int]
    begin: int
    """Where the text begins in it"""
    second: int
    """Where the second of the two begins in it"""


class PairWindow(NamedTuple):
    """Part of a text read with part of another."""

    text: Window
    other: Window


def pair_room(window: int, tokenizer: SubwordTokenizer) -> int:
    """Maximum sub-words of both texts together in a row, without special tokens."""
    return window - len(tokenizer.prefix) - 2 * len(tokenizer.suffix)


def pair_windows(text: int, other: int, room: int, policy: WindowPolicy) -> list[PairWindow]:
    """How a text of `text` sub-words is read with another of `other` sub-words, in rows for `room` sub-words.

    'slide' reads every part of the text with every part of the other. The text is split only if it takes more than half
    the room. 'cut' reads the beginning of both.

    Raises InputError under 'error' if they do not fit.
    """
    if policy == "error" and text + other > room:
        raise InputError(
            f"texts of {text} and {other} sub-words, read together, do not fit the model's window of {room}",
            remedy="shorten them, or choose window='slide' or window='cut'",
        )
    own = windows(text, max(room // 2, room - other), policy)
    return [PairWindow(one, rest) for one in own for rest in windows(other, room - (one.end - one.begin), policy)]


def paired_row(
    text: Sequence[int], other: Sequence[int], first: bool, room: int, tokenizer: SubwordTokenizer
) -> PairedRow:
    """Return a row with a text and as much of another's beginning as fits.

    text, other: ids without special tokens. first: whether the text comes first. room: from `pair_room`.
    """
    prefix, suffix = tokenizer.prefix, tokenizer.suffix
    shown = other[: max(0, room - len(text))]
    one, two = (text, shown) if first else (shown, text)
    second = len(prefix) + len(one) + len(suffix)
    return PairedRow([*prefix, *one, *suffix, *two, *suffix], len(prefix) if first else second, second)


def pair_types(seconds: Sequence[int], length: int, model: Model) -> dict[str, Ints]:
    """Return the argument `types` of an encoder or masked LM for rows of pairs; nothing if the model has one type.

    Args:
        seconds: where the second text of each row begins.
        length: of the rows, with padding.
        model: the model that reads them.
    """
    if not model.second_type:
        return {}
    return {"types": np.where(np.arange(length) < np.array(seconds)[:, None], 0, model.second_type)}

"""Many sentences with masks read by a masked LM, few at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.models.capabilities import MASKED_LM, TOKENIZER, Model
from nlgauge.errors import InputError

_AT_ONCE = 32


class MaskedRow(NamedTuple):
    """Sub-words of a sentence, framed and masked, and where the distributions are wanted."""

    ids: Sequence[int]
    at: Sequence[int]


def read_masks(model: Model, rows: Sequence[MaskedRow]) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """The index of each row with its logits, [len(at), vocabulary], in any order.

    Rows of one length are read together, so that none is padded: what a row gives does not depend on the others, but
    for the last bits of a float. Rows without `at`, or longer than the model's window, are left out.
    """
    head = model[MASKED_LM]
    groups: dict[int, list[int]] = {}
    for index, row in enumerate(rows):
        if row.at and len(row.ids) <= model.window:
            groups.setdefault(len(row.ids), []).append(index)
    for length, members in groups.items():
        for begin in range(0, len(members), _AT_ONCE):
            group = members[begin : begin + _AT_ONCE]
            # The model wants as many places in every row: the first stands again for those that are missing.
            most = max(len(rows[index].at) for index in group)
            places = [[*rows[index].at, *[rows[index].at[0]] * (most - len(rows[index].at))] for index in group]
            ids = np.array([rows[index].ids for index in group], np.int64)
            at = np.array(places, np.int64) + np.arange(len(group))[:, None] * length
            logits = head.masked_logits(ids, np.ones_like(ids), at.reshape(-1)).reshape(len(group), most, -1)
            for index, found in zip(group, logits, strict=True):
                yield index, found[: len(rows[index].at)].astype(np.float64)


class Template(NamedTuple):
    """A sentence with holes: pieces[0] hole pieces[1] hole ... pieces[-1]."""

    pieces: tuple[str, ...]
    originals: tuple[str, ...]
    """What stood in each hole"""


def fits(
    model: Model, templates: Sequence[Template], wordings: Sequence[Sequence[Sequence[str]]]
) -> list[list[NDArray[np.float64]]]:
    """How well wordings fit the holes of sentences: of each template and hole, a log-probability a wording.

    That of the wording's first sub-word, where a mask stands in every hole: a sentence is read once, whatever is tried.
    -inf where the sentence does not fit the model's window. Raises InputError for a model without a mask.
    """
    mask = mask_of(model)
    rows: list[MaskedRow] = []
    firsts: list[list[list[int]]] = []
    for template, some in zip(templates, wordings, strict=True):
        encoded = model[TOKENIZER].encode([*template.pieces, *(one for choices in some for one in choices)])
        pieces = iter([tokens.ids.tolist() for tokens in encoded])
        ids, at = [*model[TOKENIZER].prefix, *next(pieces)], []
        for _ in template.originals:
            at.append(len(ids))
            ids += [mask, *next(pieces)]
        rows.append(MaskedRow([*ids, *model[TOKENIZER].suffix], at))
        firsts.append([[(next(pieces) or [mask])[0] for _ in choices] for choices in some])
    found = [[np.full(len(choices), -np.inf) for choices in some] for some in wordings]
    for index, logits in read_masks(model, rows):
        chances = logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)
        found[index] = [chances[hole, some] for hole, some in enumerate(firsts[index])]
    return found


def mask_of(model: Model) -> int:
    """The model's mask token. Raises InputError where it has none."""
    if (mask := model[TOKENIZER].mask_id) is None:
        raise InputError(f"model {model.name!r} has no mask token", remedy="name a masked LM")
    return mask

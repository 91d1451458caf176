"""An estimate of whether a source supports a text, from the words of the text and from how many of them the source has.

What the text and the source say is not compared.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from nlgauge.engine.tokens import SubwordTokenizer

_FOLDS, _STEPS, _RATE, _DECAY = 5, 150, 0.05, 2.0


class Judged(NamedTuple):
    """A text with its label, its source, and its fold."""

    source: str
    text: str
    supported: bool
    fold: int
    """Number of the fold. The texts of a fold are estimated from the other folds"""


def alone(rows: Sequence[Judged], tokenizer: SubwordTokenizer) -> NDArray[np.float64]:
    """Return the log-odds that each text is supported, estimated without comparing what the text and its source say.

    A logistic regression is fitted to the texts of the other folds. Its features are the sub-words of the text, and the
    share of the text's words that occur in its source.

    Args:
        rows: texts with their labels.
        tokenizer: splits the texts into sub-words.

    Returns:
        The log-odds: [rows].
    """
    ids = [np.unique(tokens.ids) for tokens in tokenizer.encode([row.text for row in rows])]
    flat = torch.from_numpy(np.concatenate(ids).astype(np.int64))
    begins = torch.from_numpy(np.cumsum([0, *map(len, ids[:-1])]))
    sizes = torch.tensor([len(numbers) for numbers in ids])
    per_row = sizes.clamp(min=1).double().rsqrt().float().repeat_interleave(sizes)
    copied = torch.tensor([_copied(row) for row in rows])[:, None]
    labels = torch.tensor([float(row.supported) for row in rows])
    fold = torch.tensor([row.fold % _FOLDS for row in rows])
    odds = np.zeros(len(rows))
    for number in range(_FOLDS):
        words, rest = nn.EmbeddingBag(int(flat.max()) + 1, 1, mode="sum"), nn.Linear(1, 1)
        nn.init.zeros_(words.weight)
        nn.init.zeros_(rest.weight)
        optimizer = torch.optim.Adam([*words.parameters(), *rest.parameters()], _RATE)
        inside = fold != number
        for _ in range(_STEPS):
            said = (words(flat, begins, per_row) + rest(copied)).squeeze(1)
            loss = nn.functional.binary_cross_entropy_with_logits(said[inside], labels[inside])
            penalty = _DECAY * words.weight.square().sum() / len(rows)
            optimizer.zero_grad()
            (loss + penalty).backward()  # type: ignore[no-untyped-call]
            optimizer.step()
        with torch.no_grad():
            said = (words(flat, begins, per_row) + rest(copied)).squeeze(1)
        odds[~inside.numpy()] = said[~inside].double().numpy()
    return odds


def _copied(row: Judged) -> float:
    there = set(re.findall(r"\w+", row.source.lower()))
    words = re.findall(r"\w+", row.text.lower())
    return sum(word in there for word in words) / max(1, len(words))

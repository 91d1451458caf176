"""BERTScore of unrelated sentences: the baseline that `rescale=True` subtracts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from nlgauge.engine.engine import Engine
from nlgauge.engine.features.vectors import TokenVectors, VectorsRequest
from nlgauge.engine.models.capabilities import ENCODER
from nlgauge.engine.models.card import write_facts
from nlgauge.errors import InputError
from nlgauge.maths.vectors import greedy_match, unit
from nlgauge_lab.training.passages import read_lines
from nlgauge_lab.training.support.edits import sentences

_WORDS = range(4, 32)
_AT_ONCE = 256


def write_baseline(folder: Path, texts: Path, engine: Engine, pairs: int = 10_000, seed: int = 0) -> None:
    """Measure the baseline on random pairs of sentences from the files in `texts`, and write it to the folder's card.

    For each layer the card gets [precision, recall, F1], the means over the pairs. BERTScore has no weights here, and
    no special tokens.

    Raises:
        InputError: `texts` has no sentences to pair.
    """
    baseline = measure(engine, random_pairs(texts, pairs, seed))
    rounded = {str(layer): [round(value, 6) for value in values] for layer, values in baseline.items()}
    write_facts(folder, bertscore_baseline=rounded)


def measure(engine: Engine, pairs: list[tuple[str, str]]) -> dict[int, tuple[float, float, float]]:
    """Return the mean (precision, recall, F1) of the pairs, by layer."""
    layers = tuple(range(engine.model[ENCODER].layers + 1))
    scores: list[list[tuple[float, float, float]]] = []
    for at in range(0, len(pairs), _AT_ONCE):
        asked = [tuple(VectorsRequest(text, layers) for text in pair) for pair in pairs[at : at + _AT_ONCE]]
        features = engine.features(request for pair in asked for request in pair)
        for pair in asked:
            one, other = (features[request] for request in pair)
            if one is not None and other is not None:
                scores.append(_by_layer(one, other))
    precision, recall, f1 = np.nanmean(np.array(scores), axis=0).T.tolist()
    return dict(enumerate(zip(precision, recall, f1, strict=True)))


def _by_layer(one: TokenVectors, other: TokenVectors) -> list[tuple[float, float, float]]:
    x, y = (unit(side.vectors[:, ~side.special]) for side in (one, other))
    n, m = x.shape[1], y.shape[1]
    return [greedy_match(x[i] @ y[i].T, np.full(n, 1 / n), np.full(m, 1 / m)) for i in range(len(x))]


def random_pairs(texts: Path, pairs: int, seed: int) -> list[tuple[str, str]]:
    """Return random pairs of sentences of 4 to 31 words.

    No sentence occurs twice, and no two sentences are from the same line of the files. If there are too few sentences,
    there are fewer pairs than `pairs`.

    Raises:
        InputError: there are no sentences to pair.
    """
    rng = np.random.default_rng(seed)
    known = dict.fromkeys(_a_sentence_of_each_line(texts, rng))
    pairs = min(pairs, len(known) // 2)
    if not pairs:
        raise InputError("no sentences to pair", file=texts, remedy="put .txt, .txt.gz or .txt.xz files there")
    every = list(known)
    chosen = rng.choice(len(every), (pairs, 2), replace=False)
    return [(every[i], every[j]) for i, j in chosen]


def _a_sentence_of_each_line(texts: Path, rng: np.random.Generator) -> Iterator[str]:
    for path in sorted(p for p in texts.iterdir() if re.search(r"\.txt(\.xz|\.gz)?$", p.name)):
        for line in read_lines(path):
            usable = [sentence for sentence in sentences(line) if len(sentence.split()) in _WORDS]
            if usable:
                yield usable[rng.integers(len(usable))]

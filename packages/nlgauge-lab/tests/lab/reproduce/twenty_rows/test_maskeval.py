"""MaskEval's tables on twenty rows, a second time: by the weights for pairs, which the embedded model and base have."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load

from lab.reproduce.twenty_rows.matching import bertscore
from lab.reproduce.twenty_rows.network import MODEL, Array, network, predicted, words
from lab.reproduce.twenty_rows.rows import Made, Rows, compare, cut, once, ours, slow
from nlgauge.engine.models.capabilities import TOKENIZER
from nlgauge.registry import parsed

pytestmark = pytest.mark.usefixtures("one_model")
STRIDE = 8
PLAIN = ("uniform", "candidate")
"""The weights that nobody has learned"""
READS = ("candidate", "source")


def rounds(masked: Sequence[list[int]]) -> list[list[list[int]]]:
    """The words that are masked at a time: of 80 sub-words, at most eight, and with eight sub-words between them."""
    blocks: list[list[list[int]]] = []
    for word in masked:
        if blocks and word[-1] - blocks[-1][0][0] < 10 * STRIDE:
            blocks[-1].append(word)
        else:
            blocks.append([word])
    made = []
    for block in blocks:
        count = math.ceil(len(block) / STRIDE)
        while any(after[0] - before[-1] - 1 < 8 for before, after in zip(block, block[count:], strict=False)):
            count += 1
        first, last = block[0][0], block[-1][-1]
        made += [[[first, last], *block[start::count]] for start in range(count)]
    return made


@cache
def hits(text: str, other: str, chosen: tuple[int, ...]) -> dict[int, float]:
    """Whether each of some words of a text is predicted where it is masked, beside another text."""
    net = network()
    ids, tokenizer = net.ids(text), net.model[TOKENIZER]
    numbers = {places[0]: number for number, (_, places) in enumerate(words(text))}
    spans = [places for number, (_, places) in enumerate(words(text)) if number in chosen]
    right = {}
    for (first, last), *masked in rounds(spans):
        begin, end = max(0, first - 24), min(len(ids), last + 1 + 24)
        hidden = [place for word in masked for place in word]
        shown = [net.model.mask_id if place in hidden else ids[place] for place in range(begin, end)]
        guesses = dict(zip(hidden, net.guessed(shown, [place - begin for place in hidden], other), strict=True))
        for word in masked:
            said, wanted = (tokenizer.decode(one) for one in ([guesses[p] for p in word], [ids[p] for p in word]))
            unknown = tokenizer.unknown_id in [ids[place] for place in word]
            right[numbers[word[0]]] = float(said.strip().lower() == wanted.strip().lower() and not unknown)
    return right


def learned(aspect: str, text: str, other: str) -> Array:
    """The learned weights of a text's words: the softmax over its sub-words, summed by word."""
    logits = network().beside(text, other) @ weighter(aspect)["weight"]
    parts: Array = np.exp(logits - logits.max())
    return np.array([parts[places].sum() / parts.sum() for _, places in words(text)])


@cache
def weighter(aspect: str) -> Any:
    place = files("nlgauge.engine.models").joinpath("pocket", "weighters", f"{aspect}.safetensors")
    return load(place.read_bytes())


def maskeval(rows: Rows, spec: str) -> list[float]:
    """Equation 5: the candidate's and the source's weighted shares of predicted words."""
    asked: dict[str, Any] = {"weights": "uniform", "keep": 1.0} | parsed(spec)[1]
    assert asked["stride"] == STRIDE
    if MODEL is not None and asked["weights"] not in PLAIN:
        return [math.nan] * len(rows)  # the embedded model alone has learned weights
    scores = []
    for row in rows:
        texts = (row["candidate"], row["source"])
        sizes = [len(words(text)) for text in texts]
        if asked["weights"] in PLAIN:
            share = 1.0 if asked["weights"] == "candidate" else 0.5
            by_text = [np.full(size, 1 / size) for size in sizes]
        else:
            share = 1 / (1 + math.exp(-weighter(asked["weights"])["share"][0]))
            by_text = [learned(asked["weights"], *pair) for pair in (texts, texts[::-1])]
        both = np.concatenate([share * by_text[0], (1 - share) * by_text[1]])
        order = sorted(range(len(both)), key=lambda number: -both[number])
        least = next(
            (size for size in range(1, len(order)) if both[order[:size]].sum() >= asked["keep"] - 1e-9), len(order)
        )
        chosen = order if asked["keep"] == 1 else order[:least]
        right: dict[int, float] = {}
        for side, (text, other) in enumerate((texts, texts[::-1])):
            before = sizes[0] * side
            own = tuple(sorted(number - before for number in chosen if 0 <= number - before < sizes[side]))
            if own and (share < 1 or side == 0):
                right |= {before + number: hit for number, hit in hits(text, other, own).items()}
        mass = sum(both[number] for number in right)
        scores.append(sum(both[number] * hit for number, hit in right.items()) / mass)
    return scores


def perplexity(rows: Rows, spec: str) -> list[float]:
    """Minus the pseudo-perplexity, with every eighth sub-word masked at a time."""
    assert parsed(spec)[1] == {"stride": STRIDE}

    @cache
    def of(text: str) -> float:
        logits = predicted(text, STRIDE).astype(float)
        top = logits.max(axis=1)
        mass = top + np.log(np.exp(logits - top[:, None]).sum(axis=1))
        return float(np.exp(-(logits[np.arange(len(logits)), network().ids(text)] - mass).mean()))

    return [-of(row["candidate"]) for row in rows]


MADE: dict[str, Made] = {"MaskEval": once(maskeval), "Perplexity": once(perplexity), "BERTScore": once(bertscore)}


def test_maskeval_on_simplifications(data: Path, tmp_path: Path) -> None:
    """Table 2, with the learned weights of summaries where the model has them."""
    cut(data, tmp_path, {"asset": 10}, 20, reads=READS)
    numbers = ours(tmp_path, ["maskeval-table-2"], [*MADE])["maskeval-table-2"]
    assert compare(tmp_path, "maskeval-table-2", MADE, numbers) == (24 if MODEL is None else 12)


@slow("each article is masked for each share of the weight")
def test_maskeval_on_summaries(data: Path, tmp_path: Path) -> None:
    """Table 1, and figure 5, which takes half of the articles. The outputs of these systems are rated differently."""
    cut(data, tmp_path, {"summeval": ["M5", "M8", "M9", "M11", "M20"]}, 4, reads=READS)
    tables = {"maskeval-table-1": 16, "maskeval-figure-5": 36 if MODEL is None else 4}
    numbers = ours(tmp_path, [*tables], [*MADE])
    for name, held in tables.items():
        assert compare(tmp_path, name, MADE, numbers[name]) == held, name

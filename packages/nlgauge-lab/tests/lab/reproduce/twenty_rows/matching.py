"""BaryScore, MoverScore and BERTScore from their definitions, larger is better."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest

from lab.reproduce.twenty_rows.network import Array, Weight, general, is_text, network, unit, weights, words
from lab.reproduce.twenty_rows.rows import Rows
from nlgauge.engine.english import is_stopword
from nlgauge.registry import parsed

optimize = pytest.importorskip("scipy.optimize", reason="needs the dependency group parity")


def moved(cost: Array, a: Array, b: Array) -> float:
    """The least cost of moving one mass to the other, as a linear programme."""
    sides = [np.kron(np.eye(len(a)), np.ones(len(b))), np.kron(np.ones(len(a)), np.eye(len(b)))]
    return float(optimize.linprog(cost.ravel(), A_eq=np.concatenate(sides), b_eq=np.concatenate([a, b])).fun)


def against_references(rows: Rows, of_pair: Callable[[str, str], float], by_mean: bool) -> list[float]:
    """The score of the best reference, or the mean over references."""
    scores = [[of_pair(row["candidate"], text) for text in row["references"]] for row in rows]
    return [sum(of_row) / len(of_row) if by_mean else max(of_row) for of_row in scores]


def weight_of(idf: str, rows: Rows) -> Weight:
    """The weights of sub-words that a metric's idf names."""
    if idf == "none":
        return lambda _: 1.0
    return weights(rows) if idf == "references" else general()


def shares(mass: Sequence[float]) -> Array:
    made: Array = np.array(mass, float) if np.any(mass) else np.ones(len(mass))
    made /= made.sum()
    return made


def of_spec(spec: str) -> dict[str, Any]:
    """The parameters of BaryScore and of MoverScore that the tables use."""
    return {"idf": "general", "layers": 5, "stopwords": True} | parsed(spec)[1]


def baryscore(rows: Rows, spec: str, by_mean: bool = False) -> list[float]:
    """Minus the cost of moving the mean of the last layers of one text to that of the other."""
    asked = of_spec(spec)
    weight = weight_of(asked["idf"], rows)
    special = 1.0 if asked["idf"] == "none" else 0.0

    @cache
    def side(text: str) -> tuple[Array, Array]:
        ids, layers = network().ids(text), unit(network().states(text)[-asked["layers"] :])
        counted = [
            place for word, places in words(text) for place in places if asked["stopwords"] or not is_stopword(word)
        ]
        points = layers.mean(axis=0)[[0, *(place + 1 for place in counted), -1]]
        return points, shares([special, *(weight(ids[place]) for place in counted), special])

    def of_pair(text: str, other: str) -> float:
        (x, a), (y, b) = side(text), side(other)
        return -moved(((x[:, None] - y[None]) ** 2).sum(-1), a, b)

    return against_references(rows, of_pair, by_mean)


def moverscore(rows: Rows, spec: str, by_mean: bool = False) -> list[float]:
    """1 minus the cost of moving the words of one text to those of the other; a word is its first sub-word."""
    asked = of_spec(spec)
    weight = weight_of(asked["idf"], rows)

    @cache
    def side(text: str) -> tuple[Array, Array]:
        ids = network().ids(text)
        first = [
            places[0] for word, places in words(text) if is_text(word) and (asked["stopwords"] or not is_stopword(word))
        ]
        layers = unit(network().states(text)[-asked["layers"] :, 1:-1][:, first])
        means = np.concatenate([layers.min(axis=0), layers.mean(axis=0), layers.max(axis=0)], axis=1)
        return unit(means), shares([weight(ids[place]) for place in first])

    def of_pair(text: str, other: str) -> float:
        (x, a), (y, b) = side(text), side(other)
        return 1 - moved(np.linalg.norm(x[:, None] - y[None], axis=-1), a, b)

    return against_references(rows, of_pair, by_mean)


def bertscore(rows: Rows, spec: str, by_mean: bool = False) -> list[float]:
    """F1 of greedy matching on the layer of the card, or the last but one."""
    assert spec == "BERTScore"
    layer = network().layer("BERTScore", rule=-2)
    side = cache(lambda text: unit(network().states(text)[layer])[1:-1])

    def of_pair(text: str, other: str) -> float:
        alike = side(text) @ side(other).T
        p, r = alike.max(1).mean(), alike.max(0).mean()
        return float(2 * p * r / (p + r))

    return against_references(rows, of_pair, by_mean)


MADE = {"BaryScore": baryscore, "MoverScore": moverscore, "BERTScore": bertscore}

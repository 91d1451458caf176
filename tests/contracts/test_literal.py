"""Numbers against their definitions, term by term, where the two sides are as unlike as they can be.

Candidate and references differ in length and number, and each side has weights of its own, so that sides that are
exchanged, or weights of the other side, show.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from nlgauge import evaluate, registry
from nlgauge.contract.base import RowMetric
from nlgauge.data.corpus import Corpus, Row
from nlgauge.engine.models.card import DocumentFrequencies, ModelCard
from tests.engine.fake import WORDS, FakeModel
from tests.extras import lacking
from tests.metrics.pieces import row, scored

COUNTS = np.arange(len(WORDS)) % 7
MODEL = FakeModel(card=ModelCard(document_frequencies=DocumentFrequencies(COUNTS, 10)))
ROWS = (
    row("w1 w2 w3 w4 w5", "w2 w6", "w5 w1 w7 w8 w2 w9 w6 w10"),
    row("w7 w7 w1", "w8 w9 w10 w11 w12 w1"),
    row("w11 w2", "w2 w11 w6", "w3"),
    row("w4 w9 w8 w12 w13 w14 w1", "w9"),
    row("w4 w9 w8 w12 w13 w14 w1", "w11 w2", item="of texts that are there already"),
)
IDF: Mapping[str, tuple[str, str]] = {
    "separate": ("candidates", "references"),
    "references": ("references", "references"),
    "candidates": ("candidates", "candidates"),
    "union": ("union", "union"),
    "none": ("none", "none"),
}
"""On which texts the weights of candidates, and those of references, are counted"""


def weight(word: str, texts: str, rows: Sequence[Row] = ROWS) -> float:
    """log((N + 1) / (n + 1)) of N distinct texts, of which n hold the word; general: of the card's; 1 without texts."""
    candidates, references = {one.candidate for one in rows}, {text for one in rows for text in one.references}
    known = {"candidates": candidates, "references": references, "union": candidates | references}
    if texts == "none":
        return 1.0
    if texts == "general":
        return math.log(11 / (COUNTS[WORDS.index(word)] + 1))
    holds = sum(word in text.split() for text in known[texts])
    return math.log((len(known[texts]) + 1) / (holds + 1))


def states(text: str) -> np.ndarray:
    """The hidden states of a text with a special token on each side: [layers, tokens, width]."""
    ids = np.array([[2, *(WORDS.index(word) for word in text.split()), 3]])
    return MODEL.hidden(ids, np.ones_like(ids), range(MODEL.layers + 1))[:, 0].astype(float)


def over(scores: Iterable[float], references: str, best: Callable[[Sequence[float]], float]) -> float:
    """The best of some scores, or their mean."""
    all_of = list(scores)
    return best(all_of) if references == "best" else math.fsum(all_of) / len(all_of)


def check(metric: RowMetric, expected: Callable[[str, str], float], best: Callable[[Sequence[float]], float]) -> None:
    """Compare a metric's numbers of ROWS with those of a definition for a candidate and a reference."""
    how = getattr(metric, "references")  # noqa: B009
    wanted = [over((expected(one.candidate, text) for text in one.references), how, best) for one in ROWS]
    np.testing.assert_allclose([value.parts[0] for value in scored(metric, ROWS, MODEL)], wanted, atol=2e-5)


def made(spec: str) -> Any:
    return registry.metric(spec)


# ---- InfoLM: the weighted mean of the distributions at each masked token


def distribution(text: str, texts: str, temperature: float) -> np.ndarray:
    words, mean, mass = text.split(), np.zeros(len(WORDS)), 0.0
    for place, word in enumerate(words):
        ids = [2, *(WORDS.index(one) for one in words), 3]
        ids[1 + place] = WORDS.index("[MASK]")
        row_of = np.array([ids])
        logits = MODEL.masked_logits(row_of, np.ones_like(row_of), np.array([1 + place]))[0].astype(float)
        shares = np.exp(logits / temperature)
        mean += weight(word, texts) * shares / shares.sum()
        mass += weight(word, texts)
    return mean / mass


def kl(p: np.ndarray, q: np.ndarray) -> float:
    return math.fsum(float(a * math.log(a / b)) for a, b in zip(p, q, strict=True))


@pytest.mark.parametrize("idf", IDF)
@pytest.mark.parametrize("direction", ["forward", "reverse", "jeffreys"])
@pytest.mark.parametrize("references", ["best", "mean"])
def test_infolm(idf: str, direction: str, references: str) -> None:
    def expected(candidate: str, reference: str) -> float:
        ours, theirs = IDF[idf]
        q, p = distribution(candidate, ours, 1.5), distribution(reference, theirs, 1.5)
        there, back = kl(p, q), kl(q, p)
        return {"forward": there, "reverse": back, "jeffreys": (there + back) / 2}[direction]

    spec = f"InfoLM(measure='kl', temperature=1.5, idf={idf!r}, direction={direction!r}, references={references!r})"
    check(made(spec), expected, min)


# ---- BaryScore of one layer, which is its own barycenter: the cheapest plan, as a linear programme


def moved(cost: np.ndarray, ours: np.ndarray, theirs: np.ndarray) -> float:
    """The least cost of moving one mass to the other."""
    optimize = pytest.importorskip("scipy.optimize", reason="needs nlgauge[parity]")
    n, m = cost.shape
    sides = [np.kron(np.eye(n), np.ones(m)), np.kron(np.ones(n), np.eye(m))]
    found = optimize.linprog(cost.ravel(), A_eq=np.concatenate(sides), b_eq=np.concatenate([ours, theirs]))
    return float(found.fun)


@pytest.mark.parametrize("idf", IDF)
@pytest.mark.parametrize("references", ["best", "mean"])
def test_baryscore(idf: str, references: str) -> None:
    def side(text: str, texts: str) -> tuple[np.ndarray, np.ndarray]:
        special = 1.0 if texts == "none" else 0.0
        mass = np.array([special, *(weight(word, texts) for word in text.split()), special])
        vectors = states(text)[2]
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True), mass / mass.sum()

    def expected(candidate: str, reference: str) -> float:
        (x, a), (y, b) = side(candidate, IDF[idf][0]), side(reference, IDF[idf][1])
        return moved(((x[:, None] - y[None]) ** 2).sum(-1), a, b)

    check(made(f"BaryScore(layers=(2,), idf={idf!r}, references={references!r})"), expected, min)


@pytest.mark.parametrize("idf", ["references", "none"])
def test_moverscore(idf: str) -> None:
    def side(text: str) -> tuple[np.ndarray, np.ndarray]:
        mass = np.array([weight(word, idf) for word in text.split()])
        vectors = states(text)[2, 1:-1]
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True), mass / mass.sum()

    def expected(candidate: str, reference: str) -> float:
        (x, a), (y, b) = side(candidate), side(reference)
        return 1 - moved(np.sqrt(((x[:, None] - y[None]) ** 2).sum(-1)), a, b)

    check(made(f"MoverScore(layers=(2,), aggregate='mean', idf={idf!r})"), expected, max)


@pytest.mark.parametrize(
    ("layer", "idf", "special"),
    [(None, "none", False), (2, "references", False), (0, "general", False), (1, "general", True)],
)
def test_bertscore(layer: int | None, idf: str, special: bool) -> None:
    """F1, precision and recall of the reference with the best F1; special tokens weigh nothing, and may be matched."""

    def side(text: str) -> tuple[np.ndarray, np.ndarray]:
        vectors = states(text)[MODEL.layers - 1 if layer is None else layer]
        mass = np.array([weight(word, idf) for word in text.split()])
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True), mass

    def expected(candidate: str, reference: str) -> tuple[float, float, float]:
        (x, a), (y, b) = side(candidate), side(reference)
        alike, known = x @ y.T, slice(None) if special else slice(1, -1)
        precision = float((a * alike[1:-1, known].max(1)).sum() / a.sum())
        recall = float((b * alike[known, 1:-1].max(0)).sum() / b.sum())
        return 2 * precision * recall / (precision + recall), precision, recall

    metric = made(f"BERTScore(layer={layer}, idf={idf!r}, special={special})")
    for one, value in zip(ROWS, scored(metric, ROWS, MODEL), strict=True):
        assert value.parts == pytest.approx(max(expected(one.candidate, text) for text in one.references), abs=2e-5)


# ---- SARI: multisets of n-grams, each text's counts as often as there are references


def grams(text: str, n: int, times: int = 1) -> Counter[tuple[str, ...]]:
    words = text.split()
    return Counter(
        {gram: times * count for gram, count in Counter(zip(*(words[k:] for k in range(n)), strict=False)).items()}
    )


def share(good: float, of: float, fixed: bool) -> float:
    return good / of if of else float(fixed)


def f_of(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def sari(source: str, candidate: str, references: Sequence[str], fixed: bool) -> list[float]:
    """SARI, add, keep and delete, as the authors' program has them; fixed: with 0/0 = 1 and the recall of counts."""
    parts = []
    for n in range(1, 5):
        s, c = (grams(text, n, len(references)) for text in (source, candidate))
        r = sum((grams(text, n) for text in references), Counter())
        kept, to_keep = s & c, s & r
        good = kept & r
        right = math.fsum(good[gram] / kept[gram] for gram in kept)
        recall = (
            share(good.total(), to_keep.total(), True)
            if fixed
            else share(math.fsum(good[gram] / to_keep[gram] for gram in to_keep), len(to_keep), False)
        )
        keep = f_of(share(right, len(kept), fixed), recall)
        deleted = s - c
        gone = deleted - r
        delete = share(math.fsum(gone[gram] / deleted[gram] for gram in deleted), len(deleted), fixed)
        added, to_add = c.keys() - s.keys(), r.keys() - s.keys()
        both = len(added & to_add)
        add = f_of(share(both, len(added), fixed), share(both, len(to_add), fixed))
        parts.append((add, keep, delete))
    means = [25 * math.fsum(of_orders) for of_orders in zip(*parts, strict=True)]
    return [math.fsum(means) / 3, *means]


def sari_of_a_system(rows: Sequence[Row]) -> list[float]:
    """SARI, add, keep and delete from counts summed over rows, with an F of each."""
    counts = np.zeros((4, 9))
    for one in rows:
        for n in range(1, 5):
            s, c = (grams(text, n, len(one.references)) for text in (str(one.source), one.candidate))
            r = sum((grams(text, n) for text in one.references), Counter())
            added, to_add = c.keys() - s.keys(), r.keys() - s.keys()
            counts[n - 1] += [
                len(added & to_add),
                len(added),
                len(to_add),
                (s & c & r).total(),
                (s & c).total(),
                (s & r).total(),
                ((s - c) & (s - r)).total(),
                (s - c).total(),
                (s - r).total(),
            ]
    found = []
    for at in (0, 3, 6):
        good, ours, theirs = counts[:, at : at + 3].T
        found.append(100 * f_of(float(np.mean(good / ours)), float(np.mean(good / theirs))))
    return [sum(found) / 3, *found]


def repeating_rows() -> list[Row]:
    """Sources, candidates and references that repeat some words, each another number of times."""
    generator = np.random.default_rng(6)

    def text(longest: int) -> str:
        return " ".join(generator.choice(list("aaabbcde"), generator.integers(1, longest)))

    return [Row(text(9), tuple(text(7 + n) for n in range(1 + k % 3)), text(13), item=str(k)) for k in range(120)]


@pytest.mark.parametrize("variant", ["fixed", "original"])
def test_sari(variant: str) -> None:
    rows = repeating_rows()
    found = scored(made(f"SARI(variant={variant!r}, tokenizer='spaces')"), rows)
    wanted = [sari(str(one.source), one.candidate, one.references, variant == "fixed") for one in rows]
    np.testing.assert_allclose([value.parts for value in found], wanted, atol=1e-9)


def test_sari_of_a_system() -> None:
    rows = repeating_rows()
    table = evaluate(Corpus(tuple(rows)), metrics="SARI(tokenizer='spaces')")
    np.testing.assert_allclose([one.mean for one in table.by_system()], sari_of_a_system(rows), rtol=1e-9)


# ---- The reference of the lowest rate, wherever it stands and however many edits it is away


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.skipif(lacking(["rapidfuzz"]) is not None, reason="needs nlgauge[strings]")
@pytest.mark.parametrize("spec", ["WER", "CER"])
def test_an_error_rate_is_that_of_the_reference_with_the_lowest(spec: str, order: int) -> None:
    between = " " if spec == "WER" else ""
    candidate, near, far = (between.join(letters) for letters in ("abcd", "abx", "abcdefg"))
    (found,) = scored(made(spec), [row(candidate, *[near, far][::order])])
    assert found.parts[0] == pytest.approx(100 * 3 / 7)  # 2 edits of 3 are more

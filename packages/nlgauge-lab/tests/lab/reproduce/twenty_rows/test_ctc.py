"""CTC's tables on twenty rows, a second time.

Short texts are read with the aligners D and R in one row. An article is longer than a row, and how it is searched then
is no part of the paper: where one is the source, tables D.1 and D.4 are held for the aligner E alone, and tables 1, D.2
and D.3 put the engine's consistencies together.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lab.reproduce.twenty_rows.network import MODEL, Array, is_text, network, unit, words
from lab.reproduce.twenty_rows.rows import TEXTS, Made, Rows, compare, cut, once, ours, rows_of, slow
from nlgauge import evaluate
from nlgauge.engine.english import is_stopword
from nlgauge.registry import parsed
from nlgauge_lab.reproduce.published import find

pytestmark = pytest.mark.usefixtures("one_model")


# ---- Alignments


class Pieces:
    """The published aligner E: sub-words, which may match special tokens, on the layer that the card has."""

    def __init__(self, *names: str) -> None:
        layer = network().layer(*names, "CTC")
        self.states = cache(lambda text: unit(network().states(text)[layer]))

    def __call__(self, text: str, other: str, stopwords: bool = True) -> Array:
        alike = (self.states(text)[1:-1] @ self.states(other).T).max(axis=1)
        counted = [stopwords or number > 0 or not is_stopword(piece) for piece, number in self.numbered(text)]
        return alike[counted] if any(counted) else np.zeros(1)

    @staticmethod
    def numbered(text: str) -> list[tuple[str, int]]:
        """Each sub-word, and its number within its word."""
        offsets = network().tokens(text).offsets.tolist()
        return [
            (text[slice(*offsets[place])], number) for _, places in words(text) for number, place in enumerate(places)
        ]


def of_words(aligner: str, text: str, *others: str, stopwords: bool = True) -> Array:
    """The alignment of each word by D, or by R, which gives all words the share that is supported."""
    read = [network().aligned(text, other) for other in others if is_text(other)]
    logits = np.max([logits for logits, _ in read], axis=0)
    share = max(share for _, share in read)
    alike = [
        (logits[places].mean(), word)
        for word, places in words(text)
        if is_text(word) and (stopwords or not is_stopword(word))
    ]
    return np.array([1 / (1 + np.exp(-logit)) if aligner == "D" else share for logit, _ in alike])


def both(row: dict[str, Any]) -> str:
    """Knowledge and history as the published code joins them."""
    return f"{row['context'].strip()}\n\n\n{row['source'].strip()}"


def harmonic(first: Array, second: Array) -> float:
    x, y = first.mean(), second.mean()
    return float(2 * x * y / (x + y))


def alignments(name: str, spec: str, row: dict[str, Any], stopwords: bool) -> Array:
    """Of the words of an output with what its metric reads: the source, the knowledge, or knowledge and history."""
    text = row["candidate"]
    aligner = parsed(spec)[1].get("aligner", "E")
    if aligner == "E":
        other = {"source": row["source"], "knowledge": row["context"]}.get(name) or both(row)
        family = {"source": "Consistency", "knowledge": "Groundedness"}.get(name, "Engagingness")
        return pieces(family)(text, other, stopwords)
    others = {"source": [row["source"]], "knowledge": [row["context"]]}.get(name) or [row["context"], row["source"]]
    return of_words(aligner, text, *others, stopwords=stopwords)


pieces = cache(Pieces)


def each(name: str, take: Callable[[Array], float], stopwords: bool = True) -> Made:
    return once(lambda rows, spec: [take(alignments(name, spec, row, stopwords)) for row in rows])


def mean(alignment: Array) -> float:
    return float(alignment.mean()) if len(alignment) else np.nan


def total(alignment: Array) -> float:
    return float(alignment.sum()) if len(alignment) else np.nan


MADE: dict[str, Made] = {
    "published/Consistency": each("source", mean),
    "Consistency": each("source", mean),
    "published/Groundedness": each("knowledge", total, stopwords=False),
    "Groundedness": each("knowledge", total, stopwords=False),
    "published/Engagingness": each("both", total, stopwords=False),
    "Engagingness": each("both", total, stopwords=False),
    "published/MeanAlignment": each("both", mean, stopwords=False),
    "MeanAlignment": each("both", mean, stopwords=False),
}


def preserved(rows: Rows, spec: str, part: str = "both") -> list[float]:
    """How far output and source are alike, in one direction or in both."""
    aligner = parsed(spec)[1].get("aligner", "E")
    scores = []
    for row in rows:
        sides = (row["candidate"], row["source"])
        first, second = (
            pieces("Preservation")(*of) if aligner == "E" else of_words(aligner, *of) for of in (sides, sides[::-1])
        )
        scores.append({"y→x": mean(first), "x→y": mean(second), "both": harmonic(first, second)}[part])
    return scores


# ---- Tables


def test_dialogues(data: Path, tmp_path: Path) -> None:
    """Tables 3 and F.1 to F.6: ten replies of each of two sets. People give all ten of a set the same rating once."""
    for name in ("usr_personachat", "usr_topicalchat"):
        cut(data, tmp_path, {name: 5}, 2, reads=("candidate", "source", "context"))
    tables = {f"ctc-table-f{number}": 36 for number in (1, 2, 3, 4)}
    tables |= {"ctc-table-3": 12, "ctc-table-f5": 48, "ctc-table-f6": 21}
    numbers = ours(tmp_path, [*tables], ["Engagingness", "Groundedness", "MeanAlignment"])
    for name, held in tables.items():
        assert compare(tmp_path, name, MADE, numbers[name]) == held, name


def test_rewritten_texts(data: Path, tmp_path: Path) -> None:
    """Tables 2 and E.1: twenty outputs of ten systems."""
    cut(data, tmp_path, {"yelp_style": 10}, 2, reads=("candidate", "source"))
    made: dict[str, Made] = {"published/Preservation": preserved, "Preservation": preserved}
    for part in ("y→x", "x→y", "both"):
        for name in ("PublishedPreservationVariants", "PreservationVariants"):
            made[f"{name}.{part}"] = partial(preserved, part=part)
    metrics = ["Preservation", "published/Preservation", "PublishedPreservationVariants", "PreservationVariants"]
    numbers = ours(tmp_path, ["ctc-table-2", "ctc-table-e1"], metrics)
    assert compare(tmp_path, "ctc-table-2", made, numbers["ctc-table-2"]) == 9
    assert compare(tmp_path, "ctc-table-e1", made, numbers["ctc-table-e1"]) == 30


@slow("22 articles are read")
def test_articles(data: Path, tmp_path: Path) -> None:
    """Tables D.1 and D.4."""
    cut(data, tmp_path, {"summeval": 10}, 2, reads=("candidate", "source"))
    for name in ("qags_cnn", "qags_xsum"):
        cut(data, tmp_path, {name: 1}, 10, reads=("candidate", "source"))
    made = {"published/Consistency": MADE["published/Consistency"]}
    numbers = ours(tmp_path, ["ctc-table-d1", "ctc-table-d4"], [*made])
    assert compare(tmp_path, "ctc-table-d1", made, numbers["ctc-table-d1"]) == 12
    assert compare(tmp_path, "ctc-table-d4", made, numbers["ctc-table-d4"]) == 12


@pytest.mark.parametrize(
    "systems",
    [
        pytest.param(3, id="six rows"),
        pytest.param(10, id="twenty rows", marks=slow("each summary is read with its article")),
    ],
)
def test_relevance_put_together_on_summaries(data: Path, tmp_path: Path, systems: int) -> None:
    """Tables 1, D.2 and D.3: by E from the vectors, by D and R from the consistency of two texts at a time."""
    cut(data, tmp_path, {"summeval": systems}, 2, reads=(*TEXTS, "source"))
    names = ["Relevance", "published/Relevance", "RelevanceVariants", "PublishedRelevanceVariants"]
    numbers = ours(tmp_path, ["ctc-table-1", "ctc-table-d2", "ctc-table-d3"], names)
    rows = rows_of(tmp_path, find(["ctc-table-1"])[0], "summeval")
    assert len(rows) == 2 * systems
    asked = [(row["candidate"], row["source"]) for row in rows]
    asked += [(text, row["candidate"]) for row in rows for text in row["references"]]
    texts, others = zip(*(pairs := list(dict.fromkeys(asked))), strict=True)
    metrics = {one: f"Consistency(aligner={one!r})" for one in "DR"}
    scores = evaluate(
        candidates=list(texts), sources=list(others), metrics=list(metrics.values()), model=MODEL, cache=False
    )
    aligned = {one: dict(zip(pairs, scores.values(spec).tolist(), strict=True)) for one, spec in metrics.items()}
    aligned["E"] = {pair: mean(pieces("Relevance")(*pair)) for pair in pairs}

    def relevance(rows: Rows, spec: str, part: str = "product", references: int | None = None) -> list[float]:
        of, values = aligned[parsed(spec)[1].get("aligner", "E")], []
        for row in rows:
            covered = [of[text, row["candidate"]] for text in row["references"][:references]]
            first, second = sum(covered) / len(covered), of[row["candidate"], row["source"]]
            values.append({"r→y": first, "y→x": second, "sum": first + second, "product": first * second}[part])
        return values

    parts = {
        f"{name}.{part}": partial(relevance, part=part)
        for name in names[2:]
        for part in ("r→y", "y→x", "sum", "product")
    }
    assert compare(tmp_path, "ctc-table-1", parts, numbers["ctc-table-1"]) == 12
    for table, references in (("ctc-table-d2", 1), ("ctc-table-d3", None)):
        made = dict.fromkeys(names[:2], partial(relevance, references=references))
        assert compare(tmp_path, table, made, numbers[table]) == 36, table

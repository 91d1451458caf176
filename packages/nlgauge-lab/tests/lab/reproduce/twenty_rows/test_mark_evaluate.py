"""Mark-Evaluate's tables on twenty rows, a second time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lab.reproduce.twenty_rows.matching import bertscore
from lab.reproduce.twenty_rows.network import MODEL, Array, is_text, network, unit, words
from lab.reproduce.twenty_rows.rows import Made, Rows, compare, cut, ours, rows_of, slow, stats
from nlgauge import Corpus, MarkEvaluate, ScoreTable, evaluate
from nlgauge.metrics.mark_evaluate import Counts
from nlgauge.registry import parsed
from nlgauge_lab.reproduce.published import find
from nlgauge_lab.studies.neighbours import neighbours
from nlgauge_lab.studies.synthetic import synthetic

distance = pytest.importorskip("scipy.spatial.distance", reason="needs the dependency group parity")
pytestmark = pytest.mark.usefixtures("one_model")


def balls(outputs: Array, references: Array, k: int) -> Counts:
    """How the points of both sets lie in each other's balls, counted by every distance."""

    def reach(points: Array) -> Array:
        far: Array = np.sort(distance.cdist(points, points), axis=1)
        return far[:, min(k, len(points) - 1)]  # the first is the point itself

    between = distance.cdist(outputs, references)
    in_balls, around = between <= reach(references)[None], between <= reach(outputs)[:, None]
    a, b, B1, B2 = map(int, (in_balls.any(1).sum(), around.any(0).sum(), in_balls.sum(), around.sum()))
    return Counts(a=a, b=b, B1=B1, B2=B2, n=len(references), m=len(outputs), k=k)


def of_sets(outputs: Array, references: Array, part: str) -> float:
    """A number of two sets of points."""
    name, _, k = part.partition("@")
    return of_balls(balls(outputs, references, int(k or 3)), name)


def of_balls(counts: Counts, name: str) -> float:
    """A number of two sets of points, by the paper's equations."""
    a, b, B1, B2, n, m, k = counts
    size = n + m
    if name == "precision":
        return float(a / m)
    if name == "petersen":
        over = (n - b) * (m - a) / (a + b) if a + b else math.inf
        return float(1 - min(over / size, 1))
    if name == "schnabel":
        caught = (min(k, m - 1) + 1) * m + B2
        return float(1 - min((m - a) / (caught - (m - a)), 1))
    caught = (min(k, n - 1) + 1) * n + (min(k, m - 1) + 1) * m + B1 + B2

    def likelihood(N: int) -> float:
        left = size * N - caught
        known = math.lgamma(N + 1) - math.lgamma(N - size + 1) + (left * math.log(left) if left else 0.0)
        return known - size * N * math.log(size * N)

    best = max(range(size, 2 * size + 2), key=likelihood)  # from twice the size on, the score is 0
    return 1 - min((best - size) / size, 1)


def test_mark_evaluate_on_translations(data: Path, tmp_path: Path) -> None:
    """Table 5: three systems and four segments of each pair."""
    for pair in ("cs", "de", "ru", "tr", "zh"):
        cut(data, tmp_path, {f"wmt17/{pair}-en": 3}, 4)
    (table,) = find(["mark-evaluate-table-5"])
    numbers, held = ours(tmp_path, [table.name], ["Neighbours", "ImprovedPrecisionRecall"])[table.name], 0
    pooled = {
        "mean": cache(lambda text: unit(network().states(text)[-1].mean(axis=0))),
        "max": cache(lambda text: unit(network().states(text)[-1].max(axis=0))),
    }
    for entry in table.rows:
        if not entry.spec or entry.part == "f1_8":
            continue
        point = pooled["max" if "max" in str(entry.spec) else "mean"]
        for number, column in zip(numbers[entry.name], table.columns, strict=True):
            rows, values, people = rows_of(tmp_path, table, column.data), [], []
            for system in dict.fromkeys(row["system"] for row in rows):
                own = [row for row in rows if row["system"] == system]
                outputs, references = (
                    np.stack([*map(point, texts)])
                    for texts in ([row["candidate"] for row in own], [row["references"][0] for row in own])
                )
                values.append(of_sets(outputs, references, entry.part or ""))
                people.append(own[0]["scores"][column.aspect])
            if np.ptp(values) == 0:
                assert math.isnan(number)
            else:
                assert number == pytest.approx(stats.pearsonr(values, people)[0], abs=1e-4), (entry.name, column)
            held += 1
    assert held == 160


# ---- Figures 2 and 4


def sentences(texts: Sequence[str]) -> Array:
    """The points of texts: the mean of the last layer."""
    return np.stack([unit(network().states(text)[-1].mean(axis=0)) for text in texts])


@slow("twelve times four sizes are sought one by one")
def test_mark_evaluate_by_the_neighbour(data: Path, tmp_path: Path) -> None:
    """Figure 2 on the outputs of four systems, beside their references."""
    cut(data, tmp_path, {"webnlg2020": 4}, 5)
    corpus = Corpus.read(tmp_path / "webnlg2020.jsonl")
    assert len(corpus) == 20
    numbers = neighbours(corpus, ks=(1, 2, 3), replicates=0, model=MODEL, cache=False)
    for record in numbers.records:
        rows = [row for row in corpus if row.system == record.system]
        outputs, references = (
            sentences(texts)
            for texts in ([row.candidate for row in rows], [text for row in rows for text in row.references])
        )
        counts = balls(outputs, references, record.k)
        if record.estimator == "diversity":
            counts = counts._replace(a=counts.b, B2=counts.B1, m=counts.n)
        name = "schnabel" if record.estimator == "diversity" else record.estimator
        wanted = of_balls(counts, name)
        assert record.score == pytest.approx(wanted, abs=1e-4), record
    assert len(numbers.records) == 4 * 3 * 4


def test_mark_evaluate_of_swapped_words(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Figure 4 on twenty texts, ten of which are the references."""
    compared: list[tuple[Corpus, Corpus]] = []

    def noted(corpus: Corpus, **options: Any) -> ScoreTable:
        compared.append((corpus, options["against"]))
        return evaluate(corpus, **options)

    monkeypatch.setattr("nlgauge_lab.studies.synthetic.evaluate", noted)
    cut(data, tmp_path, {"webnlg2020": 4}, 5)
    texts = Corpus(tuple(replace(row, system="") for row in Corpus.read(tmp_path / "webnlg2020.jsonl")))
    names = ("petersen", "schnabel", "capture")
    metrics = {str(MarkEvaluate(estimator=name, k=2, model=MODEL)): name for name in names}
    numbers = synthetic(texts, [*metrics], size=10, cache=False)
    ((outputs, against),) = compared
    for record in (one for one in numbers.records if one.part == "score"):
        own = [row.candidate for row in outputs if row.system == f"{record.experiment} {record.at}"]
        counts = balls(sentences(own), sentences([row.candidate for row in against]), 2)
        assert record.value == pytest.approx(of_balls(counts, metrics[record.metric]), abs=1e-4), record
    assert len(against) == 10


# ---- Table 3's protocol


def of_words(rows: Rows, spec: str, part: str = "") -> list[float]:
    """A number of single texts: the words of each, at five layers, beside those of its references."""
    asked = {"references": "all", "estimator": "petersen"} | parsed(spec)[1]
    scores = []
    for row in rows:
        sides = [(text,) for text in row["references"]]
        if asked["references"] == "all":
            sides = [tuple(row["references"])]
        of_row = [of_balls(of_texts(row["candidate"], side), part or asked["estimator"]) for side in sides]
        scores.append(max(of_row) if asked["references"] == "best" else sum(of_row) / len(of_row))
    return scores


@cache
def points(text: str) -> Array:
    """The first sub-word of each word at the last five layers."""
    first = [places[0] for word, places in words(text) if is_text(word)]
    states = unit(network().states(text)[-5:, 1:-1][:, first])
    return states.reshape(-1, states.shape[-1])


@cache
def of_texts(text: str, others: tuple[str, ...]) -> Counts:
    return balls(points(text), np.concatenate([points(other) for other in others]), 1)


@slow("each summary is compared with eleven")
def test_mark_evaluate_on_single_texts(data: Path, tmp_path: Path) -> None:
    """Table 3's protocol: three systems and two texts of each of four sets."""
    for sets in ({"summeval": 3}, {"realsumm_abs": 3, "realsumm_ext": 3}, {"webnlg2020": 3}):
        cut(data, tmp_path, sets, 2)
    made: dict[str, Made] = {
        "MarkEvaluateText": of_words,
        "MarkEvaluateText.precision": partial(of_words, part="precision"),
        "MarkEvaluateText.quality": partial(of_words, part="schnabel"),
        "BERTScore": bertscore,
    }
    name = "mark-evaluate-single-texts"
    numbers = ours(tmp_path, [name], ["MarkEvaluateText", "BERTScore"])[name]
    assert compare(tmp_path, name, made, numbers) == 270

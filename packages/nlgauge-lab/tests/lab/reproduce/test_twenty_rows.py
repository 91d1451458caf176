"""Numbers of the papers' tables on twenty rows of the rated data, computed a second time from their definitions.

The second computation has the network and the tokenizer of the model, and nothing else of nlgauge: it reads the file of
the rows itself, masks one token at a time, counts the weights, and takes the coefficients from scipy.
"""

from __future__ import annotations

import gzip
import json
import math
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from nlgauge import evaluate
from nlgauge.engine.english import is_stopword
from nlgauge.engine.models import loading
from nlgauge.engine.models.capabilities import ENCODER, MASKED_LM, TOKENIZER
from nlgauge.registry import parsed
from nlgauge_lab.reproduce.published import Entry, Table, find
from nlgauge_lab.reproduce.rated import Data
from nlgauge_lab.reproduce.rebuild import Rebuilder
from nlgauge_lab.reproduce.scoring import Scores

stats = pytest.importorskip("scipy.stats", reason="needs the dependency group parity")
optimize = pytest.importorskip("scipy.optimize", reason="needs the dependency group parity")
pytestmark = pytest.mark.usefixtures("one_model")

Array = np.ndarray[Any, Any]
Made = Callable[[list[dict[str, Any]], str], list[float]]
"""The numbers of some rows by a spec, larger is better"""
_SYSTEM = re.compile(r'"system": "([^"]*)"')
MODEL = os.environ.get("NLGAUGE_NUMBERS_BY")
"""The model of both computations, such as base; None for the embedded model"""
COEFFICIENTS = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}


# ---- Twenty rows


def cut(data: Path, folder: Path, systems: Mapping[str, int | Sequence[str]], items: int) -> None:
    """Write the rows of some systems into files of the same names, for the items whose outputs differ, and whose texts
    have the fewest words.

    systems: by file, which, or how many. The items are the same in files that share their items.
    """
    files: dict[str, list[dict[str, Any]]] = {}
    for name, wanted in systems.items():
        with gzip.open(data / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
            lines = [(_SYSTEM.search(line)[1], line) for line in file]  # type: ignore[index]
        known = list(dict.fromkeys(system for system, _ in lines))
        chosen = known[:wanted] if isinstance(wanted, int) else wanted
        files[name] = [json.loads(line) for system, line in lines if system in chosen]
    shared = set.intersection(*({row["item"] for row in rows} for rows in files.values()))
    groups = [[name] for name in files] if not shared else [list(files)]
    for group in groups:
        words: dict[str, int] = {}
        for row in (row for name in group for row in files[name]):
            texts = (row["candidate"], *row["references"], *([row["source"] or ""] if "summeval" in group else []))
            squares = sum(len(text.split()) ** 2 if text.strip() else 10**9 for text in texts)
            words[row["item"]] = words.get(row["item"], 0) + squares
        said: dict[str, list[str]] = {item: [] for item in words}
        for row in files[group[0]]:
            said[row["item"]].append(row["candidate"])
        few = sorted(words, key=lambda item: (len(set(said[item])) < len(said[item]), words[item]))[:items]
        for name in group:
            place = folder / f"{name}.jsonl"
            place.parent.mkdir(parents=True, exist_ok=True)
            text = "".join(json.dumps(row) + "\n" for row in files[name] if row["item"] in few)
            place.write_text(text, encoding="utf-8")


def rows_of(folder: Path, table: Table, data: str) -> list[dict[str, Any]]:
    """The rows of a table's data, without the systems that it leaves out."""
    found = []
    for source in table.data[data]:
        lines = (folder / f"{source.file}.jsonl").read_text(encoding="utf-8").splitlines()
        found += [row for row in map(json.loads, lines) if row["system"] not in source.without]
    return found


# ---- The model


class Network(NamedTuple):
    """What a model computes of a row of tokens."""

    model: Any

    def ids(self, text: str) -> list[int]:
        """The sub-words of a text, without special tokens."""
        return next(iter(self.model[TOKENIZER].ids_of([text]))).tolist()  # type: ignore[no-any-return]

    def framed(self, text: str) -> list[int]:
        tokenizer = self.model[TOKENIZER]
        return [*tokenizer.prefix, *self.ids(text), *tokenizer.suffix]

    def states(self, text: str) -> Array:
        """[layers, tokens, width], with special tokens."""
        row, encoder = np.array([self.framed(text)]), self.model[ENCODER]
        states: Array = encoder.hidden(row, np.ones_like(row), range(encoder.layers + 1))[:, 0].astype(float)
        return states


@cache
def network() -> Network:
    return Network(loading.load(MODEL or "pocket"))


@cache
def predicted(text: str) -> Array:
    """The logits at each token of a text, which alone is masked: [tokens, vocabulary]."""
    known = network()
    ids, before = known.framed(text), len(known.model[TOKENIZER].prefix)
    places = np.arange(len(known.ids(text)))
    rows = np.tile(ids, (len(places), 1))
    rows[places, before + places] = known.model.mask_id
    at = places * len(ids) + before + places
    return known.model[MASKED_LM].masked_logits(rows, np.ones_like(rows), at)  # type: ignore[no-any-return]


@pytest.fixture(scope="module", autouse=True)
def _forgotten() -> Iterator[None]:
    """Nothing of the texts stays in memory for the tests of other files."""
    yield
    for known in (network, predicted, counted, bag):
        known.cache_clear()


Weight = Callable[[int], float]


@cache
def counted(texts: tuple[str, ...]) -> Weight:
    """log((N + 1) / (n + 1)) of N distinct texts, of which n hold the token."""
    documents = [set(network().ids(text)) for text in dict.fromkeys(texts)]
    return cache(lambda token: math.log((len(documents) + 1) / (sum(token in one for one in documents) + 1)))


def weights(rows: list[dict[str, Any]]) -> Weight:
    """The weights that are counted on the references."""
    return counted(tuple(text for row in rows for text in row["references"]))


# ---- InfoLM


@cache
def bag(text: str, temperature: float, weight: Weight) -> Array:
    """The weighted mean of the distributions at the masked tokens: [vocabulary]."""
    total, mass = np.zeros(1), 0.0
    for token, logits in zip(network().ids(text), predicted(text), strict=True):
        shares = np.exp((logits - logits.max()) / temperature, dtype=float)
        total, mass = total + weight(token) * shares / shares.sum(), mass + weight(token)
    return total / mass


def measured(p: Array, q: Array, measure: str, alpha: float = 0.0, beta: float = 0.0) -> float:
    """D(p || q) by the formulas of table 1, with the two corrections."""
    a, b = alpha, beta
    if measure == "kl":
        return float((p * np.log(p / q)).sum())
    if measure == "alpha":
        return float(((p**a * q ** (1 - a)).sum() - 1) / (a * (a - 1)))
    if measure == "gamma":
        a = 1.0
    if measure in ("gamma", "ab"):
        first = math.log((p ** (a + b)).sum()) / (b * (a + b))
        second = math.log((q ** (a + b)).sum()) / (a * (a + b))
        return float(first + second - math.log((p**a * q**b).sum()) / (a * b))
    gaps = np.abs(p - q)
    return float(
        {
            "l1": gaps.sum(),
            "l2": math.sqrt((gaps**2).sum()),
            "linf": gaps.max(),
            "fisher_rao": 2 / math.pi * math.acos(min(np.sqrt(p * q).sum(), 1.0)),
        }[measure]
    )


def infolm(rows: list[dict[str, Any]], spec: str, by_mean: bool = False) -> list[float]:
    """Minus InfoLM's distances: of the nearest reference, or the mean over references."""
    asked = {"measure": "fisher_rao", "temperature": network().model.card.temperature}
    asked |= parsed(spec)[1]
    assert asked.pop("idf") == "references"
    temperature, weight = asked.pop("temperature"), weights(rows)
    found = []
    for row in rows:
        q = bag(row["candidate"], temperature, weight)
        both = [
            (measured(p, q, **asked) + measured(q, p, **asked)) / 2
            for p in (bag(text, temperature, weight) for text in row["references"])
        ]
        found.append(-(sum(both) / len(both) if by_mean else min(both)))
    return found


# ---- Tables


def coefficient(column: Any, rows: list[dict[str, Any]], values: Sequence[float]) -> float:
    """A column's agreement: of systems' means, of all rows, or the mean over items of that within an item."""
    people = np.array([row["scores"][column.aspect] for row in rows])
    numbers, of = np.array(values), COEFFICIENTS[column.coefficient]
    if column.level == "pooled":
        return float(of(numbers, people)[0])
    name = "system" if column.level == "system" else "item"
    groups = {row[name]: [n for n, other in enumerate(rows) if other[name] == row[name]] for row in rows}
    if name == "system":
        return float(
            of([numbers[own].mean() for own in groups.values()], [people[own].mean() for own in groups.values()])[0]
        )
    within = [
        of(numbers[own], people[own])[0] for own in groups.values() if np.ptp(people[own]) and np.ptp(numbers[own])
    ]
    return float(np.mean(within))


def ours(folder: Path, names: Sequence[str], metrics: Sequence[str]) -> dict[str, dict[str, list[float]]]:
    """By table and row, the numbers that the command makes, column by column."""
    rebuilder, tables = Rebuilder(Data(folder), Scores(False), MODEL, metrics=metrics), find(names)
    rebuilder.score(tables)
    found: dict[str, dict[str, list[float]]] = {}
    for table in tables:
        for block in rebuilder.rebuild(table).blocks:
            for name, cells in block.rows.items():
                own = [cell.ours for head, cell in zip(block.heads, cells, strict=True) if head != "average"]
                found.setdefault(table.name, {}).setdefault(name, []).extend(own)
    return found


def specs(table: Table, entry: Entry) -> dict[str, str]:
    """By data, the spec of a row."""
    return {data: spec for data in table.data if (spec := entry.on(data, None)) is not None}


def compare(
    folder: Path, name: str, made: Mapping[str, Made], found: Mapping[str, Sequence[float]], within: float
) -> int:
    """Hold each number of a table of agreement to the second computation; return how many there were."""
    (table,), held = find([name]), 0
    for entry in table.rows:
        by_data = {data: spec for data, spec in specs(table, entry).items() if spec.partition("(")[0] in made}
        if not by_data or entry.view not in (None, "as given"):
            continue
        values = {
            data: made[spec.partition("(")[0]](rows_of(folder, table, data), spec) for data, spec in by_data.items()
        }
        for number, column in zip(found[entry.name], table.columns, strict=True):
            wanted = coefficient(column, rows_of(folder, table, column.data), values[column.data])
            assert number == pytest.approx(wanted * table.scale, abs=within * table.scale), (name, entry.name, column)
            held += 1
    return held


# ---- InfoLM's tables

EVERY = "NLGAUGE_EVERY_NUMBER"
"""The environment variable for what takes minutes"""


def once(made: Made) -> Made:
    """The same, computed once for rows of the same systems."""
    known: dict[tuple[Any, str], list[float]] = {}

    def of(rows: list[dict[str, Any]], spec: str) -> list[float]:
        key = (tuple((row["dataset"], row["system"], row["item"]) for row in rows), spec)
        if key not in known:
            known[key] = made(rows, spec)
        return known[key]

    return of


@pytest.mark.skipif(not os.environ.get(EVERY), reason=f"two minutes, 22 summaries are masked twice: set {EVERY}=1")
def test_infolm_on_summaries(data: Path, tmp_path: Path) -> None:
    """Figures 1 to 6, 8 and 9: agreement by measure, temperature and parameters, and measures with each other."""
    abstractive = ["bart_out", "t5_out_large", "t5_out_base", "t5_out_11B", "presumm_out_abs"]
    extractive = ["banditsumm_out", "heter_graph_out", "neusumm_out", "pnbert_out_bert_tf_pn", "matchsumm_out"]
    cut(data, tmp_path, {"realsumm_abs": abstractive, "realsumm_abs_bart_dup": 1, "realsumm_ext": extractive}, 2)
    figures = {"infolm-figure-8": 96, "infolm-figure-5": 54, "infolm-figure-6": 120}
    found = ours(tmp_path, [*figures, "infolm-figure-2", "infolm-figure-9"], ["InfoLM"])
    values = once(infolm)
    for name, numbers in figures.items():
        assert compare(tmp_path, name, {"InfoLM": values}, found[name], 1e-4) == numbers
    between, distributions = find(["infolm-figure-2", "infolm-figure-9"])
    rows = rows_of(tmp_path, between, "abs")
    assert len(rows) == 10

    def means(numbers: Sequence[float]) -> list[float]:
        systems = dict.fromkeys(row["system"] for row in rows)
        return [
            float(np.mean([x for x, row in zip(numbers, rows, strict=True) if row["system"] == one])) for one in systems
        ]

    columns = [means([row["scores"]["litepyramid_recall"] for row in rows])]
    named = [entry for entry in between.rows if specs(between, entry).get("abs", "").startswith("InfoLM")]
    columns += [means(values(rows, specs(between, entry)["abs"])) for entry in named]
    names = [between.rows[0].name, *(entry.name for entry in named)]
    assert len(names) == 9
    for name, line in zip(names, np.corrcoef(np.array(columns)).tolist(), strict=True):
        assert found["infolm-figure-2"][name] == pytest.approx(line, abs=1e-4), name
    for entry in distributions.rows:
        by_data = specs(distributions, entry)
        if not by_data.get("abs", "").startswith("InfoLM"):
            continue
        wanted = []
        for which, spec in by_data.items():
            known = np.array(values(rows_of(tmp_path, distributions, which), spec))
            scaled = (known - known.min()) / np.ptp(known)
            wanted += np.quantile(scaled, [0, 0.1, 0.25, 0.5, 0.75, 0.9, 1]).tolist()
        assert found["infolm-figure-9"][entry.name] == pytest.approx(wanted, abs=1e-4), entry.name


def test_infolm_on_cleaned_texts(data: Path, tmp_path: Path) -> None:
    """Section C.4."""
    cut(data, tmp_path, {"webnlg2020": 4}, 5)
    (table,) = find(["infolm-section-c4"])
    found, rows = ours(tmp_path, [table.name], ["InfoLM"])[table.name], rows_of(tmp_path, table, "webnlg")
    assert len(rows) == 20

    def cleaned(text: str, stopwords: bool) -> str:
        return " ".join(word for word in re.findall(r"[^\W_]+", text.lower()) if stopwords or not is_stopword(word))

    views: dict[str | None, Callable[[str], str]] = {
        None: lambda text: text,
        "cleaned": lambda text: cleaned(text, True),
        "without stop-words": lambda text: cleaned(text, False),
    }
    for entry in table.rows:
        view = views[entry.view]
        seen = [
            row | {"candidate": view(row["candidate"]), "references": [*map(view, row["references"])]} for row in rows
        ]
        assert all(row["candidate"] and all(row["references"]) for row in seen)
        values = infolm(seen, specs(table, entry)["webnlg"], by_mean=True)
        for number, column in zip(found[entry.name], table.columns, strict=True):
            assert number == pytest.approx(coefficient(column, rows, values), abs=1e-4), (entry.name, column)


# ---- BaryScore's tables


def unit(vectors: Array) -> Array:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)  # type: ignore[no-any-return]


def moved(cost: Array, a: Array, b: Array) -> float:
    """The least cost of moving one mass to the other, as a linear programme."""
    sides = [np.kron(np.eye(len(a)), np.ones(len(b))), np.kron(np.ones(len(a)), np.eye(len(b)))]
    return float(optimize.linprog(cost.ravel(), A_eq=np.concatenate(sides), b_eq=np.concatenate([a, b])).fun)


def general() -> Weight:
    """The weights that the model's card has."""
    known = network().model.card.document_frequencies
    return lambda token: math.log((known.documents + 1) / (known.counts[token] + 1))


def baryscore(rows: list[dict[str, Any]], spec: str) -> list[float]:
    """Minus the cost of moving the mean of the last five layers of one text to that of the other."""
    weight = weights(rows) if "references" in spec else general()

    @cache
    def side(text: str) -> tuple[Array, Array]:
        ids, points = network().ids(text), unit(network().states(text)[-5:]).mean(axis=0)
        mass = np.array([0.0, *map(weight, ids), 0.0])
        mass = mass if mass.any() else np.ones(len(mass))
        return points, mass / mass.sum()

    found = []
    for row in rows:
        (x, a), costs = side(row["candidate"]), []
        for y, b in map(side, row["references"]):
            costs.append(moved(((x[:, None] - y[None]) ** 2).sum(-1), a, b))
        found.append(-min(costs))
    return found


def bertscore(rows: list[dict[str, Any]], spec: str) -> list[float]:
    """F1 of greedy matching on the last layer but one."""
    assert spec == "BERTScore"
    side = cache(lambda text: unit(network().states(text)[-2])[1:-1])
    found = []
    for row in rows:
        alike = [side(row["candidate"]) @ side(text).T for text in row["references"]]
        both = [(one.max(1).mean(), one.max(0).mean()) for one in alike]
        found.append(max(2 * p * r / (p + r) for p, r in both))
    return found


def test_baryscore_on_summaries(data: Path, tmp_path: Path) -> None:
    cut(data, tmp_path, {"realsumm_abs": 5, "realsumm_ext": 5}, 2)
    found = ours(tmp_path, ["baryscore-summarisation"], ["BaryScore", "BERTScore"])["baryscore-summarisation"]
    made = {"BaryScore": baryscore, "BERTScore": bertscore}
    assert compare(tmp_path, "baryscore-summarisation", made, found, 1e-4) == 12


def test_baryscore_on_translations(data: Path, tmp_path: Path) -> None:
    """Three systems and one segment of each pair are 21 rows."""
    pairs = [f"wmt17/{one}-en" for one in ("cs", "de", "fi", "lv", "ru", "tr", "zh")]
    for pair in pairs:
        cut(data, tmp_path, {pair: 3}, 1)
    found = ours(tmp_path, ["baryscore-wmt17"], ["BaryScore", "BERTScore"])["baryscore-wmt17"]
    made = {"BaryScore": baryscore, "BERTScore": bertscore}
    assert compare(tmp_path, "baryscore-wmt17", made, found, 1e-4) == 21


# ---- Mark-Evaluate's table 5


def of_sets(outputs: Array, references: Array, part: str) -> float:
    """A number of two sets of points, by every distance."""
    name, _, of_k = part.partition("@")
    k = int(of_k or 3)

    def reach(points: Array, k: int) -> Array:
        far = np.linalg.norm(points[:, None] - points[None], axis=-1)
        return np.sort(far, axis=1)[:, min(k, len(points) - 1)]  # the first is the point itself

    between = np.linalg.norm(outputs[:, None] - references[None], axis=-1)
    n, m, size = len(references), len(outputs), len(references) + len(outputs)
    in_balls, around = between <= reach(references, k)[None], between <= reach(outputs, k)[:, None]
    a, b, B1, B2 = in_balls.any(1).sum(), around.any(0).sum(), in_balls.sum(), around.sum()
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

    best = max(range(size, 40 * size), key=likelihood)
    return 1 - min((best - size) / size, 1)


def test_mark_evaluate_on_translations(data: Path, tmp_path: Path) -> None:
    """Table 5: three systems and four segments of each pair."""
    for pair in ("cs", "de", "ru", "tr", "zh"):
        cut(data, tmp_path, {f"wmt17/{pair}-en": 3}, 4)
    (table,) = find(["mark-evaluate-table-5"])
    found, held = ours(tmp_path, [table.name], ["Neighbours", "ImprovedPrecisionRecall"])[table.name], 0
    pooled = {
        "mean": cache(lambda text: unit(network().states(text)[-1].mean(axis=0))),
        "max": cache(lambda text: unit(network().states(text)[-1].max(axis=0))),
    }
    for entry in table.rows:
        if not entry.spec or entry.part == "f1_8":
            continue
        point = pooled["max" if "max" in str(entry.spec) else "mean"]
        for number, column in zip(found[entry.name], table.columns, strict=True):
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


# ---- CTC's table 1


@pytest.mark.parametrize("every", [False, True], ids=["six rows", "twenty rows"])
def test_relevance_put_together_on_summaries(data: Path, tmp_path: Path, every: bool) -> None:
    """Table 1: by E from the vectors, by D and R from the consistency of two texts at a time."""
    if every and not os.environ.get(EVERY):
        pytest.skip(f"a minute, because each summary is read with its article and eleven references: set {EVERY}=1")
    systems = 10 if every else 3
    cut(data, tmp_path, {"summeval": systems}, 2)
    (table,) = find(["ctc-table-1"])
    found, rows = (
        ours(tmp_path, [table.name], ["PublishedRelevanceVariants", "RelevanceVariants"])[table.name],
        rows_of(tmp_path, table, "summeval"),
    )
    assert len(rows) == 2 * systems
    layer = network().model.card.layers.get("Relevance", -1)
    states = cache(lambda text: unit(network().states(text)[layer]))

    def by_vectors(text: str, other: str) -> float:
        return float((states(text)[1:-1] @ states(other).T).max(axis=1).mean())

    def by_aligners(pairs: list[tuple[str, str]]) -> dict[str, dict[tuple[str, str], float]]:
        texts, sources = zip(*pairs, strict=True)
        metrics = {one: f"Consistency(aligner={one!r})" for one in "DR"}
        scores = evaluate(
            candidates=list(texts), sources=list(sources), metrics=list(metrics.values()), model=MODEL, cache=False
        )
        return {one: dict(zip(pairs, scores.values(spec).tolist(), strict=True)) for one, spec in metrics.items()}

    asked = [(row["candidate"], row["source"]) for row in rows]
    asked += [(text, row["candidate"]) for row in rows for text in row["references"]]
    asked = list(dict.fromkeys(asked))
    known = {"E": {pair: by_vectors(*pair) for pair in asked}, **by_aligners(asked)}
    for entry in table.rows:
        of, values = known[entry.name[0]], []
        for row in rows:
            covered = [of[text, row["candidate"]] for text in row["references"]]
            first, second = sum(covered) / len(covered), of[row["candidate"], row["source"]]
            values.append(
                {"r→y": first, "y→x": second, "sum": first + second, "product": first * second}[entry.part or ""]
            )
        (number,), (column,) = found[entry.name], table.columns
        assert number == pytest.approx(coefficient(column, rows, values), abs=1e-4), entry.name

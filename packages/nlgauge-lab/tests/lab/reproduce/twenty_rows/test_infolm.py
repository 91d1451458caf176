"""InfoLM's tables and figures on twenty rows, a second time."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest

from lab.reproduce.twenty_rows.matching import bertscore, moverscore
from lab.reproduce.twenty_rows.network import Array, Weight, network, predicted, weights
from lab.reproduce.twenty_rows.rows import Rows, coefficient, compare, cut, once, ours, rows_of, slow, specs, stats
from nlgauge.engine.english import is_stopword
from nlgauge.registry import parsed
from nlgauge_lab.reproduce.published import find

pytestmark = pytest.mark.usefixtures("one_model")


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


def infolm(rows: Rows, spec: str, by_mean: bool = False) -> list[float]:
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


def better(a: Sequence[float], b: Sequence[float], people: Sequence[float]) -> float:
    """The p-value of Williams' test that the first is more like people than the second is, one-sided."""
    (r_a, r_b), r_ab = (np.corrcoef(one, people)[0, 1] for one in (a, b)), np.corrcoef(a, b)[0, 1]
    n = len(people)
    K = 1 - r_a**2 - r_b**2 - r_ab**2 + 2 * r_a * r_b * r_ab
    under = 2 * K * (n - 1) / (n - 3) + ((r_a + r_b) / 2) ** 2 * (1 - r_ab) ** 3
    return float(stats.t.sf((r_a - r_b) * math.sqrt((n - 1) * (1 + r_ab) / under), n - 3))


def by_system(rows: Rows, values: Sequence[float]) -> list[float]:
    systems = dict.fromkeys(row["system"] for row in rows)
    return [float(np.mean([x for x, row in zip(values, rows, strict=True) if row["system"] == one])) for one in systems]


def test_infolm_on_triples_in_words(data: Path, tmp_path: Path) -> None:
    """Tables 2 and 3, every measure and the metrics beside them that read a model, and figure 7 of Williams' tests."""
    cut(data, tmp_path, {"webnlg2020": 4}, 5)
    metrics = ["InfoLM", "BERTScore", "MoverScore"]
    numbers = ours(tmp_path, ["infolm-table-3", "infolm-figure-7"], metrics)
    made = {
        name: once(partial(one, by_mean=True))
        for name, one in zip(metrics, (infolm, bertscore, moverscore), strict=True)
    }
    assert compare(tmp_path, "infolm-table-3", made, numbers["infolm-table-3"]) == 150
    (figure,) = find(["infolm-figure-7"])
    rows = rows_of(tmp_path, figure, "webnlg")
    assert len(rows) == 20
    means = {
        entry.name: by_system(rows, made[spec.partition("(")[0]](rows, spec))
        for entry in figure.rows
        if (spec := specs(figure, entry)["webnlg"]).partition("(")[0] in made
    }
    for name, mine in means.items():
        wanted = [
            math.nan if other is mine else better(mine, other, by_system(rows, [row["scores"][aspect] for row in rows]))
            for _, aspect, *_ in figure.columns
            for other in means.values()
        ]
        assert len(wanted) == 50
        assert numbers[figure.name][name] == pytest.approx(wanted, abs=1e-4, nan_ok=True), name


@slow("22 summaries are masked twice")
def test_infolm_on_summaries(data: Path, tmp_path: Path) -> None:
    """Figures 1 to 6, 8 and 9: agreement by measure, temperature and parameters, and measures with each other."""
    abstractive = ["bart_out", "t5_out_large", "t5_out_base", "t5_out_11B", "presumm_out_abs"]
    extractive = ["banditsumm_out", "heter_graph_out", "neusumm_out", "pnbert_out_bert_tf_pn", "matchsumm_out"]
    cut(data, tmp_path, {"realsumm_abs": abstractive, "realsumm_abs_bart_dup": 1, "realsumm_ext": extractive}, 2)
    figures = {"infolm-figure-8": 96, "infolm-figure-5": 54, "infolm-figure-6": 120}
    found = ours(tmp_path, [*figures, "infolm-figure-2", "infolm-figure-9"], ["InfoLM"])
    values = once(infolm)
    for name, numbers in figures.items():
        assert compare(tmp_path, name, {"InfoLM": values}, found[name]) == numbers
    between, distributions = find(["infolm-figure-2", "infolm-figure-9"])
    rows = rows_of(tmp_path, between, "abs")
    assert len(rows) == 10
    columns = [by_system(rows, [row["scores"]["litepyramid_recall"] for row in rows])]
    named = [entry for entry in between.rows if specs(between, entry).get("abs", "").startswith("InfoLM")]
    columns += [by_system(rows, values(rows, specs(between, entry)["abs"])) for entry in named]
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


@slow("the suite has no room for it")
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

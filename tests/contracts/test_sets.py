"""What every corpus-level metric has to hold. A new one adds specs to EXAMPLES and writes no test here."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

import nlgauge
from nlgauge import registry
from nlgauge.data.corpus import Corpus, Row
from nlgauge.data.table import Column, ScoreTable
from nlgauge.metrics.sets import SetMetric
from tests.contracts.test_metrics import refuse_beyond

pytestmark = pytest.mark.usefixtures("one_model")

EXAMPLES: dict[str, list[str]] = {
    "FrechetDistance": ["FrechetDistance", "FrechetDistance(unit='token', layers=2, normalize=False)"],
    "ImprovedPrecisionRecall": ["ImprovedPrecisionRecall", "ImprovedPrecisionRecall(unit='token', k=1)"],
    "MarkEvaluate": [
        "MarkEvaluate",
        "MarkEvaluate(estimator='schnabel', k=2)",
        "MarkEvaluate(estimator='capture', unit='token')",
    ],
    "PRD": ["PRD", "PRD(unit='token', layers=1, clusters=8)"],
}

PLACES = ("library", "harbour", "market", "theatre", "school", "station", "museum", "garden")
DOINGS = (
    "opens at nine.",
    "was sold.",
    "burned down last night!",
    "is closed for the winter, they said.",
    "has a cat.",
)
TEXTS = [f"The {place} {doing}" for place in PLACES for doing in DOINGS]
KINDS = registry.project_metrics()
CASES = [spec for name in KINDS for spec in EXAMPLES.get(name, [])]
every_example = pytest.mark.parametrize("spec", CASES)


def corpus(systems: dict[str, list[str]], references: list[str] = TEXTS) -> Corpus:
    rows = [
        Row(text, (references[i % len(references)],), system=system, item=str(i))
        for system, texts in systems.items()
        for i, text in enumerate(texts)
    ]
    return Corpus(tuple(rows))


def column(spec: str, rows: Corpus, against: Corpus | None = None, evidence: bool = False) -> Column:
    table = nlgauge.evaluate(rows, metrics=[spec], against=against, evidence=evidence)
    return table.columns[str(registry.metric(spec))]


SYSTEMS = {
    "same": TEXTS,
    "few": TEXTS[:5] * 8,
    "other": [f"{text} Nobody minds {i} rainy days." for i, text in enumerate(TEXTS)],
}


@functools.cache
def scored(spec: str) -> ScoreTable:
    """The table of all systems, computed once for the tests of it."""
    return nlgauge.evaluate(corpus(SYSTEMS), metrics=[spec])


def test_every_metric_of_sets_has_an_example() -> None:
    """A new one needs a spec in EXAMPLES."""
    assert [name for name, kind in KINDS.items() if issubclass(kind, SetMetric) and not EXAMPLES.get(name)] == []


@every_example
def test_a_system_has_a_value_and_the_table_survives_a_file(spec: str, tmp_path) -> None:
    table = scored(spec)
    found = table.column(spec)
    assert found.level == "system"
    assert found.values.shape == (len(SYSTEMS), len(found.parts))
    assert np.isfinite(found.values).all()
    refuse_beyond(registry.metric(spec), found.values)
    assert [score.system for score in table.by_system()][: len(SYSTEMS)] == list(SYSTEMS)
    assert all(score.n == len(TEXTS) for score in table.by_system())
    assert all(record["item"] is None for record in table.records())
    table.save(tmp_path / "scores.jsonl")
    again = ScoreTable.load(tmp_path / "scores.jsonl")
    np.testing.assert_array_equal(again.values(spec), table.values(spec))
    assert again.rows == table.rows and again.by_system()[0].n == len(TEXTS)


@every_example
def test_the_order_of_rows_does_not_matter_and_a_run_repeats(spec: str) -> None:
    rows = corpus({"few": SYSTEMS["few"], "other": SYSTEMS["other"]})
    order = np.random.default_rng(3).permutation(len(rows))
    turned = Corpus(tuple(rows[int(i)] for i in order))
    straight, other = column(spec, rows), column(spec, turned)
    at = [turned.systems.index(system) for system in rows.systems]
    np.testing.assert_allclose(other.values[at], straight.values, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(column(spec, rows).values, straight.values)


@every_example
def test_a_set_against_itself_is_best(spec: str) -> None:
    found = scored(spec).column(spec)
    first = found.values[:, 0] if registry.metric(spec).higher_is_better else -found.values[:, 0]
    assert first[0] >= first[1:].max() - 1e-6


@every_example
def test_sets_of_other_sizes_and_another_corpus_to_compare_with(spec: str) -> None:
    against = corpus({"any": TEXTS[:17]})
    found = column(spec, corpus({"same": TEXTS[:17], "more": TEXTS}), against)
    assert np.isfinite(found.values).all()
    alone = column(spec, corpus({"same": TEXTS[:17]}, TEXTS[:17]))
    np.testing.assert_allclose(found.values[0], alone.values[0], rtol=1e-4, atol=1e-5)


@every_example
@pytest.mark.parametrize("texts", [["One."], ["Two.", "Two."], ["a", "b", "c"], ["图书馆。", "🙂", "\0", "x" * 300]])
def test_small_and_odd_sets_have_a_number_or_a_reason(spec: str, texts: list[str]) -> None:
    found = column(spec, corpus({"odd": texts}))
    known = np.isfinite(found.values[0]).all()
    assert known != bool(found.reasons.get(0))


@every_example
def test_sets_without_words_have_a_reason(spec: str) -> None:
    found = column(spec, Corpus((Row("", ("A text.",)), Row(" ", ("Another.",), item="2"))))
    assert math.isnan(found.values[0, 0]) and "output" in found.reasons[0]
    found = column(spec, Corpus((Row("A text."), Row("Another.", ("",), item="2"))))
    assert math.isnan(found.values[0, 0]) and "reference" in found.reasons[0]


@every_example
def test_evidence_is_ready_for_json(spec: str, tmp_path) -> None:
    table = nlgauge.evaluate(corpus({"other": SYSTEMS["other"]}), metrics=[spec], evidence=True)
    table.save(tmp_path / "scores.jsonl")
    assert ScoreTable.load(tmp_path / "scores.jsonl").column(spec).evidence == table.column(spec).evidence

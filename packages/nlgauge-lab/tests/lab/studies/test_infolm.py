"""Temperature, alpha and beta of InfoLM: the same numbers as one by one, from one pass of the masked model."""

from __future__ import annotations

import pytest

from nlgauge import Corpus, InfoLM, ScoreTable, SpecError, correlate, evaluate
from nlgauge_lab.studies.infolm import parameters, temperature
from nlgauge_lab.studies.sweep import first_items


def test_all_temperatures_come_from_one_pass(corpus: Corpus, runs: list[ScoreTable]) -> None:
    given = ["InfoLM", InfoLM(measure="l1", references="mean")]
    found = temperature(corpus, given, [0.5, 1, 4], items=2, level="pooled", replicates=0)
    (table,) = runs
    assert len(table.metrics) == 6
    some = first_items(corpus, 2)
    one = evaluate(some, metrics="InfoLM", cache=False)
    assert table.spent["models"]["pocket"]["passes"] == one.spent["models"]["pocket"]["passes"]
    assert found.coefficients == ["pearson", "spearman", "kendall"]
    assert found.lines == ["InfoLM", "InfoLM(references='mean', measure='l1')"]
    values = [point.agreement.value for point in found.of("InfoLM", "adequacy", "pearson")]
    assert [point.setting for point in found.of("InfoLM", "adequacy", "pearson")] == [
        {"temperature": 0.5}, {"temperature": 1.0}, {"temperature": 4.0}
    ]  # fmt: skip
    alone = evaluate(some, metrics="InfoLM(temperature=4)")
    assert values[2] == pytest.approx(
        correlate(alone, some, level="pooled", replicates=0).get("InfoLM(temperature=4)").value
    )
    assert len(set(values)) == 3
    assert all(0 < value <= 1 for value in values), "a distance, turned"


def test_refusals(corpus: Corpus) -> None:
    with pytest.raises(SpecError, match="BERTScore is not InfoLM"):
        temperature(corpus, ["BERTScore"])
    with pytest.raises(SpecError, match="neither alpha nor beta"):
        parameters(corpus, "InfoLM")
    with pytest.raises(SpecError, match="no setting is inside"):
        parameters(corpus, "InfoLM(measure='renyi', alpha=2)", alphas=[-1, -2])
    with pytest.raises(SpecError, match="positive number"):
        temperature(corpus, temperatures=[0.0])

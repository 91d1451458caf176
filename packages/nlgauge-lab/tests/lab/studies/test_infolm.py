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


def test_alphas_and_betas_share_a_bag(corpus: Corpus, runs: list[ScoreTable]) -> None:
    found = parameters(corpus, alphas=[1, 2], betas=[-1, 0.25], items=2, level="pooled", replicates=0)
    assert found.axes == ("alpha", "beta")
    settings = [point.setting for point in found.of("ab", "adequacy", "pearson")]
    assert settings == [{"alpha": alpha, "beta": beta} for alpha in (1.0, 2.0) for beta in (-1.0, 0.25)]
    ledger = runs[0].spent["models"]["pocket"]
    assert ledger["features"] == {"BagRequest": ledger["texts"]}
    some = first_items(corpus, 2)
    spec = "InfoLM(measure='ab', alpha=2, beta=0.25)"
    expected = correlate(evaluate(some, metrics=spec), some, level="pooled", replicates=0).get(spec).value
    (point,) = [p for p in found.of("ab", "adequacy", "pearson") if p.setting == {"alpha": 2.0, "beta": 0.25}]
    assert point.agreement.value == pytest.approx(expected)


@pytest.mark.parametrize(
    ("metric", "axes", "count"),
    [
        ("InfoLM(measure='gamma', beta=1)", ("beta",), 2),
        ("InfoLM(measure='renyi', alpha=2)", ("alpha",), 1),
        ("InfoLM(measure='alpha', alpha=2)", ("alpha",), 2),
    ],
)
def test_measures_with_one_parameter(
    corpus: Corpus, runs: list[ScoreTable], metric: str, axes: tuple[str, ...], count: int
) -> None:
    found = parameters(corpus, metric, [-1, 2], [1, 2], items=1, level="pooled", replicates=0, coefficients=["pearson"])
    assert (found.axes, len(found.points)) == (axes, count)
    assert any(note.startswith("left out: InfoLM: ") for note in found.notes) == (count == 1)


def test_refusals(corpus: Corpus) -> None:
    with pytest.raises(SpecError, match="BERTScore is not InfoLM"):
        temperature(corpus, ["BERTScore"])
    with pytest.raises(SpecError, match="neither alpha nor beta"):
        parameters(corpus, "InfoLM")
    with pytest.raises(SpecError, match="no setting is inside"):
        parameters(corpus, "InfoLM(measure='renyi', alpha=2)", alphas=[-1, -2])
    with pytest.raises(SpecError, match="positive number"):
        temperature(corpus, temperatures=[0.0])

"""Layers: each alone, all of the model, from one pass."""

from __future__ import annotations

import pytest

from nlgauge import Corpus, InputError, Row, ScoreTable, SpecError, correlate, evaluate
from nlgauge_lab.studies.layers import layers


def test_every_layer_of_what_fits_the_rows(corpus: Corpus, runs: list[ScoreTable]) -> None:
    found = layers(corpus, level="pooled", replicates=0)
    assert found.lines == ["BERTScore", "BaryScore", "Consistency"]
    assert [point.setting["layer"] for point in found.of("BERTScore", "adequacy", "pearson")] == list(range(7))
    (table,) = runs
    ledger = table.spent["models"]["pocket"]
    assert ledger["passes"] == ledger["texts"]
    for line, spec in (
        ("BERTScore", "BERTScore(layer=2)"),
        ("BaryScore", "BaryScore(layers=(2,))"),
        ("Consistency", "Consistency(layer=2)"),
    ):
        expected = correlate(evaluate(corpus, metrics=spec), corpus, level="pooled", replicates=0).get(spec)
        point = found.of(line, "adequacy", "pearson")[2]
        assert point.agreement.metric == spec
        assert point.agreement.value == pytest.approx(expected.value, abs=1e-5)


def test_some_layers_of_some_metrics(corpus: Corpus, runs: list[ScoreTable]) -> None:
    found = layers(corpus, ["DepthScore(p=1)"], [0, 6], items=2, replicates=0)
    assert [(point.line, point.setting) for point in found.points] == [
        ("DepthScore(p=1)", {"layer": 0}), ("DepthScore(p=1)", {"layer": 6})
    ]  # fmt: skip


def test_what_the_rows_do_not_have_is_not_tried(runs: list[ScoreTable]) -> None:
    rows = [
        Row(text, source="a cat", system=text, item="1", scores={"x": float(n)})
        for n, text in enumerate(("a", "b", "c"))
    ]
    assert layers(Corpus(tuple(rows)), numbers=[0], replicates=0).lines == ["Consistency"]
    with pytest.raises(InputError, match="no row has references or a source"):
        layers(Corpus((Row("a", scores={"x": 1.0}),)))


@pytest.mark.parametrize(
    ("metrics", "numbers", "say"),
    [
        (["VectorExtrema"], None, "has no layer to choose"),
        (["MarkEvaluate"], None, "takes the last layers together"),
        (["BERTScore"], [7], "has layers 0 to 6; asked for 7"),
        (["BERTScore"], [-1], "asked for -1"),
    ],
)
def test_refusals(corpus: Corpus, one_model: None, metrics: list[str], numbers: list[int] | None, say: str) -> None:
    with pytest.raises(SpecError, match=say):
        layers(corpus, metrics, numbers)

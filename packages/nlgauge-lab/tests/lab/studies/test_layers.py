"""Layers: each alone, all of the model, from one pass."""

from __future__ import annotations

import pytest

from nlgauge import Corpus, InputError, Row, ScoreTable, SpecError
from nlgauge_lab.studies.layers import layers


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

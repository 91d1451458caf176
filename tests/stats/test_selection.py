"""selected: metrics and parts by every way to name them."""

from __future__ import annotations

import numpy as np
import pytest

from nlgauge import ScoreTable, SpecError
from nlgauge.data.signature import Signature
from nlgauge.data.table import Column
from nlgauge.stats.selection import selected

SIGNED = Signature("InfoLM", {"layer": 3})


@pytest.fixture
def table() -> ScoreTable:
    rows = [("A", "1"), ("A", "2")]
    columns = {
        "BERTScore(layer=3)": Column(("f1", "precision", "recall"), np.arange(6.0).reshape(2, 3), {1: "why"}),
        "InfoLM": Column(("score",), np.ones((2, 1)), higher_is_better=False),
        "Set": Column(("score", "n"), np.array([[1.0, 2.0]]), level="system"),
    }
    return ScoreTable(rows, columns, {"InfoLM": SIGNED}, {"rows": 2}, "9.9")


def shown(table: ScoreTable) -> dict[str, tuple[str, ...]]:
    return {spec: column.parts for spec, column in table.columns.items()}


def test_metrics_by_spec_by_name_and_by_part(table: ScoreTable) -> None:
    assert shown(selected(table, ["InfoLM", "BERTScore"])) == {"InfoLM": ("score",), "BERTScore(layer=3)": ("f1",)}
    found = selected(table, ["BERTScore recall", "BERTScore( layer = 3 ) precision", "Set n"])
    assert shown(found) == {"BERTScore(layer=3)": ("precision", "recall"), "Set": ("n",)}
    assert found.column("BERTScore").values.tolist() == [[1, 2], [4, 5]]
    assert found.column("BERTScore").reasons == {1: "why"}
    assert (found.rows, found.run, found.version) == (table.rows, table.run, "9.9")
    assert selected(table, ["InfoLM"]).signatures == {"InfoLM": SIGNED}


@pytest.mark.parametrize(
    ("metrics", "say"),
    [
        (["BLEU"], "no metric BLEU in the table: BERTScore(layer=3), InfoLM, Set"),
        (["BLEU f1"], "no metric BLEU f1 in the table"),
        (["InfoLM f1"], "InfoLM has no part 'f1'; it has score"),
        ([], "no metric was chosen"),
    ],
)
def test_what_is_not_there(table: ScoreTable, metrics: list[str], say: str) -> None:
    with pytest.raises(SpecError) as caught:
        selected(table, metrics)
    assert say in str(caught.value)

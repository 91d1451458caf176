"""The accessor of data frames, by pandas itself."""

from __future__ import annotations

from typing import Any

import pytest

import nlgauge
from nlgauge import InputError, SpecError
from tests.adapters.needed import needed, run_example

pd = needed("pandas", "pandas")


@pytest.fixture
def frame(rows: list[dict[str, Any]]) -> Any:
    import nlgauge.adapters.pandas  # noqa: F401

    return pd.DataFrame(rows, index=[f"row {at}" for at in range(len(rows))])


def test_scores_are_those_of_evaluate(frame: Any, rows: list[dict[str, Any]]) -> None:
    table = nlgauge.evaluate(rows, metrics=["TokenF1", "InfoLM"])
    assert frame.nlgauge.evaluate(["TokenF1", "InfoLM"]) == table
    scores = frame.nlgauge.scores(["TokenF1", "InfoLM"])
    assert list(scores.columns) == ["TokenF1 f1", "TokenF1 precision", "TokenF1 recall", "TokenF1 exact", "InfoLM"]
    assert list(scores.index) == list(frame.index)
    assert scores["TokenF1 recall"].tolist() == pytest.approx(table.values("TokenF1", "recall").tolist(), nan_ok=True)
    assert scores["InfoLM"].isna().tolist() == [False] * 5 + [True]
    assert frame.join(scores).shape == (6, 8)


def test_columns_of_other_names_are_named(frame: Any) -> None:
    other = frame.rename(columns={"candidate": "output"})
    scores = other.nlgauge.scores("TokenF1", columns={"candidate": "output"})
    assert scores.equals(frame.nlgauge.scores("TokenF1"))
    with pytest.raises(InputError, match="candidate"):
        other.nlgauge.scores("TokenF1")


def test_a_metric_of_sets_has_no_number_of_a_row(frame: Any) -> None:
    with pytest.raises(SpecError, match=r"measures sets of texts and has no number of a row: take evaluate"):
        frame.nlgauge.scores("MarkEvaluate(k=1)")
    assert frame.nlgauge.evaluate("MarkEvaluate(k=1)").values("MarkEvaluate").shape == (1,)


def test_the_example_prints_what_the_page_says() -> None:
    run_example("pandas")

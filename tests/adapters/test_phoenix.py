"""The Phoenix evaluator, by Phoenix's own evaluation of data frames."""

from __future__ import annotations

import json
from typing import Any

import pytest

import nlgauge
from nlgauge import SpecError
from tests.adapters.needed import needed, run_example

needed("phoenix", "phoenix.evals")


def test_a_data_frame_scores_as_by_evaluate(rows: list[dict[str, Any]]) -> None:
    import pandas as pd
    from phoenix.evals import evaluate_dataframe

    from nlgauge.adapters.phoenix import MetricEvaluator

    frame = pd.DataFrame(
        [{"output": row["candidate"], "gold": row["references"], "input": {"document": row["source"]}} for row in rows]
    )
    evaluators = [
        MetricEvaluator("TokenF1", part="recall", references="gold"),
        MetricEvaluator("InfoLM", references="gold"),
        MetricEvaluator("Consistency", source="input.document"),
    ]
    done = evaluate_dataframe(dataframe=frame, evaluators=evaluators, hide_tqdm_bar=True)
    table = nlgauge.evaluate(rows, metrics=["TokenF1", "InfoLM", "Consistency"], cache=False)
    for name in ("TokenF1 recall", "InfoLM", "Consistency"):
        found = [one if isinstance(one, dict) else json.loads(one) for one in done[f"{name}_score"]]
        assert [one["score"] for one in found[:-1]] == pytest.approx(table[name][:-1].tolist(), abs=1e-6)
        assert (found[-1].get("score"), found[-1]["explanation"]) == (None, "the candidate has no words")
        assert found[0]["direction"] == ("minimize" if name == "InfoLM" else "maximize")


def test_what_cannot_be_scored_alone_is_refused() -> None:
    from nlgauge.adapters.phoenix import MetricEvaluator

    with pytest.raises(SpecError, match="depends on the other rows"):
        MetricEvaluator("CIDEr", references="gold")
    with pytest.raises(SpecError, match="Consistency reads source: say where it stands"):
        MetricEvaluator("Consistency")


def test_the_example_prints_what_the_page_says() -> None:
    run_example("Phoenix")

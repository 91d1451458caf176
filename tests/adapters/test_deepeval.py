"""The DeepEval metric, by DeepEval itself, without a judge model."""

from __future__ import annotations

import asyncio
import os
from typing import Any

import pytest

import nlgauge
from nlgauge import InputError, SpecError
from tests.adapters.needed import needed, run_example

os.environ.setdefault("DEEPEVAL_TELEMETRY_OPT_OUT", "YES")
os.environ.setdefault("DEEPEVAL_DISABLE_DOTENV", "1")
needed("deepeval", "deepeval")


def case(row: dict[str, Any]) -> Any:
    from deepeval.test_case import LLMTestCase

    return LLMTestCase(
        input="What happened?", actual_output=row["candidate"], expected_output=row["references"][0],
        retrieval_context=[row["source"]],
    )  # fmt: skip


def test_deepeval_evaluates_with_it(rows: list[dict[str, Any]]) -> None:
    from deepeval import evaluate
    from deepeval.evaluate import AsyncConfig, DisplayConfig, ErrorConfig

    from nlgauge.adapters.deepeval import CaseMetric

    spec = "Consistency(aligner='D')"
    quiet = DisplayConfig(show_indicator=False, print_results=False)
    for concurrent in (False, True):
        done = evaluate(
            [case(row) for row in rows],
            [CaseMetric(spec, at_least=0.5, part="probability")],
            display_config=quiet,
            async_config=AsyncConfig(run_async=concurrent),
            error_config=ErrorConfig(ignore_errors=True),
        )
        found = {one.actual_output: one.metrics_data[0] for one in done.test_results}
        records = [{**row, "question": "What happened?"} for row in rows[:5]]
        values = nlgauge.evaluate(records, metrics=spec, cache=False).values(spec, "probability").tolist()
        assert [found[row["candidate"]].score for row in rows[:5]] == pytest.approx(values, abs=1e-6)
        assert [found[row["candidate"]].success for row in rows[:5]] == [value >= 0.5 for value in values]
        assert found[""].error and "has no value: the candidate has no words" in found[""].error


def test_a_case_is_measured_alone_and_says_what_is_not_supported(rows: list[dict[str, Any]]) -> None:
    from nlgauge.adapters.deepeval import CaseMetric

    metric = CaseMetric("Consistency(aligner='D')", at_least=0.5, part="probability")
    bad = {"candidate": "The bridge closed, and the mayor gave away cars.", "references": ["."], "source": "It closed."}
    value = asyncio.run(metric.a_measure(case(bad)))
    assert value == metric.score < 0.5 and not metric.is_successful()
    assert metric.reason and "that the source does not support: " in metric.reason and "cars" in metric.reason
    assert metric.__name__ == "Consistency(aligner='D') probability"
    with pytest.raises(InputError, match="no value: the candidate has no words"):
        metric.measure(case({**bad, "candidate": ""}))
    for spec, say in (("InfoLM", "more is not better"), ("MarkEvaluate", "depends on the other rows")):
        with pytest.raises(SpecError, match=say):
            CaseMetric(spec, at_least=0.5)


def test_the_example_prints_what_the_page_says() -> None:
    run_example("DeepEval")

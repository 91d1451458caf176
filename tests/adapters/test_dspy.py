"""The DSPy metric: by itself, and by `dspy.Evaluate` where DSPy is installed."""

from __future__ import annotations

from typing import Any

import pytest

import nlgauge
from nlgauge import InputError, SpecError
from nlgauge.adapters.dspy import ExampleMetric
from tests.adapters.needed import needed, run_example


def test_a_number_or_a_verdict() -> None:
    metric = ExampleMetric("TokenF1", references="gold", at_least=0.7)
    assert metric({"gold": "A red cat."}, {"answer": "A red dog."}) == pytest.approx(0.5)
    assert metric({"gold": "A red cat."}, {"answer": "A red dog."}, trace=[]) is False
    assert metric({"gold": ["A red cat.", "A dog."]}, {"answer": "A dog."}, trace=[]) is True
    with pytest.raises(SpecError, match="give at_least"):
        ExampleMetric("TokenF1", references="gold")({"gold": "A cat."}, {"answer": "A cat."}, trace=[])


def test_what_misleads_an_optimiser_is_refused() -> None:
    with pytest.raises(SpecError, match="of InfoLM, more is not better"):
        ExampleMetric("InfoLM", references="gold")
    with pytest.raises(SpecError, match="depends on the other rows"):
        ExampleMetric("MarkEvaluate", references="gold")
    with pytest.raises(InputError, match="TokenF1 f1 has no value: no reference"):
        ExampleMetric("TokenF1", references="gold")({"gold": None}, {"answer": "A cat."})
    with pytest.raises(InputError, match=r"the prediction has no field 'answer' \(it has output\)"):
        ExampleMetric("TokenF1", references="gold")({"gold": "A cat."}, {"output": "A cat."})


def test_dspy_takes_the_mean(rows: list[dict[str, Any]]) -> None:
    dspy = needed("dspy", "dspy")
    examples = [
        dspy.Example(question=str(at), gold=row["references"], document=row["source"]).with_inputs("question")
        for at, row in enumerate(rows[:5])
    ]

    class Says(dspy.Module):  # type: ignore[misc]
        def forward(self, question: str) -> Any:
            return dspy.Prediction(answer=rows[int(question)]["candidate"])

    for name, fields in (("BERTScore", {"references": "gold"}), ("Consistency", {"source": "document"})):
        done = dspy.Evaluate(devset=examples, metric=ExampleMetric(name, **fields), num_threads=2)(Says())
        values = nlgauge.evaluate(rows[:5], metrics=name).values(name).tolist()
        assert [score for _, _, score in done.results] == pytest.approx(values, abs=1e-6)
        assert done.score == pytest.approx(100 * sum(values) / 5, abs=0.01)


def test_gepa_gets_a_number_and_what_is_wrong_in_words() -> None:
    dspy = needed("dspy", "dspy")
    from nlgauge.adapters.dspy import FeedbackMetric

    metric = FeedbackMetric("TokenF1", references="gold")
    dspy.GEPA(metric=metric, max_metric_calls=1, reflection_lm=dspy.utils.DummyLM([{}]))  # which looks at the arguments
    found = metric(dspy.Example(gold="A red cat."), dspy.Prediction(answer="A red dog."), [], "answer", [])
    assert found.score == pytest.approx(0.5)
    assert (
        found.feedback.startswith("TokenF1 f1 is 0.5000. The words of the candidate that the reference ")
        and "dog" in found.feedback
    )
    none = metric(dspy.Example(gold="A red cat."), dspy.Prediction(answer=""))
    assert none.score == 0.0 and none.feedback == "TokenF1 f1 has no value: the candidate has no words"


def test_the_example_prints_what_the_page_says() -> None:
    needed("dspy", "dspy")
    run_example("DSPy")

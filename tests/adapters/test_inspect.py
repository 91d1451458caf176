"""The Inspect scorer, in evaluations by Inspect itself with its stand-in of a model."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import nlgauge
from nlgauge import SpecError
from tests.adapters.needed import needed, run_example

needed("inspect", "inspect_ai")


def evaluated(rows: list[dict[str, Any]], scorer: Any, folder: Path) -> Any:
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    samples = [
        Sample(input=f"Say {at}", target=row["references"], metadata={"document": row["source"]}, id=at)
        for at, row in enumerate(rows, 1)
    ]
    outputs = [ModelOutput.from_content("mockllm/model", row["candidate"]) for row in rows]
    for output in outputs:
        output.usage = ModelUsage()  # else the stand-in fetches a tokenizer to count with
    (log,) = eval(
        Task(dataset=samples, scorer=scorer),
        model=get_model("mockllm/model", custom_outputs=outputs),
        log_dir=str(folder),
        display="none",
        max_connections=1,
        max_samples=1,
    )
    return log


def test_every_sample_scores_as_by_evaluate(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    from nlgauge.adapters.inspect import nlgauge_scorer

    scorers = [
        nlgauge_scorer("BERTScore", part="recall"),
        nlgauge_scorer("Consistency", source="document"),
        nlgauge_scorer("TokenF1"),
    ]
    log = evaluated(rows, scorers, tmp_path)
    assert log.status == "success", log.error
    table = nlgauge.evaluate(rows, metrics=["BERTScore", "Consistency", "TokenF1"])
    labels = {"nlgauge_scorer": "BERTScore recall", "nlgauge_scorer1": "Consistency", "nlgauge_scorer2": "TokenF1 f1"}
    assert [one.name for one in log.results.scores] == list(labels.values())
    means = {one.name: one.metrics["mean"].value for one in log.results.scores}
    for name, label in labels.items():
        values = table[label].tolist()
        *found, empty = [sample.scores[name] for sample in log.samples]
        assert [one.value[label] for one in found] == pytest.approx(values[:-1], abs=1e-6)
        assert (empty.reason, empty.explanation) == ("no_response", "the candidate has no words")
        assert means[label] == pytest.approx(sum(values[:-1]) / 5, abs=1e-6), "without the one that has no score"


def test_a_log_is_scored_by_name(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    from importlib.metadata import entry_points

    if not any(point.value == "nlgauge.adapters.inspect" for point in entry_points(group="inspect_ai")):
        pytest.skip("needs nlgauge installed with its entry points: make adapters")
    from inspect_ai.log import read_eval_log
    from inspect_ai.scorer import match

    first, second = evaluated(rows, match(), tmp_path).location, tmp_path / "scored.eval"
    options = ["--scorer", "nlgauge/nlgauge_scorer", "-S", "metric=TokenF1", "--action", "append"]
    command = [Path(sys.executable).with_name("inspect"), "score", first, *options, "--output-file", second]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    log = read_eval_log(str(second))
    values = nlgauge.evaluate(rows, metrics="TokenF1").values("TokenF1").tolist()
    found = [sample.scores["nlgauge_scorer"].value["TokenF1 f1"] for sample in log.samples[:-1]]
    assert found == pytest.approx(values[:-1], abs=1e-6)


def test_wrong_keys_and_metrics_are_named(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    from nlgauge.adapters.inspect import nlgauge_scorer

    log = evaluated(rows[:1], nlgauge_scorer("Consistency", source="source"), tmp_path)
    assert "the sample 1 has no metadata 'source' (it has document)" in log.error.message
    with pytest.raises(SpecError, match="Consistency reads source: say where it stands"):
        nlgauge_scorer("Consistency")
    with pytest.raises(SpecError, match="depends on the other rows"):
        nlgauge_scorer("InfoLM(idf='references')")


def test_the_input_may_be_the_source(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    from nlgauge.adapters.inspect import nlgauge_scorer

    log = evaluated(rows[:1], nlgauge_scorer("Consistency", source="input"), tmp_path)
    bare = [{"candidate": rows[0]["candidate"], "source": "Say 1"}]
    expected = nlgauge.evaluate(bare, metrics="Consistency").values("Consistency")[0]
    assert log.samples[0].scores["nlgauge_scorer"].value["Consistency"] == pytest.approx(expected, abs=1e-6)


def test_the_gate_gives_the_verdict_of_check(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    from nlgauge.adapters.inspect import nlgauge_grounded

    log = evaluated(rows, nlgauge_grounded("document", question="input"), tmp_path)
    asked = [{**row, "question": f"Say {at}"} for at, row in enumerate(rows, 1)]
    table = nlgauge.evaluate(asked, metrics="Faithfulness", evidence=True)
    verdict = nlgauge.check(table, grounded=True)
    scores = [sample.scores["nlgauge_grounded"] for sample in log.samples]
    assert [one.value for one in scores] == ["I" if row.failed else "C" for row in verdict.outcomes]
    assert [one.metadata["finding"] for one in scores] == [row.finding for row in verdict.outcomes]
    assert all((row.why in one.explanation) for one, row in zip(scores, verdict.outcomes, strict=True))


def test_the_example_prints_what_the_page_says() -> None:
    run_example("Inspect")

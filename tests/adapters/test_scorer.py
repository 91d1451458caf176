"""Scorers score as `nlgauge.evaluate` does, load a model once, and refuse what depends on the batch."""

from __future__ import annotations

import math
import pickle
from types import SimpleNamespace
from typing import Any

import pytest

import nlgauge
from nlgauge import InputError, SpecError
from nlgauge.adapters.scorer import RowScorer, Scorer, means


@pytest.mark.parametrize(
    ("metric", "remedy"),
    [
        ("InfoLM(idf='references')", r"choose idf='none'"),
        ("BERTScore(idf='references')", r"choose idf='none'"),
        ("MarkEvaluate", "score all rows at once by nlgauge.evaluate"),
    ],
)
def test_a_metric_that_depends_on_the_batch_is_refused(metric: str, remedy: str) -> None:
    with pytest.raises(SpecError, match=rf"depends on the other rows.*: {remedy}$"):
        RowScorer(metric)


def test_what_cannot_be_had_is_refused() -> None:
    with pytest.raises(SpecError, match="no metric was given"):
        Scorer([])
    with pytest.raises(SpecError, match="no metric 'Bertscore'; did you mean BERTScore"):
        Scorer("Bertscore")
    with pytest.raises(SpecError, match="TokenF1 has no sub-score 'depth'; it has f1, precision, recall, exact"):
        RowScorer("TokenF1", part="depth")


def test_a_row_without_what_the_metric_reads_has_no_number(rows: list[dict[str, Any]]) -> None:
    scorer = RowScorer("TokenF1")
    bare = {"candidate": "A cat sat."}
    found = scorer.scores([bare, rows[0], {**bare, "references": None}])
    assert [one.reason for one in found] == ["no reference", None, "no reference"]
    assert math.isnan(found[0].value) and not math.isnan(found[1].value)
    assert scorer.score(bare).reason == "no reference", "alone as in a batch"
    assert scorer.scores([]) == []


def test_the_mean_is_that_of_the_one_system(rows: list[dict[str, Any]]) -> None:
    table = nlgauge.evaluate(rows, metrics=["TokenF1", "InfoLM"])
    expected = {(one.metric, one.part): one.mean for one in table.by_system()}
    assert means(table)["TokenF1 recall"] == expected["TokenF1", "recall"]
    assert means(table)["InfoLM"] == expected["InfoLM", "score"]
    two = nlgauge.evaluate([{**row, "system": str(at % 2)} for at, row in enumerate(rows)], metrics="TokenF1")
    with pytest.raises(InputError, match="the rows are of 2 systems"):
        means(two)


def test_a_bound_scorer_reads_arguments_keys_and_attributes() -> None:
    bound = RowScorer("TokenF1").bind(candidate="sample.said.text", references="gold.answers")
    given = {"sample": SimpleNamespace(said={"text": "A cat sat."}), "gold": {"answers": ["A cat.", "A cat sat."]}}
    assert bound(**given) == (1.0, None)
    assert pickle.loads(pickle.dumps(bound))(**given) == (1.0, None)
    flat = RowScorer("TokenF1").bind(candidate="output.text", references="self")
    found = flat(**{"output.text": "A red cat.", "self": "A cat."})
    assert found.number == found.value < 1.0
    assert found.reason and "red" in found.reason
    assert flat(**{"output.text": "", "self": "A cat."}).number is None
    assert flat(**{"output.text": "", "self": "A cat."}).reason == "the candidate has no words"


def test_a_field_that_is_not_there_is_named() -> None:
    bound = RowScorer("TokenF1").bind(candidate="output", references="expected.answer")
    with pytest.raises(InputError, match=r"^expected has no 'answer' \(it has gold\)$"):
        bound(output="A cat.", expected={"gold": "A cat."})
    with pytest.raises(InputError, match=r"^the row has no 'expected' \(it has output\)$"):
        bound(output="A cat.")
    with pytest.raises(InputError, match=r"^expected has no 'answer' \(it is of type NoneType\)$"):
        bound(output="A cat.", expected=None)
    with pytest.raises(SpecError, match=r"^TokenF1 reads references: say where it stands, references='THEIRS'$"):
        RowScorer("TokenF1").bind(candidate="output")


@pytest.mark.parametrize("name", ["deepeval", "pandas", "promptfoo"])
def test_an_adapter_of_before_names_its_recipe(name: str) -> None:
    with pytest.raises(ImportError, match=rf"^nlgauge.adapters.{name} is a recipe now: copy it from docs/adapters.md"):
        exec(f"from nlgauge.adapters.{name} import anything")
    with pytest.raises(ImportError, match=r"No module named"):
        exec("from nlgauge.adapters.nobody import anything")

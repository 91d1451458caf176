"""The folder that Hugging Face `evaluate` loads, loaded by it."""

from __future__ import annotations

import multiprocessing
from pathlib import Path
from typing import Any

import pytest

import nlgauge
from nlgauge import SpecError
from nlgauge.adapters.evaluate_module import FOLDER
from nlgauge.adapters.scorer import means
from tests.adapters.needed import needed, run_example

METRICS = ["TokenF1", "InfoLM(idf='references')", "MarkEvaluate(k=1)"]


def loaded(*configuration: str, **given: Any) -> Any:
    return needed("evaluate_module", "evaluate").load(FOLDER, *configuration, **given)


def test_values_are_the_means_of_evaluate(rows: list[dict[str, Any]]) -> None:
    module = loaded()
    given = {"predictions": [row["candidate"] for row in rows], "references": [row["references"] for row in rows]}
    plain = [{"candidate": row["candidate"], "references": row["references"]} for row in rows]
    expected = means(nlgauge.evaluate(plain, metrics=METRICS))
    assert module.compute(**given, metrics=METRICS) == expected
    scorer = module._scorer
    for row in rows:
        module.add(prediction=row["candidate"], reference=row["references"])
    assert module.compute(metrics=METRICS) == expected, "gathered one by one"
    assert module._scorer is scorer, "whose models are there already"
    assert module.compute(**given, metrics="BERTScore").keys() == {
        "BERTScore f1",
        "BERTScore precision",
        "BERTScore recall",
    }


def test_a_configuration_names_the_columns(rows: list[dict[str, Any]]) -> None:
    sources = {"predictions": [row["candidate"] for row in rows], "sources": [row["source"] for row in rows]}
    expected = means(nlgauge.evaluate(rows, metrics="Consistency"))
    assert loaded("sources").compute(**sources, metrics="Consistency") == expected
    both = {**sources, "references": [row["references"] for row in rows]}
    found = loaded("references+sources").compute(**both, metrics=["Relevance", "Consistency"])
    assert found == means(nlgauge.evaluate(rows, metrics=["Relevance", "Consistency"]))
    with pytest.raises(
        SpecError, match=r"no configuration 'source': 'source' is none of references, sources, contexts"
    ):
        loaded("source")


def process(number: int, folder: str, rows: list[dict[str, Any]], found: Any) -> None:
    """One of two processes that evaluate joins by files."""
    module = loaded(num_process=2, process_id=number, experiment_id="two", cache_dir=folder)
    module.add_batch(predictions=[row["candidate"] for row in rows], references=[row["references"] for row in rows])
    found.put((number, module.compute(metrics=METRICS)))


def test_rows_of_several_processes_are_scored_together(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    needed("evaluate_module", "evaluate")
    spawn = multiprocessing.get_context("spawn")
    found = spawn.Queue()
    parts = {0: rows[:4], 1: rows[4:]}
    processes = [spawn.Process(target=process, args=(n, str(tmp_path), part, found)) for n, part in parts.items()]
    for one in processes:
        one.start()
    values = dict(found.get(timeout=60) for _ in processes)
    for one in processes:
        one.join(60)
    records = [{"candidate": row["candidate"], "references": row["references"]} for row in rows]
    assert values == {0: means(nlgauge.evaluate(records, metrics=METRICS)), 1: None}


def test_the_example_prints_what_the_page_says() -> None:
    needed("evaluate_module", "evaluate")
    run_example("Hugging Face evaluate")

"""The function for `map`: by itself, and by `datasets` where that is installed."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

import nlgauge
from nlgauge import InputError, SpecError
from nlgauge.adapters.datasets import Scores
from tests.adapters.needed import needed, run_example

METRICS = ["TokenF1", "BERTScore"]


def columns_of(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in rows[0]}


def test_a_batch_gets_a_column_for_each_part(rows: list[dict[str, Any]]) -> None:
    table = nlgauge.evaluate(rows, metrics=METRICS)
    found = Scores(METRICS)(columns_of(rows))
    assert list(found)[-1] == "BERTScore recall" and len(found) == 7
    values = [None if math.isnan(value) else value for value in table.values("BERTScore", "recall").tolist()]
    assert values[-1] is None
    assert (
        found["BERTScore recall"][:-1] == pytest.approx(values[:-1], abs=1e-6) and found["BERTScore recall"][-1] is None
    )


def test_what_depends_on_the_batch_is_refused() -> None:
    with pytest.raises(SpecError, match="depends on the other rows"):
        Scores("InfoLM(idf='references')")


def test_columns_that_are_not_there_are_named(rows: list[dict[str, Any]]) -> None:
    batch = columns_of(rows)
    with pytest.raises(
        InputError, match=r"there is no column 'answer' \(the columns are candidate, references, source\)"
    ):
        Scores("TokenF1", columns={"candidate": "answer"})(batch)
    batch["answer"] = batch.pop("candidate")
    with pytest.raises(InputError, match=r"no column 'candidate' \(columns=\{'candidate': 'THEIRS'\}\)"):
        Scores("TokenF1")(batch)
    assert Scores("TokenF1", columns={"candidate": "answer"})(batch) == Scores("TokenF1")(columns_of(rows))
    with pytest.raises(InputError, match=r"the rows come one by one \(map\(..., batched=True\)\)"):
        Scores("TokenF1")(rows[0])  # type: ignore[arg-type]


def test_map_adds_the_columns_whatever_its_batches(rows: list[dict[str, Any]]) -> None:
    datasets = needed("datasets", "datasets")
    data = datasets.Dataset.from_list(rows)
    values = nlgauge.evaluate(rows, metrics=METRICS).values("BERTScore").tolist()[:-1]
    for size in (1, 4, 1000):
        scored = data.map(Scores(METRICS), batched=True, batch_size=size)
        assert scored["BERTScore f1"][:-1] == pytest.approx(values, abs=1e-6) and scored["BERTScore f1"][-1] is None
        assert scored["candidate"][:] == data["candidate"][:]


def test_map_finds_what_it_computed_before(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    datasets = needed("datasets", "datasets")
    datasets.Dataset.from_list(rows).save_to_disk(str(tmp_path / "data"))
    data = datasets.load_from_disk(str(tmp_path / "data"))
    first = data.map(Scores("BERTScore"), batched=True)
    assert data.map(Scores("BERTScore"), batched=True).cache_files == first.cache_files != []
    assert data.map(Scores("BERTScore(layer=1)"), batched=True).cache_files != first.cache_files


def test_several_processes_score_the_same(rows: list[dict[str, Any]]) -> None:
    datasets = needed("datasets", "datasets")
    data = datasets.Dataset.from_list(rows)
    alone = data.map(Scores("TokenF1"), batched=True)
    assert data.map(Scores("TokenF1"), batched=True, num_proc=2)["TokenF1 f1"][:] == alone["TokenF1 f1"][:]


def test_the_example_prints_what_the_page_says() -> None:
    needed("datasets", "datasets")
    run_example("datasets")

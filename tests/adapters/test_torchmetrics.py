"""The torchmetrics Metric, by torchmetrics itself: gathered over processes, merged, copied, moved."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from pathlib import Path
from typing import Any

import pytest

import nlgauge
from nlgauge.adapters.scorer import means
from tests.adapters.needed import needed, run_example

needed("torchmetrics", "torchmetrics")
torch = pytest.importorskip("torch")

METRICS = ["TokenF1", "InfoLM(idf='references')", "MarkEvaluate(k=1)"]


def made(metrics: Any = METRICS, **settings: Any) -> Any:
    from nlgauge.adapters.torchmetrics import NLGaugeMetric

    return NLGaugeMetric(metrics, **settings)


def add(metric: Any, rows: list[dict[str, Any]]) -> None:
    metric.update([row["candidate"] for row in rows], [row["references"] for row in rows])


def numbers(values: dict[str, Any]) -> dict[str, float]:
    return {name: value.item() for name, value in values.items()}


def expected(rows: list[dict[str, Any]], metrics: Any = METRICS) -> dict[str, float]:
    plain = [{"candidate": row["candidate"], "references": row["references"]} for row in rows]
    return means(nlgauge.evaluate(plain, metrics=metrics))


def test_compute_is_evaluate_of_all_rows(rows: list[dict[str, Any]]) -> None:
    metric = made()
    for at in (0, 2, 4):
        add(metric, rows[at : at + 2])
    assert numbers(metric.compute()) == expected(rows)
    metric.reset()
    add(metric, rows[:2])
    assert numbers(metric.compute()) == expected(rows[:2])


def test_it_is_copied_pickled_cast_and_collected(rows: list[dict[str, Any]]) -> None:
    from torchmetrics import MetricCollection

    metric = made("BERTScore")
    add(metric, rows)
    values = expected(rows, "BERTScore")
    for other in (copy.deepcopy(metric), pickle.loads(pickle.dumps(metric)), metric.clone().set_dtype(torch.float16)):
        assert numbers(other.compute()) == values
    collection = MetricCollection({"a": made("TokenF1"), "b": made("BERTScore")})
    collection.update([row["candidate"] for row in rows], [row["references"] for row in rows])
    found = numbers(collection.compute())
    assert {name: found[name] for name in values} == values


def process(rank: int, store: str, parts: list[list[dict[str, Any]]], found: Any) -> None:
    """One of several processes that torch.distributed joins."""
    group = torch.distributed
    group.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=len(parts))
    metric = made()
    if parts[rank]:
        add(metric, parts[rank])
    found.put((rank, numbers(metric.compute())))
    group.destroy_process_group()


@pytest.mark.parametrize("shares", [(4, 2), (6, 0), (0, 6)], ids=str)
def test_processes_see_the_rows_of_all(rows: list[dict[str, Any]], tmp_path: Path, shares: tuple[int, int]) -> None:
    parts = [rows[: shares[0]], rows[shares[0] :]]
    spawn = multiprocessing.get_context("spawn")
    found = spawn.Queue()
    processes = [spawn.Process(target=process, args=(n, str(tmp_path / "store"), parts, found)) for n in (0, 1)]
    for one in processes:
        one.start()
    values = dict(found.get(timeout=120) for _ in processes)
    for one in processes:
        one.join(60)
    assert values == {0: expected(rows), 1: expected(rows)}


def test_the_example_prints_what_the_page_says() -> None:
    run_example("torchmetrics")

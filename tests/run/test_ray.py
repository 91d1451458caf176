"""A run on Ray is the run of one process, also where a worker dies; what cannot be had is told in one line."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import nlgauge
from nlgauge.contract.base import RowMetric, Value
from nlgauge.data.corpus import Corpus, Row
from nlgauge.data.corpus.disk_rows import DiskRows
from nlgauge.errors import InputError, NlgaugeError, SpecError
from nlgauge.options import Cluster
from tests.run.rows import rows

ray = pytest.importorskip("ray", reason="needs nlgauge[ray]")
METRICS = ["TokenF1", "BERTScore(idf='references')", "MarkEvaluate"]


@dataclass(frozen=True)
class Deadly(RowMetric):
    """Ends its process at a text, once; or whenever it comes."""

    marker: str
    """A file that is there after the first death; '' for a text that ends every process"""

    columns = ("candidate",)

    def score_rows(self, rows, prepared, features):
        if any(row.candidate == "deadly" for row in rows) and not (self.marker and Path(self.marker).exists()):
            if self.marker:
                Path(self.marker).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return [Value((float(len(row.candidate)),)) for row in rows]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """Two workers of one thread; Ray is started once for all tests."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    # What the tests define is found by the workers as it is by the tests.
    here = os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
    ray.init(
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        logging_level="ERROR",
        runtime_env={"env_vars": {"PYTHONPATH": here}},
    )
    yield Cluster(workers=2)
    ray.shutdown()


def test_table_is_that_of_one_process(cluster: Cluster, tmp_path: Path) -> None:
    whole = nlgauge.evaluate(rows(5, 40), metrics=METRICS, evidence=True, cache=False)
    table = nlgauge.evaluate(
        Corpus(DiskRows(rows(5, 40))),
        metrics=METRICS,
        evidence=True,
        cache=False,
        rows_per_block=3,
        ray=cluster,
        output=tmp_path / "scores",
    )
    assert (table.rows, table.signatures, table.run) == (whole.rows, whole.signatures, whole.run)
    for spec, column in whole.columns.items():
        np.testing.assert_allclose(table.columns[spec].values, column.values, rtol=1e-3, atol=1e-4)
        assert table.columns[spec].reasons == column.reasons


def test_worker_that_dies_is_replaced(cluster: Cluster, tmp_path: Path) -> None:
    corpus = Corpus(tuple(Row("deadly" if n == 11 else f"text {n}", item=str(n)) for n in range(30)))
    metric = Deadly(str(tmp_path / "died"))
    table = nlgauge.evaluate(corpus, metrics=[metric], cache=False, rows_per_block=2, ray=cluster)
    assert (tmp_path / "died").exists()
    assert table.values(str(metric)).tolist() == [len(row.candidate) for row in corpus]


def test_rows_that_end_every_worker_are_named(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nlgauge.run.ray._TRIES", 1)
    corpus = Corpus(tuple(Row("deadly" if n == 5 else f"text {n}") for n in range(8)))
    with pytest.raises(
        InputError, match=r"rows \d to \d, or rows that the same worker had beside them, ended it 2 times"
    ):
        nlgauge.evaluate(corpus, metrics=[Deadly("")], cache=False, rows_per_block=2, ray=cluster)


def test_row_that_is_refused_has_its_number_in_the_corpus(cluster: Cluster) -> None:
    corpus = Corpus((*[Row("short", ("short",))] * 5, Row("word " * 600, ("a word",))))
    with pytest.raises(InputError) as caught:
        nlgauge.evaluate(corpus, metrics="BERTScore", window="error", cache=False, rows_per_block=4, ray=cluster)
    assert caught.value.row == 6


def test_store_of_the_one_who_asks_is_used(cluster: Cluster, tmp_path: Path) -> None:
    first = nlgauge.evaluate(rows(5, 8), metrics=METRICS, cache=tmp_path, rows_per_block=3, ray=cluster)
    again = nlgauge.evaluate(rows(5, 8), metrics=METRICS, cache=tmp_path)
    assert again == first
    assert again.spent["models"]["pocket"]["passes"] == 0


def test_too_many_workers_are_refused(cluster: Cluster) -> None:
    with pytest.raises(NlgaugeError, match=r"has 2 processors and 0 GPUs, too few for workers: 3 of 1 processors"):
        nlgauge.evaluate(rows(5, 8), metrics="TokenF1", cache=False, ray=Cluster(workers=3))
    with pytest.raises(NlgaugeError, match=r"too few for workers: 1 of 1 processors and 0\.5 GPUs"):
        nlgauge.evaluate(rows(5, 8), metrics="TokenF1", cache=False, ray=Cluster(gpus=0.5))


@pytest.mark.parametrize("options", [{"address": ""}, {"workers": 0}, {"threads": 0}, {"gpus": -1}])
def test_cluster_that_makes_no_sense_is_refused(options: dict[str, object]) -> None:
    with pytest.raises(SpecError):
        Cluster(**options)  # type: ignore[arg-type]

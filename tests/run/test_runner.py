"""Blocks of rows in memory: what the store has, rows that are refused, and how far ahead rows are read."""

from __future__ import annotations

from contextlib import suppress

import pytest

import nlgauge
from nlgauge.data.corpus import Corpus
from nlgauge.data.corpus.disk_rows import DiskRows
from nlgauge.engine.engine import Engine
from nlgauge.errors import InputError, SpecError
from nlgauge.run.sinks import RowCollector
from tests.run.rows import rows

pytestmark = pytest.mark.usefixtures("one_model")


@pytest.mark.parametrize("size", [1, 4, 7, 100])
def test_any_size_gives_the_table_of_the_whole(size: int) -> None:
    metrics = ["TokenF1", "BERTScore(idf='references')", "MarkEvaluate"]
    whole = nlgauge.evaluate(rows(5, 7), metrics=metrics, cache=False)
    table = nlgauge.evaluate(Corpus(DiskRows(rows(5, 7))), metrics=metrics, cache=False, rows_per_block=size)
    assert (table.rows, table.signatures, table.run) == (whole.rows, whole.signatures, whole.run)
    assert table.metrics == whole.metrics
    assert table.columns["TokenF1"] == whole.columns["TokenF1"]
    for metric in metrics[1:]:
        assert table.values(metric) == pytest.approx(whole.values(metric), rel=1e-3, nan_ok=True)


@pytest.mark.parametrize("options", [{"rows_per_block": 0}, {"rows_per_block": 2, "processes": 2}, {"ray": ""}])
def test_options_that_make_no_sense_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(SpecError):
        nlgauge.evaluate(rows(5, 7), metrics="TokenF1", cache=False, **options)  # type: ignore[arg-type]


def test_engines_are_closed_whatever_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[Engine] = []
    monkeypatch.setattr(Engine, "close", lambda engine: closed.append(engine))
    for metrics in (["BERTScore"], ["BERTScore", "Consistency"]):  # the second one needs a source, and there is none
        with suppress(InputError):
            nlgauge.evaluate(rows(5, 3, source=False), metrics=metrics, cache=False)
        with suppress(InputError):
            nlgauge.evaluate(rows(5, 3, source=False), metrics=metrics, cache=False, rows_per_block=2)
    assert len(closed) == 4
    monkeypatch.setattr(RowCollector, "take", lambda *some: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        nlgauge.explain(rows(5, 3), "BERTScore", cache=False)
    assert len(closed) == 5

"""Blocks of rows in memory: what the store has, rows that are refused, and how far ahead rows are read."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

import nlgauge
from nlgauge.data.corpus import Corpus, Row
from nlgauge.data.corpus.spool import Spool
from nlgauge.engine.engine import Engine
from nlgauge.errors import InputError, SpecError
from nlgauge.options import RunOptions
from nlgauge.run.plan import Plan
from nlgauge.run.results import Scores
from nlgauge.run.runner import score
from nlgauge.run.sinks import RowCollector
from tests.run.rows import rows

pytestmark = pytest.mark.usefixtures("one_model")


@pytest.mark.parametrize("size", [1, 4, 7, 100])
def test_any_size_gives_the_table_of_the_whole(size: int) -> None:
    metrics = ["TokenF1", "BERTScore(idf='references')", "MarkEvaluate"]
    whole = nlgauge.evaluate(rows(5, 7), metrics=metrics, cache=False)
    table = nlgauge.evaluate(Corpus(Spool(rows(5, 7))), metrics=metrics, cache=False, rows_per_block=size)
    assert (table.rows, table.signatures, table.run) == (whole.rows, whole.signatures, whole.run)
    assert table.metrics == whole.metrics
    assert table.columns["TokenF1"] == whole.columns["TokenF1"]
    for metric in metrics[1:]:
        assert table.values(metric) == pytest.approx(whole.values(metric), rel=1e-3, nan_ok=True)


def test_store_serves_blocks_and_the_whole_alike(tmp_path: Path) -> None:
    metrics = ["TokenF1", "BERTScore"]
    first = nlgauge.evaluate(rows(5, 7), metrics=metrics, cache=tmp_path, rows_per_block=3)
    second = nlgauge.evaluate(rows(5, 7), metrics=metrics, cache=tmp_path)
    third = nlgauge.evaluate(rows(5, 7), metrics=metrics, cache=tmp_path, rows_per_block=2)
    assert first == second == third
    assert third.spent["models"]["pocket"]["passes"] == 0


def test_row_that_is_refused_has_its_number_in_the_corpus() -> None:
    long = Row("word " * 600, ("a word",), item="6")
    corpus = Corpus((*[Row("short", ("short",), item=str(number)) for number in range(1, 6)], long))
    with pytest.raises(InputError) as caught:
        nlgauge.evaluate(corpus, metrics="BERTScore", window="error", cache=False, rows_per_block=4)
    assert caught.value.row == 6


@pytest.mark.parametrize("options", [{"rows_per_block": 0}, {"rows_per_block": 2, "processes": 2}, {"ray": ""}])
def test_options_that_make_no_sense_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(SpecError):
        nlgauge.evaluate(rows(5, 7), metrics="TokenF1", cache=False, **options)  # type: ignore[arg-type]


def test_rows_are_read_when_the_executor_asks_for_them() -> None:
    corpus, options = rows(5, 7), RunOptions(rows_per_block=2)
    read: list[int] = []
    ended: list[int] = []

    class Noting(RowCollector):
        def take(self, scored: Scores, some: Sequence[int] = ()) -> None:
            if some:
                ended.append(len(read))

    def known(some: Sequence[int]) -> Scores:
        read.append(some[0])
        return {}

    score([Plan(corpus, {"Length": nlgauge.Length()})], range(7), options, Noting(), known)
    assert read == [0, 2, 4, 6]
    assert ended == [1, 2, 3, 4]


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

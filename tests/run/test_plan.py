"""The runner: blocks of rows, what the store has, what is left to do after a break, and what no row has."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import nlgauge.run.block as run_module
from nlgauge.data.corpus import Corpus, Row
from nlgauge.engine.engine import Engine
from nlgauge.engine.features.request import Features
from nlgauge.engine.models.capabilities import TOKENIZER
from nlgauge.metrics.base import Prepared, RowMetric, Value
from nlgauge.metrics.bertscore import BERTScore
from nlgauge.metrics.infolm import InfoLM
from nlgauge.metrics.mark_evaluate import MarkEvaluate
from nlgauge.options import RunOptions
from nlgauge.run.executors import here
from nlgauge.run.plan import Plan
from nlgauge.run.results import RowResult, Scores
from nlgauge.run.runner import score
from nlgauge.run.sinks import Sink
from tests.engine.fake import FakeModel

ROWS = Corpus(
    tuple(
        Row(f"w{i} w{i + 1} w{s}", (f"w{i} w3", f"w{i + 2}"), source=f"w{i}", system=f"s{s}", item=str(i))
        for s in range(3)
        for i in range(8)
    )
)


class Shelf:
    """A store that is a dict; what was put is there after `commit`."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}
        self.waiting: dict[str, bytes] = {}
        self.damaged: set[str] = set()
        self.commits = 0

    def get(self, keys: Sequence[str]) -> dict[str, bytes]:
        both = {**self.kept, **self.waiting}
        return {key: both[key] for key in keys if key in both and key not in self.damaged}

    def put(self, entries: Mapping[str, bytes]) -> None:
        self.waiting.update(entries)

    def commit(self) -> None:
        self.kept.update(self.waiting)
        self.damaged -= self.waiting.keys()
        self.waiting, self.commits = {}, self.commits + 1


@dataclass(frozen=True)
class Characters(RowMetric):
    """How many characters a candidate has; counts how often it was asked."""

    columns = ("candidate",)

    def score_rows(self, rows: Sequence[Row], prepared: Prepared, features: Features) -> list[Value]:
        ASKED.extend(row.candidate for row in rows)
        return [Value((float(len(row.candidate)),)) for row in rows]


ASKED: list[str] = []


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    ASKED.clear()
    monkeypatch.setattr(run_module, "_MOST_ROWS", 6)


def plan(metrics: Mapping[str, Any], store: Shelf | None = None, rows: Corpus = ROWS, **options: Any) -> Plan:
    engine = Engine(FakeModel(), kept=store) if any(hasattr(metric, "model") for metric in metrics.values()) else None
    return Plan(rows, metrics, engine, store=store, **options)  # type: ignore[arg-type]


class Noting(Sink[None]):
    """Notes what comes, and breaks the run off after so many times."""

    def __init__(self, most: int) -> None:
        self.taken: list[Scores] = []
        self._most = most

    def take(self, scored: Scores, ended: Sequence[int] = ()) -> None:
        if scored:
            self.taken.append(scored)
        if len(self.taken) == self._most:
            raise KeyboardInterrupt

    def end(self, spent: Mapping[str, object]) -> None: ...


def blocks(one: Plan, wanted: Sequence[int] | None = None, most: int = 999) -> list[Scores]:
    """What the runner gives of a plan: first what the store has, then block by block what was scored."""
    sink = Noting(most)
    with suppress(KeyboardInterrupt):
        score([one], range(len(one.corpus)) if wanted is None else wanted, RunOptions(), here.score, sink)
    return sink.taken


def values(taken: Sequence[Scores], spec: str, rows: Corpus = ROWS) -> np.ndarray:
    """[rows, parts]"""
    scored: dict[int, RowResult] = {}
    for block in taken:
        assert scored.keys().isdisjoint(block[spec])
        scored.update(block[spec])
    return np.array([scored[n].value.parts for n in range(len(rows))])


MODELS = {"InfoLM": InfoLM(idf="references"), "BERTScore": BERTScore()}


def test_a_device_that_computes_apart_has_the_next_block_split_beside_it() -> None:
    """The same numbers, and each block's texts are split while the one before it is computed."""
    engine = Engine(FakeModel())
    whole = {spec: values(blocks(Plan(ROWS, MODELS, engine)), spec) for spec in MODELS}
    model = FakeModel()
    model.apart = True
    split, encode = list[str](), model[TOKENIZER].encode

    def noted(texts: Sequence[str]) -> Any:
        split.append(threading.current_thread().name)
        return encode(texts)

    model[TOKENIZER].encode = noted  # type: ignore[method-assign]
    apart = blocks(Plan(ROWS, MODELS, Engine(model)))
    for spec in MODELS:
        np.testing.assert_array_equal(values(apart, spec), whole[spec])
    beside = [name for name in split if name.startswith("nlgauge-ahead")]
    assert len(beside) == len(apart) - 2, "one block is what the store has, and the first computed one is not awaited"


def test_a_second_run_computes_nothing_and_says_the_same_of_texts_and_windows() -> None:
    store = Shelf()
    first, second = plan(MODELS, store), plan(MODELS, store)
    straight, again = blocks(first), blocks(second)
    assert len(again) == 1 and store.commits == len(straight) - 1
    for spec in MODELS:
        np.testing.assert_array_equal(values(straight, spec), values(again, spec))
        assert first.signature(spec) == second.signature(spec)
    assert "longer 0/" in str(first.signature("InfoLM"))


def test_a_run_that_breaks_off_anywhere_goes_on_to_the_same_numbers_to_the_bit() -> None:
    whole = values(blocks(plan(MODELS, Shelf())), "InfoLM")
    for after in range(4):
        store = Shelf()
        blocks(plan(MODELS, store), most=after + 1)
        store.waiting = {}
        assert len(store.kept) > 0 or after == 0
        np.testing.assert_array_equal(values(blocks(plan(MODELS, store)), "InfoLM"), whole)


SETS = {"MarkEvaluate": MarkEvaluate()}


def test_texts_that_no_row_has_are_no_score_of_it() -> None:
    """One that says of its third text that it is longer than the window, where there are two."""
    shelf = Shelf()
    blocks(plan({"Characters": Characters()}, shelf))
    shelf.kept = dict.fromkeys(shelf.kept, b"\1[[1.0], null, [], null, [2], null]")
    ASKED.clear()
    taken = blocks(plan({"Characters": Characters()}, shelf))
    assert len(ASKED) == len(ROWS) and values(taken, "Characters")[0, 0] == len(ROWS[0].candidate)

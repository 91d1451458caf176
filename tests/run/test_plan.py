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
from nlgauge.errors import InputError
from nlgauge.metrics.base import Prepared, RowMetric, Value
from nlgauge.metrics.bertscore import BERTScore
from nlgauge.metrics.infolm import InfoLM
from nlgauge.metrics.mark_evaluate import MarkEvaluate
from nlgauge.options import RunOptions
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
        score([one], range(len(one.corpus)) if wanted is None else wanted, RunOptions(), sink)
    return sink.taken


def values(taken: Sequence[Scores], spec: str, rows: Corpus = ROWS) -> np.ndarray:
    """[rows, parts]"""
    scored: dict[int, RowResult] = {}
    for block in taken:
        assert scored.keys().isdisjoint(block[spec])
        scored.update(block[spec])
    return np.array([scored[n].value.parts for n in range(len(rows))])


MODELS = {"InfoLM": InfoLM(idf="references"), "BERTScore": BERTScore()}


def test_every_row_is_scored_once_in_blocks_that_keep_items_together() -> None:
    taken = blocks(plan(MODELS))
    assert not taken[0]["InfoLM"], "the first block is what the store has"
    assert len(taken) > 2 and all(len(block["InfoLM"]) <= 6 for block in taken[1:])
    for block in taken[1:]:
        assert {ROWS[n].item for n in block["InfoLM"]}.isdisjoint(
            ROWS[n].item for other in taken[1:] if other is not block for n in other["InfoLM"]
        )
    assert values(taken, "InfoLM").shape == (24, 1) and values(taken, "BERTScore").shape == (24, 3)


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


def test_a_damaged_entry_has_its_whole_block_computed_afresh() -> None:
    store = Shelf()
    first = blocks(plan(MODELS, store))
    whole = values(first, "InfoLM")
    store.damaged = {next(key for key in store.kept if key.startswith("row"))}
    taken = blocks(plan(MODELS, store))
    (fresh,) = [block for block in taken[1:] if block["InfoLM"] or block["BERTScore"]]
    assert fresh["InfoLM"].keys() == fresh["BERTScore"].keys()
    assert fresh["InfoLM"].keys() in [block["InfoLM"].keys() for block in first[1:]]
    scored = {n: one for block in taken for n, one in block["InfoLM"].items()}
    np.testing.assert_array_equal(np.array([scored[n].value.parts for n in range(len(ROWS))]), whole)


def test_another_system_costs_its_own_rows() -> None:
    store, spec = Shelf(), "Characters"
    blocks(plan({spec: Characters()}, store, Corpus(ROWS.rows[:16])))
    ASKED.clear()
    blocks(plan({spec: Characters()}, store))
    assert sorted(ASKED) == sorted(row.candidate for row in ROWS[16:])


def test_a_row_is_known_by_the_columns_that_the_metric_reads() -> None:
    store, spec = Shelf(), "Characters"
    blocks(plan({spec: Characters()}, store))
    ASKED.clear()
    renamed = Corpus(tuple(Row(row.candidate, ("other",), system="new", item=f"x{row.item}") for row in ROWS))
    blocks(plan({spec: Characters()}, store, renamed))
    assert ASKED == []


def test_a_metric_that_uses_the_corpus_is_known_by_what_it_took_from_it() -> None:
    store = Shelf()
    metrics = {"InfoLM": InfoLM(idf="references")}
    blocks(plan(metrics, store))
    fewer = Corpus(ROWS.rows[:4])
    (kept, *computed) = blocks(plan(metrics, store, fewer))
    assert not kept["InfoLM"] and computed


def test_some_rows_alone_are_scored_alone_and_with_the_same_numbers() -> None:
    whole = values(blocks(plan(MODELS)), "InfoLM")
    alone = plan(MODELS, evidence=True)
    scored = {n: one for block in blocks(alone, [5]) for n, one in block["InfoLM"].items()}
    assert list(scored) == [5] and scored[5].evidence
    assert scored[5].value.parts == pytest.approx(whole[5], rel=1e-5)


def test_sets_and_rows_share_a_pass() -> None:
    engine = Engine(FakeModel())
    run = Plan(ROWS, {"BERTScore": BERTScore(layer=3), "MarkEvaluate": MarkEvaluate()}, engine)
    blocks(run)
    texts = {text for row in ROWS for text in (row.candidate, *row.references)}
    assert engine.ledger.passes == len(texts)
    assert [one.value.reason for one in run.set_scores("MarkEvaluate").values()] == [None] * 3
    assert f"longer 0/{len(texts)}" in str(run.signature("MarkEvaluate"))


def test_texts_that_are_longer_than_the_window_are_counted_whether_stored_or_not() -> None:
    rows = Corpus((Row("w1 " * 20, ("w1",)), Row("w2", ("w1 " * 20,)), Row("w3", ("w4",))))
    store = Shelf()
    for _ in range(2):
        run = plan({"BERTScore": BERTScore()}, store, rows)
        blocks(run)
        assert run.signature("BERTScore").facts["window"] == "slide@16,longer 1/5"


def test_a_long_text_is_refused_by_its_row_before_anything_is_computed() -> None:
    rows = Corpus((Row("w1", ("w2",)), Row("w1", ("w2 " * 20,))))
    model = FakeModel()
    with pytest.raises(InputError, match="row 2"):
        blocks(Plan(rows, {"BERTScore": BERTScore()}, Engine(model, "error")))
    assert not model.rows_seen


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ((Row("w1"), Row("w2")), "no row has references, which BERTScore needs"),
        ((Row("w1", source="w3"),), "references"),
    ],
)
def test_a_metric_for_which_no_row_has_what_it_needs_is_refused(rows: tuple[Row, ...], told: str) -> None:
    with pytest.raises(InputError, match=told):
        plan({"BERTScore": BERTScore()}, rows=Corpus(rows))
    with pytest.raises(InputError, match="references, which MarkEvaluate needs"):
        plan({"MarkEvaluate": MarkEvaluate()}, rows=Corpus(rows))
    blocks(plan({"BERTScore": BERTScore()}, rows=Corpus((*rows, Row("w1", ("w2",))))))


def test_the_store_has_whole_systems_of_a_metric_of_sets() -> None:
    store, spec = Shelf(), "MarkEvaluate"
    first, second = (plan({spec: MarkEvaluate()}, store) for _ in range(2))
    blocks(first)
    scores = first.set_scores(spec)
    blocks(second)
    assert second.engine is not None and not second.engine.ledger.texts and not second.sets[spec].missing
    assert second.set_scores(spec) == scores and second.signature(spec) == first.signature(spec)
    fewer = Corpus((*ROWS.rows[8:], Row("w1 w5", ("w2",), system="new")))
    third = plan({spec: MarkEvaluate()}, store, fewer)
    blocks(third)
    assert third.sets[spec].missing == ["new"]
    assert third.set_scores(spec)["s2"] == scores["s2"]


SETS = {"MarkEvaluate": MarkEvaluate()}


@pytest.mark.parametrize(
    "wrong",
    [b"", b"\0", b"\0" + bytes(40), b"\1{}", b'\1[["a"], null, [], null, [], null]', b"\1[[1], 2, [], null, [], 3]"],
)
def test_what_the_store_has_and_is_no_score_is_scored_again_and_replaced(wrong: bytes) -> None:
    shelf = Shelf()
    undisturbed = {spec: values(blocks(plan(MODELS)), spec) for spec in MODELS}
    blocks(plan(MODELS, shelf))
    whole = dict(shelf.kept)
    shelf.kept = {key: content if n % 2 else wrong for n, (key, content) in enumerate(whole.items())}
    again = blocks(plan(MODELS, shelf))
    assert not all(len(found) == len(ROWS) for found in again[0].values())
    for spec in MODELS:  # what was sound is scored again too, with the block in which something was not
        scored = {n: one for block in again for n, one in block[spec].items()}
        np.testing.assert_array_equal([scored[n].value.parts for n in range(len(ROWS))], undisturbed[spec])
    assert shelf.kept == whole
    (served,) = blocks(plan(MODELS, shelf))
    for spec in MODELS:
        np.testing.assert_array_equal(values([served], spec), undisturbed[spec])


@pytest.mark.parametrize("wrong", [b"", b"\0", b"\1{}", b"\1[[1], null, [], null, [99], null]"])
def test_what_the_store_has_of_a_system_and_is_no_score_is_scored_again(wrong: bytes) -> None:
    shelf, undisturbed = Shelf(), plan(SETS)
    blocks(undisturbed)
    wanted = undisturbed.set_scores("MarkEvaluate")
    first = plan(SETS, shelf)
    blocks(first)
    assert first.set_scores("MarkEvaluate") == wanted
    whole = dict(shelf.kept)
    shelf.kept = {key: wrong if key.startswith("set|") else content for key, content in whole.items()}
    assert shelf.kept != whole
    again = plan(SETS, shelf)
    blocks(again)
    assert again.set_scores("MarkEvaluate") == wanted and shelf.kept == whole


def test_texts_that_no_row_has_are_no_score_of_it() -> None:
    """One that says of its third text that it is longer than the window, where there are two."""
    shelf = Shelf()
    blocks(plan({"Characters": Characters()}, shelf))
    shelf.kept = dict.fromkeys(shelf.kept, b"\1[[1.0], null, [], null, [2], null]")
    ASKED.clear()
    taken = blocks(plan({"Characters": Characters()}, shelf))
    assert len(ASKED) == len(ROWS) and values(taken, "Characters")[0, 0] == len(ROWS[0].candidate)

"""The runner: blocks of rows, what the store has, what is left to do after a break, and what no row has."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import nlgauge.run.part as run_module
from nlgauge.data.corpus import Corpus, Row
from nlgauge.engine.engine import Engine
from nlgauge.engine.features.request import Features
from nlgauge.engine.models.capabilities import TOKENIZER
from nlgauge.errors import InputError
from nlgauge.metrics.base import Prepared, RowMetric, Setup, Value
from nlgauge.metrics.bertscore import BERTScore
from nlgauge.metrics.infolm import InfoLM
from nlgauge.metrics.mark_evaluate import MarkEvaluate
from nlgauge.run.bound import Block
from nlgauge.run.job import Job
from nlgauge.run.scored import Scored
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

    @property
    def columns(self) -> tuple[str, ...]:
        return ("candidate",)

    def prepare(self, setup: Setup) -> Prepared:
        return Prepared()

    def score_rows(self, rows: Sequence[Row], prepared: Prepared, features: Features) -> list[Value]:
        ASKED.extend(row.candidate for row in rows)
        return [Value((float(len(row.candidate)),)) for row in rows]


ASKED: list[str] = []


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    ASKED.clear()
    monkeypatch.setattr(run_module, "_MOST_ROWS", 6)


def job(metrics: Mapping[str, Any], store: Shelf | None = None, rows: Corpus = ROWS, **options: Any) -> Job:
    engine = Engine(FakeModel(), kept=store) if any(hasattr(metric, "model") for metric in metrics.values()) else None
    return Job(rows, metrics, engine, store=store, **options)  # type: ignore[arg-type]


def values(blocks: Sequence[Block], spec: str, rows: Corpus = ROWS) -> np.ndarray:
    """[rows, parts]"""
    scored: dict[int, Scored] = {}
    for block in blocks:
        assert scored.keys().isdisjoint(block.scored[spec])
        scored.update(block.scored[spec])
    return np.array([scored[n].value.parts for n in range(len(rows))])


MODELS = {"InfoLM": InfoLM(idf="references"), "BERTScore": BERTScore()}


def test_every_row_is_scored_once_in_blocks_that_keep_items_together() -> None:
    blocks = list(job(MODELS).blocks())
    assert not blocks[0].scored["InfoLM"], "the first block is what the store has"
    assert len(blocks) > 2 and all(len(block.rows) <= 6 for block in blocks[1:])
    for block in blocks[1:]:
        assert {ROWS[n].item for n in block.rows}.isdisjoint(
            ROWS[n].item for other in blocks[1:] if other is not block for n in other.rows
        )
    assert values(blocks, "InfoLM").shape == (24, 1) and values(blocks, "BERTScore").shape == (24, 3)


def test_a_device_that_computes_apart_has_the_next_block_split_beside_it() -> None:
    """The same numbers, and each block's texts are split while the one before it is computed."""
    engine = Engine(FakeModel())
    whole = {spec: values(list(Job(ROWS, MODELS, engine).blocks()), spec) for spec in MODELS}
    model = FakeModel()
    model.apart = True
    split, encode = list[str](), model[TOKENIZER].encode

    def noted(texts: Sequence[str]) -> Any:
        split.append(threading.current_thread().name)
        return encode(texts)

    model[TOKENIZER].encode = noted  # type: ignore[method-assign]
    apart = list(Job(ROWS, MODELS, Engine(model)).blocks())
    for spec in MODELS:
        np.testing.assert_array_equal(values(apart, spec), whole[spec])
    beside = [name for name in split if name.startswith("nlgauge-ahead")]
    assert len(beside) == len(apart) - 2, "one block is what the store has, and the first computed one is not awaited"


def test_a_second_run_computes_nothing_and_says_the_same_of_texts_and_windows() -> None:
    store = Shelf()
    first, second = job(MODELS, store), job(MODELS, store)
    straight, again = list(first.blocks()), list(second.blocks())
    assert len(again) == 1 and store.commits == len(straight) - 1
    for spec in MODELS:
        np.testing.assert_array_equal(values(straight, spec), values(again, spec))
        assert first.signature(spec) == second.signature(spec)
    assert "longer 0/" in str(first.signature("InfoLM"))


def test_a_run_that_breaks_off_anywhere_goes_on_to_the_same_numbers_to_the_bit() -> None:
    whole = values(list(job(MODELS, Shelf()).blocks()), "InfoLM")
    for after in range(4):
        store = Shelf()
        broken = job(MODELS, store).blocks()
        for _ in range(after + 1):
            next(broken)
        broken.close()
        store.waiting = {}
        assert len(store.kept) > 0 or after == 0
        np.testing.assert_array_equal(values(list(job(MODELS, store).blocks()), "InfoLM"), whole)


def test_a_damaged_entry_has_its_whole_block_computed_afresh() -> None:
    store = Shelf()
    whole = values(list(job(MODELS, store).blocks()), "InfoLM")
    store.damaged = {next(key for key in store.kept if key.startswith("row"))}
    blocks = list(job(MODELS, store).blocks())
    fresh = [block for block in blocks[1:] if block.scored["InfoLM"] or block.scored["BERTScore"]]
    assert len(fresh) == 1 and len(fresh[0].scored["InfoLM"]) == len(fresh[0].scored["BERTScore"]) == len(fresh[0].rows)
    scored = {n: one for block in blocks for n, one in block.scored["InfoLM"].items()}
    np.testing.assert_array_equal(np.array([scored[n].value.parts for n in range(len(ROWS))]), whole)


def test_another_system_costs_its_own_rows() -> None:
    store, spec = Shelf(), "Characters"
    list(job({spec: Characters()}, store, Corpus(ROWS.rows[:16])).blocks())
    ASKED.clear()
    list(job({spec: Characters()}, store).blocks())
    assert sorted(ASKED) == sorted(row.candidate for row in ROWS[16:])


def test_a_row_is_known_by_the_columns_that_the_metric_reads() -> None:
    store, spec = Shelf(), "Characters"
    list(job({spec: Characters()}, store).blocks())
    ASKED.clear()
    renamed = Corpus(tuple(Row(row.candidate, ("other",), system="new", item=f"x{row.item}") for row in ROWS))
    list(job({spec: Characters()}, store, renamed).blocks())
    assert ASKED == []


def test_a_metric_that_uses_the_corpus_is_known_by_what_it_took_from_it() -> None:
    store = Shelf()
    metrics = {"InfoLM": InfoLM(idf="references")}
    list(job(metrics, store).blocks())
    fewer = Corpus(ROWS.rows[:4])
    (kept, *computed) = job(metrics, store, fewer).blocks()
    assert not kept.scored["InfoLM"] and computed


def test_some_rows_alone_are_scored_alone_and_with_the_same_numbers() -> None:
    whole = values(list(job(MODELS).blocks()), "InfoLM")
    alone = job(MODELS, evidence=True)
    scored = {n: one for block in alone.blocks([5]) for n, one in block.scored["InfoLM"].items()}
    assert list(scored) == [5] and scored[5].evidence
    assert scored[5].value.parts == pytest.approx(whole[5], rel=1e-5)


def test_sets_and_rows_share_a_pass() -> None:
    engine = Engine(FakeModel())
    run = Job(ROWS, {"BERTScore": BERTScore(layer=3), "MarkEvaluate": MarkEvaluate()}, engine)
    list(run.blocks())
    texts = {text for row in ROWS for text in (row.candidate, *row.references)}
    assert engine.ledger.passes == len(texts)
    assert [one.value.reason for one in run.set_scores("MarkEvaluate").values()] == [None] * 3
    assert f"longer 0/{len(texts)}" in str(run.signature("MarkEvaluate"))


def test_texts_that_are_longer_than_the_window_are_counted_whether_stored_or_not() -> None:
    rows = Corpus((Row("w1 " * 20, ("w1",)), Row("w2", ("w1 " * 20,)), Row("w3", ("w4",))))
    store = Shelf()
    for _ in range(2):
        run = job({"BERTScore": BERTScore()}, store, rows)
        list(run.blocks())
        assert run.signature("BERTScore").facts["window"] == "slide@16,longer 1/5"


def test_a_long_text_is_refused_by_its_row_before_anything_is_computed() -> None:
    rows = Corpus((Row("w1", ("w2",)), Row("w1", ("w2 " * 20,))))
    model = FakeModel()
    with pytest.raises(InputError, match="row 2"):
        list(Job(rows, {"BERTScore": BERTScore()}, Engine(model, "error")).blocks())
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
        job({"BERTScore": BERTScore()}, rows=Corpus(rows))
    with pytest.raises(InputError, match="references, which MarkEvaluate needs"):
        job({"MarkEvaluate": MarkEvaluate()}, rows=Corpus(rows))
    list(job({"BERTScore": BERTScore()}, rows=Corpus((*rows, Row("w1", ("w2",))))).blocks())


def test_the_store_has_whole_systems_of_a_metric_of_sets() -> None:
    store, spec = Shelf(), "MarkEvaluate"
    first, second = (job({spec: MarkEvaluate()}, store) for _ in range(2))
    list(first.blocks())
    scores = first.set_scores(spec)
    assert len(list(second.blocks())) == 1 and not second.sets[spec].missing
    assert second.set_scores(spec) == scores and second.signature(spec) == first.signature(spec)
    fewer = Corpus((*ROWS.rows[8:], Row("w1 w5", ("w2",), system="new")))
    third = job({spec: MarkEvaluate()}, store, fewer)
    list(third.blocks())
    assert third.sets[spec].missing == ["new"]
    assert third.set_scores(spec)["s2"] == scores["s2"]


SETS = {"MarkEvaluate": MarkEvaluate()}


@pytest.mark.parametrize(
    "wrong",
    [b"", b"\0", b"\0" + bytes(40), b"\1{}", b'\1[["a"], null, [], null, [], null]', b"\1[[1], 2, [], null, [], 3]"],
)
def test_what_the_store_has_and_is_no_score_is_scored_again_and_replaced(wrong: bytes) -> None:
    shelf = Shelf()
    undisturbed = {spec: values(list(job(MODELS).blocks()), spec) for spec in MODELS}
    list(job(MODELS, shelf).blocks())
    whole = dict(shelf.kept)
    shelf.kept = {key: content if n % 2 else wrong for n, (key, content) in enumerate(whole.items())}
    again = list(job(MODELS, shelf).blocks())
    assert not all(len(found) == len(ROWS) for found in again[0].scored.values())
    for spec in MODELS:  # what was sound is scored again too, with the block in which something was not
        scored = {n: one for block in again for n, one in block.scored[spec].items()}
        np.testing.assert_array_equal([scored[n].value.parts for n in range(len(ROWS))], undisturbed[spec])
    assert shelf.kept == whole
    (served,) = job(MODELS, shelf).blocks()
    for spec in MODELS:
        np.testing.assert_array_equal(values([served], spec), undisturbed[spec])


@pytest.mark.parametrize("wrong", [b"", b"\0", b"\1{}", b"\1[[1], null, [], null, [99], null]"])
def test_what_the_store_has_of_a_system_and_is_no_score_is_scored_again(wrong: bytes) -> None:
    shelf, undisturbed = Shelf(), job(SETS)
    list(undisturbed.blocks())
    wanted = undisturbed.set_scores("MarkEvaluate")
    first = job(SETS, shelf)
    list(first.blocks())
    assert first.set_scores("MarkEvaluate") == wanted
    whole = dict(shelf.kept)
    shelf.kept = {key: wrong if key.startswith("set|") else content for key, content in whole.items()}
    assert shelf.kept != whole
    again = job(SETS, shelf)
    list(again.blocks())
    assert again.set_scores("MarkEvaluate") == wanted and shelf.kept == whole


def test_texts_that_no_row_has_are_no_score_of_it() -> None:
    """One that says of its third text that it is longer than the window, where there are two."""
    shelf = Shelf()
    list(job({"Characters": Characters()}, shelf).blocks())
    shelf.kept = dict.fromkeys(shelf.kept, b"\1[[1.0], null, [], null, [2], null]")
    ASKED.clear()
    blocks = list(job({"Characters": Characters()}, shelf).blocks())
    assert len(ASKED) == len(ROWS) and values(blocks, "Characters")[0, 0] == len(ROWS[0].candidate)

"""Rows in blocks and in the store: what is refused, engines that are closed, and scores that come back as they were."""

from __future__ import annotations

import json
import math
import pickle
import re
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nlgauge
from nlgauge import Corpus, MetricError, Row
from nlgauge.contract.base import Prepared, RowMetric, Value, Values
from nlgauge.engine.engine import Engine
from nlgauge.engine.features.request import Features
from nlgauge.errors import InputError, SpecError
from nlgauge.metrics.bertscore import BERTScore
from nlgauge.metrics.simple import Length
from nlgauge.run.block import PreparedMetric
from nlgauge.run.cache import RowCache, RowKeys, facts_of, made_by, metric_key
from nlgauge.run.results import RowResult, packed, unpacker
from nlgauge.run.sinks import RowCollector
from nlgauge.run.store import Store
from tests.run.rows import rows

FORMULA = {"name": "rate"}


@pytest.mark.parametrize(
    "scored",
    [
        RowResult(Value((0.1,))),
        RowResult(Value((1 / 3, -0.0, 1e-320))),
        RowResult(Value((math.inf, -math.inf), None, ("noted \ud83d\ude42",))),
        RowResult(Value((2.0,), counts=(1.0, 2.5))),
        RowResult(Value((2.0,)), (0, 3)),
        RowResult(Value((2.0,)), (), {"items": [{"name": "\ud800", "share": 0.1}]}),
    ],
)
def test_what_was_packed_is_the_same_to_the_bit(scored: RowResult) -> None:
    assert unpacker(len(scored.value.parts), FORMULA)(packed(scored)) == scored


@dataclass(frozen=True)
class Told(RowMetric):
    """Gives what it was told to give."""

    parts = ("first", "second")
    columns = ("candidate",)  # type: ignore[assignment]

    def score_rows(self, rows: Sequence[Row], prepared: Prepared, features: Features) -> list[Any]:
        return GIVEN


@dataclass(frozen=True)
class AsArray(Told):
    """Gives the array that it was told to give."""

    def score_rows(self, rows: Sequence[Row], prepared: Prepared, features: Features) -> Any:
        return GIVEN[0]


GIVEN: list[Any] = []


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([Value((math.nan, 1.0))], "NaN without a reason"),
        ([Value((1.0,))], "1 numbers for its sub-scores first, second"),
        ([Value((1.0, 2.0, 3.0))], "3 numbers for its sub-scores first, second"),
        ([], "0 values for 1 texts"),
        ([Value((1.0, 2.0))] * 2, "2 values for 1 texts"),
        ([(1.0, 2.0)], "which is no nlgauge.contract.base.Value"),
        ([Value((1.0, None))], "not all numbers"),
        ([Value(("0.5", 1.0))], "not all numbers"),
    ],
)
def test_what_is_no_score_is_refused_in_the_name_of_the_metric(given: list[Any], said: str) -> None:
    GIVEN[:] = given
    for options in ({}, {"rows_per_block": 1}):
        with pytest.raises(MetricError, match=re.escape(said)) as caught:
            nlgauge.evaluate(candidates=["a"], metrics=[Told()], cache=False, **options)
        assert str(caught.value).startswith(f"{__name__}:Told gave ")


@pytest.mark.parametrize(
    ("parts", "reasons", "said"),
    [
        (np.array([[0.5, math.nan]]), {}, "NaN without a reason"),
        (np.array([[0.5]]), {}, "1 numbers for its sub-scores first, second"),
        (np.ones((2, 2)), {}, "2 values for 1 texts"),
    ],
)
def test_an_array_of_what_is_no_score_is_refused(parts: Any, reasons: dict[int, str], said: str) -> None:
    GIVEN[:] = [Values(parts, reasons)]
    with pytest.raises(MetricError, match=re.escape(said)):
        nlgauge.evaluate(candidates=["a"], metrics=[AsArray()], cache=False)


def test_scores_as_an_array_are_those_of_single_values(tmp_path: Path) -> None:
    parts = np.array([[0.5, 1 / 3], [math.nan, 2.0], [math.nan, math.nan]])
    whole = Values(parts, {1: "half", 2: "none"}, {0: ("noted",), 2: ("noted", "and this")})
    assert [str(value) for value in whole] == [str(whole[at]) for at in range(3)]
    assert [value.notes for value in whole[1:]] == [(), ("noted", "and this")] and whole[-1].reason == "none"
    tables = []
    for metric, given in ((Told(), list(whole)), (AsArray(), [whole])):
        GIVEN[:] = given
        table = nlgauge.evaluate(candidates=["a", "b", "c"], metrics=[metric], cache=False)
        tables.append(table)
        assert table.run["notes"] == {str(metric): {"noted": 2, "and this": 1}}
        assert table.run["noted"] == {str(metric): {"noted": [1, 3], "and this": [3]}}
    ours, theirs = (next(iter(table.columns.values())) for table in tables)
    assert ours == theirs and ours.reasons == {1: "half", 2: "none"}
    again = nlgauge.evaluate(candidates=["a", "b", "c"], metrics=[AsArray()], cache=tmp_path / "cache", evidence=False)
    assert next(iter(again.columns.values())) == ours


def test_scores_that_are_made_sooner_than_found_are_not_cached(tmp_path: Path) -> None:
    pytest.importorskip("rapidfuzz", reason="needs nlgauge[strings]")
    texts = ["a cat", "a dog " * 400]
    given = {"candidates": texts, "references": [["the cat"], [texts[1][1:]]]}
    for metric, held in (("WER", 0), ("CER", 1), ("ROUGE", 0), ("ROUGE(variant='Lsum')", 2), ("BLEU", 2)):
        tables = [nlgauge.evaluate(**given, metrics=metric, cache=tmp_path / metric[:9]) for _ in range(2)]
        assert tables[0] == tables[1] == nlgauge.evaluate(**given, metrics=metric, cache=False)
        with Store(tmp_path / metric[:9]) as store:
            assert sum(count for count, _ in store.info().entries.values()) == held


def test_digests_of_texts_are_made_for_whoever_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = nlgauge.Corpus.from_texts(["a b", "c"])
    table = nlgauge.evaluate(corpus, metrics="Length", cache=False)
    assert "digest" not in vars(corpus), "nothing is kept of this table"
    copied = pickle.loads(pickle.dumps(table))
    assert table.run["corpus"] == copied.run["corpus"] == corpus.digest
    assert dict(table.run) == copied.run and table.run["texts"] == [row.fingerprint for row in corpus]
    assert [*table.run] == ["rows", "corpus", "texts", "notes", "noted", "asked"]


def test_sums_of_other_lengths_are_refused() -> None:
    GIVEN[:] = [Value((1.0, 2.0), counts=(1.0, 2.0)), Value((1.0, 2.0), counts=(1.0,))]
    with pytest.raises(MetricError, match="gave 2 counts for one row"):
        nlgauge.evaluate(candidates=["a", "b"], metrics=[Summed()], cache=False)


@dataclass(frozen=True)
class Summed(Told):
    """With a value of all rows."""

    formula = {"name": "ratio"}  # noqa: RUF012


FULL = [[0.5], None, [], None, [], None]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0",
        b"\0half",
        b"\0" + bytes(16),
        b"\1",
        b"\1{}",
        b"\1[]",
        b"\1null",
        b"\1\xff",
        b"\2" + bytes(8),
        b"\1" + b"[" * 100_000,
        *(
            b"\1" + json.dumps([*FULL[:at], wrong, *FULL[at + 1 :]]).encode()
            for at, some in enumerate(
                [
                    (None, [], [1, 2], ["1"], [[1]], {"a": 1}, 1, [10**400]),
                    (1, [], {}),
                    (None, "noted", [1], {}),
                    ([], [1], ["1", "2"], "12", 1, {}),
                    (None, [-1.5], ["1"], 1, [None]),
                    ("", 1, [], {"reference": "one"}, {"texts": [{}]}),
                ]
            )
            for wrong in some
        ),
        b"\1" + json.dumps(FULL[:5]).encode(),
        b"\1" + json.dumps([*FULL, None]).encode(),
    ],
)
def test_what_is_no_score_of_the_metric_is_none(content: bytes) -> None:
    assert unpacker(1, FORMULA)(b"\1" + json.dumps(FULL).encode()) == RowResult(Value((0.5,)))
    assert unpacker(1, FORMULA)(content) is None


def test_counts_belong_to_a_metric_with_a_formula() -> None:
    content = packed(RowResult(Value((2.0,), counts=(1.0, 2.5))))
    assert unpacker(1, FORMULA)(content) is not None and unpacker(1)(content) is None


FACTS = {"model": {"name": "pocket", "digest": "ab"}, "layer": 5}


def key(row: Row, metric=BERTScore(), facts=FACTS, evidence=False) -> str:  # noqa: B008
    return RowKeys(metric, facts, evidence).of(row)


def test_only_the_columns_that_are_read_count() -> None:
    row = Row("a", ("b", "c"), source="s", system="x", item="1")
    assert key(row) == key(Row("a", ("b", "c"), source="other", system="y", item="2", scores={"quality": 1.0}))
    for other in (Row("a", ("c", "b")), Row("a", ("b",)), Row("ab", ("c",)), Row("a", ("b, c",)), Row("b", ("a", "c"))):
        assert key(row) != key(other)
    assert key(Row("a", ("b",)), Length(), {}) == key(Row("a"), Length(), {})
    assert key(row, evidence=True) != key(row) != key(row, facts={**FACTS, "layer": 6})
    renamed = {**FACTS, "model": {"name": "somewhere/pocket", "digest": "ab"}}
    assert key(row, BERTScore(model="somewhere/pocket"), renamed) == key(row), "a model counts by its weights"


pytestmark = pytest.mark.usefixtures("one_model")


@pytest.mark.parametrize("options", [{"rows_per_block": 0}, {"ray": ""}])
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


class Kind:
    """Computes numbers outside of nlgauge, as the model of somebody else's package does."""


class OtherEngine:
    """An engine whose model computes with a class of its own."""

    scored_by = (Kind,)

    def other(self, model: str) -> OtherEngine:
        return self


@dataclass(frozen=True)
class Needing(Told):
    """Needs a library."""

    libraries = ("numpy",)


def test_the_code_of_the_engine_and_the_versions_of_libraries_are_in_the_facts_and_in_the_key() -> None:
    metric = Length()
    assert made_by(metric, OtherEngine()) != made_by(metric, None)  # type: ignore[arg-type]
    facts = facts_of(Needing(), Prepared(), None)
    assert facts["numpy"] == version("numpy") and "numpy" not in facts_of(Told(), Prepared(), None)
    keys = {
        metric_key(Needing(), {**facts, **other}, shown) for other in ({}, {"numpy": "0"}) for shown in (True, False)
    }
    assert len(keys) == 4


@pytest.mark.parametrize(("name", "counted"), [("numpy/Told", True), ("published/Told", False), ("Told", False)])
def test_the_version_of_the_package_that_offers_a_metric_is_in_the_facts(name: str, counted: bool) -> None:
    class Offered(Told):
        """A metric of another package."""

        @property
        def name(self) -> str:
            return name

    facts = facts_of(Offered(), Prepared(), None)
    assert ({"numpy": version("numpy")}.items() <= facts.items()) == counted
    assert "published" not in facts


def test_a_model_counts_by_its_digest_and_not_by_its_name() -> None:
    metric = BERTScore()
    facts = {**facts_of(metric, Prepared(), None), "files": "same"}
    for which in ("model", "tokenizer", "model second"):
        keys = {
            metric_key(metric, {**facts, which: {"name": name, "digest": digest}}, False): digest
            for name in ("here", "there")
            for digest in ("ab", "cd")
        }
        assert sorted(keys.values()) == ["ab", "cd"], which


class Kept:
    """A store that shows what it was given."""

    def __init__(self) -> None:
        self.entries: dict[str, object] = {}

    def put(self, entries: dict[str, object]) -> None:
        self.entries |= entries

    def commit(self) -> None:
        pass


def test_a_key_has_the_metric_its_parameters_and_what_it_reads() -> None:
    facts = facts_of(Told(), Prepared(), None)
    assert facts["unicode"] == unicodedata.unidata_version
    metrics = [Told(), Summed(), BERTScore(layer=1), BERTScore(layer=2)]
    assert len({metric_key(metric, facts, False) for metric in metrics}) == 4
    for of, count in ((facts, 1), ({**facts, "question": "read"}, 2)):
        keys = {RowKeys(Told(), of, False).of(Row("x", question=question)) for question in ("Which?", "Who?")}
        assert len(keys) == count


def test_what_does_not_last_and_what_nobody_can_name_is_not_cached() -> None:
    results = {0: RowResult(Value((1.0, 2.0))), 1: RowResult(Value((math.nan,) * 2, "no answer", temporary=True))}
    facts = facts_of(Told(), Prepared(), None)
    for of, count in ((facts, 1), ({**facts, "nlgauge": "0.2.0+?abc"}, 0)):
        store = Kept()
        cache = RowCache(store, {"T": PreparedMetric(Told(), Prepared(), of)}, Corpus([Row("a"), Row("b")]), False)  # type: ignore[arg-type]
        cache.add({"T": results})
        assert len(store.entries) == count

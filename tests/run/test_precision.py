"""precision='auto': which precision all rows of a run are scored in, and what is said of it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest

import nlgauge
from nlgauge import Corpus
from nlgauge.data.table import Column, ScoreTable
from nlgauge.engine.models import loading
from nlgauge.engine.speed import Speeds, Timing
from nlgauge.errors import SpecError
from nlgauge.metrics.bertscore import BERTScore
from nlgauge.metrics.simple import Length
from nlgauge.options import PRECISION_CHANGE, RunOptions
from nlgauge.run import precision
from nlgauge.run.store import Store
from tests.command import nlgauge as command
from tests.command import refused

WORDS = ["rain", "fell", "on", "the", "bridge", "while", "two", "late", "trains", "and", "one", "owl", "waited"]


def rows(count: int = 230) -> Corpus:
    """Return rows of which no two are alike."""
    texts = [" ".join(WORDS[n % 7 : n % 7 + 3 + n % 5]) + f" {n}" for n in range(count)]
    return Corpus.from_texts(texts, references=[[" ".join(WORDS[: 4 + n % 9])] for n in range(count)])


def timing(backend: str, kind: str, ratio: float, low: float | None = None) -> Timing:
    """Return a way that is so many times as fast as float32, whose 1,000 sub-words take a second."""
    low = ratio if low is None else low
    return Timing(
        backend=backend,
        precision=kind,
        opening=0.1,
        seconds=1 / ratio,
        times_as_fast=(low, ratio, 2 * ratio - low),
        change=0.01,
    )


def speeds(*timings: Timing, name: str = "pocket") -> Speeds:
    """Return what was measured of a model."""
    usual = timing("onnxruntime", "float32", 1)
    return Speeds(model=name, changed="cosine", timings=[usual, *timings], missing={})


INT8 = speeds(timing("onnxruntime", "int8", 2))


@pytest.fixture
def int8_is_fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precision, "speeds_of", lambda *given, **named: INT8)


def test_all_rows_are_scored_in_the_faster_precision_within_the_limit(
    int8_is_fast: None, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = rows()
    table = nlgauge.evaluate(corpus, metrics="BERTScore", precision="auto", precision_change=0.9, cache=False)
    whole = nlgauge.evaluate(corpus, metrics="BERTScore", precision="int8", cache=False)
    assert np.array_equal(table.columns["BERTScore"].values, whole.columns["BERTScore"].values)
    assert table.signatures == whole.signatures and table.signatures["BERTScore"].facts["precision"] == "int8"
    told = table.run["precision"]
    assert (told["precision"], told["backends"], told["limit"]) == ("int8", {"pocket": "onnxruntime"}, 0.9)
    exact = nlgauge.evaluate(corpus, metrics="BERTScore", cache=False).columns["BERTScore"].values[: precision.ROWS]
    moved = np.abs(whole.columns["BERTScore"].values[: precision.ROWS] - exact)
    for at, change in enumerate(told["changes"]):
        assert (change["metric"], change["part"]) == ("BERTScore", BERTScore.parts[at])
        assert change["largest"] == moved[:, at].max() > 0 and change["mean"] == pytest.approx(moved[:, at].mean())
        assert change["range"] == exact[:, at].max() - exact[:, at].min()
    printed = capsys.readouterr().err
    assert "nlgauge: int8 by onnxruntime, at least 2.0 times as fast as float32: of the first 200 rows, " in printed
    assert "% of the range of" in printed and printed.strip().endswith("scored so")
    # In other batches, and with the rows in another order behind the first ones, the numbers are the same.
    behind = Corpus([*corpus.rows[: precision.ROWS], *reversed(corpus.rows[precision.ROWS :])])
    again = nlgauge.evaluate(
        behind, metrics="BERTScore", precision="auto", precision_change=0.9, cache=False, rows_per_block=7
    )
    expected = [*whole.values("BERTScore")[: precision.ROWS], *whole.values("BERTScore")[precision.ROWS :][::-1]]
    assert again.signatures["BERTScore"].facts["precision"] == "int8"
    assert again.values("BERTScore") == pytest.approx(np.array(expected), abs=2e-6)


def test_over_the_limit_all_rows_are_scored_in_float32(
    int8_is_fast: None, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    corpus = rows()
    options: dict[str, Any] = {"metrics": ["BERTScore", "Length"], "cache": tmp_path}
    table = nlgauge.evaluate(corpus, precision="auto", precision_change=1e-6, **options)
    whole = nlgauge.evaluate(corpus, metrics=["BERTScore", "Length"], cache=False)
    assert np.array_equal(table.values("BERTScore"), whole.values("BERTScore"))
    assert table.signatures == whole.signatures and table.run["precision"]["precision"] == "float32"
    printed = capsys.readouterr().err
    assert "over the limit of 0.0001 %" in printed and printed.strip().endswith("scored in float32")
    # The cache holds the first rows of both precisions, under keys of their own.
    int8 = nlgauge.evaluate(corpus, precision="int8", **options)
    alone = nlgauge.evaluate(corpus, metrics=["BERTScore"], precision="int8", cache=False)
    assert int8.values("BERTScore") == pytest.approx(alone.values("BERTScore"), abs=2e-6)
    assert not np.array_equal(int8.values("BERTScore"), table.values("BERTScore"))


@pytest.mark.parametrize(
    ("corpus", "metrics"), [(rows(precision.ROWS), "BERTScore"), (rows(), "TokenF1"), (rows(), "Length")]
)
def test_few_rows_and_strings_are_scored_in_float32_and_nothing_is_timed(
    corpus: Corpus, metrics: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def timed(*given: Any, **named: Any) -> None:
        raise AssertionError("timed")

    monkeypatch.setattr(precision, "speeds_of", timed)
    table = nlgauge.evaluate(corpus, metrics=metrics, precision="auto", cache=False)
    assert table.signatures == nlgauge.evaluate(corpus, metrics=metrics, cache=False).signatures
    assert ("more than 200 rows" in capsys.readouterr().err) == (metrics == "BERTScore")


def test_where_nothing_is_faster_nothing_is_scored_twice(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    slow = speeds(timing("onnxruntime", "int8", 1.3, low=1.05))
    monkeypatch.setattr(precision, "speeds_of", lambda *given, **named: slow)
    monkeypatch.setattr(precision, "_scored", lambda *given: pytest.fail("scored"))
    options, told = precision.settled(rows(), {"BERTScore": BERTScore()}, RunOptions(precision="auto", cache=False))
    assert options.precision == "float32" and told["precision"] == "float32"
    assert "no other precision of pocket is faster here" in capsys.readouterr().err


def test_a_precision_that_cannot_score_the_rows_is_passed_over(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    both = speeds(timing("openvino", "bfloat16", 3), timing("onnxruntime", "int8", 2))
    monkeypatch.setattr(precision, "speeds_of", lambda *given, **named: both)
    load = loading.load

    def refusing(name: str, kind: str = "float32", backend: str = "auto", device: str | None = None) -> Any:
        if kind == "bfloat16":
            raise SpecError("no units")
        return load(name, kind, backend, device)

    monkeypatch.setattr(loading, "load", refusing)
    table = nlgauge.evaluate(rows(), metrics="BERTScore", precision="auto", precision_change=0.9, cache=False)
    assert table.run["precision"]["precision"] == "int8"
    assert "bfloat16 by openvino cannot score these rows: no units" in capsys.readouterr().err


def test_ways_are_those_that_pay_in_every_round_the_fastest_first() -> None:
    one = speeds(
        timing("onnxruntime", "int8", 2, low=1.5),
        timing("openvino", "bfloat16", 3, low=2.5),
        timing("torch", "bfloat16", 1.2, low=1.0),
        timing("openvino", "float32", 1.05),
    )
    found = precision.ways({"pocket": one}, "auto")
    assert [(way.precision, way.backends) for way in found] == [
        ("bfloat16", {"pocket": "openvino"}),
        ("int8", {"pocket": "onnxruntime"}),
    ]
    assert [way.times_as_fast for way in found] == pytest.approx([2.5, 1.5])
    assert [way.precision for way in precision.ways({"pocket": one}, "onnxruntime")] == ["int8"]
    assert precision.ways({"pocket": one}, "torch") == [] == precision.ways({"pocket": None}, "auto")
    # Every model of a run has the precision; times of several models add up.
    slow = speeds(timing("onnxruntime", "int8", 1.0, low=1.0), name="second")
    (both,) = precision.ways({"pocket": one, "second": slow}, "auto")
    assert both.precision == "int8" and both.times_as_fast == pytest.approx(2 / (1 / 1.5 + 1))
    assert precision.ways({"pocket": one, "second": speeds(name="second")}, "auto") == []


def _table(values: list[list[float]]) -> ScoreTable:
    column = Column(("f1", "count"), np.array(values), details=("count",))
    return ScoreTable([("s", str(n)) for n in range(len(values))], {"M": column}, {})


@pytest.mark.parametrize(
    ("first", "second", "largest"),
    [
        ([0.0, 1.0, math.nan], [0.25, 1.0, math.nan], 0.25),
        ([0.0, 1.0, math.nan], [0.0, 1.0, 0.5], math.inf),
        ([0.0, 1.0, 0.5], [0.0, 1.0, math.nan], math.inf),
        ([0.0, 1.0, math.inf], [0.0, 1.0, math.inf], 0.0),
        ([0.0, 1.0, math.inf], [0.0, 1.0, -math.inf], math.inf),
    ],
)
def test_changes_are_of_scores_that_both_have(first: list[float], second: list[float], largest: float) -> None:
    class Made(Length):
        parts = ("f1", "count")  # type: ignore[misc]
        details = ("count",)

    tables = [_table([[score, 9.0 * at] for score in scores]) for at, scores in enumerate((first, second))]
    (change,) = precision.changes({"M": Made()}, *tables)
    assert (change.part, change.largest, change.range, change.share) == ("f1", largest, 1.0, largest)


def test_equal_scores_have_no_range_and_may_not_change() -> None:
    tables = [_table([[0.5, 0.0], [score, 0.0]]) for score in (0.5, 0.5, 0.75)]

    class Made(Length):
        parts = ("f1", "count")  # type: ignore[misc]
        details = ("count",)

    shares = [precision.changes({"M": Made()}, tables[0], other)[0].share for other in tables[1:]]
    assert shares == [0.0, math.inf]


def test_times_are_remembered_and_measured_again_where_they_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured: list[str] = []

    def measure(name: str, device: str | None) -> Speeds:
        measured.append(name)
        return INT8

    monkeypatch.setattr(precision, "measured", measure)
    with Store(tmp_path) as store:
        assert precision.speeds_of("pocket", None, store) == INT8 == precision.speeds_of("pocket", None, store)
    with Store(tmp_path) as store:
        assert precision.speeds_of("pocket", None, store) == INT8 and measured == ["pocket"]
        precision.speeds_of("pocket", "cpu", store)
        precision.speeds_of("pocket", None, store, again=True)
        assert len(measured) == 3
        key = precision.speed_key(loading.load("pocket"), None)
        store.put({key: b'{"model": 3}'})
        assert precision.speeds_of("pocket", None, store) == INT8 and len(measured) == 4
        assert precision.speeds_of("pocket", None, store) == INT8 and len(measured) == 4
        assert store.info().entries["speed"][0] == 2
    precision.speeds_of("pocket", None, None)
    assert len(measured) == 5


def test_a_metric_that_asks_more_than_models_is_not_scored_twice() -> None:
    spec = "Faithfulness(then=\"Column('judge')\", unsure=(0.2, 0.8))"
    with pytest.raises(SpecError, match="asks more than models; choose float32, bfloat16, int8"):
        nlgauge.evaluate(rows(), metrics=spec, precision="auto", cache=False)


@pytest.mark.parametrize("change", [0, -1, math.nan, math.inf])
def test_a_limit_is_a_share_above_0(change: float) -> None:
    with pytest.raises(SpecError, match="precision_change is"):
        nlgauge.evaluate(rows(3), metrics="TokenF1", precision="auto", precision_change=change)


def test_without_a_run_auto_is_refused() -> None:
    with pytest.raises(SpecError, match="there is no run here; choose float32, bfloat16, int8"):
        loading.load("pocket", "auto")
    with pytest.raises(SpecError, match="there is no run here"):
        nlgauge.explain(rows(3), "BERTScore", precision="auto", cache=False)
    refused("rate", "BERTScore", "--sets", ".", "--precision", "auto", say="a card is of one precision")


def test_other_rows_are_scored_as_the_first_table_was(int8_is_fast: None) -> None:
    options: dict[str, Any] = {"precision": "auto", "backend": "auto", "cache": False}
    table = nlgauge.evaluate(rows(), metrics="BERTScore", precision_change=0.9, **options)
    assert precision.as_scored(table, options) == {"precision": "int8", "backend": "onnxruntime", "cache": False}
    exact = nlgauge.evaluate(rows(), metrics="BERTScore", precision_change=1e-9, **options)
    assert precision.as_scored(exact, options) == {**options, "precision": "float32"}
    assert precision.as_scored(exact, {"precision": "int8"}) == {"precision": "int8"}
    strings = nlgauge.evaluate(rows(), metrics="TokenF1", **options)
    assert precision.as_scored(strings, options) == options


def test_the_command_tells_what_auto_did(int8_is_fast: None, tmp_path: Path) -> None:
    outputs = tmp_path / "outputs.csv"
    lines = [f'"{row.candidate}","{row.references[0]}"' for row in rows()]
    outputs.write_text("\n".join(["candidate,references", *lines]), encoding="utf-8")
    given = ["score", str(outputs), "-m", "BERTScore", "--precision", "auto", "--no-cache"]
    result = command(*given, "--precision-change", "0.9", "-o", str(tmp_path / "scores.jsonl"))
    assert result.exit_code == 0 and "scored so" in result.stderr and "precision:int8" in result.stderr
    saved = ScoreTable.load(tmp_path / "scores.jsonl")
    assert saved.run["precision"]["precision"] == "int8"
    assert saved.signatures["BERTScore"].facts["precision"] == "int8"
    wrong = command(*given, "--precision-change", "0")
    assert wrong.exit_code == 2 and "--precision-change" in wrong.stderr


def test_the_default_of_the_command_is_that_of_the_library() -> None:
    from nlgauge.cli.score import score

    defaults = {option.name: option.default for option in score.params if isinstance(option, click.Option)}
    assert defaults["precision_change"] == PRECISION_CHANGE


def test_check_scores_the_earlier_run_in_the_same_precision(int8_is_fast: None, tmp_path: Path) -> None:
    corpus = rows()
    for name, kept in (("now", 230), ("before", 120)):
        lines = [f'"{row.candidate}","{row.references[0]}",s,{n}' for n, row in enumerate(corpus.rows[:kept])]
        text = "\n".join(["candidate,references,system,item", *lines])
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    # Of 120 rows alone, auto would come to float32, and the two runs could not be compared.
    result = command(
        "check", str(tmp_path / "now.csv"), "-m", "BERTScore", "--against", str(tmp_path / "before.csv"),
        "--precision", "auto", "--precision-change", "0.9", "--no-cache",
    )  # fmt: skip
    assert result.exit_code == 0, result.stderr

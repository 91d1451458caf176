"""Several runs in the same passes: each ends as `nlgauge.evaluate` ends it alone, and fails alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import nlgauge
import nlgauge.run.executors.together as together_module
from nlgauge.data.corpus import Corpus, Row
from nlgauge.data.table import ScoreTable
from nlgauge.engine.engine import Engine
from nlgauge.engine.features.request import Features
from nlgauge.engine.models import loading
from nlgauge.errors import InputError, SpecError
from nlgauge.metrics import registry
from nlgauge.metrics.base import Prepared, RowMetric, Value
from nlgauge.run.executors.together import JointRun, TooMuchWorkError, score_together
from tests.extras import lacking

pytestmark = pytest.mark.usefixtures("one_model")

WORDS = ("rain", "fell", "on", "the", "old", "bridge", "and", "a", "train", "was", "late", "again", "today")


def rows(seed: int, count: int, source: bool = True) -> Corpus:
    generator = np.random.default_rng(seed)

    def text() -> str:
        return " ".join(generator.choice(WORDS, size=generator.integers(1, 12))).capitalize() + "."

    return Corpus(
        tuple(
            Row(
                text() if generator.random() < 0.9 else "",
                tuple(text() for _ in range(generator.integers(1, 3))),
                source=text() if source else None,
                context=text() if source else None,
                system=f"s{n % 2}",
                item=str(n // 2),
            )
            for n in range(count)
        )
    )


def run(corpus: Corpus, *specs: str, **more: Any) -> JointRun:
    metrics = [registry.metric(spec) for spec in specs]
    return JointRun(corpus, {str(metric): metric for metric in metrics}, {}, **more)


def scored(*runs: JointRun) -> None:
    score_together(runs, {"pocket": Engine(loading.load("pocket"))})


def alike(table: ScoreTable | None, other: ScoreTable) -> None:
    assert table is not None
    assert table.rows == other.rows
    assert table.signatures == other.signatures
    assert table.run["notes"] == other.run["notes"]
    assert table.metrics == other.metrics
    for spec, column in other.columns.items():
        mine = table.columns[spec]
        assert (mine.reasons, mine.level, mine.parts) == (column.reasons, column.level, column.parts)
        np.testing.assert_allclose(mine.values, column.values, rtol=1e-4, atol=1e-5)
        assert (mine.sums is None) == (column.sums is None)
        if mine.sums is not None and column.sums is not None:
            assert mine.sums == column.sums


OF_ROWS = ("BERTScore", "TokenF1", "Consistency(aligner='D')", "CopyRate", "InfoLM(stride=4)")
OF_A_CORPUS = tuple(
    spec
    for spec in ("CIDEr", "BERTScore(idf='references')", "MarkEvaluate", "PRD(clusters=2, runs=2)")
    if lacking(registry.metric(spec).libraries) is None
)


def test_each_run_ends_as_it_ends_alone() -> None:
    corpora = [rows(seed, count) for seed, count in ((1, 1), (2, 7), (3, 4), (4, 1))]
    asked = [OF_ROWS[:3], OF_ROWS, (*OF_A_CORPUS, "BERTScore"), ("TokenF1", "BERTScore(idf='references')")]
    runs = [run(corpus, *specs) for corpus, specs in zip(corpora, asked, strict=True)]
    scored(*runs)
    for one, specs in zip(runs, asked, strict=True):
        assert one.error is None
        alike(one.table, nlgauge.evaluate(one.corpus, metrics=list(specs), cache=False))


def test_evidence_is_that_of_a_run_alone() -> None:
    spec, corpora = "Consistency(aligner='D')", [rows(5, 2), rows(6, 3)]
    runs = [run(corpora[0], spec, evidence=True), run(corpora[1], spec), run(corpora[1], spec, evidence=True)]
    scored(*runs)
    assert runs[1].table is not None and not runs[1].table.columns[spec].evidence
    for one in (runs[0], runs[2]):
        alone = nlgauge.evaluate(one.corpus, metrics=[spec], evidence=True, cache=False)
        assert one.table is not None
        assert _words(one.table, spec) == _words(alone, spec)
        assert any(_words(alone, spec))


def _words(table: ScoreTable, spec: str) -> list[list[str]]:
    evidence = table.columns[spec].evidence
    return [[word["text"] for text in evidence[n].get("texts", []) for word in text["words"]] for n in sorted(evidence)]


def test_a_text_of_several_runs_goes_through_the_model_once() -> None:
    corpus, engine = rows(7, 3), Engine(loading.load("pocket"))
    score_together([run(corpus, "BERTScore")], {"pocket": engine})
    alone = dict(engine.ledger.features)
    engine = Engine(loading.load("pocket"))
    score_together([run(corpus, "BERTScore") for _ in range(4)], {"pocket": engine})
    assert dict(engine.ledger.features) == alone


def test_a_run_that_cannot_be_had_fails_alone_and_as_evaluate_does() -> None:
    good, bad = rows(8, 2), rows(9, 2, source=False)
    runs = [run(good, "CopyRate", "BERTScore"), run(bad, "BERTScore", "CopyRate"), run(good, "BARTScore")]
    scored(*runs)
    alike(runs[0].table, nlgauge.evaluate(good, metrics=["CopyRate", "BERTScore"], cache=False))
    for one in runs[1:]:
        assert one.table is None
        with pytest.raises(nlgauge.NlgaugeError) as alone:
            nlgauge.evaluate(one.corpus, metrics=list(one.metrics), cache=False)
        assert (type(one.error), str(one.error)) == (type(alone.value), str(alone.value))


@dataclass(frozen=True)
class Touchy(RowMetric):
    """Counts characters, and cannot stand an empty text."""

    columns = ("candidate",)

    def score_rows(self, rows: Sequence[Row], prepared: Prepared, features: Features) -> list[Value]:
        PASSES.append(len(rows))
        if any(not row.candidate for row in rows):
            raise ZeroDivisionError
        return [Value((float(len(row.candidate)),), notes=("counted",)) for row in rows]


PASSES: list[int] = []


def touchy(*candidates: str, **more: Any) -> JointRun:
    return JointRun(Corpus.from_texts(candidates), {str(Touchy()): Touchy()}, {}, **more)


def test_a_run_that_fails_in_a_pass_fails_alone() -> None:
    PASSES.clear()
    runs = [touchy("a", "bc"), touchy("", "x"), touchy("defg")]
    scored(*runs)
    assert PASSES == [2, 2, 1]
    assert isinstance(runs[1].error, ZeroDivisionError)
    assert [_values(one) for one in runs] == [[1, 2], None, [4]]
    assert runs[0].table is not None
    assert runs[0].table.run["notes"] == {str(Touchy()): {"counted": 2}}, "no note is counted twice"


def _values(one: JointRun) -> list[float] | None:
    return None if one.table is None else one.table.values(str(Touchy())).tolist()


def test_rows_of_all_runs_are_scored_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    PASSES.clear()
    monkeypatch.setattr(together_module, "_STRINGS_WEIGHT", 3)
    runs = [touchy("a", "b"), touchy("c", "d"), touchy("efghij")]
    scored(*runs)
    assert PASSES == [2, 2, 1]
    assert [_values(one) for one in runs] == [[1, 1], [1, 1], [6]]


def test_a_run_that_was_given_up_is_not_computed_further(monkeypatch: pytest.MonkeyPatch) -> None:
    PASSES.clear()
    monkeypatch.setattr(together_module, "_STRINGS_WEIGHT", 1)
    runs = [touchy("a"), touchy("bc", given_up=lambda: len(PASSES) >= 1), touchy("def")]
    scored(*runs)
    assert PASSES == [1, 1], "of the second run not even the first block"
    assert [_values(one) for one in runs] == [[1], None, [3]]
    assert runs[1].error is None


def test_what_was_scored_stands_by_row() -> None:
    one = touchy("a", "bcd")
    scored(one)
    parts: Mapping[int, tuple[float, ...]] = {n: s.value.parts for n, s in one.scored[str(Touchy())].items()}
    assert parts == {0: (1,), 1: (3,)}
    assert one.scored[str(Touchy())][1].value.notes == ("counted",)


def test_bad_rows_of_one_run_name_the_remedy() -> None:
    one = run(rows(10, 1, source=False), "CopyRate")
    scored(one)
    assert isinstance(one.error, InputError)
    assert one.error.remedy == "give a column source, or name it: --map source=THEIRS; beside text files, --source FILE"


def test_a_run_that_asks_for_too_much_work_is_refused_before_it_is_computed() -> None:
    engine = Engine(loading.load("pocket"))
    runs = [run(rows(11, 3), "BERTScore", most_blocks=1e-5), run(rows(11, 1), "BERTScore", most_blocks=1)]
    score_together(runs[:1], {"pocket": engine})
    assert isinstance(runs[0].error, TooMuchWorkError)
    assert str(runs[0].error).startswith("BERTScore would take ")
    assert not engine.ledger.features
    score_together(runs[1:], {"pocket": engine})
    assert runs[1].error is None


def test_a_run_that_is_given_up_midway_is_not_computed_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    PASSES.clear()
    monkeypatch.setattr(together_module, "_STRINGS_WEIGHT", 2)
    runs = [touchy(*"abcdefgh", given_up=lambda: len(PASSES) >= 2), touchy("ij")]
    scored(*runs)
    assert PASSES == [2, 2, 1], "four blocks were asked for, and the other run's"
    assert [_values(one) for one in runs] == [None, [2]]


def test_a_run_of_a_model_is_computed_in_blocks_of_the_same_weight_as_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus, passes = rows(12, 6), []
    real = together_module.features_of

    def counted(asked: Any, *more: Any) -> Any:
        passes.append(len(asked))
        return real(asked, *more)

    monkeypatch.setattr(together_module, "features_of", counted)
    monkeypatch.setattr(together_module, "BLOCK_WEIGHT", 1)
    one = run(corpus, "BERTScore")
    scored(one)
    assert passes == [1] * 6
    alike(one.table, nlgauge.evaluate(corpus, metrics=["BERTScore"], cache=False))


def test_a_run_ends_as_soon_as_its_own_rows_are_scored(monkeypatch: pytest.MonkeyPatch) -> None:
    PASSES.clear()
    monkeypatch.setattr(together_module, "_STRINGS_WEIGHT", 2)
    ended: list[tuple[list[float] | None, int]] = []
    runs = [touchy("a", "b"), touchy(""), touchy("cd", "ef", "gh"), touchy("i", given_up=lambda: True), touchy("jk")]
    score_together(runs, {}, lambda one: ended.append((_values(one), len(PASSES))))
    # The second run shares the first one's block, and fails in it alone.
    assert ended == [(None, 0), ([1, 1], 2), (None, 2), ([2, 2, 2], 5), ([2], 6)]


def test_a_run_of_several_models_ends_after_the_last_of_them() -> None:
    ended: list[JointRun] = []
    runs = [run(rows(13, 2), "TokenF1", "BERTScore"), run(rows(14, 2), "TokenF1"), run(rows(15, 2), "BERTScore")]
    score_together(runs, {"pocket": Engine(loading.load("pocket"))}, ended.append)
    assert ended == [runs[1], runs[0], runs[2]]
    for one in runs:
        alike(one.table, nlgauge.evaluate(one.corpus, metrics=list(one.metrics), cache=False))


def test_a_run_whose_model_is_not_there_ends_with_an_error() -> None:
    runs = [run(rows(16, 2), "TokenF1", "BERTScore(model='absent')"), run(rows(17, 2), "TokenF1")]
    ended: list[JointRun] = []
    score_together(runs, {}, ended.append)
    assert ended == runs and runs[0].table is None and runs[1].error is None
    with pytest.raises(SpecError, match="no model 'absent' is loaded here"):
        raise runs[0].error or AssertionError

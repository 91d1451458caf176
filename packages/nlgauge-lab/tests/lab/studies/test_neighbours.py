"""The K sweep: Mark-Evaluate's own numbers at every K, from one pass over the distances."""

from __future__ import annotations

from pathlib import Path

import pytest

from nlgauge import Corpus, InputError, MarkEvaluate, Row, ScoreTable, SpecError, evaluate
from nlgauge.metrics import mark_evaluate
from nlgauge_lab.studies.neighbours import neighbours
from tests.printed import printed

KS = (1, 2, 3)


def test_scores_are_mark_evaluates(corpus: Corpus, runs: list[ScoreTable], monkeypatch: pytest.MonkeyPatch) -> None:
    passes = []
    original = mark_evaluate.between
    monkeypatch.setattr(mark_evaluate, "between", lambda *given: passes.append(1) or original(*given))
    found = neighbours(corpus, ks=KS, replicates=0)
    assert len(passes) == 3, "one a system"
    assert len(runs) == 1
    assert (found.ks, found.systems) == ([1, 2, 3], ["copy", "short", "wrong"])
    scores = {(one.system, one.k, one.estimator): one for one in found.records}
    assert len(scores) == 3 * 3 * 4
    for k in KS:
        for estimator in ("petersen", "schnabel", "capture"):
            spec = str(MarkEvaluate(estimator=estimator, k=k))
            expected = evaluate(corpus, metrics=spec)
            assert [scores[s, k, estimator].score for s in found.systems] == expected.values(spec).tolist()
            assert [scores[s, k, "diversity"].score for s in found.systems] == expected.values(
                spec, "diversity"
            ).tolist()
    for one in found.records:
        # The score is 1 - min(|ratio - 1|, 1), for all estimators.
        assert one.score == pytest.approx(1 - min(abs(one.ratio - 1), 1))


def test_too_large_k_and_empty_sets_are_told(runs: list[ScoreTable], tmp_path: Path) -> None:
    rows = (
        Row("a cat", ("a dog",), system="A", item="1"),
        Row("a hen", ("an owl",), system="A", item="2"),
        Row("", ("a",), system="B", item="1"),
    )
    found = neighbours(Corpus(rows), ks=(1, 5))
    beyond = "K=5 is more than the number of other points in a set: that number was used"
    assert found.notes == (beyond, "B: no output has words")
    assert printed(found)[0][-1] == ["B", "capture", "-", "-"]
    pytest.importorskip("matplotlib", reason="needs nlgauge[plots]")
    found.draw(tmp_path / "k.svg")


def test_refusals(corpus: Corpus, one_model: None) -> None:
    for ks in ((), (2, 1), (0, 1), (1, 1)):
        with pytest.raises(SpecError, match="K must be"):
            neighbours(corpus, ks=ks)
    with pytest.raises(SpecError, match="PRD is not MarkEvaluate"):
        neighbours(corpus, "PRD")
    with pytest.raises(InputError):
        neighbours(corpus, items=0)

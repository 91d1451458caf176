"""Scores kept in a folder: computed once, gone on from, and not taken for another model's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nlgauge import Corpus, ScoreTable, evaluate, registry
from nlgauge.corpus import Row
from nlgauge.reproduce import scores
from nlgauge.reproduce.published import Source
from nlgauge.reproduce.rated import Data
from nlgauge.reproduce.scores import Store, effort
from tests.reproduce.pieces import Words

pytestmark = pytest.mark.usefixtures("one_model", "counting")


@pytest.fixture
def corpus(folder: Path) -> Corpus:
    return Data(folder).corpus([Source("tiny")])


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, list[str]]]:
    """(rows, metrics) of every run of `evaluate`."""
    found: list[tuple[int, list[str]]] = []

    def counted(rows: Corpus, **options: Any) -> ScoreTable:
        found.append((len(rows), [str(metric) for metric in options["metrics"]]))
        return evaluate(rows, **options)

    monkeypatch.setattr(scores, "evaluate", counted)
    return found


def test_what_is_stored_is_not_computed_again(corpus: Corpus, tmp_path: Path, runs: list[Any]) -> None:
    metrics = [Words(), registry.metric("EmbeddingAverage")]
    first = Store(tmp_path)
    first.fill([(corpus, "tiny", metrics[:1])])
    assert first.scored == 18
    again = Store(tmp_path)
    again.fill([(corpus, "tiny", metrics)])
    assert runs == [(9, ["Words"]), (9, ["EmbeddingAverage"])]
    table = again.table(corpus, metrics)
    assert table.values("Words").tolist() == [6, 5, 9, 4, 3, 5, 1, 2, 2]
    np.testing.assert_array_equal(
        table.values("EmbeddingAverage"), evaluate(corpus, metrics=["EmbeddingAverage"]).values("EmbeddingAverage")
    )
    Store(tmp_path).fill([(corpus, "tiny", metrics)])
    assert len(runs) == 2
    Store(tmp_path, fresh=True).fill([(corpus, "tiny", metrics)])
    assert len(runs) == 3


def test_other_rows_another_version_and_another_model_do_not_count(
    corpus: Corpus, tmp_path: Path, runs: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    metric = registry.metric("EmbeddingAverage")
    Store(tmp_path).fill([(corpus, "tiny", [metric])])
    part = corpus[:3]
    Store(tmp_path).fill([(part, "tiny", [metric])])
    assert [rows for rows, _ in runs] == [9, 3]
    (place,) = (path for path in tmp_path.rglob("*.jsonl") if corpus.digest[:16] in str(path))
    text = place.read_text(encoding="utf-8")
    digest = registry.model("pocket").digest[:8]
    place.write_text(text.replace(f"@{digest}", "@00000000"), encoding="utf-8")
    assert Store(tmp_path).table(corpus, [metric]).columns == {}
    place.write_text(text, encoding="utf-8")
    assert list(Store(tmp_path).table(corpus, [metric]).columns) == ["EmbeddingAverage"]
    monkeypatch.setattr(scores, "__version__", "0.0.0")
    assert Store(tmp_path).table(corpus, [metric]).columns == {}


def test_other_weights_for_pairs_and_another_aligner_do_not_count(tmp_path: Path) -> None:
    rows = Corpus(tuple(Row(text, (), "Two boats left.", item=text) for text in ("A boat left.", "Nothing left.")))
    metrics = [registry.metric("MaskEval(weights='candidate')"), registry.metric("Consistency(aligner='D')")]
    Store(tmp_path).fill([(rows, "tiny", metrics)])
    assert len(Store(tmp_path).table(rows, metrics).columns) == 2
    model = registry.model("pocket")
    for metric, digest in zip(metrics, (model.pairs_digest, model.aligner_digest), strict=True):
        for place in tmp_path.rglob("*.jsonl"):
            text = place.read_text(encoding="utf-8")
            place.write_text(text.replace(str(digest)[:8], "00000000"), encoding="utf-8")
        assert str(metric) not in Store(tmp_path).table(rows, metrics).columns


def test_slow_metrics_go_through_blocks_of_items_and_an_interrupted_run_goes_on(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scores, "BLOCK", 2)
    monkeypatch.setitem(scores._OF, "Words", "distributions")
    seen: list[int] = []

    def interrupted(rows: Corpus, **options: Any) -> ScoreTable:
        if seen:
            raise KeyboardInterrupt
        seen.append(len(rows))
        return evaluate(rows, **options)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(scores, "evaluate", interrupted)
        Store(tmp_path).fill([(corpus, "tiny", [Words()])])
    assert seen == [6]  # items a and b of three systems
    store = Store(tmp_path)
    assert store.table(corpus, [Words()]).columns == {}  # a part is not the whole
    store.fill([(corpus, "tiny", [Words()])])
    assert store.scored == 6  # item c, two parts
    table = store.table(corpus, [Words()])
    assert table.rows == [(row.system, row.item) for row in corpus]
    assert table.values("Words").tolist() == [6, 5, 9, 4, 3, 5, 1, 2, 2]
    assert table.values("Words", "half").tolist() == [3, 2.5, 4.5, 2, 1.5, 2.5, 0.5, 1, 1]


def test_metrics_that_use_the_corpus_see_it_whole(corpus: Corpus, tmp_path: Path, runs: list[Any]) -> None:
    specs = ["InfoLM(idf='references')", "InfoLM(idf='none')"]
    small = Corpus(tuple(row for row in corpus if row.item == "a"))
    both = [registry.metric(spec) for spec in specs]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scores, "BLOCK", 1)
        Store(tmp_path).fill([(corpus, "tiny", both[:1]), (small, "small", both[1:])])
    assert runs == [(3, specs[1:]), (9, specs[:1])]  # the smaller corpus first


def test_one_that_sees_the_corpus_does_not_keep_the_others_from_blocks(
    corpus: Corpus, tmp_path: Path, runs: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scores, "BLOCK", 2)
    metrics = [registry.metric(spec) for spec in ("FrechetDistance", "EmbeddingAverage")]
    store = Store(tmp_path)
    store.fill([(corpus, "tiny", metrics)])
    assert runs == [(6, ["EmbeddingAverage"]), (3, ["EmbeddingAverage"]), (9, ["FrechetDistance"])]
    assert sorted(store.table(corpus, metrics).columns) == ["EmbeddingAverage", "FrechetDistance"]


def test_how_far_a_metric_has_come(corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scores, "BLOCK", 1)
    words, frechet = Words(), registry.metric("FrechetDistance")
    Store(tmp_path).fill([(Corpus(tuple(row for row in corpus if row.item == item)), "a", [words]) for item in "ac"])
    store = Store(tmp_path)
    rows = store.reach(corpus, words)
    assert [(row.system, row.item) for row in rows] == [(s, i) for s in ("long", "middle", "short") for i in "ac"]
    assert store.table(rows, [words]).values("Words").tolist() == [6, 9, 4, 5, 1, 2]
    assert len(store.reach(corpus, frechet)) == 0
    store.fill([(corpus, "tiny", [words, frechet])])
    assert store.reach(corpus, words) is corpus
    assert store.reach(corpus, frechet) is corpus
    assert store.scored == 2 * 3 + 3 * 3  # item b's rows, two parts; systems, three parts


def test_one_that_cannot_be_had_does_not_spoil_the_others(corpus: Corpus, tmp_path: Path, runs: list[Any]) -> None:
    metrics = [Words(), Words(extra="absent"), Words(of="difference")]
    store = Store(tmp_path)
    store.fill([(corpus, "tiny", metrics)])
    assert sorted(store.table(corpus, metrics).columns) == ["Words", "Words(of='difference')"]
    assert store.why(corpus, metrics[1]) == "counting words needs an optional library: pip install 'nlgauge[words]'"
    before = len(runs)
    store.fill([(corpus, "tiny", metrics)])
    assert len(runs) == before


def test_progress_is_told(corpus: Corpus, tmp_path: Path) -> None:
    lines: list[str] = []
    Store(tmp_path, lines.append).fill([(corpus, "tiny", [Words(), registry.metric("EmbeddingAverage")])])
    assert lines == ["tiny: 9 of 9 rows by 2 of vectors (Words, EmbeddingAverage)"]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [("InfoLM", "distributions"), ("Consistency", "vectors"), ("Consistency(aligner='D')", "sequences")],
)
def test_what_a_metric_costs(spec: str, expected: str) -> None:
    assert effort(registry.metric(spec)) == expected

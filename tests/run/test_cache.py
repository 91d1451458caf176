"""Keys of scores: equal for what gives equal numbers, and different for everything that may not."""

from __future__ import annotations

from nlgauge.data.corpus import Row
from nlgauge.metrics.bertscore import BERTScore
from nlgauge.metrics.simple import Length
from nlgauge.run.cache import RowKeys, metric_key

FACTS = {"model": {"name": "pocket", "digest": "ab"}, "layer": 5}


def key(row: Row, metric=BERTScore(), facts=FACTS, evidence=False) -> str:  # noqa: B008
    return RowKeys(metric, facts, evidence).of(row)


def test_only_the_columns_that_are_read_count() -> None:
    row = Row("a", ("b", "c"), source="s", system="x", item="1")
    assert key(row) == key(Row("a", ("b", "c"), source="other", system="y", item="2", scores={"quality": 1.0}))
    for other in (Row("a", ("c", "b")), Row("a", ("b",)), Row("ab", ("c",)), Row("a", ("b, c",)), Row("b", ("a", "c"))):
        assert key(row) != key(other)
    assert key(Row("a", ("b",)), Length(), {}) == key(Row("a"), Length(), {})


def test_the_model_counts_by_its_weights_and_not_by_its_name() -> None:
    renamed = {**FACTS, "model": {"name": "somewhere/pocket", "digest": "ab"}}
    assert metric_key(BERTScore(), FACTS, False) == metric_key(BERTScore(model="somewhere/pocket"), renamed, False)
    other = {**FACTS, "model": {"name": "pocket", "digest": "cd"}}
    assert metric_key(BERTScore(), FACTS, False) != metric_key(BERTScore(), other, False)


def test_parameters_facts_and_evidence_count() -> None:
    keys = {
        metric_key(BERTScore(), FACTS, False),
        metric_key(BERTScore(), FACTS, True),
        metric_key(BERTScore(rescale=True), FACTS, False),
        metric_key(BERTScore(), {**FACTS, "layer": 6}, False),
    }
    assert len(keys) == 4

"""Mode collapse and word swap: what is compared with what, and what corpus-level metrics say of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from nlgauge import Corpus, InputError, Row, ScoreTable, SpecError
from nlgauge_lab.studies.synthetic import COLLAPSE, SWAP, SWAPS, synthetic
from tests.printed import printed

TOPICS = {"sea": ["ship", "wave", "gull", "port"], "hill": ["path", "goat", "snow", "rock"]}


def corpus(topics: dict[str, list[str]]) -> Corpus:
    """Two texts of each noun of a topic."""
    texts = [
        (topic, f"a {what} {noun} was seen")
        for topic, nouns in topics.items()
        for noun in nouns
        for what in ("small", "large")
    ]
    return Corpus(tuple(Row(text, system=topic, item=str(number)) for number, (topic, text) in enumerate(texts)))


def test_topics_are_dropped_and_words_swapped_against_the_same_references(
    runs: list[ScoreTable], tmp_path: Path
) -> None:
    found = synthetic(corpus(TOPICS), ["MarkEvaluate(k=2)", "PRD(runs=1, clusters=3)"], size=6)
    (table,) = runs
    assert found.size == 6
    assert table.systems == ["topics dropped 0.0", "topics dropped 1.0", *(f"words swapped {at}" for at in SWAPS)]
    # Three of each topic; the other topic gives all of its five others where one is dropped.
    sizes = [sum(system == name for system, _ in table.rows) for name in table.systems]
    assert sizes == [6, 5, 6, 6, 6, 6, 6]
    parts = {(one.metric, one.part) for one in found.records}
    assert {part for metric, part in parts if metric == "MarkEvaluate(k=2)"} == {"score", "quality", "diversity"}
    assert {part for metric, part in parts if metric.startswith("PRD")} == {"f8", "f1_8"}
    scores = [one.value for one in found.records if (one.metric, one.part) == ("MarkEvaluate(k=2)", "score")]
    assert scores == table.values("MarkEvaluate(k=2)").tolist()
    collapse, swap = printed(found)
    assert collapse[0] == [COLLAPSE, "0", "1"] and swap[0] == [SWAP, "0", "0.25", "0.5", "0.75", "1"]
    pytest.importorskip("matplotlib", reason="needs nlgauge[plots]")
    found.draw(tmp_path / "steps.png")
    assert (tmp_path / "steps.png").stat().st_size > 1000


def test_refusals() -> None:
    with pytest.raises(SpecError, match="Length is not a corpus-level metric"):
        synthetic(corpus(TOPICS), ["Length"])
    with pytest.raises(InputError, match="'sea' has too few texts"):
        synthetic(corpus(TOPICS), size=1)

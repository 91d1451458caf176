"""Unsupported words: as the metric gives them, or those under its threshold."""

from __future__ import annotations

from nlgauge.stats.gate.verdict import Unsupported, unsupported

TEXT = "The owl ate nine loud bells."


def word(text: str, alignment: float) -> dict[str, object]:
    begin = TEXT.index(text)
    return {"text": text, "begin": begin, "end": begin + len(text), "alignment": alignment}


def test_weak_words_that_follow_each_other_are_one_span() -> None:
    words = [word("owl", 0.9), word("ate", 0.2), word("nine", 0.1), word("loud", 0.5), word("bells", 0.4)]
    text = {"name": "candidate", "against": "source", "text": TEXT, "words": words, "weak": 0.5}
    (found,) = unsupported({"texts": [text]})
    assert found.words == ("ate nine", "bells")  # "loud" is not under the threshold, and keeps them apart
    assert (found.name, found.against) == ("candidate", "source")


def test_the_spans_of_the_metric_come_first() -> None:
    text = {"name": "c", "against": "s", "text": TEXT, "words": [word("owl", 0)], "weak": 0.5, "unsupported": [[8, 11]]}
    assert unsupported({"texts": [text]}) == (Unsupported("c", "s", TEXT, ((8, 11),)),)
    assert unsupported({"texts": [{**text, "unsupported": []}]}) == ()


def test_a_metric_without_words_has_none() -> None:
    assert unsupported(None) == unsupported({"matches": []}) == ()

"""Choosing contexts and sentences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlgauge_lab.training.weak_labels.sources import Record
from nlgauge_lab.training.weak_labels.targets import (
    Targets,
    content_stems,
    sentence_list,
    stem,
    textrank,
    worth_choosing,
)

RNG = np.random.default_rng
STORY = (
    "The old bridge in Leeds was closed on Monday. Engineers had found cracks in the bridge. "
    "Mr. Hall said that the bridge will open in June. Cats are fond of milk and of warm places. "
    "The cracks were found by engineers on Sunday."
)


def test_ranks_by_hand():
    # A triangle is symmetric: all alike. A sentence without a word in common with others ranks lowest.
    assert textrank(["old bridge", "old bridge", "old bridge"]) == pytest.approx([1 / 3] * 3)
    ranks = textrank(["old bridge", "old bridge falls", "milk"])
    assert ranks.sum() == pytest.approx(1) and ranks[2] == ranks.min() and ranks[0] == pytest.approx(ranks[1])
    assert textrank(["one"]) == pytest.approx([1])


def test_ranks_are_the_fixed_point_of_pagerank():
    networkx = pytest.importorskip("networkx", reason="needs nlgauge-lab[train]")
    sentences = sentence_list(STORY)
    bags = [set(content_stems(one)) for one in sentences]
    graph = networkx.Graph()
    graph.add_nodes_from(range(len(bags)))
    for i, one in enumerate(bags):
        for j, other in enumerate(bags[:i]):
            if one & other:
                weight = len(one & other) / (np.log(len(one) + 1) + np.log(len(other) + 1))
                graph.add_edge(i, j, weight=weight)
    theirs = networkx.pagerank(graph, alpha=0.85, tol=1e-12, max_iter=1000)
    np.testing.assert_allclose(textrank(sentences), [theirs[i] for i in range(len(bags))], atol=1e-6)


def test_a_title_before_a_name_ends_no_sentence():
    assert len(sentence_list(STORY)) == 5


def test_the_sentence_that_ranks_lowest_is_not_chosen():
    story = " ".join(f"The old bridge in Leeds was closed by Ann in year {n}." for n in range(9))
    story += " Cats are fond of warm milk."
    drawn = [Targets().choose(Record(document=story), "summarization", RNG(seed)) for seed in range(60)]
    assert not any("Cats" in sentence for one in drawn for sentence in one.sentences)
    drawn = [Targets().choose(Record(knowledge=story), "knowledge", RNG(seed)) for seed in range(60)]
    assert any("Cats" in sentence for one in drawn for sentence in one.sentences)


@pytest.mark.parametrize(
    ("sentence", "worth"),
    [("The old bridge was closed.", True), ("The bridge.", False), ("the old bridge was closed.", False),
     ("The old bridge was closed", False), ("1 2 3 4 5 6 7 8 9 10.", False), ("Word " * 61 + ".", False)],
)  # fmt: skip
def test_sentences_worth_choosing(sentence: str, worth: bool):
    assert worth_choosing(sentence) is worth


@pytest.mark.parametrize(
    ("word", "other"),
    [("bridges", "bridge"), ("stopped", "stop"), ("making", "make"), ("cities", "city"), ("Hall's", "hall"),
     ("opened", "opens"), ("studied", "study")],
)  # fmt: skip
def test_stems_of_inflected_words_are_one(word: str, other: str):
    assert stem(word) == stem(other)


def test_stems_of_other_words_are_not():
    assert len({stem(word) for word in ("bridge", "brick", "pass", "press", "is", "as", "May")}) == 7


@given(st.text(max_size=400), st.integers(0, 99))
def test_windows_are_parts_of_the_text(text: str, seed: int):
    window = Targets(shortest=5, longest=10).window(text, RNG(seed))
    assert window in text


def test_windows_have_about_the_length_that_was_drawn():
    text = " ".join(f"This is sentence number {i}." for i in range(400))
    sizes = [len(Targets(longest=60).window(text, RNG(seed)).split()) for seed in range(200)]
    assert min(sizes) >= 60 and np.mean(np.array(sizes) <= 65) > 0.8
    sizes = [len(Targets().window(text, RNG(seed)).split()) for seed in range(200)]
    assert max(sizes) <= 705 and 0.02 < np.mean(np.array(sizes) > 355) < 0.15


@pytest.mark.parametrize("task", ["summarization", "knowledge"])
def test_sentences_are_taken_from_the_context(task: str):
    seen = set()
    for seed in range(30):
        choice = Targets().choose(Record(document=STORY), task, RNG(seed))
        assert not isinstance(choice, str)
        assert all(one in choice.context for one in choice.sentences)
        seen.add(len(choice.sentences))
    assert seen == {1, 2, 3}


def test_texts_that_are_their_own_context():
    record = Record(document="The bridge opened. It held.", text="The bridge was opened and it held.")
    style = [
        Targets(parallel=1.0).choose(record, "style", RNG(0)),
        Targets(parallel=0.0).choose(record, "style", RNG(0)),
    ]
    assert [one.parallel for one in style] == [record.text, None]
    assert style[0].context == record.document and style[0].sentences == ("The bridge opened.", "It held.")
    reference = Targets().choose(record, "reference", RNG(0))
    assert (reference.context, reference.parallel) == (record.text, None)
    other = Record(document="The bridge opened.", text="Cats like milk.")
    assert Targets(parallel=1.0).choose(other, "style", RNG(0)).parallel is None
    assert Targets().choose(Record(document="..."), "style", RNG(0)) == "no text"


@pytest.mark.parametrize(
    ("reply", "refused"),
    [
        ("Yes, the bridge in Leeds had deep cracks.", None),
        ("Yes, the bridge in York had deep cracks.", "beyond"),  # a name that nobody mentioned
        ("The bridge in Leeds had 12 deep cracks.", "beyond"),
        ("My neighbour's cats like warm milk.", "beyond"),
        ("Oh yes.", "under 4"),
        ("", "no reply"),
    ],
)
def test_replies_that_rest_on_what_is_known(reply: str, refused: str | None):
    record = Record(knowledge="The bridge in Leeds had cracks.", history=("Were they deep?",), text=reply)
    found = Targets().choose(record, "dialogue", RNG(0))
    if refused is None:
        assert found.context == "The bridge in Leeds had cracks.\nWere they deep?" and found.sentences == (reply,)
    else:
        assert refused in found


def test_nothing_to_choose():
    assert Targets().choose(Record(), "summarization", RNG(0)) == "no sentence worth choosing"
    assert "no reply" in Targets().choose(Record(text="Yes, I do like bridges."), "dialogue", RNG(0))

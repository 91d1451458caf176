"""Choosing contexts and sentences."""

from __future__ import annotations

import numpy as np
import pytest

from nlgauge_lab.training.weak_labels.sources import Record
from nlgauge_lab.training.weak_labels.targets import Targets, content_stems, sentence_list, stem, textrank

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


@pytest.mark.parametrize(
    ("word", "other"),
    [("bridges", "bridge"), ("stopped", "stop"), ("making", "make"), ("cities", "city"), ("Hall's", "hall"),
     ("opened", "opens"), ("studied", "study")],
)  # fmt: skip
def test_stems_of_inflected_words_are_one(word: str, other: str):
    assert stem(word) == stem(other)


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

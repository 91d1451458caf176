"""Sentences in another order: spaces, signs and capitals."""

from __future__ import annotations

from nlgauge.lab.training.weak_labels.sentence_order import final_sign, plain, text_of, write
from tests.lab.training.weak_labels.grammar import BRIDGE, sentence

HALL = sentence(
    "Ann Hall, a teacher, left.",
    "Ann NNP 2 compound ann PERSON", "Hall NNP 7 nsubj hall +PERSON", ", , 2 punct", "a DT 5 det",
    "teacher NN 2 appos", ", , 2 punct", "left VBD 0 ROOT leave", ". . 7 punct",
)  # fmt: skip


def test_other_words_keep_spaces_and_capitals():
    surface = ["The", "firm", "", "constructed", "old", "bridge", "in", "May", "."]
    assert write(BRIDGE, list(range(9)), surface) == "The firm constructed old bridge in May."
    assert write(BRIDGE, [6, 7, ",", *range(6), 8]) == "In May, the firm built an old bridge."
    assert write(HALL, [6, 0, 1, 7]) == "Left Ann Hall."


def test_words_signs_and_plain_sentences():
    assert text_of(HALL, 1) == "Hall" and final_sign(HALL) == 7
    assert plain(HALL) and not plain(
        sentence("Go (now).", "Go VB 0 ROOT", "( ( 1 punct", "now RB 1 advmod", ") ) 1 punct", ". . 1 punct")
    )

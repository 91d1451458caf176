"""Substitutes mined from pairs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nlgauge.lab.training.weak_labels.lexicon import Lexicon
from nlgauge.lab.training.weak_labels.mining import mined
from tests.lab.training.weak_labels.grammar import sentence

PAIRS = [
    ("The firm will commence work in the old town.", "The firm will start work in the old town."),
    ("They commence the long race at noon today.", "They start the long race at noon today."),
    ("We often go on foot to the small market.", "We often walk to the small market."),
    ("You may go on foot when it is dry out.", "You may walk when it is dry out."),
    ("It has two old doors and a roof.", "It has three old doors and a roof."),
    ("Ann has two red doors and a roof.", "Ann has three red doors and a roof."),
    ("The bridge in Leeds was opened by him.", "The bridge in York was opened by him."),
    ("A bridge in Leeds is now closed too.", "A bridge in York is now closed too."),
    ("He was opening the door of the house.", "He was opened the door of the house."),
    ("I am opening the box of the maker.", "I am opened the box of the maker."),
    ("Cats like milk, and dogs do not.", "Nobody would ever commence it, I start."),
    ("Buy it once.", "Purchase it once."),
]


def test_phrases_that_two_pairs_agree_on_are_found():
    assert mined(PAIRS).entries == {("S", "commence"): ("start",), ("S", "go on foot"): ("walk",)}
    assert mined(PAIRS, least=3).entries == {}
    assert mined(PAIRS[:3], least=1).entries.keys() == {("S", "commence"), ("S", "go on foot")}
    assert mined([]).entries == {}


@given(st.lists(st.tuples(st.text(max_size=40), st.text(max_size=40)), max_size=4))
def test_any_pairs_can_be_mined(pairs):
    mined([*pairs, ("", "a"), ("a", "")], least=1)


def test_mined_words_replace_words_as_they_are_written():
    lexicon = Lexicon({("V", "commence"): ("begin",)}).with_others(mined(PAIRS))
    assert lexicon.entries["V", "commence"] == ("begin",)
    they = sentence("They commence.", "They PRP 2 nsubj", "commence VBP 0 ROOT", ". . 2 punct")
    (found,) = lexicon.substitutions(they)
    assert set(found.choices) == {"begin", "start"}

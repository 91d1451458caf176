"""Substitutes: the list's format, and where a word can be replaced."""

from __future__ import annotations

import pytest

from nlgauge.errors import InputError
from nlgauge.lab.training.weak_labels.lexicon import Lexicon
from tests.lab.training.weak_labels.grammar import BRIDGE, sentence


@pytest.fixture
def lexicon(tmp_path):
    path = tmp_path / "list.txt"
    path.write_text("# ours\nV build = construct\nJ old > aged, ancient\nR in May > that May\n\nN bridge > span\n")
    return Lexicon.read(path)


def test_each_entry_in_its_direction(lexicon):
    assert lexicon.entries["V", "construct"] == ("build",)
    assert lexicon.entries["J", "old"] == ("aged", "ancient")
    assert ("J", "aged") not in lexicon.entries
    assert lexicon.alike("aged", "old") and lexicon.alike("old", "aged") and not lexicon.alike("old", "span")
    assert lexicon.alike("bridges", "bridge")


def test_words_are_replaced_in_their_form(lexicon):
    found = {BRIDGE.part(one.first, one.last): one.choices for one in lexicon.substitutions(BRIDGE)}
    assert found["built"] == ("constructed",)
    assert found["old"] == ("aged", "ancient")


def test_names_particles_and_compounds_stay():
    lexicon = Lexicon({("V", "run"): ("manage",), ("N", "may"): ("can",), ("V", "rank"): ("rate",)})
    up = sentence(
        "They ran up high-ranking May.", "They PRP 2 nsubj", "ran VBD 0 ROOT run", "up RP 2 prt", "high JJ 6 amod",
        "- HYPH 6 punct", "ranking VBG 7 amod rank", "May NNP 2 dobj may", ". . 2 punct",
    )  # fmt: skip
    assert lexicon.substitutions(up) == []
    ran = sentence("They ran it.", "They PRP 2 nsubj", "ran VBD 0 ROOT run", "it PRP 2 dobj", ". . 2 punct")
    assert [one.choices for one in lexicon.substitutions(ran)] == [("managed",)]


def test_the_list_that_is_ours_can_be_read():
    lexicon = Lexicon.read()
    assert len(lexicon.entries) > 1500
    assert all(one != word for (_, word), some in lexicon.entries.items() for one in some)


@pytest.mark.parametrize("line", ["V build", "X a = b", "V = b", "J old > aged,"])
def test_a_line_that_is_none(tmp_path, line: str):
    (tmp_path / "list.txt").write_text(f"V a = b\n{line}\n")
    with pytest.raises(InputError, match=r"list\.txt: row 2: not an entry"):
        Lexicon.read(tmp_path / "list.txt")


def test_a_list_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        Lexicon.read(tmp_path / "none.txt")

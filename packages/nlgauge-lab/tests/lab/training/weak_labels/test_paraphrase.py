"""Substitutions that a language model judges, and whole paraphrases."""

from __future__ import annotations

import pytest

from lab.training.weak_labels.grammar import sentence
from nlgauge.errors import InputError
from nlgauge_lab.training.weak_labels.paraphrase import Lexicon

pytestmark = pytest.mark.usefixtures("one_model")


@pytest.fixture
def lexicon(tmp_path):
    path = tmp_path / "list.txt"
    path.write_text("# ours\nV build = construct\nJ old > aged, ancient\nR in May > that May\n\nN bridge > span\n")
    return Lexicon.read(path)


def test_names_particles_and_compounds_stay():
    lexicon = Lexicon({("V", "run"): ("manage",), ("N", "may"): ("can",), ("V", "rank"): ("rate",)})
    up = sentence(
        "They ran up high-ranking May.", "They PRP 2 nsubj", "ran VBD 0 ROOT run", "up RP 2 prt", "high JJ 6 amod",
        "- HYPH 6 punct", "ranking VBG 7 amod rank", "May NNP 2 dobj may", ". . 2 punct",
    )  # fmt: skip
    assert lexicon.substitutions(up) == []
    ran = sentence("They ran it.", "They PRP 2 nsubj", "ran VBD 0 ROOT run", "it PRP 2 dobj", ". . 2 punct")
    assert [one.choices for one in lexicon.substitutions(ran)] == [("managed",)]


@pytest.mark.parametrize("line", ["V build", "X a = b", "V = b", "J old > aged,"])
def test_a_line_that_is_none(tmp_path, line: str):
    (tmp_path / "list.txt").write_text(f"V a = b\n{line}\n")
    with pytest.raises(InputError, match=r"list\.txt: row 2: not an entry"):
        Lexicon.read(tmp_path / "list.txt")


def test_a_list_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        Lexicon.read(tmp_path / "none.txt")

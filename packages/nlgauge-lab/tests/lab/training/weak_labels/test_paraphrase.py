"""Substitutions that a language model judges, and whole paraphrases."""

from __future__ import annotations

import numpy as np
import pytest

from lab.training.weak_labels.grammar import BRIDGE, real_parser, sentence
from nlgauge.engine.models.loading import load
from nlgauge.errors import InputError
from nlgauge_lab.training.weak_labels.paraphrase import Lexicon, Paraphraser, with_articles

pytestmark = pytest.mark.usefixtures("one_model")


def rngs(number: int, seed: int = 0) -> list[np.random.Generator]:
    return [np.random.default_rng([seed, i]) for i in range(number)]


def words_alone(entries: dict[tuple[str, str], tuple[str, ...]], **others: float) -> Paraphraser:
    return Paraphraser(Lexicon(entries), load("pocket"), **{"share": 1.0, "reworded": 0.0, **others})


def test_every_word_is_replaced_where_all_are_wanted():
    entries = {("V", "build"): ("construct",), ("J", "old"): ("big",), ("R", "the firm"): ("he",)}
    assert words_alone(entries).paraphrase([BRIDGE], rngs(1)) == ["He constructed a big bridge in May."]
    assert words_alone(entries, share=0.0).paraphrase([BRIDGE], rngs(1)) == [BRIDGE.text]


def test_the_judge_refuses_what_does_not_fit_the_place():
    entries = {("V", "build"): ("erect",), ("J", "old"): ("yesterday",)}
    assert words_alone(entries).paraphrase([BRIDGE], rngs(1)) == ["The firm erected an old bridge in May."]
    assert words_alone(entries).paraphrase([], []) == []


def test_a_phrase_that_is_left_is_not_replaced_in_parts():
    entries = {("J", "old bridge"): ("ruin",), ("N", "bridge"): ("span",)}
    some = words_alone(entries, share=0.5, tolerance=99.0).paraphrase([BRIDGE] * 60, rngs(60))
    assert set(some) == {BRIDGE.text, "The firm built a ruin in May."}


def test_what_is_reworded_says_the_same():
    saw = sentence("They saw 340 boats.", "They PRP 2 nsubj", "saw VBD 0 ROOT see", "340 CD 4 num", "boats NNS 2 dobj")
    some = set(words_alone({}, reworded=1.0).paraphrase([saw] * 20, rngs(20)))
    assert len(some) > 1 and all("340" in one or "hundred and forty" in one for one in some)


def test_paraphrases_do_not_depend_on_the_others():
    parsed = [one for some in real_parser().parse(["The mayor opened the new bridge in May. It had been closed, "
              "because cracks were found.", "Nobody knows why the small firm bought it."]) for one in some]  # fmt: skip
    paraphraser = Paraphraser(Lexicon.read(), load("pocket"))
    together = paraphraser.paraphrase(parsed, rngs(3))
    alone = [paraphraser.paraphrase([one], [rng])[0] for one, rng in zip(parsed, rngs(3), strict=True)]
    assert together == alone
    assert together != [one.text for one in parsed]
    assert together != paraphraser.paraphrase(parsed, rngs(3, seed=7))


def test_articles_follow_what_comes_after_them():
    assert with_articles("A old bridge and an firm.") == "An old bridge and a firm."
    assert with_articles("Bruck an der Mur", "Bruck an der Mur") == "Bruck an der Mur"


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

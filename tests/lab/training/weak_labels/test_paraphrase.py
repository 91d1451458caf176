"""Substitutions that a language model judges, and whole paraphrases."""

from __future__ import annotations

import numpy as np
import pytest

from nlgauge.engine.models.loading import load
from nlgauge.lab.training.weak_labels.lexicon import Lexicon
from nlgauge.lab.training.weak_labels.paraphrase import Rewriter, with_articles
from tests.lab.training.weak_labels.grammar import BRIDGE, real_parser

pytestmark = pytest.mark.usefixtures("one_model")


def rngs(number: int, seed: int = 0) -> list[np.random.Generator]:
    return [np.random.default_rng([seed, i]) for i in range(number)]


def test_every_word_is_replaced_where_all_are_wanted():
    lexicon = Lexicon({("V", "build"): ("construct",), ("J", "old"): ("big",)})
    rewriter = Rewriter(lexicon, share=1.0, rewritten=0.0, shortened=0.0)
    assert rewriter.paraphrase([BRIDGE], rngs(1)) == ["The firm constructed a big bridge in May."]
    assert Rewriter(lexicon, share=0.0, rewritten=0.0, shortened=0.0).paraphrase([BRIDGE], rngs(1)) == [BRIDGE.text]


def test_the_judge_refuses_what_does_not_fit_the_place():
    lexicon = Lexicon({("V", "build"): ("erect",), ("J", "old"): ("yesterday",)})
    judged = Rewriter(lexicon, load("pocket"), share=1.0, rewritten=0.0, shortened=0.0)
    assert judged.paraphrase([BRIDGE], rngs(1)) == ["The firm erected an old bridge in May."]
    assert judged.paraphrase([], []) == []


def test_a_phrase_that_is_left_is_not_replaced_in_parts():
    lexicon = Lexicon({("J", "old bridge"): ("ruin",), ("N", "bridge"): ("span",)})
    some = Rewriter(lexicon, share=0.5, rewritten=0.0, shortened=0.0).paraphrase([BRIDGE] * 60, rngs(60))
    assert set(some) == {BRIDGE.text, "The firm built a ruin in May."}


def test_paraphrases_do_not_depend_on_the_others():
    parsed = [one for some in real_parser().parse(["The mayor opened the new bridge in May. It had been closed, "
              "because cracks were found.", "Nobody knows why the small firm bought it."]) for one in some]  # fmt: skip
    rewriter = Rewriter(judge=load("pocket"))
    together = rewriter.paraphrase(parsed, rngs(3))
    alone = [rewriter.paraphrase([one], [rng])[0] for one, rng in zip(parsed, rngs(3), strict=True)]
    assert together == alone
    assert together != [one.text for one in parsed]
    assert together != rewriter.paraphrase(parsed, rngs(3, seed=7))


def test_articles_follow_what_comes_after_them():
    assert with_articles("A old bridge and an firm.") == "An old bridge and a firm."
    assert with_articles("Bruck an der Mur", "Bruck an der Mur") == "Bruck an der Mur"

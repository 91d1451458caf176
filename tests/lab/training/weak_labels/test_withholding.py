"""Contexts that lack chosen sentences, with some words left of them."""

from __future__ import annotations

import numpy as np

from nlgauge.lab.training.weak_labels.pseudo_targets import Choice
from nlgauge.lab.training.weak_labels.withholding import can_lack, lacking, withheld

SENTENCES = ("The bridge was closed for a week.", "Nobody knew why.")
REST = "It had been built by a firm from the coast, and twenty people who lived near it liked to walk over it at night."


def choice(context: str) -> Choice:
    return Choice(context, SENTENCES)


def test_sentences_are_taken_out_and_lines_kept() -> None:
    given = choice(f"{SENTENCES[0]} {REST}\n{SENTENCES[1]}")
    assert lacking(given, [0]) == f"{REST}\n{SENTENCES[1]}"
    assert lacking(given, [0, 1]) == REST


def test_enough_is_left_where_it_can_be() -> None:
    assert can_lack(choice(" ".join([*SENTENCES, REST]))) and not can_lack(choice(" ".join(SENTENCES)))
    for seed in range(20):
        context, gone = withheld(choice(" ".join([*SENTENCES, REST])), np.random.default_rng(seed))
        assert gone and all(SENTENCES[index] not in context for index in gone) and len(context.split()) >= 20
    context, gone = withheld(choice(" ".join(SENTENCES)), np.random.default_rng(0))
    assert gone == [1] and context == SENTENCES[0]  # the shorter one, where hardly anything is left

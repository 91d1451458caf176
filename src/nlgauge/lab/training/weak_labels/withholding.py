"""Contexts that lack some of the sentences that a text was taken from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nlgauge.lab.training.weak_labels.pseudo_targets import Choice

_LEFT = 20  # words of a context that lacks something


def withheld(choice: Choice, rng: np.random.Generator) -> tuple[str, list[int]]:
    """The context without some or all of the chosen sentences, and which; some words are left of it."""
    sentences = choice.sentences
    number = int(rng.integers(1, len(sentences) + 1))
    gone: list[int] = []
    for index in (int(i) for i in rng.permutation(len(sentences))[:number]):
        if len(lacking(choice, [*gone, index]).split()) >= _LEFT:
            gone.append(index)
    gone = gone or [min(range(len(sentences)), key=lambda index: len(sentences[index].split()))]
    return lacking(choice, gone), gone


def lacking(choice: Choice, gone: Sequence[int]) -> str:
    """The context of a choice without these of its sentences."""
    context = choice.context
    for index in gone:
        context = context.replace(choice.sentences[index], "")
    return "\n".join(" ".join(line.split()) for line in context.split("\n") if line.strip())


def can_lack(choice: Choice) -> bool:
    """Whether enough of the context is left without one of the sentences."""
    return any(len(lacking(choice, [index]).split()) >= _LEFT for index in range(len(choice.sentences)))

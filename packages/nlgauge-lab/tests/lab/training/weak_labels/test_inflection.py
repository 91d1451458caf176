"""English word forms."""

from __future__ import annotations

import pytest

from nlgauge_lab.training.weak_labels.inflection import article, inflected, plural


@pytest.mark.parametrize(
    ("lemma", "tag", "form"),
    [
        ("buy", "VBD", "bought"),
        ("show", "VBN", "shown"),
        ("show", "VBD", "showed"),
        ("stop", "VBG", "stopping"),
        ("visit", "VBG", "visiting"),
        ("admit", "VBD", "admitted"),
        ("make", "VBG", "making"),
        ("agree", "VBG", "agreeing"),
        ("lie", "VBG", "lying"),
        ("carry out", "VBZ", "carries out"),
        ("go on", "VBD", "went on"),
        ("have", "VBZ", "has"),
        ("play", "VBD", "played"),
        ("try", "VBN", "tried"),
        ("fix", "VBD", "fixed"),
        ("child", "NNS", "children"),
        ("city", "NNS", "cities"),
        ("head of state", "NNS", "heads of state"),
        ("police officer", "NNS", "police officers"),
        ("dimensions", "NNS", "dimensions"),
        ("big", "JJ", "big"),
        ("big", "JJR", None),
        ("be of use", "VBD", None),
    ],
)
def test_forms(lemma: str, tag: str, form: str | None):
    assert inflected(lemma, tag) == form


def test_plurals():
    assert [plural(word) for word in ("box", "day", "man", "crisis")] == ["boxes", "days", "men", "crises"]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("hour", "an"),
        ("house", "a"),
        ("university", "a"),
        ("unimportant", "an"),
        ("one", "a"),
        ("old", "an"),
        ("use", "a"),
        ("8", "an"),
        ("11", "an"),
        ("1", "a"),
        ("European", "a"),
    ],
)
def test_articles(word: str, expected: str):
    assert article(word) == expected

"""Sentences without asides and adjuncts."""

from __future__ import annotations

import pytest

from nlgauge.lab.training.weak_labels.sentence_order import write
from nlgauge.lab.training.weak_labels.shortening import SHORTENING, without_adjunct, without_aside
from tests.lab.training.weak_labels.grammar import BRIDGE, real_parser, sentence

HALL = sentence(
    "Ann Hall, a teacher, left.",
    "Ann NNP 2 compound ann PERSON", "Hall NNP 7 nsubj hall +PERSON", ", , 2 punct", "a DT 5 det",
    "teacher NN 2 appos", ", , 2 punct", "left VBD 0 ROOT leave", ". . 7 punct",
)  # fmt: skip


def test_an_aside_between_commas_goes():
    order = without_aside(HALL)
    assert order is not None and write(HALL, order) == "Ann Hall left."
    assert without_aside(BRIDGE) is None and without_adjunct(HALL) is None


@pytest.mark.parametrize(
    ("rule", "given", "expected"),
    [
        ("without aside", "The bridge (a steel one) held.", "The bridge held."),
        ("without adjunct", "The firm built a bridge in May after long delays.", "The firm built a bridge in May."),
    ],
)
def test_on_real_parses(rule: str, given: str, expected: str):
    (parsed,) = real_parser().parse([given])[0]
    order = SHORTENING[rule](parsed)
    assert order is not None
    assert write(parsed, order) == expected

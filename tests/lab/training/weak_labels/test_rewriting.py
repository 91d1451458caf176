"""Each rule on a sentence that it changes and on one that it leaves."""

from __future__ import annotations

import pytest

from nlgauge.lab.training.weak_labels import rewriting
from nlgauge.lab.training.weak_labels.rewriting import RULES
from nlgauge.lab.training.weak_labels.sentence_order import write
from tests.lab.training.weak_labels.grammar import BRIDGE, real_parser, sentence

HALL = sentence(
    "Ann Hall, a teacher, left.",
    "Ann NNP 2 compound ann PERSON", "Hall NNP 7 nsubj hall +PERSON", ", , 2 punct", "a DT 5 det",
    "teacher NN 2 appos", ", , 2 punct", "left VBD 0 ROOT leave", ". . 7 punct",
)  # fmt: skip
HELD = sentence(
    "The bridge opened, and it held.",
    "The DT 2 det", "bridge NN 3 nsubj", "opened VBD 0 ROOT open", ", , 3 punct", "and CC 3 cc",
    "it PRP 7 nsubj", "held VBD 3 conj hold", ". . 3 punct",
)  # fmt: skip
MAYOR = sentence(
    "The mayor of Leeds left.",
    "The DT 2 det", "mayor NN 5 nsubj", "of IN 2 prep", "Leeds NNP 3 pobj leeds GPE", "left VBD 0 ROOT leave",
    ". . 5 punct",
)  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "given", "expected"),
    [
        (rewriting.end_to_opening, BRIDGE, "In May, the firm built an old bridge."),
        (rewriting.passive, BRIDGE, "An old bridge was built by the firm in May."),
        (rewriting.apposition_to_clause, HALL, "Ann Hall, who was a teacher, left."),
        (rewriting.two_sentences, HELD, "The bridge opened. It held."),
        (rewriting.genitive, MAYOR, "Leeds's mayor left."),
    ],
)
def test_rules_on_parses_by_hand(rule, given, expected):
    order = rule(given)
    assert order is not None
    assert write(given, order) == expected


@pytest.mark.parametrize(
    ("rule", "given", "expected"),
    [
        ("opening to end", "In May, the bridge opened to cars.", "The bridge opened to cars in May."),
        ("end to opening", "The old bridge opened to cars in May 1990.", "In May 1990, the old bridge opened to cars."),
        ("clause to apposition", "Ann Hall, who was a teacher, left early.", "Ann Hall, a teacher, left early."),
        ("active", "The bridge was built by the firm in May.", "The firm built the bridge in May."),
        ("passive", "The firm built the bridges.", "The bridges were built by the firm."),
        ("passive", "He wrote the book.", "The book was written by him."),
    ],
)  # fmt: skip
def test_rules_on_real_parses(rule: str, given: str, expected: str):
    (parsed,) = real_parser().parse([given])[0]
    order = RULES[rule](parsed)
    assert order is not None
    assert write(parsed, order) == expected


@pytest.mark.parametrize(
    "given",
    [
        "It is said that nobody came.",
        'He said: "In May, the bridge opened."',
        "Was the bridge built by the firm?",
        "She had built her own house.",
        "They did not build the bridge.",
        "Go!",
        "",
        "1990.",
    ],
)
def test_grammar_that_no_rule_for_voice_and_order_fits(given: str):
    for parsed in real_parser().parse([given])[0]:
        for name in ("opening to end", "end to opening", "passive", "active", "two sentences"):
            assert RULES[name](parsed) is None, name

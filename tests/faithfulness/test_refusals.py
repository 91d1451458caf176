"""Refusals: sentences that say that something is not in the source, and whether it is."""

from __future__ import annotations

import pytest

from nlgauge.faithfulness.refusals import honesty, refusals

SOURCE = (
    "The bridge was built in 1932 by a Danish firm and is 300 metres long. It is closed on Mondays because of repairs."
)


@pytest.mark.parametrize(
    ("sentence", "topic"),
    [
        ("The passages do not say when it was built.", "when it was built"),
        ("The text doesn't mention any toll.", "any toll"),
        ("I could not find any information about the toll.", "any information about the toll"),
        ("There is no information on the toll in the text.", "on the toll in the text"),
        ("The toll is not mentioned.", "The toll"),
        ("Whether there is a toll isn't stated.", "Whether there is a toll"),
        ("Nothing is said about a toll.", "about a toll"),
        ("The notice gives no price for lorries.", "price for lorries"),
        ("I don't know the toll.", "the toll"),
        ("None of the passages mentions the toll.", "the toll"),
        ("No information is given about the toll.", "the toll"),
        ("I cannot answer this question based on the passages.", "What is the toll?"),
        ("It cannot be told from the text who paid the toll.", "It"),
    ],
)
def test_what_is_said_to_be_missing_is_found(sentence: str, topic: str) -> None:
    (found,) = refusals(sentence, "What is the toll?")
    assert found.topic == topic or found.topic == "What is the toll?"


@pytest.mark.parametrize(
    "sentence",
    [
        "Dogs are not allowed.",
        "The policy does not cover floods.",
        "There is no lift.",
        "They do not provide towels.",
        "You cannot pay by card.",
        "It was not built in 1932.",
        "Nobody was hurt.",
        "The museum has no café.",
        "The bridge stays open at night.",
        "He never said it.",
        "The price does not include breakfast.",
    ],
)
def test_a_negative_claim_is_no_refusal(sentence: str) -> None:
    assert refusals(sentence) == []


def test_only_the_clause_that_refuses_is_set_apart() -> None:
    sentence = "The notice gives the opening hours but no prices."
    (found,) = refusals(sentence)
    assert sentence[found.begin : found.end].strip() == "but no prices."
    assert found.topic == "prices"


@pytest.mark.parametrize(
    ("topic", "honest"),
    [
        ("who paid for the bridge", True),
        ("how much the toll is", True),
        ("when it opens on Saturday", True),
        ("the architect's name", True),
        ("when the bridge was built", False),
        ("how long the bridge is", False),
        ("on which days the bridge is closed", False),
        ("why the bridge is closed on Mondays", False),
    ],
)
def test_a_refusal_is_honest_where_the_source_lacks_it(topic: str, honest: bool) -> None:
    assert (honesty(topic, "", [SOURCE]) > 0) == honest

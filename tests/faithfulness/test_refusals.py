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


@pytest.mark.parametrize(
    ("source", "question", "false", "honest"),
    [
        ("The bakery opens at six and closes at noon.", "What are the opening hours?", "opening hours", "the owner"),
        ("The mill burned down on 4 May 1893.", "When did the mill burn down?", "the date of the fire", "who owned it"),
        ("The ferry leaves Hull at 8:30.", "When does the ferry leave?", "departure", "the captain's name"),
        ("The choir was founded in 1921.", "In what year was the choir founded?", "the year", "who founded it"),
        ("The desk costs 90 euros.", "How much does the desk cost?", "a price for the desk", "the colour of the wood"),
        ("The rent of the hall is $200 a day.", "What is the rent of the hall?", "a price", "who rents it"),
        (
            "The tower was finished on 3 June.",
            "When was the tower finished?",
            "a date of completion",
            "why it was built",
        ),
        (
            "The lift is repaired until Friday.",
            "Until when is the lift repaired?",
            "the end of the works",
            "the cost",
        ),
        (
            "The course begins on May 3 and lasts a week.",
            "When does the course begin?",
            "a starting date",
            "the teacher's name",
        ),
        ("The pool closes at 9 p.m.", "When does the pool close?", "closing time", "the depth"),
    ],
)
def test_the_question_is_answered_from_the_source_where_a_refusal_names_the_value_otherwise(
    source: str, question: str, false: str, honest: str
) -> None:
    assert honesty(false, question, [source]) < 0 < honesty(honest, question, [source])
    assert honesty(false, question, ["The garden has roses. It is quiet there."]) > 0

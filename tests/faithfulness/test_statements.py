"""Yes and no are read as the statement that they make of the question."""

from __future__ import annotations

import pytest

from nlgauge.faithfulness.claims import claims
from nlgauge.faithfulness.exact_checks import CheckedSource
from nlgauge.faithfulness.forms import forms_of
from nlgauge.faithfulness.statements import statement


@pytest.mark.parametrize(
    ("question", "yes", "no"),
    [
        ("Does the library open at nine?", "The library opens at nine.", "The library does not open at nine."),
        ("Are dogs allowed upstairs?", "Dogs are allowed upstairs.", "Dogs are not allowed upstairs."),
        ("Does the hotel have a pool?", "The hotel has a pool.", "The hotel does not have a pool."),
        ("Is room A2 free?", "Room A2 is free.", "Room A2 is not free."),
        ("Can I cancel at 5 p.m.?", "You can cancel at 5 p.m.", "You cannot cancel at 5 p.m."),
        ("I am 24. Am I too old?", "You are too old.", "You are not too old."),
        ("Is there a pool?", "There is a pool.", "There is not a pool."),
        ("Has the bridge been repaired?", "The bridge has been repaired.", "The bridge has not been repaired."),
        ("Isn't the lift broken?", "The lift is broken.", "The lift is not broken."),
        ("Did the bus stop have a roof?", "The bus stop did have a roof.", "The bus stop did not have a roof."),
        ("Must the form be signed?", "The form must be signed.", "The form need not be signed."),
        ("Do children under six pay?", "Children under six pay.", "Children under six do not pay."),
        ("Will the ferry run on Monday?", "The ferry will run on Monday.", "The ferry will not run on Monday."),
        ("Is smoking allowed?", "Smoking is allowed.", "Smoking is not allowed."),
        ("Does Ann study law?", "Ann studies law.", "Ann does not study law."),
        ("Is the roof wet?", "The roof is wet.", "The roof is not wet."),
        ("Does zorbing glimmer?", "It is true that zorbing glimmer.", "It is not true that zorbing glimmer."),
        ("When does it open?", "", ""),
        ("Is the tea hot or cold?", "", ""),
        ("", "", ""),
    ],
)
def test_a_question_is_a_statement_and_its_denial(question: str, yes: str, no: str) -> None:
    assert (statement(question, True), statement(question, False)) == (yes, no)


@pytest.mark.parametrize(
    ("source", "question", "right"),
    [
        ("The library opens at nine.", "Does the library open at nine?", "Yes"),
        ("The library does not open on Sundays.", "Does the library open on Sundays?", "No"),
        ("Dogs are allowed on the ground floor.", "Are dogs allowed on the ground floor?", "Yes"),
        ("Dogs aren't allowed in the café.", "Are dogs allowed in the café?", "No"),
        ("The shop no longer accepts cheques.", "Does the shop accept cheques?", "No"),
        ("Members of the club never pay for parking.", "Do members have to pay for parking?", "No"),
        ("Visitors may take photographs.", "May visitors take photographs?", "Yes"),
        ("Visitors cannot take photographs.", "Can visitors take photographs?", "No"),
        ("Breakfast is included in the price.", "Is breakfast included in the price?", "Yes"),
        ("The warranty does not cover water damage.", "Does the warranty cover water damage?", "No"),
        ("The bridge has not been repaired.", "Has the bridge been repaired?", "No"),
        ("The ferry will run on Monday.", "Will the ferry run on Monday?", "Yes"),
    ],
)
def test_a_wrong_yes_or_no_differs_and_a_right_one_does_not(source: str, question: str, right: str) -> None:
    def said(answer: str) -> list[str]:
        read = claims(f"{answer}.", forms_of([source]), question).text
        assert read
        return [one.reason for one in CheckedSource([source]).differences(read)]

    assert said(right) == []
    assert len(said({"Yes": "No", "No": "Yes"}[right])) == 1


@pytest.mark.parametrize(
    "answer",
    [
        "[ERROR] Request timed out.",
        "null",
        "undefined",
        "Error: 500",
        "Traceback (most recent call last):\n  File x",
        "Internal server error",
        "ValueError: no such key",
        "Rate limit exceeded. Try again.",
        "503 Service unavailable",
        "[object Object]",
        "NaN",
        "When does the pool open?",
        "When does the pool open",
        "The pool opens at nine and the",
        "The",
    ],
)
def test_what_a_program_writes_and_what_breaks_off_is_no_answer(answer: str) -> None:
    found = claims(answer, forms_of(["The pool opens at nine. Towels cost two euros."]), "When does the pool open?")
    assert found.text == "" and found.failed


@pytest.mark.parametrize(
    ("answer", "source"),
    [
        ("The pool opens at nine.", "The pool opens at nine."),
        ("Error: the lid is open.", "The display shows “Error: the lid is open.”"),
        ("null", '{"color": null}'),
        ("Undefined.", "A division by zero is undefined."),
        ("An error of the clerk.", "It was an error of the clerk."),
        ("The timeout is 30 seconds.", "timeout: 30"),
        ("Nobody.", "Nobody was hurt."),
        ("Nine", "It opens at nine."),
        ("500 people", "500 people came."),
        ("The request was filed in May.", "The request was filed in May."),
        ("", "It opens at nine."),
    ],
)
def test_an_answer_that_names_an_error_or_is_short_is_an_answer(answer: str, source: str) -> None:
    assert claims(answer, forms_of([source]), "What does it show?").failed == ""

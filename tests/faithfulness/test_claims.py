"""What an answer claims: marks, links, politeness and repeats are off, and every character has its place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlgauge.faithfulness.claims import claims
from nlgauge.faithfulness.forms import forms_of

FEE = "The fee is 5 euros."


@pytest.mark.parametrize(
    "written",
    [
        "The fee is 5 euros",
        "The fee is 5 euros [1].",
        "The fee is 5 euros. [1][2]",
        "The fee is 5 euros [1, 3].",
        "The fee is 5 euros [^1^].",
        "The fee is 5 euros ^1^.",
        "The fee is 5 euros.[^2]",
        "The fee is 5 euros [doc-2].",
        "The fee is 5 euros (doc 2).",
        "The fee is 5 euros (source: fees.pdf).",
        "The fee is 5 euros [fees.pdf, p. 2].",
        "The fee is 5 euros (see page 4).",
        "The fee is 5 euros.【4:0†source】",
        "The fee is 5 euros.¹",
        "The fee is 5 euros<sup>1</sup>.",
        "The fee is 5 euros ([price list](https://example.org/p)).",
        "The fee is 5 euros. [source](https://example.org)",
        "The fee is 5 euros.\nSource: fees.pdf",
        "The fee is 5 euros.\n**Source:** https://x.org/a",
        "The fee is [5 euros](https://example.org/p).",
        "The fee is 5 euros (https://example.org/p?a=(b)).",
        "The fee is 5 euros. Source: https://example.org/p",
        "The fee is 5 euros.\n\nSources:\n- fees.pdf\n- https://x.org",
        "The fee is 5 euros [passage 2].",
        "The fee is 5 euros (source: [fees](https://x.org)).",
        "The fee is **5 euros**.",
        "The fee is __5 euros__.",
        "The fee is *5* euros.",
        "The fee is `5` euros.",
        "- The fee is 5 euros.",
        "1. The fee is 5 euros.",
        "> The fee is 5 euros.",
        "## Fees\n\nThe fee is 5 euros.",
        "<p>The fee is <b>5 euros</b>.</p>",
        "✅ The fee is 5 euros.",
        "The fee is ***5 euros***.",
        "Hello! The fee is 5 euros.",
        "Hi Anna, the fee is 5 euros.",
        "Sure, the fee is 5 euros.",
        "Thank you for your question. The fee is 5 euros.",
        "The fee is 5 euros. I hope this helps!",
        "The fee is 5 euros. Let me know if you have other questions.",
        "The fee is 5 euros. Is there anything else?",
        "According to the documents, the fee is 5 euros.",
        "Based on the provided context, the fee is 5 euros.",
        "Passage 2 says that the fee is 5 euros.",
        "The text states that the fee is 5 euros.",
        "Here is the answer: The fee is 5 euros.",
        "The fee is 5 euros. The fee is 5 euros. The fee is 5 euros.",
        "The fee is 5 euros.\nThe fee is **5 euros** [1].",
    ],
)
def test_what_stands_around_a_claim_is_taken_off(written: str) -> None:
    found = claims(written)
    assert found.text == FEE
    assert found.refusals == ()


@pytest.mark.parametrize(
    "nothing", ["", " ", "N/A", "Thank you!", "Hello!", "[1]", "Which plan do you have?", "-", "***"]
)
def test_politeness_and_questions_claim_nothing(nothing: str) -> None:
    assert claims(nothing).text == ""


@pytest.mark.parametrize(
    ("written", "claimed"),
    [
        ("the fee is 5 euros. is there anything else?", "the fee is 5 euros."),
        ("the fee is 5 euros . do you want to know more ?", "the fee is 5 euros ."),
        ("The fee is 5 euros . do you want to know more ?", "The fee is 5 euros ."),
        ("it opens at 9. it is free! is that late? do you need more?", "it opens at 9. it is free!"),
        ("it opens daily (from 9 to 5). shall i book?", "it opens daily (from 9 to 5)."),
        ("it opens at 9 pm. shall i book?", "it opens at 9 pm."),
        ("it opens at 9 p.m. do you need more?", "it opens at 9 p.m."),
        ("does it open at 9 p.m. on sundays?", ""),
        ("would you like to know more, e.g. what the fee is?", ""),
        ("is it open till j. smith leaves?", ""),
        ("do you need approx. ten of them?", ""),
        ("Would you like all of it (prices, hours etc.) or the fee alone?", ""),
        ("is it the u.s. embassy?", ""),
        ("are you sure ... or not?", ""),
        ('She asked: "Who is he? Where is he?"', 'She asked: "Who is he? Where is he?".'),
        ("She asked: “Who is he? Where is he?”", "She asked: “Who is he? Where is he?”."),
        ('Do you mean the "old" pool?', ""),
        ('Do you need the 5" pipe?', ""),
        ('"Do you need more?', ""),
        ("the fee is 5 euros. i do not know when it opens.", "the fee is 5 euros."),
        ("i do not know when it opens. the fee is 5 euros.", "the fee is 5 euros."),
        ("the fee is 5 euros . the source does not say when it opens .", "the fee is 5 euros ."),
        ("i do not know when it opens, e.g. on sundays.", ""),
    ],
)
def test_a_claim_beside_a_question_or_a_refusal_stays(written: str, claimed: str) -> None:
    assert claims(written).text == claimed


@pytest.mark.parametrize(
    "kept",
    [
        "The value lies in [0, 1].",
        "x = [1, 2, 3] is a list.",
        "The range is [5].",
        "iPhone prices fell.",
        "It costs 5 * 3 euros.",
        "Set max_row_size to 4.",
        "The method __init__ works.",
        "2 × 3 is 6.",
        "Version 2.1 is out.",
        "The area is 12 m².",
        "He said “no”.",
        "Rooms 1-3 are open (not room 4).",
        "A – B",
        "The result was -5.",
        "Thanks to a grant, entry is free.",
        "Feel free to bring dogs.",
        "None.",
        "Hey Jude is a song of 1968.",
        "Have a ticket ready.",
        "Yours is the blue one.",
        "Open daily (from 9 to 5).",
        "If you need help, call 555-0199.",
        "The order (ID 4521) was sent.",
        "Afraid of dogs, she left.",
        "## No refunds",
    ],
)
def test_what_is_a_claim_stays(kept: str) -> None:
    assert claims(kept).text.rstrip(".") == kept.removeprefix("## ").rstrip(".")


def test_every_character_has_its_place() -> None:
    written = "Hi! The fee is **5** euros [1]."
    found = claims(written)
    begin = found.text.index("5 euros")
    assert found.text == FEE
    assert written[slice(*found.place(begin, begin + 1))] == "5"
    assert written[slice(*found.place(begin, begin + 7))] == "5** euros"


@given(st.text(alphabet="ab 1.[]()*_`#-\n!?|<>:/", max_size=60))
def test_places_are_in_order_in_any_text(text: str) -> None:
    found = claims(text)
    assert len(found.text) == len(found.begins) == len(found.ends)
    assert all(0 <= begin < end <= len(text) for begin, end in zip(found.begins, found.ends, strict=True))
    assert list(found.begins) == sorted(found.begins)
    assert claims(found.text).text in (found.text, claims(claims(found.text).text).text)


@pytest.mark.parametrize(
    ("text", "source", "read"),
    [
        ("It opens at 9 p.m.", "Opens 21:00.", "It opens at 21:00."),
        ("It leaves at 12 pm.", "Leaves at noon.", "It leaves at noon."),
        ("It is kept at 68 °F.", "Kept at 20 °C.", "It is kept at 20 °C."),
        ("He moved in the eighties.", "Moved in the 1980s.", "He moved in the 1980s."),
        ("It was on 1967-01-15.", "January 15, 1967", "It was on January 15, 1967."),
        ("Heat it to 180 degrees Celsius.", "180 °C", "Heat it to 180 °C."),
        ("The fee is 12,000 euros.", "a fee of 12 000 euros", "The fee is 12 000 euros."),
        ("It takes 90 minutes.", "1h 30min", "It takes 1h 30min."),
        ("It took twenty-eight days.", "28 days", "It took 28 days."),
        ("It opens at 9 p.m.", "Opens 9:00 a.m.", "It opens at 9 p.m."),
        ("The fee is 5 euros.", "The fee is 5 dollars.", "The fee is 5 euros."),
        ("It was in 1967.", "January 15, 1967", "It was in 1967."),
        ("12.000 people", "12 000 people", "12.000 people."),
        ("50 % of them walked.", "half of them walked", "half of them walked."),
        ("25 percent came by train.", "One in four came by train.", "One in four came by train."),
        ("It opens at nine.", "Opens 9 a.m.", "It opens at 9 a.m.."),
        ("40 percent came by train.", "One in four came by train.", "40 percent came by train."),
        ("The path is 5 km (about 3.1 miles) long.", "5 km", "The path is 5 km long."),
        ("The path is 5 km (about 5.1 miles) long.", "5 km", "The path is 5 km (about 5.1 miles) long."),
    ],
)
def test_quantities_are_read_in_the_form_of_the_source(text: str, source: str, read: str) -> None:
    assert claims(text, forms_of([source])).text == read


@pytest.mark.parametrize(
    ("question", "answer", "read"),
    [
        ("Is breakfast included?", "Yes.", "Breakfast is included."),
        ("Does the hotel have a pool?", "No", "The hotel does not have a pool."),
        ("Is breakfast included?", "Of course not.", "Breakfast is not included."),
        ("Is breakfast included?", "Absolutely!", "Breakfast is included."),
        ("When does it open?", "Yes.", ""),
        ("", "Yes.", ""),
    ],
)
def test_yes_and_no_are_read_with_the_question(question: str, answer: str, read: str) -> None:
    assert claims(answer, forms_of([]), question).text == read


@pytest.mark.parametrize(
    "thought",
    [
        "<think>Maybe it is 6 euros? No, 5.</think>",
        "<thinking>\nMaybe 6 euros.\n\nNo.</thinking>\n\n",
        "Maybe it is 6 euros? No, 5.</think>\n",
        "<reasoning>6 or 5?</reasoning> <think>5.</think> ",
        "<THINK>6?</THINK>",
    ],
)
def test_what_a_model_tells_itself_is_no_claim(thought: str) -> None:
    found = claims(thought + FEE)
    assert found.text == FEE
    assert (thought + FEE)[slice(*found.place(0, len(FEE)))] == FEE


def test_reasoning_without_an_answer_claims_nothing_and_other_tags_stay() -> None:
    assert claims("<think>It may be 5 euros, or").text == ""
    assert claims("I think the fee is 5 euros.").text == "I think the fee is 5 euros."
    assert claims("Set x <think> 5.").text == "Set x."
    assert claims("Write a < b and b > c.").text == "Write a < b and b > c."


ORDER = "The order A-118 was shipped with Nordpost. It contains three items and costs 48.50 dollars."


@pytest.mark.parametrize(
    ("answer", "read"),
    [
        (
            '{"order": "A-118", "carrier": "Nordpost", "items": 3, "total": 48.5}',
            # What the source says of a value is told in its words.
            "The carrier of order A-118 is Nordpost.\nIt contains three items and costs 48.50 dollars.\n"
            "The total of order A-118 is 48.50 dollars.",
        ),
        ('{"order": "A-118", "items": 5}', "The order is A-118.\nOrder A-118 has 5 items."),
        ('```json\n{"carrier": "Nordpost"}\n```', "The carrier is Nordpost."),
        ('{"shipped": true, "paid": null}', "It is shipped."),
        ('{"parcel": {"carrier": "Nordpost", "total": 48.5}}', "The carrier is Nordpost.\nThe total is 48.50 dollars."),
        ('[{"answer": "It was shipped with Nordpost."}]', "It was shipped with Nordpost."),
        ("carrier: Nordpost\ntotal: 48.5", "The carrier is Nordpost.\nThe total is 48.50 dollars."),
        (
            "- name: Ash\n  heated: no\n- name: Elm\n  heated: yes",
            "The name is Ash.\nAsh is not heated.\nThe name is Elm.\nElm is heated.",
        ),
        (
            "<a><carrier>Nordpost</carrier><total>48.5</total></a>",
            "The carrier is Nordpost.\nThe total is 48.50 dollars.",
        ),
        (
            "carrier,total\nNordpost,48.5\nSüdpost,9",
            "The carrier is Nordpost.\nThe total of carrier Nordpost is 48.50 dollars.\n"
            "The carrier is Südpost.\nThe total of carrier Südpost is 9.",
        ),
        ("Here it is:\n\ncarrier: Nordpost\ntotal: 9", "The carrier is Nordpost.\nThe total is 9."),
        (
            '{"size_cm": 12, "wifi": false, "has_parking": true, "is_open": false}',
            "The size is 12 cm.\nThere is no wifi.\nThere is parking.\nIt is not open.",
        ),
        ("Note: the lift is broken.", "Note: the lift is broken."),
        (
            "Two things matter: time and money.\nNote: take both.",
            "Two things matter: time and money.\nNote: take both.",
        ),
        ("First, wait,\nthen, go.", "First, wait,\nthen, go."),
        ("{order: A-118}", "{order: A-118}"),
        ("{}", ""),
    ],
)
def test_what_is_written_as_records_is_read_as_sentences(answer: str, read: str) -> None:
    found = claims(answer, forms_of([ORDER]))
    assert found.text == read
    assert len(found.text) == len(found.begins) == len(found.ends)
    assert list(found.begins) == sorted(found.begins)

"""Statements that follow from a source that does not say them, and their opposites, which it excludes."""

from __future__ import annotations

import pytest

from nlgauge.faithfulness.claims import claims
from nlgauge.faithfulness.derived import Facts
from nlgauge.faithfulness.exact_checks import CheckedSource
from nlgauge.faithfulness.forms import forms_of

EXCEPTIONS = [
    ("Everyone but Lena signed the letter.", "Lena did not sign the letter.", "Lena signed the letter."),
    ("All areas apart from the roof are open to visitors.", "The roof is closed to visitors.", "The roof is open."),
    (
        "The museum is open every day except Monday.",
        "The museum is closed on Mondays.",
        "The museum is open on Mondays.",
    ),
    ("All rooms are heated except the attic.", "The attic is not heated.", "The attic is heated."),
    ("Nobody but the mayor voted against it.", "The mayor voted against it.", "The mayor did not vote against it."),
    ("All dishes other than the soup contain nuts.", "The soup contains no nuts.", "The soup contains nuts."),
    ("None of the lifts, except for lift B, works.", "Lift B works.", "Lift B does not work."),
    (
        "No window except the cellar window was locked.",
        "The cellar window was locked.",
        "The cellar window wasn't locked.",
    ),
    (
        "Every train excluding the night train stops here.",
        "The night train does not stop here.",
        "The night train stops here.",
    ),
    ("Everybody with the exception of Mr Lee voted.", "Mr Lee did not vote.", "Mr Lee voted."),
    ("No one but Ann knows the code.", "Ann knows the code.", "Ann does not know the code."),
]
ORDERS = [
    (
        "The Basic room costs 60 euros, the Garden room 85 euros.",
        "The Basic room is the cheapest.",
        "The Garden room is the cheapest.",
    ),
    (
        "Basic costs 60 euros, Garden 85 euros and Sea 120 euros.",
        "Sea is the most expensive.",
        "Garden is the most expensive.",
    ),
    ("The red bag weighs 4 kg and the blue bag 6 kg.", "The blue bag is the heaviest.", "The red bag is the heaviest."),
    ("The red bag weighs 4 kg and the blue bag 6 kg.", "The red bag is the lightest.", "The blue bag is the lightest."),
    (
        "The lake trail is 4 km long, the ridge trail 9 km.",
        "The ridge trail is the longest.",
        "The lake trail is the longest.",
    ),
    ("The film takes 90 minutes, the play 120 minutes.", "The film is the shortest.", "The play is the shortest."),
    ("The oak is 12 m high, the birch 9 m and the elm 15 m.", "The elm is the tallest.", "The oak is the tallest."),
    ("Oslo had 3 °C, Rome had 19 °C.", "Rome was the warmest.", "Oslo was the warmest."),
    ("Oslo had 3 °C, Rome had 19 °C.", "Oslo was the coldest.", "Rome was the coldest."),
    ("The bus runs at 40 km/h, the tram at 50 km/h.", "The tram is the fastest.", "The bus is the fastest."),
]
TOTALS = [
    (
        "Thirty-two adults and 25 children took part in the walk.",
        "In total, 57 people took part in the walk.",
        "In total, 67 people took part in the walk.",
    ),
    (
        "In 2021 the choir had 48 members. In 2023 it had 61 members.",
        "The choir gained 13 members.",
        "The choir gained 23 members.",
    ),
    (
        "The red bag weighs 4 kg and the blue bag 6 kg.",
        "Together the bags weigh 10 kg.",
        "Together the bags weigh 12 kg.",
    ),
    (
        "The red bag weighs 4 kg and the blue bag 6 kg.",
        "The blue bag is 2 kg heavier than the red bag.",
        "The blue bag is 3 kg heavier than the red bag.",
    ),
    (
        "Rent is 600 euros and heating 80 euros a month.",
        "Rent and heating are 680 euros in total.",
        "Rent and heating are 780 euros in total.",
    ),
    (
        "The desk costs 90 euros, the chair 40 euros.",
        "The desk is 50 euros dearer than the chair.",
        "The desk is 60 euros dearer than the chair.",
    ),
    ("Ann is 12 years old, Ben is 9 years old.", "Ann is 3 years older than Ben.", "Ann is 5 years older than Ben."),
    (
        "The lake trail is 4 km long, the ridge trail 9 km.",
        "The ridge trail is 5 km longer than the lake trail.",
        "The ridge trail is 6 km longer than the lake trail.",
    ),
    (
        "The club sold 30 tickets in May. It sold 45 tickets in June.",
        "The club sold 75 tickets in total.",
        "The club sold 65 tickets in total.",
    ),
    (
        "The film takes 90 minutes, the talk 30 minutes.",
        "Film and talk take 120 minutes altogether.",
        "Film and talk take 110 minutes altogether.",
    ),
]
HEAD = "[4 March 2024] The harbour master said that the crane broke down yesterday."
DAYS = [
    (HEAD, "The crane broke down on 3 March 2024.", "The crane broke down on 4 March 2024."),
    (HEAD, "The crane broke down on March 3.", "The crane broke down on March 5."),
    (
        "2024-05-10\nThe ferry was sold today.",
        "The ferry was sold on 10 May 2024.",
        "The ferry was sold on 9 May 2024.",
    ),
    ("1 May 2023: The pool opens tomorrow.", "The pool opens on 2 May 2023.", "The pool opens on 1 May 2023."),
    (
        "Lund, 1 March 2024. A barn burned last night.",
        "A barn burned on 29 February 2024.",
        "A barn burned on 1 March 2024.",
    ),
    ("5 June 2022. Ann left two days ago.", "Ann left on 3 June 2022.", "Ann left on 2 June 2022."),
    ("5 June 2022. Ann left 10 days ago.", "Ann left on 26 May 2022.", "Ann left on 25 May 2022."),
    (
        "Date: 1 January 2020. The roof fell in yesterday.",
        "The roof fell in on 31 December 2019.",
        "The roof fell in on 31 December 2020.",
    ),
    ("9 July 2021. The vote was held this morning.", "The vote was held on 9 July.", "The vote was held on 8 July."),
    ("9 July 2021. The band plays tonight.", "The band plays on 9 July 2021.", "The band plays on 10 July 2021."),
]
HOTEL = '{"wifi": true, "parking": false, "pets": false, "breakfast": true}'
ROOMS = '[{"room": "A2", "free": false, "from": "09:00"}, {"room": "A3", "free": true, "from": "11:30"}]'
RECORDS = [
    (HOTEL, "There is no parking.", "Parking is available."),
    (HOTEL, "Breakfast is included.", "Breakfast is not included."),
    (ROOMS, "Room A2 is not free.", "Room A2 is free."),
    (ROOMS, "Room A3 is free from 11:30.", "Room A3 is not free from 11:30."),
    ('{"shop": {"open": true}}', "The shop is open.", "The shop is closed."),
    ("wifi: yes\nparking: no\npets: no", "Pets are not allowed.", "Pets are allowed."),
    ("- name: gate\n  locked: true\n- name: shed\n  locked: false", "The shed is not locked.", "The shed is locked."),
    (
        "<room><name>A2</name><free>no</free></room><room><name>A3</name><free>yes</free></room>",
        "A3 is free.",
        "A2 is free.",
    ),
    ("room,free\nA2,no\nA3,yes", "A2 is not free.", "A3 is not free."),
    ("| room | free |\n|---|---|\n| A2 | no |\n| A3 | yes |", "A3 is free.", "A3 is not free."),
    ('{"freeParking": false, "sauna": true}', "There is no free parking.", "There is free parking."),
]


@pytest.mark.parametrize(("source", "right", "wrong"), [*EXCEPTIONS, *ORDERS, *TOTALS, *DAYS, *RECORDS])
def test_what_follows_is_read_in_the_words_of_the_source_and_what_is_excluded_differs(
    source: str, right: str, wrong: str
) -> None:
    checked = CheckedSource([source])
    follows, excluded = Facts([source]).of(right), Facts([source]).of(wrong)
    assert follows is not None and follows.follows
    assert excluded is not None and not excluded.follows
    read = claims(right, forms_of([source]))
    assert read.text.rstrip(".") == follows.words.rstrip(".")
    assert right[slice(*read.place(0, len(read.text)))] == right
    assert checked.differences(right) == checked.differences(read.text) == []
    (found,) = checked.differences(claims(wrong, forms_of([source])).text)
    assert found.reason == excluded.reason


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("The lock refuses codes but the mechanical key still works.", "The mechanical key works."),
        ("He ate nothing but bread.", "He did not eat bread."),
        ("All but certain, the plan was dropped.", "The plan was dropped."),
        ("Everyone but Lena signed the letter.", "Ann signed the letter."),
        ("Everyone but Lena signed the letter.", "Lena wrote the letter."),
        ("The Basic room costs 60 euros, the Garden room 60 euros.", "The Basic room is the cheapest."),
        ("The Basic room costs 60 euros, the Garden room 85 euros.", "The Sea room is the cheapest."),
        ("The red bag weighs 4 kg and the blue bag 6 kg.", "Together the bags weigh about 11 kg."),
        ("The red bag weighs 4 kg and the blue bag 6 kg.", "The blue bag weighs more than 3 kg."),
        ("Ann has 4 cats, Ben has 6 and Eva has 2 cats.", "Together they have 12 cats."),
        (HOTEL, "The pool is heated."),
        ("The crane broke down yesterday.", "The crane broke down on 3 March 2024."),
        (HEAD, "The harbour master retired on 4 March 2024."),
        (HOTEL, "Parking costs 5 euros a day."),
        ("Note: the lift is broken.", "The lift is free."),
    ],
)
def test_a_rule_that_does_not_know_the_frame_is_silent(source: str, said: str) -> None:
    assert Facts([source]).of(said) is None


BOUNDS = [
    ("You can cancel free of charge until 6 p.m.", "Can I cancel free of charge at {}?", "5 p.m.", "7 p.m."),
    ("The offer is for people under 26.", "I am {}. Is the offer for me?", "24", "28"),
    ("Shipping is free above 50 euros.", "Is shipping free for an order of {}?", "60 euros", "40 euros"),
    ("Bags of up to 8 kg are allowed on board.", "Is a bag of {} allowed on board?", "7 kg", "9 kg"),
    ("Children under 6 travel free.", "Does a child of {} travel free?", "5", "7"),
    ("The car park takes cars of at most 2 m.", "Does the car park take a car of {}?", "1.9 m", "2.3 m"),
    ("Members of at least 18 may vote.", "I am {}. May members vote?", "19", "17"),
    ("The library is open from 9 a.m.", "Is the library open at {}?", "10 a.m.", "8 a.m."),
    ("Vouchers are valid for up to 90 days.", "Are vouchers valid after {}?", "80 days", "100 days"),
    ("The ferry runs below 60 km/h of wind.", "Does the ferry run at {} of wind?", "50 km/h", "70 km/h"),
]


@pytest.mark.parametrize(("source", "asked", "inside", "outside"), BOUNDS)
def test_what_the_question_gives_is_compared_with_a_bound(source: str, asked: str, inside: str, outside: str) -> None:
    checked = CheckedSource([source])
    for given, right, wrong in ((inside, "Yes.", "No."), (outside, "No.", "Yes.")):
        question = asked.format(given)
        assert claims(right, forms_of([source]), question).text.rstrip(".") == source.rstrip(".")
        read = claims(wrong, forms_of([source]), question).text
        assert read.rstrip(".") != source.rstrip(".")
        assert len(checked.differences(read, question)) == 1


@pytest.mark.parametrize(
    ("answer", "question", "number"),
    [
        ("Use `fetch(url, timeout=30)`.", "How do I fetch with a timeout of 30 seconds?", 0),
        ("For 6 people, take 300 grams of rice.", "How much rice do 6 people need?", 0),
        ("For 7 people, take 300 grams of rice.", "How much rice do 6 people need?", 1),
        ("At 25 km/h you need 2 hours.", "How long do I need at 25 km/h?", 0),
        ("At 35 km/h you need 2 hours.", "How long do I need at 25 km/h?", 1),
    ],
)
def test_a_quantity_of_the_question_is_no_difference(answer: str, question: str, number: int) -> None:
    source = (
        "fetch(url, timeout=10): fetch an address. For 4 people, take 300 grams of rice. At 20 km/h you need 2 hours."
    )
    assert len(CheckedSource([source]).differences(answer, question)) == number


SHOP = "Report lost cards at https://lost.example.org/cards or at help@example.org."


@pytest.mark.parametrize(
    ("answer", "source", "sure"),
    [
        ("Report it [here](https://lost.example.org/cards).", SHOP, None),
        ("Report it [here](https://found.example.net/claims).", SHOP, True),
        ("Report it at http://www.lost.example.org/cards/.", SHOP, None),
        ("Report it at www.lost.example.com/cards.", SHOP, True),
        ("Report it at lost.example.org or https://lost.example.org.", SHOP, None),
        ("Write to help@example.org.", SHOP, None),
        ("Write to cards@example.org.", SHOP, True),
        ("See <https://lost.example.org/cards?from=mail>.", SHOP, None),
        ("Report it. [1](https://cards.example.net)", SHOP, True),
        ("Report it [here](https://found.example.net).", "Report lost cards at the desk.", False),
        ("Report it at the desk. [source](https://found.example.net)", "Report lost cards at the desk.", None),
        ("Report it at the desk (https://found.example.net).", "Report lost cards at the desk.", None),
        ("Report it at the desk.\nSource: https://found.example.net/a", "Report lost cards at the desk.", None),
    ],
)
def test_an_address_that_the_source_lacks_is_made_up(answer: str, source: str, sure: bool | None) -> None:
    found = claims(answer, forms_of([source]))
    assert [one.sure for one in found.links] == ([] if sure is None else [sure])
    for one in found.links:
        assert answer[one.begin : one.end] in one.reason
        begin, end = found.near(one.begin, one.end)
        assert 0 <= begin < end <= len(found.text)


TABLES = {
    "JSON": '[{"room": "A2", "floor": 3, "free": false, "colour": "blue"},'
    ' {"room": "B1", "floor": 1, "free": true, "colour": "red"}]',
    "YAML": "- room: A2\n  floor: 3\n  free: false\n  colour: blue\n"
    "- room: B1\n  floor: 1\n  free: true\n  colour: red\n",
    "XML": "<rooms><room><name>A2</name><floor>3</floor><free>false</free><colour>blue</colour></room>"
    "<room><name>B1</name><floor>1</floor><free>true</free><colour>red</colour></room></rooms>",
    "CSV": "room,floor,free,colour\nA2,3,false,blue\nB1,1,true,red\n",
    "Markdown": "| room | floor | free | colour |\n|---|---|---|---|\n| A2 | 3 | no | blue |\n| B1 | 1 | yes | red |\n",
    "tabs": "room\tfloor\tfree\tcolour\nA2\t3\tno\tblue\nB1\t1\tyes\tred\n",
}


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize(
    ("sentence", "follows"),
    [
        ("Room A2 is free.", False),
        ("Room A2 is not free.", True),
        ("Room B1 is free.", True),
        ("Room B1 is not free.", False),
        ("Room A2 is on floor 1.", False),
        ("Room A2 is on floor 3.", True),
        ("The floor of room B1 is 3.", False),
        ("The floor of room B1 is 1.", True),
        ("The colour of room A2 is red.", False),
        ("The colour of room A2 is blue.", True),
        ("The colour of room A2 is not red.", None),
        ("The colour of room A2 is dark.", None),
        ("The colour of room C7 is red.", None),
    ],
)
def test_a_value_of_a_record_is_that_of_no_other_record(kind: str, sentence: str, follows: bool | None) -> None:
    found = Facts([TABLES[kind]]).of(sentence)
    assert (None if found is None else found.follows) == follows


ANSWERS = {
    "JSON": '{{"room": "{}", "floor": {}, "free": {}}}',
    "YAML": "room: {}\nfloor: {}\nfree: {}\n",
    "XML": "<room><name>{}</name><floor>{}</floor><free>{}</free></room>",
    "CSV": "room,floor,free\n{},{},{}\n",
    "Markdown": "| room | floor | free |\n|---|---|---|\n| {} | {} | {} |\n",
    "fenced": '```json\n{{"room": "{}", "floor": {}, "free": {}}}\n```',
}


@pytest.mark.parametrize("written", ANSWERS)
@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize(
    ("room", "floor", "free", "number"),
    [("A2", 3, "true", 1), ("A2", 3, "false", 0), ("B1", 3, "true", 1), ("B1", 1, "true", 0), ("B1", 3, "false", 2)],
)
def test_a_record_of_an_answer_is_compared_with_that_of_the_source(
    kind: str, written: str, room: str, floor: int, free: str, number: int
) -> None:
    answer = ANSWERS[written].format(room, floor, free)
    read = claims(answer, forms_of([TABLES[kind]]))
    assert len(CheckedSource([TABLES[kind]]).differences(read.text)) == number
    assert len(read.text) == len(read.begins) == len(read.ends)
    assert list(read.begins) == sorted(read.begins)


PROSE = "Ash holds 12 people and has a projector. Birch is bigger. It holds 30 people and has no projector."


@pytest.mark.parametrize(
    ("room", "people", "projector", "number"),
    [
        ("Ash", 12, "yes", 0),
        ("Ash", 12, "no", 1),
        ("Ash", 13, "yes", 1),
        ("Ash", 30, "no", 2),
        ("Birch", 30, "no", 0),
        ("Birch", 12, "yes", 2),
        ("Elm", 12, "yes", 0),
    ],
)
def test_a_record_of_an_answer_is_compared_with_sentences(room: str, people: int, projector: str, number: int) -> None:
    answer = f"name: {room}\npeople: {people}\nprojector: {projector}"
    read = claims(answer, forms_of([PROSE]))
    assert len(read.doubts) == number
    for one in read.doubts:
        assert answer[one.begin : one.end].strip().startswith(one.reason.partition(":")[0].strip()[:2]) or number

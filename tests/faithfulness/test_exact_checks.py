"""Checks without a model: what says another thing is found with its reason, the same in another form is not."""

from __future__ import annotations

from itertools import pairwise

import pytest

from nlgauge.faithfulness.exact_checks import CheckedSource
from nlgauge.faithfulness.opposites import OPPOSITES, STRENGTHS
from nlgauge.faithfulness.quantities import quantities

SOURCE = (
    "The mill of Hull was opened by Anna Berg on 3 May 1987 and employed 28 people for 60 seconds of fame. Sales rose "
    "to 1.2 million euros in 1990, although the river had not been deep. Goats ate 40 trees and 2 shrubs."
)


def said(text, source=SOURCE):
    return [one.reason for one in CheckedSource([source]).differences(text)]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("The mill was opened in May 1978.", "May 1978: the source has 3 May 1987"),
        ("The mill was opened on 13 May.", "13 May: the source has 3 May 1987"),
        ("The mill employed 82 people.", "82: the source has 28"),
        ("Sales rose to 2.1 million euros.", "2.1 million euros: the source has 1.2 million euros"),
        ("Sales fell to 1.2 million euros.", "fell: the source has rose"),
        ("The mill of Leeds was opened in 1987.", "Leeds: the source has Hull"),
        ("The mill was opened by Anna Lund.", "Lund: the source has Berg"),
        ("It was calm, although the river had been deep.", "the source has “not”"),
        ("The mill of Hull was not opened by Anna Berg on 3 May 1987.", "not: the source says it without"),
    ],
)
def test_what_the_source_has_otherwise_is_found(text, reason):
    assert said(text) == [reason]


@pytest.mark.parametrize(
    "text",
    [
        "The mill employed twenty-eight people for a minute.",
        "The mill was opened on May 3rd, 1987.",
        "The mill was opened in May.",
        "In 1987 the mill was opened.",
        "Sales rose to 1,200,000 euros.",
        "About 30 people were employed by the mill.",
        "Goats ate 42 trees and shrubs.",
        "Goats ate 38 more trees than shrubs.",
        "The river had not been deep.",
        "Shallow water was no obstacle to growth.",
        "The mill of Hull had three floors.",
        "Everyone was happy in 2004.",
        "The mill employed more than 20 people, but fewer than 35 people.",
        "",
    ],
)
def test_the_same_in_another_form_and_what_has_no_counterpart_are_not(text):
    assert said(text) == []


def test_places_are_of_the_text_and_do_not_overlap():
    text = "It was cold. Sales fell to 2.1 million euros in 1990."
    found = CheckedSource(["Some ice.", SOURCE]).differences(text)
    assert [text[one.begin : one.end] for one in found] == ["fell", "2.1 million euros"]
    assert all(one.end <= other.begin for one, other in pairwise(found))
    assert CheckedSource([]).differences(text) == CheckedSource([""]).differences(text) == []


@pytest.mark.parametrize(
    ("source", "reversed_", "not_sure"),
    [
        ("Dogs may not enter the reading room.", "Dogs may enter the reading room.", "Dogs enter."),
        ("Dogs may enter the reading room.", "Dogs may not enter the reading room.", "Dogs may not enter a reading."),
        ("The lift can't be used in a fire.", "The lift can be used in a fire.", "Lifts can be used."),
        ("The key does not open the gate.", "The key opens the gate.", "The key opens every gate."),
        ("The pool opens in May; it is not heated.", "It is heated.", "The pool is heated."),
        (
            "The disk was not encrypted, and the log is complete.",
            "The disk was encrypted, but the log is complete.",
            "Nobody said that the disk was encrypted.",
        ),
        (
            "The red bus stops here. The blue bus does not stop here.",
            "The blue bus stops here.",
            "The red bus stops here.",
        ),
        (
            "Members may bring a guest. On Sundays members may not bring one.",
            "On Sundays members may bring one.",
            "Members may bring a guest.",
        ),
        (
            "Latrine? No - no eggs of parasites were found.",
            "Eggs of parasites were found.",
            "No, no eggs of parasites were found.",
        ),
    ],
)
def test_a_negation_is_sure_where_the_rest_is_word_for_word_as_in_the_source(source, reversed_, not_sure):
    found = CheckedSource([source]).differences(reversed_)
    assert [one.sure for one in found] == [True]
    assert not any(one.sure for one in CheckedSource([source]).differences(not_sure))


@pytest.mark.parametrize(
    ("source", "right", "wrong"),
    [
        (
            "The bakery opens at 9 am on Sundays.",
            "The bakery opens at 9:00 on Sundays.",
            "The bakery opens at 9 pm on Sundays.",
        ),
        ("The cellar had -5 degrees.", "The cellar had \u22125 degrees.", "The cellar had 5 degrees."),
        ("Heat the oven to 180 °C.", "Heat the oven to 356 °F.", "Heat the oven to 180 °F."),
        ("The ticket costs 12,50 €.", "The ticket costs €12.50.", "The ticket costs $12.50."),
        ("The rate rose by 2 percentage points.", "The rate rose by 200 basis points.", "The rate rose by 2 percent."),
        ("Call the office on 555-0199.", "Call the office on 555-0199.", "Call the office on 555-0198."),
        ("Order AB-1234 was sent.", "Order ab-1234 was sent.", "Order AB-1243 was sent."),
        (
            "Install version 2.3.1 of the driver.",
            "Install v2.3.1 of the driver.",
            "Install version 2.3.2 of the driver.",
        ),
        (
            "The default timeout is **30** seconds.",
            "The default timeout is 30 seconds.",
            "The default timeout is 45 seconds.",
        ),
        ('{"timeout_ms": 30000, "unit": "timeout"}', "The timeout is 30 seconds.", "The timeout is 40 seconds."),
        ("The firm has 12 000 members.", "The firm has 12'000 members.", "The firm has 12,500 members."),
        ("The walk takes 1h 45min.", "The walk takes 105 minutes.", "The walk takes 2 hours."),
        ("The final was on 15.01.1967.", "The final was on January 15, 1967.", "The final was on January 16, 1967."),
        ("Letters cost 2 euros, parcels cost 5 euros.", "Both together cost 7 euros.", "Letters cost 4 euros."),
        (
            "The fee of 65,000 is insured up to 20 per cent.",
            "It is insured up to 13,000.",
            "The fee of 56,000 is insured.",
        ),
        ("Shipping is free above 50 euros.", "Shipping is free above €50.", "Shipping is free above 14 euros."),
        ("Add 1 1/2 cups of milk.", "Add one and a half cups of milk.", "Add 2 cups of milk."),
        (
            "The ferry leaves at 7:15 and 16:40.",
            "It leaves at quarter past seven and at twenty to five.",
            "The ferry leaves at 7:15 p.m. and 4:40 p.m.",
        ),
        ("He moved in the 1980s.", "He moved in the eighties.", "He moved in the '70s."),
        (
            '{"price_eur": 40, "duration_h": 2}',
            "The price is 40 euros, and it takes 2 hours.",
            "The price is 40 dollars, and it takes 2 hours.",
        ),
    ],
)
def test_quantities_in_another_form_agree_and_others_are_found(source, right, wrong):
    assert said(right, source) == []
    assert len(said(wrong, source)) == 1


def test_a_number_of_a_neighbouring_sentence_is_no_support():
    source = (
        "Clothes can be returned within 30 days of delivery. Electronic devices are repaired for 12 months. "
        "Shoes that were worn outside cannot be sent back. The shop opens at nine. Vouchers are valid for 60 days."
    )
    assert said("Clothes can be returned within 60 days of delivery.", source) == ["60 days: the source has 30 days"]
    assert said("Clothes can be returned within 30 days of delivery.", source) == []


def test_a_difference_is_sure_where_the_rest_of_the_sentence_agrees():
    source = "The bakery by the old harbour opens at 9 am on Sundays."
    (sure,) = CheckedSource([source]).differences("The bakery by the harbour opens at 9 pm on Sundays.")
    (other,) = CheckedSource([source]).differences("Sundays the nice bakery opens its green doors at 9 pm.")
    assert (sure.sure, other.sure) == (True, False)


def test_opposites_are_each_others():
    for word, others in OPPOSITES.items():
        assert word == word.lower() and word not in others
        assert all(word in OPPOSITES[other] for other in others)
    assert "fell" in OPPOSITES["rose"] and "against" in OPPOSITES["for"]


def test_words_of_a_degree_differ():
    assert all(len(set(group)) == len(group) > 1 for group in STRENGTHS)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("Ms Ito owns a bakery in Lund. It opens at six.", "Ms Ito's bakery is in Lund."),
        ("The office of Lee is in Hull.", "Lee’s office is in Hull."),
        ("Girls in Iran's schools fell ill.", "Girls in Iran fell ill in schools."),
        ("Reports from Rome's mayor say so.", "Reports from Rome say so."),
        ("The tablet shows 1080p video and costs 90 euros.", "The tablet shows video and costs 90 euros."),
    ],
)
def test_a_possessive_and_the_lines_of_a_screen_are_no_difference(source, text):
    assert said(text, source) == []


@pytest.mark.parametrize(
    ("source", "text", "reason"),
    [
        (
            "Ms Ito owns a bakery near Lund's harbour.",
            "Ms Ito owns a bakery near Hull's harbour.",
            "Hull's: the source has Lund's",
        ),
        ("The stamp from Rome costs 80p now.", "The stamp from Rome costs 90p now.", "90p: the source has 80p"),
    ],
)
def test_another_name_and_other_pence_are_a_difference(source, text, reason):
    assert said(text, source) == [reason]


@pytest.mark.parametrize(
    ("right", "wrong", "is_sure"),
    [
        ("The shop opened on 3 May 1987.", "The shop opened on 4 May 1987.", True),
        ("The shop opens at 9 am.", "The shop opens at 8 am.", True),
        ("The path is 5 km long.", "The path is 6 km long.", True),
        ("The path does not end here.", "The path does end here.", True),
        ("The tax rose in 2020.", "The tax fell in 2020.", False),
        ("The fee is 5 euros.", "The fee is 6 euros.", False),
        ("The hall has 40 seats.", "The hall has 50 seats.", False),
        ("The shop of Hull is closed.", "The shop of Lund is closed.", False),
    ],
)
def test_only_kinds_that_are_nearly_always_errors_are_sure(right, wrong, is_sure):
    (found,) = CheckedSource([right]).differences(wrong)
    assert found.sure == is_sure
    assert said(right, right) == []


def test_a_negation_that_the_source_words_otherwise_is_no_difference():
    assert said("The bus does not stop at the old mill on Sundays.", "The bus stops at the mill.") == []


@pytest.mark.parametrize(
    ("source", "right", "wrong"),
    [
        ("The shop opens at nine.", "The shop opens at 9 o'clock.", "The shop opens at ten."),
        (
            "The shop opens at nine on Mondays.",
            "The shop opens at 9:00 on Mondays.",
            "The shop opens at eight on Mondays.",
        ),
        ("The train leaves at 7.", "The train leaves at seven.", "The train leaves at eight."),
        ("The concert begins at eight and ends at ten.", "The concert begins at eight.", "The concert begins at nine."),
        ("Breakfast is served until ten.", "Breakfast is served until 10 a.m.", "Breakfast is served until eleven."),
        ("The pool closes at six.", "The pool closes at 6 p.m.", "The pool closes at five."),
        ("Doors open at seven.", "Doors open at seven o'clock.", "Doors open at six."),
        (
            "The tour starts at 2 p.m. by the gate.",
            "The tour starts at two by the gate.",
            "The tour starts at three by the gate.",
        ),
        ("The ferry arrives at 16:00.", "The ferry arrives at four.", "The ferry arrives at five."),
        ("Meet at 11 by the oak.", "Meet at eleven by the oak.", "Meet at ten by the oak."),
        (
            "One in four visitors came by train.",
            "25 percent of visitors came by train.",
            "40 percent of visitors came by train.",
        ),
        ("Three out of five rooms are free.", "60 % of the rooms are free.", "Four out of five rooms are free."),
        ("Nine in ten pupils passed.", "90 % of the pupils passed.", "Eight in ten pupils passed."),
        ("About 20 % of shops closed.", "About one in five shops closed.", "About one in three shops closed."),
        ("2 out of 10 cups broke.", "One in five cups broke.", "3 out of 10 cups broke."),
        ("30 % of guests smoke.", "3 in 10 guests smoke.", "5 in 10 guests smoke."),
        (
            "The path is 5 km long.",
            "The path is 5 km (about 3.1 miles) long.",
            "The path is 5 km (about 5.1 miles) long.",
        ),
        ("Heat the oven to 200 °C.", "Heat the oven to 200 °C (392 °F).", "Heat the oven to 200 °C (292 °F)."),
        ("The bag weighs 2 kg.", "The bag weighs 2 kg (4.4 pounds).", "The bag weighs 2 kg (5.4 pounds)."),
        (
            "The film lasts 90 minutes.",
            "The film lasts 90 minutes (1.5 hours).",
            "The film lasts 90 minutes (2.5 hours).",
        ),
        ("The wall is 6 feet high.", "The wall is 6 feet (1.83 m) high.", "The wall is 6 feet (1.38 m) high."),
        (
            "The tank holds 10 gallons.",
            "The tank holds 10 gallons (38 litres).",
            "The tank holds 10 gallons (48 litres).",
        ),
        ("The farm has 50 acres.", "The farm has 50 acres (20 hectares).", "The farm has 50 acres (30 hectares)."),
        ("Drive at 50 mph.", "Drive at 50 mph (80 km/h).", "Drive at 50 mph (60 km/h)."),
        ("The rope is 3 m long.", "The rope is 3 m (300 cm) long.", "The rope is 3 m (30 cm) long."),
        ("Heat it to 350 °F.", "Heat it to 350 °F (175 °C).", "Heat it to 350 °F (165 °C)."),
        ("It froze at 14 °F.", "It froze at 14 °F (-10 °C).", "It froze at 14 °F (-20 °C)."),
    ],
)
def test_hours_shares_and_conversions_agree_and_others_differ(source, right, wrong):
    assert said(right, source) == []
    assert len(said(wrong, source)) == 1


@pytest.mark.parametrize("text", ["She stopped at two houses.", "He met her at 3 shops.", "It opens at ten schools."])
def test_a_number_of_things_is_no_hour(text):
    assert not any(one.kind == "clock" for one in quantities(text))


@pytest.mark.parametrize(
    ("source", "right", "wrong"),
    [
        (
            "Take two tablets three times a day.",
            "Three times a day, take two tablets.",
            "Take three tablets two times a day.",
        ),
        (
            "Two rooms have three beds each.",
            "There are three beds in each of two rooms.",
            "Three rooms have two beds each.",
        ),
        (
            "The team scored 4 goals in 6 games.",
            "In 6 games the team scored 4 goals.",
            "The team scored 6 goals in 4 games.",
        ),
        ("Mix 5 spoons of oil with 2 eggs.", "Mix 2 eggs with 5 spoons of oil.", "Mix 2 spoons of oil with 5 eggs."),
        ("Nine men and seven women voted.", "Seven women and nine men voted.", "Seven men and nine women voted."),
        (
            "The flat has 3 rooms and 2 balconies.",
            "It has 2 balconies and 3 rooms.",
            "The flat has 2 rooms and 3 balconies.",
        ),
        (
            "Each of 8 tables seats 10 guests.",
            "10 guests sit at each of 8 tables.",
            "Each of 10 tables seats 8 guests.",
        ),
        ("Plant 6 roses and 9 tulips.", "Plant 9 tulips and 6 roses.", "Plant 9 roses and 6 tulips."),
        ("The set holds 12 forks and 6 spoons.", "6 spoons and 12 forks.", "The set holds 6 forks and 12 spoons."),
        ("Pay for 4 nights, stay 5 nights or take 2 days.", "Stay 5 nights.", "Stay 6 nights."),
    ],
)
def test_exchanged_numbers_are_a_difference(source, right, wrong):
    assert said(right, source) == []
    assert len(said(wrong, source)) == 1


def test_an_amount_for_a_longer_time_follows_from_that_for_a_shorter_one() -> None:
    source = CheckedSource(["The contract pays 1,200 euros a month. The flat costs 300 dollars per week."])
    assert not source.differences("In the first year the contract pays 14,400 euros.")
    assert not source.differences("The flat costs 15,600 dollars a year.")
    assert source.differences("In the first year the contract pays 13,400 euros.")
    assert source.differences("The flat costs 3,600 dollars a year.")

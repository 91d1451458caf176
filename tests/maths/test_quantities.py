"""Quantities: one thing said in several forms is one quantity, and other things are others."""

from __future__ import annotations

import pytest

from nlgauge.maths.quantities import in_words, quantities, same, separated_as


def only(text):
    (one,) = quantities(text)
    return one


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("28", "twenty-eight"),
        ("1.2 million", "1,200,000"),
        ("60 seconds", "a minute"),
        ("90 minutes", "one and a half hours".replace("one and a half", "1.5")),
        ("3 May", "May 3rd"),
        ("3 May 1987", "1987-05-03"),
        ("the 3rd of May, 1987", "May 3, 1987"),
        ("Sept 4", "4 September"),
        ("20 %", "twenty per cent"),
        ("20 percent", "a fifth"),
        ("half", "50%"),
        ("$340,000", "340 thousand dollars"),
        ("5 km", "5,000 metres"),
        ("26.2 miles", "42.16 km"),
        ("two hundred and five", "205"),
        ("a dozen", "12"),
        ("half a million", "500,000"),
        ("9:30 pm", "21:30"),
        ("half past nine", "9:30"),
        ("2 years", "24 months"),
        ("the 3rd", "the third"),
        ("1987", "3 May 1987"),
    ],
)
def test_forms_of_one_quantity_are_the_same(one, other):
    assert same(only(one), only(other)) and same(only(other), only(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1978", "1987"),
        ("28", "29"),
        ("28 metres", "28 feet"),
        ("28 metres", "28"),
        ("3 May", "4 May"),
        ("3 May 1987", "3 May 1988"),
        ("1988", "3 May 1987"),
        ("20 %", "22 %"),
        ("Monday", "Tuesday"),
        ("the 1980s", "the 1990s"),
        ("9:30 am", "9:45 am"),
        ("10 hours", "10 days"),
    ],
)
def test_other_quantities_are_not(one, other):
    assert not same(only(one), only(other)) and not same(only(other), only(one))


def test_each_is_found_at_its_place_with_what_it_measures():
    text = "On 3 May 1987 two men walked 26.2 miles in a day; it may rain, and 5 % turned back in the third hour."
    found = quantities(text)
    assert [(text[one.begin : one.end], one.kind, one.weak) for one in found] == [
        ("3 May 1987", "date", False), ("two", "count", False), ("26.2 miles", "length", False),
        ("a day", "duration", True), ("5 %", "percent", False), ("third", "ordinal", True),
    ]  # fmt: skip
    assert found[0].value == (1987, 5, 3)
    assert quantities("It may march on, one after the other.")[0].weak  # neither months nor a claim
    assert quantities("") == []


@pytest.mark.parametrize("number", [*range(120), 200, 205, 999, 1000, 1001, 12_345, 100_001, 999_999])
def test_what_is_written_in_words_is_read_again(number):
    assert only(in_words(number)).value == (number,)


def test_what_has_no_words_here_is_refused():
    for number in (-1, 1_000_000):
        with pytest.raises(ValueError, match="not written in words"):
            in_words(number)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("10 millimetres", "1 centimetre"), ("100 cm", "1 m"), ("12 inches", "1 foot"), ("3 feet", "1 yard"),
        ("100 inches", "2.54 m"), ("1,760 yards", "1 mile"), ("1 mile", "1,609 m"), ("1,000 mg", "1 g"),
        ("16 ounces", "1 pound"), ("2.2046 pounds", "1 kg"), ("1,000 kg", "1 tonne"), ("1,000 ml", "1 litre"),
        ("1 gallon", "3.785 litres"), ("100 hectares", "1 km²"), ("640 acres", "1 square mile"),
        ("2.471 acres", "1 hectare"), ("60 minutes", "1 hour"), ("24 hours", "1 day"), ("7 days", "1 week"),
        ("2 weeks", "1 fortnight"), ("12 months", "1 year"), ("10 years", "1 decade"), ("10 decades", "1 century"),
        ("100 cents", "1 dollar"), ("three quarters", "75 %"), ("two thirds", "66.7 %"), ("a tenth", "10 %"),
        ("a third", "33.3 %"), ("one third", "33.3 %"), ("one quarter", "25 %"), ("three-quarters", "75 %"),
    ],
)  # fmt: skip
def test_units_of_a_kind_are_as_large_as_they_are(one, other):
    assert same(only(one), only(other)) and same(only(other), only(one))


@pytest.mark.parametrize(
    ("text", "others", "read"),
    [
        ("A fee of 12,000 euros.", ["The fee is 12 000 euros."], "A fee of 12 000 euros."),
        ("A fee of 12,000 euros.", ["The fee is 12\u202f000 euros."], "A fee of 12\u202f000 euros."),
        ("1 234 567 and 8,000", ["1'234'567 people"], "1'234'567 and 8,000"),
        ("12 000", ["12,000 or 12’000"], "12,000"),
        ("12,000", ["12 000, also 12,000"], "12,000"),
        ("12,001 and 2,000", ["12 000 and 22 000"], "12,001 and 2,000"),
        ("12.000 and 120,00", ["12 000"], "12.000 and 120,00"),
        ("In 2 000 rooms", ["In 2,000, 500 rooms"], "In 2,000 rooms"),
        ("+49 151 234 567", ["151,234,567"], "+49 151 234 567"),
    ],
)
def test_thousands_are_separated_as_in_other_texts_and_places_stay(text: str, others: list[str], read: str) -> None:
    assert separated_as(text, others) == read and len(read) == len(text)

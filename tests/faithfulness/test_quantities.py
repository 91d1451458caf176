"""Quantities: one thing said in several forms is one quantity, and other things are others."""

from __future__ import annotations

import random

import pytest

from nlgauge.faithfulness.quantities import in_words, quantities, same


def only(text):
    (one,) = quantities(text)
    return one


def test_each_is_found_at_its_place_with_what_it_measures():
    text = "On 3 May 1987 two men walked 26.2 miles in a day; it may rain, and 5 % turned back in the third hour."
    found = quantities(text)
    assert [(text[one.begin : one.end], one.kind, one.weak) for one in found] == [
        ("3 May 1987", "date", False),
        ("two", "count", False),
        ("26.2 miles", "length", False),
        ("a day", "duration", True),
        ("5 %", "percent", False),
        ("third", "ordinal", True),
    ]
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
        ("10 millimetres", "1 centimetre"),
        ("100 cm", "1 m"),
        ("12 inches", "1 foot"),
        ("3 feet", "1 yard"),
        ("100 inches", "2.54 m"),
        ("1,760 yards", "1 mile"),
        ("1 mile", "1,609 m"),
        ("1,000 mg", "1 g"),
        ("16 ounces", "1 pound"),
        ("2.2046 pounds", "1 kg"),
        ("1,000 kg", "1 tonne"),
        ("1,000 ml", "1 litre"),
        ("1 gallon", "3.785 litres"),
        ("100 hectares", "1 km²"),
        ("640 acres", "1 square mile"),
        ("2.471 acres", "1 hectare"),
        ("60 minutes", "1 hour"),
        ("24 hours", "1 day"),
        ("7 days", "1 week"),
        ("2 weeks", "1 fortnight"),
        ("12 months", "1 year"),
        ("10 years", "1 decade"),
        ("10 decades", "1 century"),
        ("100 cents", "1 dollar"),
        ("three quarters", "75 %"),
        ("two thirds", "66.7 %"),
        ("a tenth", "10 %"),
        ("a third", "33.3 %"),
        ("one third", "33.3 %"),
        ("one quarter", "25 %"),
        ("three-quarters", "75 %"),
        ("9 a.m.", "9:00"),
        ("9 p.m.", "9:00"),
        ("21:00", "9 pm"),
        ("nine in the evening", "21:00"),
        ("half past nine at night", "9.30 pm"),
        ("09:00", "9 am"),
        ("14:20", "14:20:31"),
        ("-5 degrees", "\u22125 degrees"),
        ("5 degrees below zero", "-5 degrees"),
        ("minus five", "-5"),
        ("180 °C", "180 degrees Celsius"),
        ("180 °C", "356 °F"),
        ("20 degrees", "20 °C"),
        ("$5 million", "5,000,000 dollars"),
        ("12,50 €", "€12.50"),
        ("50p", "£0.50"),
        ("5 kr", "5 SEK"),
        ("12 000", "12,000"),
        ("12'000", "12,000"),
        ("1,20,000", "120000"),
        ("1.234.567", "1,234,567"),
        ("12.000", "12,000"),
        ("1.234,56", "1,234.56"),
        ("3.2e5", "320,000"),
        ("3.2 × 10^5", "320 000"),
        ("1h 45min", "105 minutes"),
        ("1 hour and 45 minutes", "1h 45min"),
        ("4m02s", "242 seconds"),
        ("half an hour", "30 minutes"),
        ("an hour and a half", "90 minutes"),
        ("two and a half years", "30 months"),
        ("1½", "1.5"),
        ("15.01.1967", "January 15, 1967"),
        ("1967/01/15", "15 Jan 1967"),
        ("01/05/1967", "May 1, 1967"),
        ("01/05/1967", "January 5, 1967"),
        ("15-Jan-1967", "1967-01-15"),
        ("twenty-first", "21st"),
        ("v2.3.1", "2.3.1"),
        ("AB-1234", "ab 1234".replace(" ", "-")),
        ("+44 20 7946 0958", "020 7946 0958"),
        ("50 basis points", "0.5 percentage points"),
        ("16 GB", "16,000 MB"),
        ("100 km/h", "62.14 mph"),
        ("3 May", "May 3rd"),
        ("3 May 1987", "1987-05-03"),
        ("the 3rd of May, 1987", "May 3, 1987"),
        ("Sept 4", "4 September"),
        ("1987", "3 May 1987"),
        ("20 percent", "a fifth"),
        ("20 %", "twenty per cent"),
        ("half", "50%"),
        ("a dozen", "12"),
        ("half a million", "500,000"),
        ("$340,000", "340 thousand dollars"),
        ("60 seconds", "a minute"),
        ("the 3rd", "the third"),
    ],
)
def test_units_spellings_and_forms_of_one_quantity_are_the_same(one, other):
    assert same(only(one), only(other)) and same(only(other), only(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("9 am", "9 pm"),
        ("09:00", "21:00"),
        ("14:20:31", "14:21"),
        ("-5", "5"),
        ("-$3.5 million", "$3.5 million"),
        ("180 °C", "180 °F"),
        ("5 euros", "5 dollars"),
        ("5 SEK", "5 NOK"),
        ("5 percent", "5 percentage points"),
        ("5 million", "5 billion"),
        ("5 miles", "5 km"),
        ("12.5", "125"),
        ("3rd", "4th"),
        ("v2.3.1", "v2.3.2"),
        ("AB-1234", "AB-1243"),
        ("555-0199", "555-0198"),
        ("15.01.1967", "16.01.1967"),
        ("1h 45min", "1h 40min"),
        ("16 GB", "16 MB"),
        ("30 km/h", "30 mph"),
        ("half an hour", "45 minutes"),
        ("1.5e3", "1.5e4"),
        ("1978", "1987"),
        ("28 metres", "28 feet"),
        ("28 metres", "28"),
        ("3 May", "4 May"),
        ("3 May 1987", "3 May 1988"),
        ("1988", "3 May 1987"),
        ("20 %", "22 %"),
        ("Monday", "Tuesday"),
        ("the 1980s", "the 1990s"),
        ("10 hours", "10 days"),
    ],
)
def test_other_quantities_are_not(one, other):
    assert not same(only(one), only(other)) and not same(only(other), only(one))


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("10-20 kg", [("mass", 10_000), ("mass", 20_000)]),
        ("between 3 and 5 days", [("duration", 259_200), ("duration", 432_000)]),
        ("€10–15", [("money", 10), ("money", 15)]),
        ("2 to 4 °C", [("temperature", 2), ("temperature", 4)]),
        ('{"timeout_ms": 30000}', [("duration", 30)]),
        ("weight_kg: 12.5", [("mass", 12_500)]),
        ("price_eur=5", [("money", 5)]),
        ("temp_c: 4", [("temperature", 4)]),
        ("pages 10-20", [("count", 10), ("count", 20)]),
    ],
)
def test_ranges_and_keys_have_their_unit(text, kinds):
    assert [(one.kind, pytest.approx(one.value[0])) for one in quantities(text)] == kinds


@pytest.mark.parametrize(
    "text", ["R$ 300", "R$300", "BRL 300", "300 reais", "-R$ 300", "MX$5", "EUR\u00a05", "5 Kč", "S$5 to S$9"]
)
def test_amounts_of_all_currencies_are_money(text):
    assert {one.kind for one in quantities(text)} == {"money"}


def test_currencies_with_one_sign_are_different():
    names = [only(text).unit for text in ("$5", "R$5", "C$5", "HK$5", "A$5")]
    assert len(set(names)) == len(names)


def test_no_mixture_of_signs_and_numbers_stops_the_reading():
    parts = [
        "R$",
        "$",
        "€",
        "USD",
        " ",
        "\u00a0",
        "\t",
        "\n",
        "-",
        "5",
        "1,000",
        "zł",
        "p",
        "%",
        "k",
        "(",
        "to",
        "°",
        "/",
        "half a",
    ]
    rng = random.Random(1)
    for _ in range(3000):
        quantities("".join(rng.choices(parts, k=rng.randint(1, 8))))

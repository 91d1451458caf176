"""Measures: a number or measure in several forms is one quantity, and others are others."""

from __future__ import annotations

import pytest

from nlgauge.faithfulness.measures import in_words
from nlgauge.faithfulness.quantities import quantities, same
from tests.faithfulness.test_quantities import only


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
        ("half an hour", "30 minutes"),
        ("an hour and a half", "90 minutes"),
        ("two and a half years", "30 months"),
        ("1½", "1.5"),
        ("twenty-first", "21st"),
        ("50 basis points", "0.5 percentage points"),
        ("16 GB", "16,000 MB"),
        ("100 km/h", "62.14 mph"),
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
def test_units_spellings_and_forms_of_one_measure_are_the_same(one, other):
    assert same(only(one), only(other)) and same(only(other), only(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
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
        ("16 GB", "16 MB"),
        ("30 km/h", "30 mph"),
        ("half an hour", "45 minutes"),
        ("1.5e3", "1.5e4"),
        ("28 metres", "28 feet"),
        ("28 metres", "28"),
        ("20 %", "22 %"),
        ("10 hours", "10 days"),
    ],
)
def test_other_measures_are_not(one, other):
    assert not same(only(one), only(other)) and not same(only(other), only(one))


@pytest.mark.parametrize(
    "text", ["R$ 300", "R$300", "BRL 300", "300 reais", "-R$ 300", "MX$5", "EUR\u00a05", "5 Kč", "S$5 to S$9"]
)
def test_amounts_of_all_currencies_are_money(text):
    assert {one.kind for one in quantities(text)} == {"money"}


def test_currencies_with_one_sign_are_different():
    names = [only(text).unit for text in ("$5", "R$5", "C$5", "HK$5", "A$5")]
    assert len(set(names)) == len(names)

"""Quantities: each stands at its place, identifiers are compared as texts, and ranges have their unit."""

from __future__ import annotations

import random
import re

import pytest

from nlgauge.faithfulness import quantities as module
from nlgauge.faithfulness.quantities import quantities, same


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


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("v2.3.1", "2.3.1"),
        ("AB-1234", "ab 1234".replace(" ", "-")),
        ("+44 20 7946 0958", "020 7946 0958"),
    ],
)
def test_forms_of_one_identifier_are_the_same(one, other):
    assert same(only(one), only(other)) and same(only(other), only(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("v2.3.1", "v2.3.2"),
        ("AB-1234", "AB-1243"),
        ("555-0199", "555-0198"),
    ],
)
def test_other_identifiers_are_not(one, other):
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


WORDS = [
    "noon",
    "midnight",
    "half",
    "quarter",
    "third",
    "tenth",
    "twelve",
    "dozen",
    "hundred",
    "½",
    "7",
    "7:15",
    "12.50",
    "May",
    "Mon",
    "Monday",
    "Mondays",
    "eighties",
    "the",
    "The",
    "nineteen",
    "twenty",
    "twentieth",
    "twenty-first",
    "an",
    "a",
    "one",
    "each",
    "per",
    "hour",
    "minute",
    "mile",
    "kilo",
    "degrees",
    "euros",
    "%",
    "in",
    "since",
    "past",
    "to",
    "o'clock",
    "pm",
    "open",
    "from",
    "until",
    "at",
    "and",
    "of",
    "out",
    "four",
    "every",
    "cat",
    "sat",
    "may",
    "maybe",
]


def test_a_text_has_a_quantity_only_where_one_search_says_that_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(11)
    texts = [" ".join(rng.choices(WORDS, k=rng.randrange(1, 7))) for _ in range(3000)]
    texts += ["open tenpm", "a fifth of it", "The twenties", "one in four", "#7", "v2.1", "+44 20 7946 0958", "1h 30m"]
    read = [quantities(text) for text in texts]
    assert read.count([]) > 20
    monkeypatch.setattr(module, "MAY_HAVE", re.compile(""))
    assert [quantities(text) for text in texts] == read


def test_a_number_beside_a_part_in_words_has_a_value():
    assert [one.value for one in quantities("3 or half")] == [(3.0,), (50.0,)]
    assert not any(one.value[0] != one.value[0] for one in quantities("½ to half"))

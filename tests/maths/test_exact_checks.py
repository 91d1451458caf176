"""Checks without a model: what says another thing is found with its reason, the same in another form is not."""

from __future__ import annotations

from itertools import pairwise

import pytest

from nlgauge.maths.exact_checks import CheckedSource

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
        ("The river had been deep.", "the source has “not”"),
        ("Goats did not eat 40 trees.", "not: the source says it without"),
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
    ("text", "source"),
    [
        ("A comedy by Noel Coward.", "A comedy by Noe\u0308l Coward."),
        ("A comedy by Noe\u0308l Coward.", "A comedy by No\u00ebl Coward."),
        ("The peak of tests was 0.024.", "# COVID-19 tests, the peak of tests\n2022-02-21,0.024 2022-02-22,0.017"),
        ("It gained 100 patients.", "It gained COVID-19 patients."),
        ("The split of the Northern ASSR.", "The split of the Northern Autonomous Soviet Socialist Republic."),
        ("A founder of the Northern Comic-Con.", "A founder of the Northern Comic Book Fair."),
    ],
)
def test_accents_tables_and_short_forms_are_no_differences(text, source):
    assert said(text, source) == []


def test_all_but_negations_are_sure():
    found = CheckedSource([SOURCE]).differences("Sales fell to 2.1 million euros. Goats did not eat 40 trees.")
    assert [(one.reason, one.sure) for one in found] == [
        ("fell: the source has rose", True),
        ("2.1 million euros: the source has 1.2 million euros", True),
        ("not: the source says it without", False),
    ]

"""Dates and times: those in several forms are one quantity, and others are others."""

from __future__ import annotations

import pytest

from nlgauge.faithfulness.quantities import same
from tests.faithfulness.test_quantities import only


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("9 a.m.", "9:00"),
        ("9 p.m.", "9:00"),
        ("21:00", "9 pm"),
        ("nine in the evening", "21:00"),
        ("half past nine at night", "9.30 pm"),
        ("09:00", "9 am"),
        ("14:20", "14:20:31"),
        ("1h 45min", "105 minutes"),
        ("1 hour and 45 minutes", "1h 45min"),
        ("4m02s", "242 seconds"),
        ("15.01.1967", "January 15, 1967"),
        ("1967/01/15", "15 Jan 1967"),
        ("01/05/1967", "May 1, 1967"),
        ("01/05/1967", "January 5, 1967"),
        ("15-Jan-1967", "1967-01-15"),
        ("3 May", "May 3rd"),
        ("3 May 1987", "1987-05-03"),
        ("the 3rd of May, 1987", "May 3, 1987"),
        ("Sept 4", "4 September"),
        ("1987", "3 May 1987"),
    ],
)
def test_forms_of_one_date_or_time_are_the_same(one, other):
    assert same(only(one), only(other)) and same(only(other), only(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("9 am", "9 pm"),
        ("09:00", "21:00"),
        ("14:20:31", "14:21"),
        ("15.01.1967", "16.01.1967"),
        ("1h 45min", "1h 40min"),
        ("1978", "1987"),
        ("3 May", "4 May"),
        ("3 May 1987", "3 May 1988"),
        ("1988", "3 May 1987"),
        ("Monday", "Tuesday"),
        ("the 1980s", "the 1990s"),
    ],
)
def test_other_dates_and_times_are_not(one, other):
    assert not same(only(one), only(other)) and not same(only(other), only(one))

"""What a source says of some is not said of all: each frame with right and wrong answers."""

import pytest

from nlgauge.faithfulness.exact_checks import CheckedSource
from nlgauge.faithfulness.scope import ScopedSource

INSURERS = "All others pay 22 euros, which some insurers refund."
PUPILS = "Every pupil gets a tablet. Some pupils get a keyboard too."
WRONG = [
    (INSURERS, "All insurers refund it."),
    (INSURERS, "Every insurer refunds it."),
    (INSURERS, "No insurer refunds it."),
    ("Most of the rooms have a balcony.", "Each of the rooms has a balcony."),
    ("Two thirds of the trees were felled.", "All the trees were felled."),
    (PUPILS, "Every pupil gets a keyboard."),
    (PUPILS, "Only some pupils get a tablet."),
    (PUPILS, "Not all pupils get a tablet."),
]
RIGHT = [
    (INSURERS, "Only some insurers refund it."),
    (INSURERS, "Not all insurers refund it."),
    (INSURERS, "All patients refund it."),
    ("Half of the seats are reserved.", "Not all seats are reserved."),
    (PUPILS, "All pupils get a tablet."),
    (PUPILS, "Some pupils get a tablet."),
    ("Some shops close early, and all shops close on Sunday.", "All shops close on Sunday."),
    ("Some paintings were damaged. In the end all paintings were damaged.", "All paintings were damaged."),
    ("Some doors are not locked.", "All doors are red."),
]


@pytest.mark.parametrize(("source", "said"), WRONG)
def test_some_for_all_is_a_difference_that_is_not_sure(source: str, said: str) -> None:
    assert ScopedSource([source]).difference(said) is not None
    assert [one.sure for one in CheckedSource([source]).differences(said)] == [False]


@pytest.mark.parametrize(("source", "said"), RIGHT)
def test_what_is_said_of_as_many_is_none(source: str, said: str) -> None:
    assert ScopedSource([source]).difference(said) is None
    assert CheckedSource([source]).differences(said) == []


def test_a_source_without_such_words_says_nothing() -> None:
    assert ScopedSource([]).difference("All rooms have a balcony.") is None
    assert ScopedSource(["The rooms have a balcony."]).difference("All rooms have a balcony.") is None

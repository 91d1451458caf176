"""What is planned is not done, and what is said is not shown: each frame with right and wrong answers."""

import pytest

from nlgauge.faithfulness.derived import facts
from nlgauge.faithfulness.exact_checks import CheckedSource
from nlgauge.faithfulness.modality import ModalSource

POOL = "The council plans to build a pool in 2027. The vote is in May."
LAMP = "The seller claims that the lamp is waterproof. Tests showed that water gets in."
RECEIPTS = "The cashier is suspected of hiding receipts. An audit is under way."
BUILT = "In 2021 the museum planned to restore the ceiling. In 2023 it restored the ceiling with a grant."
WRONG = [
    (POOL, "The council built a pool."),
    (POOL, "A pool was built by the council."),
    ("The tram line will be extended to the harbour.", "The tram line has been extended to the harbour."),
    ("Members proposed cutting the fee to 10 euros.", "The fee was cut to 10 euros."),
    ("The platform is scheduled for completion in November.", "The platform was completed in November."),
    ("The crew failed to repair the mast.", "The crew repaired the mast."),
    ("The salesman said the roof would last fifty years.", "The roof lasted fifty years."),
    (LAMP, "Tests showed that the lamp is waterproof."),
    (LAMP, "The lamp is waterproof."),
    (RECEIPTS, "The cashier hid receipts."),
    (RECEIPTS, "The cashier was convicted of hiding receipts."),
    ("The historian argues that the letter is a forgery.", "The letter was shown to be a forgery."),
    ("Supposedly the cellar leads to the river.", "The cellar leads to the river."),
]
RIGHT = [
    (POOL, "The council wants to build a pool in 2027."),
    (POOL, "The council has not built a pool."),
    (POOL, "The built pool opens in May."),
    (BUILT, "The museum restored the ceiling."),
    ("Rosa wanted to climb Mount Telde and did so in 2018.", "Rosa climbed Mount Telde in 2018."),
    ("The firm not only planned but also built the footbridge.", "The firm built the footbridge."),
    ("The first season will be released on 23 June 2017.", "The first season was released on 23 June 2017."),
    ("Someone has to absorb the loss.", "The loss is always absorbed by someone."),
    ("You need to cut the bread into cubes.", "Cut the bread into cubes."),
    (LAMP, "The seller claims that the lamp is waterproof."),
    (LAMP, "According to the seller, the lamp is waterproof."),
    ("Doctors believe that the rash is harmless, and a biopsy showed that it is harmless.", "The rash is harmless."),
    ("The label claims that the coat is wool. The coat is wool.", "The coat is wool."),
    ("If you suspect that a child has a fever, call us.", "A child has a fever."),
    ("The spokesman said that the factory closed in March.", "The factory closed in March."),
]


@pytest.mark.parametrize(("source", "said"), WRONG)
def test_planned_for_done_and_said_for_shown_are_differences_that_are_not_sure(source: str, said: str) -> None:
    assert ModalSource([source]).difference(said) is not None
    assert [one.sure for one in CheckedSource([source]).differences(said)] == [False]


@pytest.mark.parametrize(("source", "said"), RIGHT)
def test_what_was_done_since_and_what_keeps_the_words_of_a_plan_are_none(source: str, said: str) -> None:
    assert ModalSource([source]).difference(said) is None


@pytest.mark.parametrize(
    ("said", "follows"),
    [
        ("A pool is planned for 2027.", True),
        ("A pool is being planned.", True),
        ("A pool is planned for 2028.", False),
        ("A pool is proposed for 2027.", False),
        ("A council is planned for 2027.", False),
        ("No pool is planned.", False),
        ("A vote is planned for May.", False),
    ],
)
def test_a_thing_that_somebody_plans_to_make_is_planned(said: str, follows: bool) -> None:
    derived = facts((POOL,)).of(said)
    assert (derived is not None and derived.follows) == follows


def test_what_was_refused_was_not_done() -> None:
    source = CheckedSource(["The committee refused to fund the trip."])
    assert not source.differences("The committee did not fund the trip.")
    assert source.differences("The committee funded the trip.")


def test_a_source_without_such_frames_and_one_of_many_sentences_say_nothing() -> None:
    assert ModalSource([]).difference("The council built a pool.") is None
    assert ModalSource(["The pool is blue."]).difference("The council built a pool.") is None
    many = "".join(f"Lamp {number} is on the shelf. " for number in range(400))
    assert ModalSource([LAMP + many]).difference("The lamp is waterproof.") is None
    assert ModalSource([POOL + many]).difference("The council built a pool.") is not None

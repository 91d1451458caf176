"""What comes before what, and what holds no longer: each frame with right and wrong answers."""

import pytest

from nlgauge.faithfulness.derived import facts
from nlgauge.faithfulness.exact_checks import CheckedSource
from nlgauge.faithfulness.order import OrderedSource

STEPS = "To reset it: 1. Switch off the heater. 2. Hold the red button for ten seconds. 3. Wait for the green lamp."
THEN = "First rinse the brown rice. Then soak the grains for an hour. Finally boil them with salt and oil."
BEFORE = "Unplug the lamp before changing the bulb. Let it cool down."
AFTER = "The old mill burned down after the stone bridge collapsed."
MOVED = "The talk was moved from Room 3 to Room 8."
FEE = "Until 2022 the fee was 10 euros. Since January 2023 the fee is 14 euros."
WRONG = [
    (STEPS, "First hold the red button for ten seconds, then switch off the heater."),
    (STEPS, "Wait for the green lamp before you hold the red button for ten seconds."),
    (THEN, "Boil them with salt and oil, then soak the grains for an hour."),
    (BEFORE, "Change the bulb before unplugging the lamp."),
    (BEFORE, "After changing the bulb, unplug the lamp."),
    (BEFORE, "Before unplugging the lamp, change the bulb."),
    (AFTER, "The stone bridge collapsed after the old mill burned down."),
    (MOVED, "The talk is in Room 3."),
    ("The price of the ticket was raised from 4 to 5 euros.", "The price of the ticket is 4 euros."),
    (FEE, "The fee is now 10 euros."),
    (FEE, "The fee is 10 euros."),
    ("The museum used to open at 9. The museum now opens at 10.", "The museum opens at 9."),
]
RIGHT = [
    (STEPS, "First switch off the heater, then hold the red button for ten seconds."),
    (STEPS, "Hold the red button for ten seconds before you wait for the green lamp."),
    (STEPS, "Wait for the green lamp after you hold the red button for ten seconds."),
    (THEN, "Soak the grains for an hour, then boil them with salt and oil."),
    (BEFORE, "Unplug the lamp before changing the bulb."),
    (BEFORE, "Before changing the bulb, unplug the lamp."),
    (BEFORE, "Do not change the bulb before unplugging the lamp."),
    (AFTER, "The old mill burned down after the stone bridge collapsed."),
    (AFTER, "The stone bridge collapsed before the old mill burned down."),
    (AFTER, "Wait until the old mill burned down before the stone bridge collapsed."),
    (MOVED, "The talk is in Room 8."),
    (MOVED, "The talk was in Room 3 at first."),
    (MOVED, "The talk is no longer in Room 3."),
    (FEE, "The fee is now 14 euros."),
    (FEE, "The fee was 10 euros until 2022."),
    ("The museum used to open at 9. The museum now opens at 10.", "The museum opens at 10."),
    ("Until noon the shop sells 10 loaves. The mill now grinds 14 sacks.", "The shop sells 10 loaves."),
]


@pytest.mark.parametrize(("source", "said"), WRONG)
def test_another_order_and_a_former_value_are_differences_that_are_not_sure(source: str, said: str) -> None:
    assert OrderedSource([source]).difference(said) is not None
    assert [one.sure for one in CheckedSource([source]).differences(said)] == [False]


@pytest.mark.parametrize(("source", "said"), RIGHT)
def test_the_same_order_and_what_holds_now_are_none(source: str, said: str) -> None:
    assert OrderedSource([source]).difference(said) is None


@pytest.mark.parametrize(
    ("source", "said", "follows"),
    [
        (STEPS, "First switch off the heater, then hold the red button for ten seconds.", True),
        (STEPS, "Hold the red button for ten seconds before you wait for the green lamp.", True),
        (THEN, "Soak the grains for an hour, then boil them with salt and oil.", True),
        (STEPS, "First switch off the heater, then hold the red button for five minutes.", False),
        (STEPS, "First hold the red button for ten seconds, then switch off the heater.", False),
        (STEPS, "First switch off the oven, then hold the red button for ten seconds.", False),
        (STEPS, "Do not switch off the heater before you hold the red button for ten seconds.", False),
        (STEPS, "Hold the red button for ten seconds.", False),
        (FEE, "The fee is now 14 euros.", True),
        (FEE, "The fee is 14 euros.", True),
        (FEE, "The fee is now 10 euros.", False),
        (FEE, "The fee for children is now 14 euros.", False),
        (FEE, "The fee was 14 euros.", False),
        (FEE, "The fee is not 14 euros.", False),
        ("Since 2023 the fee is 14 euros.", "The fee is 14 euros.", False),
        ("The cook rests. The heater is off.", "Switch off the heater, then hold the red button.", False),
    ],
)
def test_steps_in_their_order_and_what_holds_now_follow(source: str, said: str, follows: bool) -> None:
    derived = facts((source,)).of(said)
    assert (derived is not None and derived.follows) == follows


def test_an_order_of_what_the_source_has_in_none_is_no_difference() -> None:
    source = OrderedSource(["The cook peels the potatoes.", "The waiter sets the long table."])
    assert source.difference("The waiter sets the long table before the cook peels the potatoes.") is None
    assert source.difference("") is None
    assert OrderedSource([]).difference("Peel the potatoes before you set the table.") is None

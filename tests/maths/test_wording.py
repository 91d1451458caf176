"""The share of an answer's longer words that its source has, and which answers a model can read by it."""

from __future__ import annotations

import math

import pytest

from nlgauge.maths.wording import Band, readable, shared_wording

SOURCE = "Late returns cost two crowns a day.\nChildren pay nothing."


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("A late return costs two crowns.", 2 / 3),  # return, costs, crown: "cost" is no word of five letters
        ("RETURNING children!", 1.0),
        ("Guests are charged for delays.", 0.0),
        ("Crown, crowns, and money too.", 2 / 3),
        ("No, two.", 1 / 2),  # no longer word: all words count
        ("Two a day.", 1.0),
    ],
)
def test_longer_words_are_looked_up_by_their_beginnings(text: str, share: float) -> None:
    assert shared_wording(text, SOURCE.split("\n")) == pytest.approx(share)


def test_a_text_without_words_has_no_wording() -> None:
    assert math.isnan(shared_wording("?!", [SOURCE]))
    assert shared_wording("Nine crowns.", []) == 0.0


def test_a_model_reads_the_bands_whose_lower_limit_is_high_enough() -> None:
    bands = [Band(0.0, 0.2, 0.9, 0.649), Band(0.2, 0.5, 0.66, 0.65), Band(0.8, 1.0, 0.6, 0.5)]
    shares = (0.0, 0.19, 0.2, 0.6, 0.79, 0.8, 1.0, math.nan)
    assert [readable(share, bands) for share in shares] == [False, False, True, True, True, False, False, True]

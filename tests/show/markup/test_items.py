"""Vocabulary items, texts of sets, curves, and whatever else a score is based on."""

from __future__ import annotations

from nlgauge.show.markup.items import covering, curve, drivers, item_table

WORDS = [
    {"name": "river", "candidate": 0.02, "reference": 0.04, "share": 0.25},
    {"name": "bank", "candidate": 0.01, "reference": 0.0, "share": None},
]
TEXTS = [
    {
        "name": "Bare.",
        "side": "output",
        "item": "1",
        "covered": 0.0,
        "distance": 2.0,
        "nearest": "N.",
        "nearest_item": "4",
    },
    {
        "name": "Held.",
        "side": "reference",
        "item": "2",
        "covered": 1.0,
        "distance": 0.1,
        "nearest": "M.",
        "nearest_item": "5",
    },
]


def test_drivers_are_as_wide_as_they_are_likely() -> None:
    river, bank = drivers(WORDS)
    assert (river.candidate_width, river.reference_width, river.share) == (50.0, 100.0, "25.0 %")
    assert (bank.candidate_width, bank.share) == (25.0, "–")
    assert drivers(TEXTS) == []


def test_texts_of_sets_are_told_apart_by_side() -> None:
    sides = covering(TEXTS)
    assert [text.text for text in sides["output"]] == ["Bare."] and sides["reference"][0].covered == 1.0
    assert covering(WORDS) == {}


def test_a_curve_goes_up_where_numbers_rise() -> None:
    assert curve([{"name": "curve", "precision": [0.0, 1.0], "recall": [0.5, 0.0]}]) == "50.0,100.0 0.0,0.0"
    assert curve(WORDS) == ""


def test_other_items_keep_all_that_is_known_of_them() -> None:
    table = item_table([{"name": "a", "points": 3}, {"name": "b", "facts": {"x": 0.5, "y": 2}}], 4)
    assert list(table.head) == ["item", "points", "facts"]
    assert table.rows == [["a", "3", ""], ["b", "", "0.5000 2"]]
    assert table.left_out == 4

"""Rated data in a folder, and views of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from nlgauge import InputError
from nlgauge_lab.reproduce.published import Source
from nlgauge_lab.reproduce.rated import VIEWS, Data, by_item


def test_what_is_missing_is_named_with_the_remedy(folder: Path) -> None:
    with pytest.raises(InputError, match=r"there is no nowhere.jsonl in .*put nowhere.jsonl, or .jsonl.gz, there"):
        Data(folder).corpus([Source("nowhere")])
    with pytest.raises(InputError, match=r"has no system 'Short', which the published protocol leaves out"):
        Data(folder).corpus([Source("tiny", ("Short",))])
    with pytest.raises(InputError, match="is not a folder"):
        Data(folder / "tiny.jsonl")


@pytest.mark.parametrize(
    ("view", "expected"),
    [
        ("as given", [("word word", ("two words", "these three words"), "one two three four")]),
        ("first reference", [("word word", ("two words",), "one two three four")]),
        ("sentences on lines", [("word word", ("two words", "these three words"), "one two three four")]),
        ("first reference, sentences on lines", [("word word", ("two words",), "one two three four")]),
        ("without stop-words", [("word word", ("two words", "three words"), "one two three four")]),
        ("source as reference", [("word word", ("one two three four",), "one two three four")]),
        (
            "mean over references",
            [
                ("word word", ("two words",), "one two three four"),
                ("word word", ("these three words",), "one two three four"),
            ],
        ),
    ],
)
def test_views(folder: Path, view: str, expected: list[tuple[str, tuple[str, ...], str]]) -> None:
    corpus = Data(folder).corpus([Source("tiny")])
    made = VIEWS[view](corpus)
    last = [some[-1] for some in made]  # the system short, item c
    assert [(row.candidate, row.references, row.source) for row in last] == expected
    assert all((row.system, row.item, row.scores) == ("short", "c", {"quality": 1}) for row in last)
    assert all(len(some) == len(corpus) for some in made)


def test_the_items_that_the_token_weights_learned_from_are_left_out(folder: Path) -> None:
    corpus = Data(folder).corpus([Source("tiny")])
    learned, others = by_item(corpus)
    # The SHA-256 of a, b and c begin with ca, 3e and 2e: .44 of three items is the one of the smallest.
    assert (learned, others) == ({"c"}, {"a", "b"})
    (made,) = VIEWS["unseen by the weighters"](corpus)
    assert [(row.system, row.item) for row in made] == [(row.system, row.item) for row in corpus if row.item != "c"]

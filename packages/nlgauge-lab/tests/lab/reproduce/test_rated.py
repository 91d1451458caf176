"""Rated data in a folder, and views of them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from lab.reproduce.pieces import write
from nlgauge import Corpus, InputError
from nlgauge_lab.reproduce.published import Source
from nlgauge_lab.reproduce.rated import CORRELATIONS, VIEWS, Data, by_item, place


def test_a_file_is_found_by_its_name_compressed_or_not(folder: Path) -> None:
    assert place(folder, "tiny") == folder / "tiny.jsonl"
    packed = folder / "packed.jsonl.gz"
    packed.write_bytes(gzip.compress((folder / "tiny.jsonl").read_bytes()))
    assert Data(folder).corpus([Source("packed")]) == Data(folder).corpus([Source("tiny")])
    assert Data(folder).missing(["tiny", "nowhere"]) == ["nowhere"]


def test_what_is_missing_is_named_with_the_remedy(folder: Path) -> None:
    with pytest.raises(InputError, match=r"there is no nowhere.jsonl in .*put nowhere.jsonl, or .jsonl.gz, there"):
        Data(folder).corpus([Source("nowhere")])
    with pytest.raises(InputError, match=r"has no system 'Short', which the published protocol leaves out"):
        Data(folder).corpus([Source("tiny", ("Short",))])
    with pytest.raises(InputError, match="is not a folder"):
        Data(folder / "tiny.jsonl")


def test_files_follow_each_other_without_some_systems(folder: Path) -> None:
    write(folder, "more", ["short"])
    corpus = Data(folder).corpus([Source("tiny", ("short",)), Source("more")])
    assert [row.system for row in corpus] == ["long"] * 3 + ["middle"] * 3 + ["short"] * 3
    assert corpus.digest == Data(folder).corpus([Source("tiny")]).digest


def test_a_limit_takes_whole_items(folder: Path) -> None:
    assert {(row.system, row.item) for row in Data(folder, 2).corpus([Source("tiny")])} == {
        (system, item) for system in ("long", "middle", "short") for item in "ab"
    }


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


def test_a_view_leaves_out_rows_without_its_text() -> None:
    rows = Corpus.from_records(
        [
            {"candidate": "a", "references": ["r"], "item": "1"},
            {"candidate": "b", "references": ["r", "s"], "source": "t", "item": "2"},
        ]
    )
    first, second = VIEWS["mean of correlations"](rows)
    assert CORRELATIONS == "mean of correlations"
    assert [row.item for row in first] == ["1", "2"]
    assert [row.item for row in second] == ["2"]
    assert [row.item for row in VIEWS["source as reference"](rows)[0]] == ["2"]


def test_the_items_that_the_weighters_learned_from_are_left_out(folder: Path) -> None:
    corpus = Data(folder).corpus([Source("tiny")])
    learned, others = by_item(corpus)
    # The SHA-256 of a, b and c begin with ca, 3e and 2e: .44 of three items is the one of the smallest.
    assert (learned, others) == ({"c"}, {"a", "b"})
    (made,) = VIEWS["unseen by the weighters"](corpus)
    assert [(row.system, row.item) for row in made] == [(row.system, row.item) for row in corpus if row.item != "c"]


def test_sentences_go_on_lines_whatever_the_case_of_letters() -> None:
    text = "it rained . it snowed!  Then 3.5 days passed ?\nNobody came."
    (made,) = VIEWS["sentences on lines"](Corpus.from_texts([text], references=["One. Two"], sources=["a. b"]))
    assert made[0].candidate == "it rained .\nit snowed!\nThen 3.5 days passed ?\nNobody came."
    assert made[0].references == ("One.\nTwo",)
    assert made[0].source == "a. b"

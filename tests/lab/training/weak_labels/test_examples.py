"""Examples on disk: what is written is what is read, by people too."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlgauge.errors import InputError
from nlgauge.lab.training.weak_labels.examples import Example, read_examples, read_header, word_spans, write_examples

ONE = Example(
    "The bridge was closed.", "The old bridge — shut.", ((0, 3), (4, 7), (8, 14), (17, 21)), (True, False, True, False),
    "reference", "ours", "verbatim+infilled", 4,
)  # fmt: skip


def test_unsupported_words_are_marked():
    assert ONE.marked == "The ⟦old⟧ bridge — ⟦shut⟧."


@pytest.mark.parametrize("name", ["some.jsonl", "some.jsonl.gz"])
def test_what_is_written_is_read(tmp_path, name: str):
    path = tmp_path / name
    assert write_examples(path, [ONE, ONE], {"seed": 5}) == 2
    assert list(read_examples(path)) == [ONE, ONE]
    assert list(read_examples(tmp_path)) == [ONE, ONE]
    assert read_header(path) == {"nlgauge_examples": 1, "seed": 5}
    first = path.read_bytes()
    write_examples(path, [ONE, ONE], {"seed": 5})
    assert path.read_bytes() == first
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_a_person_can_read_it(tmp_path):
    write_examples(tmp_path / "some.jsonl", [ONE])
    record = json.loads((tmp_path / "some.jsonl").read_text(encoding="utf-8").splitlines()[1])
    assert list(record)[:6] == ["task", "origin", "number", "made", "marked", "text"]


@given(st.lists(st.booleans(), max_size=8))
def test_marks_can_be_taken_off_again(supported: list[bool]):
    text = " ".join(f"w{i}" for i in range(len(supported)))
    words = tuple((3 * i, 3 * i + 2) for i in range(len(supported)))
    example = Example("", text, words, tuple(supported), "style", "", "", 0)
    assert example.marked.replace("⟦", "").replace("⟧", "") == text
    inside = "".join(part.split("⟧")[0] + " " for part in example.marked.split("⟦")[1:])
    assert inside.split() == [f"w{i}" for i, kept in enumerate(supported) if not kept]


def test_words_are_those_of_the_metrics():
    offsets = np.array([[0, 2], [2, 4], [5, 8], [8, 9], [9, 10], [10, 11]])
    assert word_spans("Zuer isn't!", offsets) == ((0, 4), (5, 8), (9, 10))
    assert word_spans("", np.zeros((0, 2), np.int32)) == ()


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        (['{"text": "a"}'], "does not begin with the header"),
        (['{"nlgauge_examples": 1}', '{"text": "a"}'], "row 2: not an example"),
        (['{"nlgauge_examples": 1}', "{"], "cannot be read"),
        (["[]"], "does not begin with the header"),
    ],
)
def test_files_that_hold_something_else(tmp_path, lines: list[str], problem: str):
    (tmp_path / "a.jsonl").write_text("\n".join(lines) + "\n")
    with pytest.raises(InputError, match=problem):
        list(read_examples(tmp_path / "a.jsonl"))


@pytest.mark.parametrize("change", [{"words": [[0, 3], [2, 7]]}, {"words": [[0, 99]]}, {"supported": [1]}])
def test_labels_that_do_not_fit_the_text(tmp_path, change):
    write_examples(tmp_path / "a.jsonl", [ONE])
    header, line = (tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines()
    changed = {**json.loads(line), **change}
    (tmp_path / "a.jsonl").write_text(header + "\n" + json.dumps(changed) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match="row 2: words and labels do not fit"):
        list(read_examples(tmp_path / "a.jsonl"))


def test_a_folder_without_examples(tmp_path):
    with pytest.raises(InputError, match="holds no examples"):
        list(read_examples(tmp_path))

"""Tables in a terminal: no wider than wanted, every cell there, and blocks that begin with what a row is."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlgauge.render.tables import harmless, harmless_json
from nlgauge.render.tables.cell import Number
from nlgauge.render.tables.terminal import Column, column_of, shown_width, terminal


def test_numbers_stand_under_each_other() -> None:
    cells = [
        ["system", "n", "F ↑", "D ↓"],
        ["A", Number(9, digits=0), Number(0.5, 0.25, 0.75, mark="best"), Number(10.25)],
        ["long name", Number(20, digits=0), Number(-0.5, -1, 0), Number(math.nan)],
    ]
    assert terminal(cells) == [
        "system      n  F ↑                             D ↓",
        "A           9   0.5000* [0.2500, 0.7500]   10.2500",
        "long name  20  -0.5000  [-1.0000, 0.0000]        -",
    ]


def test_a_head_is_broken_before_a_table_falls_into_blocks() -> None:
    cells = [["system", "InfoLM(measure='ab', alpha=3, beta=0.25) ↓"], ["A", Number(0.5)]]
    assert terminal(cells, width=30) == [
        "              InfoLM(",
        "        measure='ab',",
        "             alpha=3,",
        "system   beta=0.25) ↓",
        "A              0.5000",
    ]


def test_blocks_repeat_what_a_row_is() -> None:
    cells = [
        ["system", "n", *(f"Metric{i} ↑" for i in range(5))],
        ["A", Number(3, digits=0), *(Number(i) for i in range(5))],
    ]
    lines = terminal(cells, width=44, keys=2)
    assert [line.split()[0] for line in lines if line] == ["system", "A", "system", "A"]
    assert re.findall(r"Metric\d", " ".join(lines)) == [f"Metric{i}" for i in range(5)]
    assert lines[2] == "" and [re.findall(r"\d\.0000", lines[at]) for at in (1, 4)] == [
        ["0.0000", "1.0000", "2.0000"], ["3.0000", "4.0000"]
    ]  # fmt: skip


def test_columns_of_text_are_broken_before_a_table_falls_into_blocks() -> None:
    first, second = "one(two='three', four=5) six", "seven(eight='nine', ten=11)"
    cells = [["aspect", "metric", "against", "p"], ["good", first, second, Number(0.5)]]
    lines = terminal(cells, width=54, keys=2)
    assert lines == [
        "aspect  metric            against                   p",
        "good    one(two='three',  seven(eight='nine',  0.5000",
        "        four=5) six       ten=11)",
    ]
    assert len(terminal(cells, width=50, keys=2)) > 3


NAMES = st.text(st.characters(categories=["L", "N", "P", "Zs"]), min_size=1, max_size=60)
NUMBERS = st.builds(Number, st.floats(-1e6, 1e6), st.floats(-9, 9), st.floats(-9, 9))


@given(
    st.integers(1, 7).flatmap(lambda n: st.lists(st.tuples(NAMES, *[NUMBERS] * n), min_size=1, max_size=4)), st.data()
)
def test_nothing_is_wider_than_wanted_and_every_number_is_there(
    rows: list[tuple[Any, ...]], data: st.DataObject
) -> None:
    head = [data.draw(NAMES) for _ in rows[0]]
    lines = terminal([head, *rows], width=80)
    assert max(map(shown_width, lines)) <= 80
    text = " ".join(lines)
    for _, *numbers in rows:
        assert all(f"{number.text} {number.interval}" in text for number in numbers)


def test_wide_signs_take_two_columns_and_joining_ones_none() -> None:
    assert shown_width("模型 é") == 6 and shown_width("e\u0301") == 1
    assert terminal([["模型", "n"], ["A", "x"]]) == ["模型  n", "A     x"]


def test_a_name_cannot_steer_the_terminal_or_break_the_line() -> None:
    assert terminal([["system"], ["A\x1b[31m\nB"]]) == ["system", "A\ufffd[31m\ufffdB"]


@pytest.mark.parametrize("colour", [True, False])
def test_colours_are_around_what_is_marked_alone(colour: bool) -> None:
    cells = [
        ["s", "F"],
        ["A", Number(0.5, 0.1, 0.9, mark="best")],
        ["B", Number(0.4, mark="alike")],
        ["C", Number(0.1)],
    ]
    head, best, alike, rest = terminal(cells, colour=colour)
    assert ("\x1b[32m\x1b[1m0.5000*\x1b[0m" in best) is colour
    assert ("\x1b[32m0.4000~\x1b[0m" in alike) is colour
    assert "\x1b" not in rest and ("\x1b[1mF" in head) is colour
    plain = [re.sub(r"\x1b\[\d+m", "", line).rstrip() for line in (head, best, alike, rest)]
    assert plain == terminal(cells)


def shown(column: Column) -> list[list[str]]:
    return [[line.padded(line.width, colour=False) for line in cell] for cell in column.rows]


def test_words_are_broken_at_spaces_and_an_arrow_stays_with_its_word() -> None:
    column = column_of(["one two three ↑", "x"]).wrapped(8)
    assert shown(column) == [["one two", "three ↑"], ["x"]]


def test_a_spec_is_broken_after_its_parenthesis_and_before_its_parameters() -> None:
    column = column_of(["h", "Consistency(aligner='D', stopwords=False)"])
    assert shown(column.wrapped(20))[1] == ["Consistency(", "aligner='D',", "stopwords=False)"]
    assert shown(column.wrapped(30))[1] == ["Consistency(aligner='D',", "stopwords=False)"]


def test_a_word_longer_than_the_column_is_broken_anywhere_and_nothing_is_lost() -> None:
    column = column_of(["h", "abcdefghij kl 模型模型"]).wrapped(4)
    assert shown(column)[1] == ["abcd", "efgh", "ij", "kl", "模型", "模型"]


def test_a_head_is_never_narrower_than_its_longest_word_nor_than_the_numbers() -> None:
    head = "Consistency(aligner='D') score ↑"
    assert shown(column_of([head, Number(1)]).with_narrow_head())[0] == ["Consistency(", "aligner='D')", "score ↑"]
    wide = column_of(["a b c", Number(0.1, 0.2, 0.3)]).with_narrow_head()
    assert shown(wide)[0] == ["a b c"]


STEERING = "\x00\x07\x1b\x7f\x85\x9b\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069"


@pytest.mark.parametrize("sign", STEERING, ids=ascii)
def test_a_sign_that_steers_is_replaced_one_for_one(sign: str) -> None:
    assert harmless(f"a{sign}b") == harmless(f"a{sign}b", lines=True) == "a\ufffdb"


def test_line_ends_and_tabs_are_left_where_lines_may_end() -> None:
    assert harmless("a\n\tb\rc", lines=True) == "a\n\tb\ufffdc"
    assert harmless("a\n\tb\rc") == "a\ufffd\ufffdb\ufffdc"


def test_what_letters_need_is_left() -> None:
    text = "é 日本 مرحبا שלום नमस्ते 👩\u200d🚀 e\u0301 a\u00a0b \u200c"
    assert harmless(text) == text


def test_json_stands_for_the_same_without_them() -> None:
    record = {"name " + STEERING: ["مرحبا", STEERING, 1.5]}
    text = harmless_json(json.dumps(record, ensure_ascii=False, indent=2))
    assert json.loads(text) == record
    assert not set(STEERING) & set(text)

"""How cells are broken into lines."""

from __future__ import annotations

from nlgauge.show.tables.cell import Number
from nlgauge.show.tables.columns import Column, column_of


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

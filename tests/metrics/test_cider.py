"""CIDEr: values by hand, the numbers of the COCO program, and what it counts on the corpus."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nlgauge.data.corpus import Row
from nlgauge.metrics.cider import CIDEr
from tests.metrics.strings import scored

ROWS = [
    Row(text, tuple(references), item=str(item))
    for item, (text, references) in enumerate(
        [
            ("a cat sat on the mat", ["the cat sat on a mat", "a cat sat there"]),
            ("two dogs run", ["two dogs run fast", "dogs run"]),
            ("rain fell all day long", ["it rained all day"]),
            ("the the the cat", ["the cat sat"]),
        ]
    )
]
# pycocoevalcap 1.2, CiderScorer(n=4, sigma=6.0), on these rows.
COCO = [3.477130240587765, 4.824071717646683, 1.814346756877765, 1.3231126199689265]


def test_cider_d_has_the_numbers_of_the_coco_program() -> None:
    found = scored(CIDEr(tokenizer="spaces"), ROWS)
    np.testing.assert_allclose([value.parts[0] for value in found], COCO, rtol=1e-12)


def test_worked_by_hand() -> None:
    given = [Row("x y", ("x z",), item="1"), Row("y", ("y",), item="2")]
    # x, z and y stand in one item each and weigh log 2; of two words one is shared.
    plain = scored(CIDEr(variant="plain", ngram=1, tokenizer="spaces"), given)
    assert [value.parts[0] for value in plain] == pytest.approx([5, 10])
    given = [Row("x x x", ("x",), item="1"), Row("y", ("y",), item="2")]
    # Clipped: 1 * 1 over the lengths 3 * 1; two words longer than the reference.
    clipped = scored(CIDEr(ngram=1, tokenizer="spaces"), given)[0].parts[0]
    assert clipped == pytest.approx(10 / 3 * math.exp(-4 / 72))
    assert scored(CIDEr(variant="plain", ngram=1, tokenizer="spaces"), given)[0].parts[0] == pytest.approx(10)


def test_undefined() -> None:
    reasons = [
        value.reason for value in scored(CIDEr(tokenizer="spaces"), [*ROWS, Row("", ("a",)), Row("a", ("",)), Row("a")])
    ]
    assert reasons == [None] * 4 + ["the candidate has no words", "no reference has words", "no reference"]
    (alone,) = scored(CIDEr(tokenizer="spaces"), ROWS[:1])
    assert alone.reason and "one item" in alone.reason


def test_without_a_word_of_weight_there_is_no_value() -> None:
    """Where all items have all words of a reference, each idf is 0 and the cosine is 0 over 0."""
    same = [Row("a cat sits", ("a cat sits",), item=str(item)) for item in range(2)]
    other = Row("a dog runs", ("a cat sits",), item="3")
    for value in scored(CIDEr(tokenizer="spaces"), [*same, other]):
        assert math.isnan(value.parts[0])
        assert value.reason == "all items have each word of the reference, so that no word has a weight"
    values = scored(CIDEr(tokenizer="spaces"), [*same, Row("a dog", ("a dog",), item="3")])
    assert all(value.reason is None for value in values) and values[0].parts[0] > 5
    # One reference with a weight is enough, and a candidate without one is unlike it.
    values = scored(CIDEr(tokenizer="spaces"), [Row("a", ("a b", "a"), item="1"), Row("a", ("a c",), item="2")])
    assert [value.parts[0] for value in values] == [0, 0]

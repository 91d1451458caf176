"""SARI: the numbers of the authors' program and of the fixed one, and of summed counts."""

from __future__ import annotations

import math

import numpy as np
import pytest

import nlgauge
from nlgauge.data.corpus import Corpus, Row
from nlgauge.metrics.sari import SARI
from tests.metrics.strings import scored

SOURCE = "About 95 species are currently accepted ."
REFERENCES = (
    "About 95 species are currently known .",
    "About 95 species are now accepted .",
    "95 species are now accepted .",
)
OUTPUTS = ("About 95 you now get in .", "About 95 species are now agreed .", "About 95 species are currently agreed .")
ROWS = [Row(text, REFERENCES, SOURCE, item=str(n)) for n, text in enumerate(OUTPUTS)]


@pytest.mark.parametrize(
    ("variant", "wanted"),
    [
        # The example of the authors' program, and of Hugging Face's (its first sentence).
        ("original", [26.82782411698074, 58.89995423074248, 50.71608864657478]),
        ("fixed", [26.953601953601954, None, None]),
    ],
)
def test_numbers_of_the_published_programs(variant: str, wanted: list[float | None]) -> None:
    found = scored(SARI(variant=variant, tokenizer="spaces"), ROWS)
    for got, want in zip(found, wanted, strict=True):
        assert want is None or got.parts[0] == pytest.approx(want, rel=1e-12)
        assert got.parts[0] == pytest.approx(sum(got.parts[1:]) / 3)


def test_worked_by_hand() -> None:
    # Of a b c the output keeps a b, deletes c and adds d; the reference keeps a, deletes b and c, adds d and e.
    got = scored(SARI(tokenizer="spaces"), [Row("a b d", ("a d e",), "a b c")])[0].parts
    add = [2 * 1 * 0.5 / 1.5, 0, 0, 1]  # "d" of "d", "e"; none of "b d"; "a b d" is not "a d e"; nothing of 4 words
    keep = [2 * 0.5 * 1 / 1.5, 0, 1, 1]  # of "a", "b" one is right; "a b" is wrong; nothing of 3 words is kept
    delete = [1, 1, 1, 1]  # "c"; "b c"; "a b c"; nothing of 4 words
    assert got[1:] == pytest.approx([25 * sum(add), 25 * sum(keep), 25 * sum(delete)])


def test_of_a_system_counts_are_summed() -> None:
    table = nlgauge.evaluate(Corpus(tuple(ROWS)), metrics=SARI(tokenizer="spaces"))
    whole = {score.part: score for score in table.by_system()}
    assert list(whole) == ["sari", "add", "keep", "delete"]
    assert all(score.whole and score.n == 3 for score in whole.values())
    counts = np.array([value.counts for value in scored(SARI(tokenizer="spaces"), ROWS)]).sum(axis=0)
    good, ours, theirs = counts[:4], counts[4:8], counts[8:12]
    precision, recall = (good / ours).mean(), (good / theirs).mean()
    assert whole["add"].mean == pytest.approx(100 * 2 * precision * recall / (precision + recall))
    # By hand, one word: added are you, now, get, in | now, agreed | agreed; the references add known and now.
    assert (counts[0], counts[4], counts[8]) == (2, 7, 6)
    assert whole["sari"].mean == pytest.approx(np.mean([whole[part].mean for part in ("add", "keep", "delete")]))


def test_undefined() -> None:
    given = [Row("a", ("b",)), Row("a", ("b",), "  "), Row("a", (), "c"), Row("a", (" ",), "c"), Row("", ("b",), "c")]
    found = scored(SARI(tokenizer="spaces"), given)
    assert [value.reason for value in found] == [
        "no source", "the source has no words", "no reference", "no reference has words", "the candidate has no words",
    ]  # fmt: skip
    assert all(math.isnan(part) for value in found for part in value.parts)
    assert [value.counts is None for value in found] == [True] * 4 + [False]

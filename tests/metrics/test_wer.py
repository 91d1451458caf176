"""WER and CER: by hand, beside jiwer where it is installed, and of a system."""

from __future__ import annotations

import pytest

import nlgauge
from nlgauge.data.corpus import Corpus, Row
from nlgauge.metrics import translation as wer
from nlgauge.metrics.translation import CER, WER
from tests.metrics.strings import LINES, rows, scored, value

pytest.importorskip("rapidfuzz", reason="needs nlgauge[strings]")


def test_worked_by_hand() -> None:
    assert value(WER(), "the cat sat on it", "The cat sat on a mat") == pytest.approx(100 * 3 / 6)
    assert value(WER(lowercase=True), "the cat sat on it", "The cat sat on a mat") == pytest.approx(100 * 2 / 6)
    assert value(WER(), "a b c d", "a") == 300
    assert value(CER(), " kitten  x", "sitting x") == pytest.approx(100 * 3 / 9)


@pytest.mark.parametrize("kind", [WER, CER])
def test_rows_and_systems_have_the_numbers_of_jiwer(kind: type[WER]) -> None:
    jiwer = pytest.importorskip("jiwer", reason="jiwer is not installed")
    theirs = {WER: jiwer.wer, CER: jiwer.cer}[kind]
    lines = [(text, references[:1]) for text, references in LINES]
    assert [one.parts[0] for one in scored(kind(), rows(lines))] == pytest.approx(
        [100 * theirs(reference, text) for text, (reference,) in lines]
    )
    table = nlgauge.evaluate(Corpus(tuple(rows(lines))), metrics=kind())
    wanted = 100 * theirs([reference for _, (reference,) in lines], [text for text, _ in lines])
    assert table.by_system()[0].mean == pytest.approx(wanted)


def test_of_several_references_the_lowest_rate_counts_for_row_and_system() -> None:
    some = [Row("a b c", ("a b x y", "a b c d e f g h")), Row("a", ("a",), item="2")]
    assert scored(WER(), some)[0].parts == (50.0,)
    assert scored(WER(references="mean"), some)[0].parts == (pytest.approx((50 + 62.5) / 2),)
    assert nlgauge.evaluate(Corpus(tuple(some)), metrics="WER").by_system()[0].mean == pytest.approx(100 * 2 / 5)


def test_texts_that_would_take_hours_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wer, "_MOST_EDITED", 3)
    (found,) = scored(WER(empty="worst"), [Row("a b", ("a b",))])
    assert found.reason == "the texts are too long to be compared"

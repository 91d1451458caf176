"""Aligners on features by hand; tests/metrics/test_ctc.py has what becomes of their alignments."""

import numpy as np
import pytest

from nlgauge.engine.features.alignment import AlignedStretch, Alignment, AlignmentRequest, QuotedSentence
from nlgauge.engine.features.request import Features
from nlgauge.metrics.aligners import BOTH, Direction, TrainedAligner, shown
from tests.metrics.pieces import pieces

TEXT = pieces("lib|rary of Rome !", [[1.0, 0], [0.6, 0.8], [0, 1], [0.8, -0.6], [1, 0]])


def direction(*others):
    return Direction("candidate", TEXT.text, BOTH.join(["source", "context", "history"][: len(others)]), others)


def alignment_of(logits, *stretches, quotes=(), nearest=(-1,) * 5):
    return Alignment(
        TEXT.text, TEXT.offsets, np.array(logits, np.float32), 0.25, stretches, quotes, np.array(nearest, np.int32)
    )


def test_a_trained_aligner_says_what_was_read_and_where_each_word_is_likest_to_be_from():
    one, other = "Rome has it. A library.", "It rained."
    quotes = QuotedSentence(0, 0, 12), QuotedSentence(0, 13, 23), QuotedSentence(1, 0, 10)
    stretches = AlignedStretch(0, 15, np.log(3) * 2, (0, 1)), AlignedStretch(16, 17, np.nan, (2,))
    known = alignment_of([-5, -3, -5, 4, 9], *stretches, quotes=quotes, nearest=[1, 1, -1, 0, 0])
    request = AlignmentRequest(TEXT.text, (one, other), "windows")
    asked = direction(one, "?!", other)
    aligned = TrainedAligner(True, False, 0.5, "windows", temperature=2.0).align(asked, Features({request: known}))
    words = shown(asked, aligned, 0.5)
    assert [stretch.supported for stretch in words.stretches] == [pytest.approx(0.75), None]
    assert [(quote.name, quote.text) for quote in words.quotes] == [
        ("source", "Rome has it."), ("source", "A library."), ("history", "It rained."),
    ]  # fmt: skip
    assert [(word.text, word.quote) for word in words.words] == [("library", 1), ("of", None), ("Rome", 0)]
    assert words.unsupported == [(0, 10)]
    assert TEXT.text[0:10] == "library of"

"""Aligners on features by hand; tests/metrics/test_ctc.py has what becomes of their alignments."""

import numpy as np
import pytest

from nlgauge.engine.features.alignment import AlignedStretch, Alignment, AlignmentRequest, QuotedSentence
from nlgauge.engine.features.request import Features
from nlgauge.engine.features.vectors import VectorsRequest
from nlgauge.metrics.aligners import BOTH, Direction, EmbeddingAligner, TrainedAligner, shown, word_units
from tests.metrics.pieces import pieces

TEXT = pieces("lib|rary of Rome !", [[1.0, 0], [0.6, 0.8], [0, 1], [0.8, -0.6], [1, 0]])
OTHER = pieces("w1", [[0, 1.0], [3.0, 0], [0, 1.0]], frame=True)


def direction(*others):
    return Direction("candidate", TEXT.text, BOTH.join(["source", "context", "history"][: len(others)]), others)


def test_words_that_count_are_no_punctuation_and_no_stop_words_unless_they_may():
    units = word_units(TEXT.text, TEXT.offsets, True)
    assert units.starts.tolist() == [0, 2, 3, 4]
    assert [TEXT.text[a:b] for a, b in units.spans] == ["library", "of", "Rome", "!"]
    assert units.counted.tolist() == [True, True, True, False]
    assert word_units(TEXT.text, TEXT.offsets, False).counted.tolist() == [True, False, True, False]
    assert word_units("of", np.array([[0, 2]]), False).reason == "nothing but stop-words"
    assert word_units("?", np.array([[0, 1]]), False).reason == "no words"


def embedded(aligner, others):
    features = {VectorsRequest(one.text, (2,)): one for one in (TEXT, *others)}
    return aligner.align(direction(*(one.text for one in others)), Features(features))


def test_embeddings_match_the_most_similar_sub_word_of_any_other_text():
    aligner = EmbeddingAligner(2, True)
    assert aligner.requests(direction("a", "b")) == [VectorsRequest(text, (2,)) for text in (TEXT.text, "a", "b")]
    one = embedded(aligner, [OTHER])
    assert one.alignment == pytest.approx([(1 + 0.6) / 2, 0, 0.8])
    assert [TEXT.text[a:b] for a, b in one.spans] == ["library", "of", "Rome"]
    both = embedded(aligner, [OTHER, pieces("w2", [[0, 1.0]])])
    assert both.alignment == pytest.approx([(1 + 0.8) / 2, 1, 0.8])
    assert embedded(aligner, [pieces("?", [[1, 1.0]])]) == "no words in the source"


def test_a_baseline_is_taken_off_before_alignments_are_kept_above_nothing():
    assert embedded(EmbeddingAligner(2, True, 0.7), [OTHER]).alignment == pytest.approx([(1 + 0) / 2, 0, 0.1 / 0.3])


def alignment_of(logits, *stretches, quotes=(), nearest=(-1,) * 5):
    return Alignment(
        TEXT.text, TEXT.offsets, np.array(logits, np.float32), 0.25, stretches, quotes, np.array(nearest, np.int32)
    )


@pytest.mark.parametrize(("aggregate", "alignment"), [(False, [0.5, 1 / (1 + np.exp(-4))]), (True, [0.25, 0.25])])
def test_trained_aligners_give_words_their_own_confidence_or_the_share(aggregate, alignment):
    aligner = TrainedAligner(False, aggregate, 0.7)
    known = alignment_of([-1, 1, 9, 4, 9])
    request = AlignmentRequest(TEXT.text, ("w1", "w2"))
    assert aligner.requests(direction("w1", " ?", "w2")) == [request]
    assert aligner.align(direction("w1", " ?", "w2"), Features({request: known})).alignment == pytest.approx(alignment)
    assert aligner.align(direction("w1", "w2"), Features({request: None})) == "the candidate has no words"
    assert aligner.requests(direction("?")) == []
    assert aligner.align(direction("?"), Features({})) == "no words in the source"
    assert aligner.shows_words is not aggregate and aligner.weak == 0.7


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

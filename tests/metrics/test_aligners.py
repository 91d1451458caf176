"""Aligners on features by hand; tests/metrics/test_ctc.py has what becomes of their alignments."""

import numpy as np
import pytest

from nlgauge.engine.features.alignment import Alignment, AlignmentRequest
from nlgauge.engine.features.request import Features
from nlgauge.engine.features.vectors import VectorsRequest
from nlgauge.metrics.aligners import Direction, Embeddings, Trained, word_units
from tests.metrics.pieces import pieces

TEXT = pieces("lib|rary of Rome !", [[1.0, 0], [0.6, 0.8], [0, 1], [0.8, -0.6], [1, 0]])
OTHER = pieces("w1", [[0, 1.0], [3.0, 0], [0, 1.0]], frame=True)


def direction(*others):
    return Direction("candidate", TEXT.text, "source", others)


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
    aligner = Embeddings(2, True)
    assert aligner.requests(direction("a", "b")) == [VectorsRequest(text, (2,)) for text in (TEXT.text, "a", "b")]
    one = embedded(aligner, [OTHER])
    assert one.alignment == pytest.approx([(1 + 0.6) / 2, 0, 0.8])
    assert [TEXT.text[a:b] for a, b in one.spans] == ["library", "of", "Rome"]
    both = embedded(aligner, [OTHER, pieces("w2", [[0, 1.0]])])
    assert both.alignment == pytest.approx([(1 + 0.8) / 2, 1, 0.8])
    assert embedded(aligner, [pieces("?", [[1, 1.0]])]) == "no words in the source"


def test_a_baseline_is_taken_off_before_alignments_are_kept_above_nothing():
    assert embedded(Embeddings(2, True, 0.7), [OTHER]).alignment == pytest.approx([(1 + 0) / 2, 0, 0.1 / 0.3])


@pytest.mark.parametrize(("aggregate", "alignment"), [(False, [0.5, 1 / (1 + np.exp(-4))]), (True, [0.25, 0.25])])
def test_trained_aligners_give_words_their_own_confidence_or_the_share(aggregate, alignment):
    aligner = Trained(False, aggregate, 0.7)
    known = Alignment(TEXT.text, TEXT.offsets, np.array([-1, 1, 9, 4, 9], np.float32), 0.25)
    request = AlignmentRequest(TEXT.text, ("w1", "w2"))
    assert aligner.requests(direction("w1", " ?", "w2")) == [request]
    assert aligner.align(direction("w1", " ?", "w2"), Features({request: known})).alignment == pytest.approx(alignment)
    assert aligner.align(direction("w1", "w2"), Features({request: None})) == "the candidate has no words"
    assert aligner.requests(direction("?")) == []
    assert aligner.align(direction("?"), Features({})) == "no words in the source"
    assert aligner.shows_words is not aggregate and aligner.weak == 0.7

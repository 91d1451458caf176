"""Document frequencies for any tokenizer: the embedded model's own where it is the same, and sense where it is not."""

from dataclasses import replace

import numpy as np
import pytest

from nlgauge.engine.models.capabilities import TOKENIZER
from nlgauge.engine.models.card import ModelCard
from nlgauge.engine.models.general import general_frequencies
from nlgauge.engine.models.loading import load

TEXT = (
    "The bridge over the river was closed in the summer of the year, and the mathematics of the beams was the reason. "
    "A sonata for the violin was heard by the people of the town. Nobody had seen the owl. The owl, however, was there."
)


@pytest.fixture(scope="module")
def pocket():
    return load("pocket")


def test_with_the_same_tokenizer_whole_words_have_their_own_counts(pocket):
    known, counted = pocket.card.document_frequencies, general_frequencies(replace(pocket, card=ModelCard()))
    assert counted.documents == known.documents
    tokens = np.flatnonzero(known.counts)
    whole = np.array([i for i in tokens if pocket[TOKENIZER].piece(i)[0] not in "#["])
    same = counted.counts[whole] == known.counts[whole]
    assert same.mean() > 0.999, "all but what the tokenizer writes in another way, such as ligatures"
    assert (counted.counts[[100, 101, 102, 103]] == 0).all(), "special tokens"
    assert counted.counts.shape == known.counts.shape

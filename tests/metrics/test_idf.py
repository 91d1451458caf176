import numpy as np
import pytest

from nlgauge.data.corpus import Corpus
from nlgauge.engine.engine import Engine
from nlgauge.metrics.base import Setup
from nlgauge.metrics.model_settings import idf_table
from tests.engine.fake import WORDS, FakeModel
from tests.metrics.pieces import row

ROWS = (row("w1 w2", "w1 w3", "w2"), row("w1", "w1 w3"))


def setup(rows=ROWS, card=None) -> Setup:
    return Setup(Corpus(tuple(rows)), Engine(FakeModel(card=card)))


@pytest.mark.parametrize(
    ("idf", "documents", "counts"),
    [
        ("references", 2, {"w1": 1, "w2": 1, "w3": 1}),
        ("candidates", 2, {"w1": 2, "w2": 1}),
        ("union", 4, {"w1": 3, "w2": 2, "w3": 1}),
    ],
)
def test_a_table_counts_each_text_of_the_rows_once(idf, documents, counts):
    expected = [np.log((documents + 1) / (counts.get(word, 0) + 1)) for word in WORDS]
    np.testing.assert_allclose(idf_table(idf, setup()).values, expected)
    assert idf_table(idf, setup(ROWS * 3)) == idf_table(idf, setup()), "equal where the digests are"

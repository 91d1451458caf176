"""Labelled texts as rows: labels by place, both texts, what is left out."""

import numpy as np

from nlgauge.engine.engine import Engine
from nlgauge.engine.features.alignment import AlignmentRequest
from nlgauge.engine.tokens import SubwordTokenizer
from nlgauge_lab.training.aligner_rows import Shape, encode
from nlgauge_lab.training.labelled import Labelled
from tests.engine.fake import WORDS, FakeModel, tiny_tokenizer

SHAPE = Shape(row=24, stretch=8, sentence=6, whole=12)


def rows(*texts: Labelled, shape: Shape = SHAPE):
    tokenizer = SubwordTokenizer(tiny_tokenizer(), "[MASK]", "[PAD]")
    return encode(texts, tokenizer, np.ones(len(WORDS)), shape)


def test_a_text_whose_unsupported_words_are_unknown_is_read_at_once_or_not_at_all():
    short, long = "w1 w2 w3 w4 w5\nw6 w7 w8 w9 w10", "w1 w2 w3 w4 w5\n" * 3
    found = rows(
        Labelled("w1", short, None, False), Labelled("w1", long, None, False), Labelled("w1", long, None, True)
    )
    assert [len(some) for some in found] == [1, 0, 3]
    assert found[0][0].text == 0 and (found[0][0].labels == -1).all()
    assert all(row.text == 1 and (row.labels == 1).all() for row in found[2])


def test_a_text_without_words_makes_no_row():
    assert rows(Labelled("w1", "", (), True), Labelled("w1", "! !", (), True)) == [[], []]
    ((unknown,),) = rows(Labelled("w1", "w2", None, False))
    assert unknown.text == 0


def test_rows_are_those_that_the_aligner_reads_in_use():
    class Reading(FakeModel):
        def __init__(self):
            super().__init__(window=24)
            self.read = []

        def align(self, ids, attend, side):
            for own, there, marks in zip(ids, attend, side, strict=True):
                self.read.append((own[there == 1].tolist(), marks[there == 1].tolist()))
            return super().align(ids, attend, side)

    long = "\n".join(f"w{i} w{i + 1} w{i + 2} w{i + 3}" for i in range(0, 36, 4))
    texts = ["w13 w14 w30", "w1 w2. w3 w4 \n w5 w6 w7 w8 w9 w10 w11 \n w12", "w2 w9 " * 12]
    for source in (long, "w13 w4", "w1. w2\n" * 30):
        model = Reading()
        Engine(model).features([AlignmentRequest(text, (source,)) for text in texts])
        labelled = [Labelled(source, text, (), True) for text in texts]
        made = [row for some in rows(*labelled, shape=Shape(row=24)) for row in some]
        trained = [(row.ids.tolist(), row.side.tolist()) for row in made]
        # Where nothing is shared all is read in use, and the beginning in training.
        assert all(row in model.read for row in trained)
        assert source.startswith("w1.") or sorted(trained) == sorted(model.read)

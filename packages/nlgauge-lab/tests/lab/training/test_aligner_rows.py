"""Labelled texts as rows: labels by place, both texts, what is left out."""

import numpy as np
import pytest

from nlgauge.engine.engine import Engine
from nlgauge.engine.features.alignment import AlignmentRequest
from nlgauge.engine.tokens import SubwordTokenizer
from nlgauge_lab.training.aligner_rows import Encoded, Shape, encode, padded, side_by_side
from nlgauge_lab.training.labelled import Labelled
from tests.engine.fake import WORDS, FakeModel, tiny_tokenizer

SHAPE = Shape(row=24, stretch=8, sentence=6, whole=12)


def rows(*texts: Labelled, shape: Shape = SHAPE):
    tokenizer = SubwordTokenizer(tiny_tokenizer(), "[MASK]", "[PAD]")
    return encode(texts, tokenizer, np.ones(len(WORDS)), shape)


def test_words_are_labelled_by_their_places():
    ((row,),) = rows(Labelled("w1 w2", "w1 ! w9", ((5, 7),), False))
    assert row.labels.tolist() == [1, -1, 0]  # "!" is no word
    assert row.ids.tolist() == [2, 6, 1, 14, 3, 6, 7, 3]
    assert row.side.tolist() == [0, 0, 0, 0, 0, 1, 1, 0]
    assert row.word.tolist() == [-1, 0, 1, 2, -1, -1, -1, -1]
    assert row.text == 0
    ((half,),) = rows(Labelled("w1", "w1 w2 w3", ((3, 4),), False, ((0, 2), (3, 5))))
    assert half.labels.tolist() == [1, 0, -1]  # a span that touches a word is about it; w3 was not judged


def test_a_question_is_read_apart_and_searched_by():
    ((row,),) = rows(Labelled("w1 w2", "w1", (), True, question="w7 w8", contradicted=None))
    assert row.ids.tolist() == [2, 6, 3, 12, 13, 3, 6, 7, 3]
    assert row.side.tolist() == [0, 0, 0, 2, 2, 2, 1, 1, 0]
    assert row.word.tolist() == [-1, 0, *[-1] * 7]
    source = "\n".join(f"w{i} w{i + 1} w{i + 2} w{i + 3}" for i in range(0, 36, 4))
    ((row,),) = rows(Labelled(source, "w39", (), True, question="w21 w22"))
    assert {26, 27} <= set(row.ids[row.side == 1].tolist())  # what the question asks for
    ((denied,),) = rows(Labelled("w1", "w2", None, False, contradicted=True))
    ((silent,),) = rows(Labelled("w1", "w2", None, False, contradicted=False))
    ((kept,),) = rows(Labelled("w1", "w1", (), True, contradicted=None))
    assert (denied.against, silent.against, kept.against) == (1, 0, -1)


def test_a_long_text_is_several_rows_and_each_knows_whether_it_is_supported():
    text = "w1 w2 w3 w4 w5\nw6 w7 w8 w9 w10"
    first, second = rows(Labelled("w1 w2", text, ((15, 17),), False))[0]
    assert first.labels.tolist() == [1] * 5 and first.text == 1
    assert second.labels.tolist() == [0, 1, 1, 1, 1] and second.text == 0
    assert second.word[1] == 0  # words are counted anew


def test_a_text_whose_unsupported_words_are_unknown_is_read_at_once_or_not_at_all():
    short, long = "w1 w2 w3 w4 w5\nw6 w7 w8 w9 w10", "w1 w2 w3 w4 w5\n" * 3
    found = rows(
        Labelled("w1", short, None, False), Labelled("w1", long, None, False), Labelled("w1", long, None, True)
    )
    assert [len(some) for some in found] == [1, 0, 3]
    assert found[0][0].text == 0 and (found[0][0].labels == -1).all()
    assert all(row.text == 1 and (row.labels == 1).all() for row in found[2])


def test_of_a_long_source_the_sentences_that_matter_are_read():
    source = "\n".join(f"w{i} w{i + 1} w{i + 2} w{i + 3}" for i in range(0, 36, 4))
    ((row,),) = rows(Labelled(source, "w13 w14 w30", (), True))
    assert len(row.ids) <= SHAPE.row
    read = row.ids[row.side == 1].tolist()
    number = SubwordTokenizer(tiny_tokenizer(), "[MASK]", "[PAD]").token_id
    assert {number("w13"), number("w14"), number("w30")} <= set(read)
    ((empty,),) = rows(Labelled(source, "w39", (), True))  # nothing is shared: something is read all the same
    assert (empty.side == 1).any()


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


def encoded(size: int, words: int, **changes) -> Encoded:
    word = np.full(size, -1, np.int32)
    word[1 : 1 + words] = np.arange(words)
    ids, side = np.arange(size, dtype=np.int32), np.zeros(size, np.int8)
    return Encoded(ids, side, word, np.ones(words, np.int8), 1, **changes)


def test_rows_stand_side_by_side():
    torch = pytest.importorskip("torch", reason="training needs nlgauge-lab[train]")
    batch = side_by_side([encoded(6, 2), encoded(9, 3, marked=False, against=1)], 7, 0.25, torch.from_numpy)
    assert batch.ids.shape == batch.side.shape == (2, 48)
    assert batch.ids[0, 6:].unique().tolist() == [7] and batch.attend.sum(1).tolist() == [6, 9]
    assert batch.word.tolist() == [0, 1, 2, 3, 4] and batch.row.tolist() == [0, 0, 1, 1, 1]
    assert batch.pieces.tolist() == [1, 2, 49, 50, 51]
    assert batch.weight.tolist() == [1, 1, 0.25, 0.25, 0.25]
    assert batch.against.tolist() == [-1, 1]


def test_lengths_are_few():
    assert [padded(length) for length in (1, 48, 49, 320, 321)] == [48, 48, 64, 320, 384]

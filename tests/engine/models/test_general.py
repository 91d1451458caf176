"""Document frequencies for any tokenizer: the embedded model's own where it is the same, and sense where it is not."""

from dataclasses import replace

import numpy as np
import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from nlgauge.engine.models.capabilities import TOKENIZER
from nlgauge.engine.models.card import DocumentFrequencies, ModelCard
from nlgauge.engine.models.general import general_frequencies
from nlgauge.engine.models.loading import load
from nlgauge.engine.tokens import SubwordTokenizer
from tests.engine.fake import FakeModel

TEXT = (
    "The bridge over the river was closed in the summer of the year, and the mathematics of the beams was the reason. "
    "A sonata for the violin was heard by the people of the town. Nobody had seen the owl. The owl, however, was there."
)


@pytest.fixture(scope="module")
def pocket():
    return load("pocket")


@pytest.fixture(scope="module")
def bpe():
    """A tokenizer of bytes with capitals, whose vocabulary is all words of a small text."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=2000, special_tokens=["<pad>", "<mask>"], initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator([TEXT, TEXT.lower()] * 3, trainer)
    return SubwordTokenizer(tokenizer, "<mask>", "<pad>")


def test_a_model_with_a_table_keeps_it(pocket):
    assert general_frequencies(pocket) is pocket.card.document_frequencies
    table = DocumentFrequencies(np.arange(45), 99)
    assert general_frequencies(FakeModel(card=ModelCard(document_frequencies=table))) is table


def test_with_the_same_tokenizer_whole_words_have_their_own_counts(pocket):
    known, counted = pocket.card.document_frequencies, general_frequencies(replace(pocket, card=ModelCard()))
    assert counted.documents == known.documents
    tokens = np.flatnonzero(known.counts)
    whole = np.array([i for i in tokens if pocket[TOKENIZER].piece(i)[0] not in "#["])
    same = counted.counts[whole] == known.counts[whole]
    assert same.mean() > 0.999, "all but what the tokenizer writes in another way, such as ligatures"
    assert (counted.counts[[100, 101, 102, 103]] == 0).all(), "special tokens"
    assert counted.counts.shape == known.counts.shape


def test_a_frequent_word_occurs_in_more_documents_than_a_rare_one(bpe):
    model = FakeModel(card=ModelCard())
    model.abilities[TOKENIZER] = bpe
    table = general_frequencies(model)
    count = {bpe.piece(token): table.counts[token] for token in range(bpe.vocabulary)}
    assert count["Ġthe"] > count["Ġriver"] > count["Ġmathematics"] > count["Ġsonata"] > 0
    assert count["Ġthe"] > 0.9 * table.documents and count["The"] > 0.9 * table.documents
    assert count["."] > count["Ġbridge"] and count["<pad>"] == count["<mask>"] == 0
    assert (table.counts >= 0).all() and (table.counts <= table.documents).all()
    assert general_frequencies(model) is table, "counted once"


def test_a_part_of_many_words_occurs_at_least_where_each_of_them_does(bpe):
    pieces = [bpe.piece(token) for token in range(bpe.vocabulary)]
    model = FakeModel(card=ModelCard())
    model.abilities[TOKENIZER] = bpe
    table = general_frequencies(model)
    known = load("pocket")
    for word in ("zebra", "quartz", "banjo"):
        count = known.card.document_frequencies.counts[known[TOKENIZER].token_id(word)]
        inside = bpe.encode([f"a {word}"])[0].ids[1:]
        assert len(inside) > 1 and (table.counts[inside] >= count).all(), [pieces[i] for i in inside]

"""Words that both tokenisations agree on: the published example, odd text, and three kinds of sub-words."""

import functools

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from nlgauge.engine.models.loading import pocket_folder
from nlgauge.engine.segmentation import common_words, segmenter, spans
from nlgauge.engine.tokens import SubwordTokenizer
from nlgauge.errors import SpecError

SAMPLES = [
    "don't sleepwalk!",
    "  Two  spaces\tand\n\nlines ",
    "U.S. prices rose 3.5% to $1,000-ish (so it's said)…",
    "naïve café e\u0301 Ａ１ ﬁne",
    "图书馆五月重新开放。",
    "🙂👩‍👩‍👧🇨🇭 ok",
    "المكتبة تفتح في مايو",
    "[MASK] <extra_id_0> </s>",
    "\u00a0\u200b \ufeff",
    "x" * 60 + " " + "ab-" * 9,
]


@pytest.fixture(scope="module")
def kinds():
    """WordPiece, byte-level BPE and SentencePiece's unigrams, each trained on a few of our own lines."""
    lines = [*SAMPLES, "the cat sat on the mat", "a dog barked at the cat that slept"] * 3
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer, bpe.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    bpe.train_from_iterator(
        lines, trainers.BpeTrainer(vocab_size=330, initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    )
    unigram = Tokenizer(models.Unigram())
    unigram.normalizer = normalizers.NFKC()
    unigram.pre_tokenizer, unigram.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
    unigram.train_from_iterator(lines, trainers.UnigramTrainer(vocab_size=120, unk_token="<unk>"))
    pocket = SubwordTokenizer.read(str(pocket_folder() / "tokenizer.json"))
    return [pocket, SubwordTokenizer(bpe, None, None), SubwordTokenizer(unigram, None, None)]


def test_the_published_example():
    text = "don't sleepwalk!"
    offsets = np.array([(0, 3), (3, 4), (4, 5), (6, 11), (11, 15), (15, 16)], np.int32)
    numbers = common_words(text, offsets, [2, 5, 15, 16])
    assert numbers.tolist() == [0, 0, 0, 1, 1, 2]
    assert [text[a:b] for a, b in spans(text, offsets, numbers)] == ["don't", "sleepwalk", "!"]


def check(text, offsets, numbers):
    """Every sub-word is in one word, words follow each other and hold all that was read but white space."""
    assert len(numbers) == len(offsets)
    if not len(offsets):
        return
    assert numbers[0] == 0 and set(np.diff(numbers)) <= {0, 1}
    places = spans(text, offsets, numbers)
    assert (places[:, 0] <= places[:, 1]).all()
    assert (places[1:, 0] >= places[:-1, 1]).all()
    read = {i for a, b in offsets for i in range(a, b) if not text[i].isspace()}
    assert read <= {i for a, b in places for i in range(a, b)}


@functools.cache
def blank(language):
    return pytest.importorskip("spacy").blank(language)


@pytest.mark.parametrize("name", ["plain", "spacy", "spacy-de"])
@given(text=st.one_of(st.sampled_from(SAMPLES), st.text(max_size=40), st.text("ab '.-1é \n", max_size=40)))
@example(text="")
@settings(deadline=None, max_examples=12)
def test_boundaries_are_boundaries_of_both(kinds, name, text):
    if name != "plain":
        pytest.importorskip("spacy", reason="needs nlgauge[maskeval]")
    try:
        text.encode()
    except UnicodeError:
        return
    cut = segmenter(name)
    for tokenizer in kinds:
        (tokens,) = tokenizer.encode([text])
        numbers = cut(text, tokens.offsets)
        check(text, tokens.offsets, numbers)
        seams = np.flatnonzero(np.diff(numbers))
        ends = {int(tokens.offsets[: i + 1, 1].max()) for i in seams}
        if name != "plain":
            known = blank(name.partition("-")[2] or "en").tokenizer(text)
            assert ends <= {token.idx + len(token) for token in known}


def test_a_language_that_spacy_has_not():
    pytest.importorskip("spacy", reason="needs nlgauge[maskeval]")
    with pytest.raises(SpecError, match="spacy-qq"):
        segmenter("spacy-qq")

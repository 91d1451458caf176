from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

from nlgauge.engine.models.loading import pocket_folder
from nlgauge.engine.sentence_search import sentences
from nlgauge.engine.tokens import SubwordTokenizer
from nlgauge.engine.words import words
from nlgauge.errors import InputError
from tests.engine.fake import tiny_tokenizer


@pytest.fixture(scope="module")
def tokenizer():
    return SubwordTokenizer.read(str(pocket_folder() / "tokenizer.json"))


@pytest.mark.parametrize(
    "text", ["The  cat\tsat.", "naïve café", "雨が降る rain", "שלום עולם", "a 👩‍👩‍👧 b", "x\x00y", ""]
)
def test_offsets_lie_in_the_original_string_and_never_go_back(tokenizer, text):
    (tokens,) = tokenizer.encode([text])
    assert tokens.offsets.shape == (len(tokens), 2)
    flat = tokens.offsets
    assert ((flat[:, 0] >= 0) & (flat[:, 1] <= len(text)) & (flat[:, 0] <= flat[:, 1])).all()
    assert (np.diff(flat[:, 0]) >= 0).all()


def test_offsets_find_the_words(tokenizer):
    text = "Rain fell on the old mill."
    (tokens,) = tokenizer.encode([text])
    assert [text[begin:end].lower() for begin, end in tokens.offsets] == [
        "rain",
        "fell",
        "on",
        "the",
        "old",
        "mill",
        ".",
    ]


def test_special_tokens_written_in_a_text_are_text(tokenizer):
    (tokens,) = tokenizer.encode(["fill the [MASK] and [SEP] [CLS] [PAD]"])
    special = {tokenizer.mask_id, tokenizer.pad_id, *tokenizer.prefix, *tokenizer.suffix}
    assert not special & set(tokens.ids.tolist())
    assert "mask" in [tokenizer.piece(i) for i in tokens.ids]


def test_a_long_text_is_not_cut(tokenizer):
    (tokens,) = tokenizer.encode(["word " * 5000])
    assert len(tokens) == 5000


def test_frame_and_encoding_of_many_equals_one_by_one(tokenizer):
    texts = [f"text number {i} " * (i % 7) for i in range(2100)]
    together = tokenizer.encode(texts)
    assert len(together) == len(texts)
    for i in (0, 1, 5, 1023, 1024, 2099):
        assert tokenizer.encode([texts[i]])[0].ids.tolist() == together[i].ids.tolist()
    assert tokenizer.frame == 2


def test_digest_forgets_truncation_but_not_the_vocabulary():
    plain, cut, other = tiny_tokenizer(), tiny_tokenizer(), tiny_tokenizer()
    cut.enable_truncation(5)
    other.add_tokens(["new"])
    digests = [SubwordTokenizer(t, "[MASK]", "[PAD]").digest for t in (plain, cut, other)]
    assert digests[0] == digests[1] != digests[2]


def test_a_lone_surrogate_is_refused(tokenizer):
    with pytest.raises(InputError, match="lone surrogate"):
        tokenizer.encode(["fine", "bro\ud800ken"])


# ---- Where a sub-word stands, for every kind of tokenizer

TEXTS = [
    "Rain fell on the old mill. The cats sat down.",
    "Hello there  world.\n\nA cat\tsat.   The  end",
    " a lead \u00a0with\u00a0NBSP 日本語 テスト。次の文。 👩\u200d👩\u200d👧 e\u0301te\u0301 nai\u0308ve end \n",
    "\u3000全角 空白\u2028y\r\n  z\u0085",
    "word",
    "",
    " \t\u00a0\n ",
]
LEARNED = [*TEXTS, "the cat sat on the mat", "hello world, the rain fell", "cats and dogs"]
ALPHABET = pre_tokenizers.ByteLevel.alphabet()


def byte_level(trim: bool, prefix: bool) -> Tokenizer:
    """GPT-2's and RoBERTa's kind."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix, trim_offsets=trim)
    made.post_processor = processors.ByteLevel(add_prefix_space=prefix, trim_offsets=trim)
    made.train_from_iterator(
        LEARNED, trainers.BpeTrainer(vocab_size=340, initial_alphabet=ALPHABET, show_progress=False)
    )
    return made


def metaspace(scheme: str, split: bool = True) -> Tokenizer:
    """T5's, XLM-R's and newer Llamas' kind."""
    made = Tokenizer(models.Unigram())
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=scheme, split=split)
    made.train_from_iterator(LEARNED, unigram())
    return made


def unigram() -> trainers.UnigramTrainer:
    return trainers.UnigramTrainer(vocab_size=110, unk_token="<unk>", special_tokens=["<unk>"], show_progress=False)


def stripped() -> Tokenizer:
    """DeBERTa-v3's kind."""
    made = metaspace("always")
    made.normalizer = normalizers.Sequence([normalizers.Strip(), normalizers.Replace(Regex(" {2,}"), " ")])
    return made


def llama() -> Tokenizer:
    made = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True))
    made.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    trainer = trainers.BpeTrainer(vocab_size=90, special_tokens=["<unk>"], show_progress=False)
    made.train_from_iterator(LEARNED, trainer)
    return made


def plain_unigram() -> Tokenizer:
    made = Tokenizer(models.Unigram())
    made.train_from_iterator(LEARNED, unigram())
    return made


def word_piece() -> Tokenizer:
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=120, special_tokens=["[UNK]"], show_progress=False)
    made.train_from_iterator(LEARNED, trainer)
    return made


KINDS: dict[str, Callable[[], Tokenizer]] = {
    **{
        f"byte level, trim={trim}, prefix={prefix}": lambda trim=trim, prefix=prefix: byte_level(trim, prefix)
        for trim in (True, False)
        for prefix in (True, False)
    },
    **{f"metaspace {scheme}": lambda scheme=scheme: metaspace(scheme) for scheme in ("always", "first", "never")},
    "metaspace without a split": lambda: metaspace("always", split=False),
    "metaspace, stripped": stripped,
    "llama": llama,
    "unigram": plain_unigram,
    "word piece": word_piece,
}
WHOLE = [kind for kind in KINDS if kind not in ("metaspace without a split", "llama", "unigram")]
"""The kinds of which no token holds parts of two words"""


@pytest.fixture(scope="module", params=KINDS)
def any_kind(request: pytest.FixtureRequest) -> SubwordTokenizer:
    return SubwordTokenizer(KINDS[request.param](), None, None)


@pytest.mark.parametrize("text", TEXTS)
def test_no_sub_word_begins_or_ends_at_white_space(any_kind: SubwordTokenizer, text: str) -> None:
    tokenizer = any_kind
    (tokens,) = tokenizer.encode([text])
    raw = tokenizer._tokenizer.encode(text, add_special_tokens=False)
    assert tokens.ids.tolist() == raw.ids and tokens.offsets.shape == (len(raw.ids), 2)
    for (begin, end), (first, last) in zip(tokens.offsets.tolist(), raw.offsets, strict=True):
        assert 0 <= begin <= end <= len(text)
        assert text[begin:end] == text[begin:end].strip()
        assert text[begin:end] == text[first:last].strip(), "white space alone is taken away"
        if begin == end and text.strip():
            assert begin in (len(text.rstrip()), *(i for i, one in enumerate(text) if not one.isspace()))
    assert (np.diff(tokens.offsets, axis=0) >= 0).all()


@pytest.mark.parametrize("kind", WHOLE)
def test_the_words_are_those_of_the_text(kind: str) -> None:
    tokenizer = SubwordTokenizer(KINDS[kind](), None, None)
    text = " Rain fell  on the\told mill.\nThe cats\u00a0sat e\u0301te down "
    (tokens,) = tokenizer.encode([text])
    numbers = words(text, tokens.offsets)
    spans = [tokens.offsets[numbers == number] for number in range(int(numbers[-1]) + 1)]
    found = [text[one[0, 0] : one[-1, 1]] for one in spans]
    assert [word for word in found if word] == [
        "Rain", "fell", "on", "the", "old", "mill", ".", "The", "cats", "sat", "e\u0301te", "down",
    ]  # fmt: skip


@pytest.mark.parametrize("kind", WHOLE)
def test_a_sentence_begins_with_its_first_word(kind: str) -> None:
    tokenizer = SubwordTokenizer(KINDS[kind](), None, None)
    text = "The rain fell. A cat sat on the mat.  Hello world. "
    (tokens,) = tokenizer.encode([text])
    found = [tokens.offsets[begin:end] for begin, end in sentences(text, tokens, 99)]
    assert [text[one[0, 0] : one[-1, 1]] for one in found] == [
        "The rain fell.",
        "A cat sat on the mat.",
        "Hello world.",
    ]
    assert all(one[-1, 1] <= after[0, 0] for one, after in pairwise(found))

from collections.abc import Callable

import numpy as np
import pytest
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

from nlgauge.engine.models.general import _tokens_of
from nlgauge.engine.tokens import SubwordTokenizer
from tests.engine.fake import tiny_tokenizer


def test_digest_forgets_truncation_but_not_the_vocabulary():
    plain, cut, other = tiny_tokenizer(), tiny_tokenizer(), tiny_tokenizer()
    cut.enable_truncation(5)
    other.add_tokens(["new"])
    digests = [SubwordTokenizer(t, "[MASK]", "[PAD]").digest for t in (plain, cut, other)]
    assert digests[0] == digests[1] != digests[2]


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


WORDS = ["the", "cat", "mat", "été", "日", "1", ".", "“", "'", "…", "##", "[UNK]", "👩", "�"]


def test_the_tokens_of_a_word_are_those_that_end_behind_the_letter_before_it(any_kind: SubwordTokenizer) -> None:
    """The literal form, by places without the spaces before words, which take three times as long."""
    for word, found in zip(WORDS, _tokens_of(any_kind, WORDS), strict=True):
        wanted = set()
        for form in (word, word.capitalize()):
            for before in ["", "a "] if word.isalnum() else ["", "a ", "a"]:
                (tokens,) = any_kind.encode([before + form])
                wanted |= set(tokens.ids[tokens.offsets[:, 1] > (1 if before else 0)].tolist())
        assert found == wanted, word

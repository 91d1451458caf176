import numpy as np
import pytest

from nlgauge.engine.models.loading import pocket_folder
from nlgauge.engine.tokens import SubwordTokenizer
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

"""Checkpoints that write texts: two tiny random ones, and what is done with what they write."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlgauge.errors import InputError
from nlgauge.lab.training.weak_labels.reading import Template
from nlgauge.lab.training.weak_labels.seq2seq import (
    Seq2SeqInfiller,
    Seq2SeqParaphraser,
    between_sentinels,
    edits,
    fitted,
)
from tests.lab.training.weak_labels.grammar import BRIDGE

HOLED = Template(("The firm built ", " in ", "."), ("a bridge", "May"))


def rngs(number: int) -> list[np.random.Generator]:
    return [np.random.default_rng([9, i]) for i in range(number)]


def checkpoint(folder, mask: str | None, sentinels: bool):
    """A BART of one layer and a few words, untrained, with a fast tokenizer."""
    torch = pytest.importorskip("torch", reason="checkpoints need nlgauge[train]")
    transformers = pytest.importorskip("transformers", reason="checkpoints need nlgauge[train]")
    from tokenizers import Tokenizer, models, pre_tokenizers

    extra = ["<extra_id_0>", "<extra_id_1>"] if sentinels else []
    words = ["<pad>", "<s>", "</s>", "<unk>", "<mask>", *extra, *BRIDGE.text.replace(".", " .").split(), "road"]
    inner = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="<unk>"))
    inner.pre_tokenizer = pre_tokenizers.Whitespace()
    special = {"pad_token": "<pad>", "bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}
    special |= {"mask_token": mask} if mask else {}
    transformers.PreTrainedTokenizerFast(tokenizer_object=inner, **special).save_pretrained(folder)
    torch.manual_seed(1)
    config = transformers.BartConfig(
        vocab_size=len(words), d_model=16, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2,
        decoder_attention_heads=2, encoder_ffn_dim=16, decoder_ffn_dim=16, max_position_embeddings=300,
        pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=2, forced_eos_token_id=2,
    )  # fmt: skip
    transformers.BartForConditionalGeneration(config).save_pretrained(folder)
    return str(folder)


@pytest.mark.filterwarnings("ignore")
def test_a_checkpoint_paraphrases_and_fills_by_the_seed(tmp_path):
    place = checkpoint(tmp_path, "<mask>", sentinels=False)
    writer = Seq2SeqParaphraser(place, prompt="{}", number=3)
    drawn = writer.paraphrase([BRIDGE, BRIDGE], rngs(2))
    assert drawn == writer.paraphrase([BRIDGE, BRIDGE], rngs(2))
    assert drawn[1:] == writer.paraphrase([BRIDGE], rngs(2)[1:])
    assert all(drawn) and drawn[0] != drawn[1]
    filled = Seq2SeqInfiller(place).fill([HOLED] * 2, rngs(2))
    assert filled == [None, None]  # what an untrained one writes fits no template


@pytest.mark.filterwarnings("ignore")
def test_checkpoints_with_sentinels_and_without_either(tmp_path):
    place = checkpoint(tmp_path / "t5", None, sentinels=True)
    filled = Seq2SeqInfiller(place).fill([HOLED], rngs(1))
    assert filled == [None] or len(filled[0]) == 2
    neither = checkpoint(tmp_path / "none", None, sentinels=False)
    with pytest.raises(InputError, match="neither a mask nor sentinels"):
        Seq2SeqInfiller(neither)


def test_a_checkpoint_that_is_not_there(tmp_path):
    pytest.importorskip("transformers", reason="checkpoints need nlgauge[train]")
    with pytest.raises(InputError, match="cannot be loaded"):
        Seq2SeqParaphraser(str(tmp_path))


@pytest.mark.parametrize(
    ("text", "fillings"),
    [
        ("The firm built a road in June.", ("a road", "June")),
        ("the FIRM built  roads  in June 1990 . ", ("roads", "June 1990")),
        ("The firm built a road in May in June.", ("a road", "May in June")),
        ("A firm built a road in June.", None),
        ("The firm built , in June.", None),
        ("", None),
    ],
)
def test_fillings_are_found_where_the_text_fits(text: str, fillings):
    assert fitted(HOLED, text) == fillings


def test_fillings_between_sentinels():
    assert between_sentinels("<pad><extra_id_0> a road <extra_id_1> June<extra_id_2></s>", 2) == ("a road", "June")
    assert between_sentinels("<extra_id_0> a road", 2) is None
    assert between_sentinels("<extra_id_0> <extra_id_1> June", 2) is None


def _plain_edits(a: str, b: str) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (x != y))
    return row[-1]


@given(st.text("abc", max_size=12), st.text("abc", max_size=12))
def test_edit_distance_is_that_of_the_textbook(a: str, b: str):
    assert edits(a, b) == _plain_edits(a, b) == edits(b, a)


def test_edit_distance_by_hand():
    assert (edits("kitten", "sitting"), edits("", "abc"), edits("x", "x")) == (3, 3, 0)

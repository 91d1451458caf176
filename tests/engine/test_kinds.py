"""Folders of each kind are opened as what they are."""

import pytest

from tests.engine.fake import WORDS, save_tokenizer

pytest.importorskip("torch", reason="the torch backend needs nlgauge[torch]")
transformers = pytest.importorskip("transformers", reason="the torch backend needs nlgauge[torch]")

from nlgauge.engine.adapted import AdaptedModel  # noqa: E402
from nlgauge.engine.kinds import open_model  # noqa: E402
from nlgauge.engine.seq2seq import Seq2SeqModel  # noqa: E402
from nlgauge.engine.transformers import TransformersModel  # noqa: E402
from nlgauge.errors import SpecError  # noqa: E402
from nlgauge.registry import pocket_folder  # noqa: E402


def save(folder, net):
    net.save_pretrained(folder)
    save_tokenizer(folder)
    return str(folder)


def test_an_encoder_is_an_ordinary_model(tmp_path):
    shape = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    net = transformers.BertModel(transformers.BertConfig(vocab_size=len(WORDS), **shape))
    assert type(open_model(save(tmp_path, net), "one", "float32")) is TransformersModel


def test_an_encoder_with_a_decoder_writes(tmp_path):
    shape = {"d_model": 16, "d_kv": 8, "d_ff": 32, "num_layers": 1, "num_heads": 2, "decoder_start_token_id": 0}
    net = transformers.T5ForConditionalGeneration(transformers.T5Config(vocab_size=len(WORDS), **shape))
    assert type(open_model(save(tmp_path, net), "two", "float32")) is Seq2SeqModel


def test_the_embedded_model_comes_with_what_was_adapted_from_it():
    assert type(open_model(str(pocket_folder()), "pocket", "bfloat16")) is AdaptedModel


def test_what_is_no_model_is_said_in_one_line(tmp_path):
    with pytest.raises(SpecError, match="cannot load model 'none'"):
        open_model(str(tmp_path), "none", "float32")

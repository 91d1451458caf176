"""Bodies: where they lie, and what is none."""

import numpy as np
import pytest

from tests.engine.fake import WORDS

torch = pytest.importorskip("torch", reason="training needs nlgauge[train]")

from safetensors.torch import save_file  # noqa: E402
from transformers import BertConfig, BertForMaskedLM  # noqa: E402

from nlgauge.errors import InputError  # noqa: E402
from nlgauge.training.body import body_folder, read_body, start_model  # noqa: E402

SHAPE = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}


def test_a_body_is_a_folder_or_a_package(tmp_path):
    assert body_folder(str(tmp_path)) == tmp_path
    assert body_folder("numpy").name == "model"
    for name in ("absent", "no/such folder"):
        with pytest.raises(InputError, match="no body model"):
            body_folder(name)


def test_the_head_starts_from_the_shares_of_the_words_or_is_the_one_that_is_there(tmp_path):
    config = BertConfig(vocab_size=len(WORDS), max_position_embeddings=16, tie_word_embeddings=True, **SHAPE)
    config.save_pretrained(tmp_path)
    model = BertForMaskedLM(config)
    save_file(
        {f"bert.{name}": value for name, value in model.bert.state_dict().items()}, tmp_path / "model.safetensors"
    )
    counts = np.arange(len(WORDS))
    started = start_model(tmp_path, counts)
    wanted = np.log((counts + 0.5) / (counts + 0.5).sum())
    np.testing.assert_allclose(started.cls.predictions.bias.detach(), wanted, rtol=1e-5)
    for one, two in zip(started.bert.parameters(), model.bert.parameters(), strict=True):
        assert torch.equal(one, two)
    parts = {name: value for name, value in model.state_dict().items() if "decoder" not in name}
    save_file({name: value.clone() for name, value in parts.items()}, tmp_path / "model.safetensors")
    assert torch.equal(start_model(tmp_path, counts).cls.predictions.bias, model.cls.predictions.bias)


def test_what_is_no_body_is_refused(tmp_path):
    save_file({"other.weight": torch.ones(2)}, tmp_path / "model.safetensors")
    with pytest.raises(InputError, match="not a BERT body"):
        read_body(tmp_path, BertConfig(vocab_size=len(WORDS), **SHAPE))

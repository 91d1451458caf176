"""Bodies: where they lie, and what is none."""

import numpy as np
import pytest

from tests.engine.fake import WORDS

torch = pytest.importorskip("torch", reason="training needs nlgauge-lab[train]")

from safetensors.torch import save_file  # noqa: E402
from transformers import BertConfig, BertForMaskedLM  # noqa: E402

from nlgauge.errors import InputError, SpecError  # noqa: E402
from nlgauge_lab.training.body import body_folder, read_body, start_model  # noqa: E402

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
    theirs = dict(model.bert.named_parameters())
    for name, one in started.bert.named_parameters():
        assert torch.equal(one, theirs[name])
    parts = {name: value for name, value in model.state_dict().items() if "decoder" not in name}
    save_file({name: value.clone() for name, value in parts.items()}, tmp_path / "model.safetensors")
    assert torch.equal(start_model(tmp_path, counts).cls.predictions.bias, model.cls.predictions.bias)


def test_heads_may_stand_on_the_first_layers_alone(tmp_path):
    config = BertConfig(vocab_size=len(WORDS), max_position_embeddings=16, **{**SHAPE, "num_hidden_layers": 3})
    (tmp_path / "config.json").write_text(config.to_json_string().replace("{", '{"adapted_layers": 2,', 1))
    model = BertForMaskedLM(config)
    save_file({f"bert.{k}": v for k, v in model.bert.state_dict().items()}, tmp_path / "model.safetensors")
    assert len(read_body(tmp_path).encoder.layer) == 3
    assert len(read_body(tmp_path, adapted=True).encoder.layer) == 2
    assert len(start_model(tmp_path, np.ones(len(WORDS))).bert.encoder.layer) == 2


def test_what_is_no_body_is_refused(tmp_path):
    save_file({"other.weight": torch.ones(2)}, tmp_path / "model.safetensors")
    with pytest.raises(SpecError, match=r"config.json is not a configuration of a model: No such file"):
        read_body(tmp_path)
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(SpecError, match="hidden_size is None"):
        read_body(tmp_path)
    BertConfig(vocab_size=len(WORDS), **SHAPE).save_pretrained(tmp_path)
    with pytest.raises(InputError, match="not a BERT body"):
        read_body(tmp_path)

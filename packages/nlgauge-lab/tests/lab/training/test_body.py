"""Bodies: where they lie, and what is none."""

import pytest

from tests.engine.fake import WORDS

torch = pytest.importorskip("torch", reason="training needs nlgauge-lab[train]")

from safetensors.torch import save_file  # noqa: E402
from transformers import BertConfig  # noqa: E402

from nlgauge.errors import InputError, SpecError  # noqa: E402
from nlgauge_lab.training.body import body_folder, read_body  # noqa: E402

SHAPE = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}


def test_a_body_is_a_folder_or_a_package(tmp_path):
    assert body_folder(str(tmp_path)) == tmp_path
    assert body_folder("numpy").name == "model"
    for name in ("absent", "no/such folder"):
        with pytest.raises(InputError, match="no body model"):
            body_folder(name)


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

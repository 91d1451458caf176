"""The recipe on a body of two layers and thirty words: resumption, data, and what it writes."""

import json
from dataclasses import replace

import numpy as np
import pytest

from tests.engine.fake import WORDS, answers, tiny_tokenizer

torch = pytest.importorskip("torch", reason="training needs nlgauge-lab[train]")
pytest.importorskip("onnx", reason="training needs nlgauge-lab[train]")

from transformers import BertConfig, BertModel  # noqa: E402

from nlgauge.engine.features.masked import BagRequest  # noqa: E402
from nlgauge.engine.features.vectors import VectorsRequest  # noqa: E402
from nlgauge.engine.models.capabilities import TOKENIZER  # noqa: E402
from nlgauge.engine.models.loading import load  # noqa: E402
from nlgauge.errors import InputError  # noqa: E402
from nlgauge_lab.training.masked_lm import Trainer, train  # noqa: E402
from nlgauge_lab.training.recipe import MaskedLMConfig  # noqa: E402


@pytest.fixture(scope="module")
def body(tmp_path_factory):
    folder = tmp_path_factory.mktemp("body")
    torch.manual_seed(0)
    shape = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    BertModel(BertConfig(vocab_size=len(WORDS), max_position_embeddings=32, **shape)).save_pretrained(folder)
    tiny_tokenizer().save(str(folder / "tokenizer.json"))
    return folder


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("texts")
    generator = np.random.default_rng(3)
    lines = [
        " ".join([f"w{word}"] * size)
        for word, size in zip(generator.integers(0, 40, 400), generator.integers(6, 13, 400), strict=True)
    ]
    (folder / "a.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "skipped.txt").write_text("w1\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def config(body):
    return MaskedLMConfig(
        body=str(body),
        groups={"a*": 1.0},
        seed=4,
        held_out_every=10,
        short=(14, 8),
        long=(28, 4),
        steps=12,
        warmup_steps=2,
        head_rate=1e-2,
        body_rate=1e-2,
        temperature=1.5,
    )


def test_the_finished_folder_serves_both_backends_alike(config, texts, tmp_path):
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(
        f'body = "{config.body}"\ntemperature = 1.5\n[data.groups]\n"a*" = 1.0\n'
        "[batches]\nshort = [14, 8]\nlong = [28, 4]\n[optimizer]\nsteps = 4\nwarmup_steps = 1\n",
        encoding="utf-8",
    )
    folder = train(texts, tmp_path / "out", recipe)
    curve = [json.loads(line) for line in (tmp_path / "out" / "curve.jsonl").read_text().splitlines()]
    assert curve[-1]["step"] == 4 and 0 <= curve[-1]["a"]["top1"] <= 1
    onnx, torch_model = (load(str(folder), backend=backend) for backend in ("onnxruntime", "torch"))
    assert onnx.digest == torch_model.digest and onnx[TOKENIZER].digest == torch_model[TOKENIZER].digest
    assert onnx.card.temperature == torch_model.card.temperature == 1.5
    tables = [model.card.document_frequencies for model in (onnx, torch_model)]
    assert tables[0].documents == tables[1].documents > 0
    assert set(onnx.card.bertscore_baseline) in ({0, 1, 2}, set())
    texts = ("w1 w2 w3", "w9", "w5 " * 40)
    needs = [request for text in texts for request in (BagRequest(text, 1.0), VectorsRequest(text, (0, 1, 2)))]
    for one, two in zip(answers(onnx, *needs), answers(torch_model, *needs), strict=True):
        for key in ("log_probabilities", "vectors"):
            if hasattr(one, key):
                np.testing.assert_allclose(getattr(one, key), getattr(two, key), atol=1e-4)


def test_what_cannot_be_trained_is_refused(config, texts, tmp_path):
    with pytest.raises(InputError, match="no text to train on"):
        Trainer(replace(config, groups={"nothing*": 1.0}), texts, tmp_path)
    with pytest.raises(InputError, match="no body model 'absent'"):
        Trainer(replace(config, body="absent"), texts, tmp_path)
    with pytest.raises(InputError, match="is not a folder"):
        train(tmp_path / "absent", tmp_path / "out")
    with pytest.raises(InputError, match="cannot be read"):
        train(texts, tmp_path / "out", tmp_path / "absent.toml")
    (tmp_path / "bad.toml").write_text('body = "x"\nspeed = 9\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"bad.toml: .*speed"):
        train(texts, tmp_path / "out", tmp_path / "bad.toml")

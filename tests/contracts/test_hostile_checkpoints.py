"""Folders of Hugging Face that are cut, changed or made to do harm: refused in one line, and no code of them is run."""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import nlgauge
from nlgauge.engine.models.capabilities import ENCODER, MASKED_LM
from nlgauge.engine.models.loading import load
from tests.contracts.hostile import (
    CONFIG,
    HARMFUL_TOKENIZERS,
    TOKENIZER,
    WEIGHTS,
    Change,
    configured,
    cut,
    far_token,
    headed,
    lacks_one,
    lies,
    not_finite,
    refused,
    stored,
    tokenized,
    without,
    written,
)
from tests.engine.fake import WORDS, save_tokenizer

pytest.importorskip("torch", reason="needs nlgauge[torch]")
transformers = pytest.importorskip("transformers", reason="needs nlgauge[torch]")


SHAPE = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
MARKER = """
import pathlib
pathlib.Path({marker!r}).write_text("run")
from transformers import BertConfig, BertForMaskedLM, BertModel, PreTrainedTokenizerFast
class OwnConfig(BertConfig):
    model_type = "own"
class OwnModel(BertModel):
    config_class = OwnConfig
class OwnMasked(BertForMaskedLM):
    config_class = OwnConfig
class OwnTokenizer(PreTrainedTokenizerFast):
    pass
"""
AUTO = {"AutoConfig": "own.OwnConfig", "AutoModel": "own.OwnModel", "AutoModelForMaskedLM": "own.OwnMasked"}
AUTO["AutoModelForCausalLM"] = AUTO["AutoModelForSeq2SeqLM"] = AUTO["AutoModelForMaskedLM"]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small checkpoints of a masked and of a causal LM."""
    torch = pytest.importorskip("torch", reason="needs nlgauge[torch]")
    transformers = pytest.importorskip("transformers", reason="needs nlgauge[torch]")
    torch.manual_seed(0)
    root = tmp_path_factory.mktemp("saved")
    config = transformers.BertConfig(vocab_size=len(WORDS), max_position_embeddings=32, **SHAPE)
    transformers.BertForMaskedLM(config).save_pretrained(root / "bert")
    config = transformers.GPT2Config(vocab_size=len(WORDS), n_positions=32, n_embd=16, n_layer=2, n_head=2)
    transformers.GPT2LMHeadModel(config).save_pretrained(root / "gpt2")
    for folder in root.iterdir():
        save_tokenizer(folder)
    return root


@pytest.fixture
def theirs(saved: Path, tmp_path: Path) -> Path:
    shutil.copytree(saved / "bert", tmp_path / "theirs")
    return tmp_path / "theirs"


def pickled(folder: Path) -> None:
    (folder / WEIGHTS).unlink()
    (folder / "pytorch_model.bin").write_bytes(b"cos\nsystem\n(S'touch pickled'\ntR.")


THEIRS: dict[str, tuple[Change, str]] = {
    "no configuration": (without(CONFIG), "cannot load model"),
    "configuration a list": (written(CONFIG, "[1]"), "is not a configuration of a model"),
    "a negative size": (configured(num_hidden_layers=-1), "num_hidden_layers is -1, not a whole number"),
    "another size": (configured(hidden_size=32), "its weights have other shapes than its configuration says"),
    "a size that would fill the memory": (configured(intermediate_size=10**9), "its weights have other shapes"),
    "no window": (configured(max_position_embeddings=0), "cannot load model"),
    **HARMFUL_TOKENIZERS,
    "an unknown network": (configured(model_type="nothing"), "cannot load model"),
    "attention from a hub": (configured(attn_implementation="somebody/kernel"), "its attention is code from elsewhere"),
    "no weights": (without(WEIGHTS), "cannot load model"),
    "weights cut": (cut(WEIGHTS, 4000), "cannot load model"),
    "a header longer than the file": (written(WEIGHTS, struct.pack("<Q", 10**12) + b"{}"), "cannot load model"),
    "shapes that lie": (headed(lies), "cannot load model"),
    "a tensor less": (stored(lacks_one), "it lacks 1 weights, such as bert.encoder.layer.0"),
    "weights that are no numbers": (stored(not_finite), "holds numbers that are not finite"),
    "pickled weights": (pickled, "its weights are pickled, which nlgauge never reads: save them as safetensors"),
    "tokenizer of nothing": (written(TOKENIZER, "{}"), "cannot load model"),
    "tokenizer's configuration a list": (written("tokenizer_config.json", "[]"), "cannot load model"),
    "a token that the weights lack": (tokenized(far_token), "has the token 1000000, and the network 45 tokens"),
    "card a list": (written("card.json", "[]"), "card.json is not a card of a model"),
}


@pytest.mark.parametrize("name", THEIRS)
def test_a_folder_of_hugging_face_that_is_wrong_is_one_line(theirs: Path, tmp_path: Path, name: str) -> None:
    change, say = THEIRS[name]
    change(theirs)
    refused(theirs, "BERTScore", say, tmp_path)
    assert not Path("pickled").exists()


ASKING = """
import nlgauge
row = {{"candidate": "w1 w2 w3", "references": ["w1 w2"]}}
nlgauge.evaluate([row], metrics="BERTScore", model={folder!r}, cache=False)
"""
REFUSED = "its network needs code of the checkpoint, which nlgauge never runs"


@pytest.fixture
def marked(theirs: Path, tmp_path: Path) -> Path:
    """A checkpoint whose code, in own.py, writes a file when it is run; nothing points to the code yet."""
    (theirs / "own.py").write_text(MARKER.format(marker=str(tmp_path / "run")), encoding="utf-8")
    return theirs


def own_network(**facts: Any) -> Change:
    return configured(auto_map=AUTO, **facts)


def own_tokenizer(auto_map: object) -> Change:
    def change(folder: Path) -> None:
        facts = json.loads((folder / "tokenizer_config.json").read_text())
        (folder / "tokenizer_config.json").write_text(json.dumps({**facts, "auto_map": auto_map}))

    return change


def test_nobody_is_asked_whether_code_may_run_and_a_yes_runs_none(marked: Path, tmp_path: Path) -> None:
    own_network(model_type="own")(marked)
    environment = {**os.environ, "HF_HOME": str(tmp_path / "home"), "HF_MODULES_CACHE": str(tmp_path / "modules")}
    command = [sys.executable, "-c", ASKING.format(folder=str(marked))]
    ended = subprocess.run(
        command, input="y\n" * 9, capture_output=True, text=True, env=environment, check=False, timeout=300
    )
    assert not (tmp_path / "run").exists()
    assert ended.returncode == 1 and "[y/N]" not in ended.stdout + ended.stderr
    assert REFUSED in ended.stderr.strip().splitlines()[-1]


@pytest.mark.parametrize(
    ("changes", "scored"),
    [
        ([own_network(model_type="own"), own_tokenizer({"AutoTokenizer": [None, "own.OwnTokenizer"]})], False),
        ([own_network(model_type="own"), own_tokenizer([None, "own.OwnTokenizer"])], False),
        ([own_network()], True),
        ([own_tokenizer({"AutoTokenizer": [None, "own.OwnTokenizer"]})], True),
        ([own_tokenizer([None, "own.OwnTokenizer"])], True),
        ([own_network(), own_tokenizer({"AutoTokenizer": [None, "own.OwnTokenizer"]})], True),
    ],
)
def test_a_network_that_transformers_has_is_read_without_the_folders_code(
    marked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: list[Change], scored: bool
) -> None:
    asked: list[str] = []
    monkeypatch.setattr("builtins.input", lambda question="": asked.append(question) or "y")
    for change in changes:
        change(marked)
    if scored:
        model = load(str(marked))
        assert ENCODER in model and MASKED_LM in model
    else:
        refused(marked, "BERTScore", REFUSED, tmp_path)
    assert not asked and not (tmp_path / "run").exists()


def test_every_call_of_transformers_says_that_no_code_is_run() -> None:
    root = Path(nlgauge.__file__).parent
    said: dict[str, list[bool]] = {}
    for file in root.rglob("*.py"):
        for piece in file.read_text(encoding="utf-8").split("from_pretrained(")[1:]:
            call = piece[: piece.index("\n\n")] if "output_loading_info" in piece[:200] else piece.partition("\n")[0]
            said.setdefault(file.name, []).append("**_SAFELY" in call or "trust_remote_code=False" in call)
    assert said == {"torch_model.py": [True] * 3}

"""What the torch models share: loading that fails in one line and leaves no trace, digests, windows, devices."""

import hashlib
import json
import shutil
from types import SimpleNamespace

import numpy as np
import pytest
from safetensors.numpy import load_file

torch = pytest.importorskip("torch", reason="needs nlgauge[torch]")
transformers = pytest.importorskip("transformers", reason="needs nlgauge[torch]")

from nlgauge.engine.models.loading import load  # noqa: E402
from nlgauge.engine.models.torch_model import Checkpoint, Runtime  # noqa: E402
from tests.engine.fake import WORDS, save_tokenizer  # noqa: E402

SHAPE = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}


@pytest.fixture(scope="module")
def net():
    torch.manual_seed(0)
    return transformers.BertForMaskedLM(
        transformers.BertConfig(vocab_size=len(WORDS), max_position_embeddings=32, **SHAPE)
    )


@pytest.fixture
def folder(tmp_path, net):
    net.save_pretrained(tmp_path / "whole")
    save_tokenizer(tmp_path / "whole")
    return tmp_path / "whole"


@pytest.fixture
def hub(tmp_path, monkeypatch):
    """A cache of the hub, and no way to it: hub(name, folder) puts a folder's files there."""
    cache = tmp_path / "hub"
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(cache))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)

    def put(name, source):
        place = cache / f"models--{name.replace('/', '--')}"
        shutil.copytree(source, place / "snapshots" / ("0" * 40))
        (place / "refs").mkdir()
        (place / "refs" / "main").write_text("0" * 40)

    return put


def test_shards_have_one_digest_that_each_of_them_changes(net, folder, tmp_path, hub):
    sharded = tmp_path / "sharded"
    net.save_pretrained(sharded, max_shard_size="4KB")
    save_tokenizer(sharded)
    assert len(list(sharded.glob("*.safetensors"))) > 1
    hub("acme/sharded", sharded)
    digests = {load(str(sharded)).digest, load("acme/sharded").digest}
    index = sharded / "model.safetensors.index.json"
    shards = sorted(set(json.loads(index.read_text())["weight_map"].values()))
    content = b"".join((sharded / name).read_bytes() for name in [index.name, *shards])
    assert digests == {hashlib.sha256(content).hexdigest()}


def test_without_its_files_at_hand_the_digest_is_that_of_the_tensors(folder, monkeypatch):
    monkeypatch.setattr(Checkpoint, "_at_hand", lambda *_: None)
    digest = hashlib.sha256()
    checkpoint = Checkpoint(str(folder), "tiny")
    net = checkpoint.network("AutoModelForMaskedLM")
    for key, tensor in sorted(net.state_dict().items()):
        digest.update(key.encode() + tensor.numpy().tobytes())
    assert checkpoint.model(net, {}).digest == digest.hexdigest()
    assert load_file(folder / "model.safetensors").keys() <= net.state_dict().keys()


def test_a_gpu_fetches_numbers_from_pinned_memory_and_nothing_waits_for_it():
    calls = []

    class Numbers:
        def pin_memory(self):
            calls.append("pinned")
            return self

        def to(self, device, **options):
            calls.append((device.type, options))
            return self

    fake = SimpleNamespace(from_numpy=lambda values: Numbers(), __version__="2")
    for device in ("cuda:0", "mps"):
        runtime = Runtime(fake, torch.device(device), "float32")
        runtime.tensor(np.zeros(3, np.int64))
        assert runtime.apart
    assert calls == ["pinned", ("cuda", {"non_blocking": True}), ("mps", {})]
    assert not Runtime(torch, torch.device("cpu"), "float32").apart


def test_on_a_gpu_a_batch_holds_what_fits_its_free_memory(folder, monkeypatch):
    checkpoint = Checkpoint(str(folder), "tiny", device="cpu")
    net = checkpoint.network("AutoModel")
    checkpoint.runtime.device = torch.device("cuda:0")
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (1 << 20, 1 << 30))
    model = checkpoint.model(net, {})
    assert 32 <= model.batch_tokens < 1000 and model.apart

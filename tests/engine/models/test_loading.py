"""Names become models: what is embedded, folders of each kind, what packages offer, and what is refused."""

import gc
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pathlib import Path
from weakref import WeakValueDictionary

import numpy as np
import pytest

import nlgauge
from nlgauge import _plugins as plugins
from nlgauge.engine.models import loading
from nlgauge.engine.models.capabilities import ENCODER, TOKENIZER, Model
from nlgauge.engine.models.loading import companion_folder, folder_of, load, pocket_folder
from nlgauge.engine.tokens import SubwordTokenizer
from nlgauge.errors import InputError, SpecError
from tests.engine.fake import WORDS, save_tokenizer, tiny_tokenizer

needs_torch = pytest.mark.skipif(find_spec("transformers") is None, reason="the torch backend needs nlgauge[torch]")
NO_MAKER = "a name"


def parts(model):
    return {one.name for one in model.abilities if one in model and one != TOKENIZER}


# ---- What ships here


def test_the_embedded_model_lies_in_the_package():
    assert (pocket_folder() / "model.safetensors").is_file() and folder_of("pocket") == pocket_folder()
    model = load("pocket")
    assert (model.name, model.precision) == ("pocket", "float32")
    assert model.backend.startswith("onnxruntime")
    assert parts(model) == {"encoder", "masked_lm", "masked_pairs", "aligner"}
    assert load("pocket", device="cpu").backend == model.backend


def test_a_folder_with_graphs_is_a_model_by_its_path():
    folder = str(pocket_folder())
    model = load(folder)
    assert model.name == folder and model.folder == pocket_folder() == folder_of(folder)
    assert model.digest == load("pocket").digest


def test_a_held_model_is_given_again_until_it_is_let_go(monkeypatch):
    monkeypatch.setattr(loading, "_held", WeakValueDictionary())
    held = loading.hold("pocket")
    assert load("pocket") is held is loading.hold("pocket")
    for other in (load("pocket", "int8"), load("pocket", device="cpu"), load("pocket", backend="onnxruntime")):
        assert other is not held
    del held, other
    gc.collect()
    assert not loading._held


# ---- What a companion brings


@pytest.fixture
def companion(monkeypatch):
    """The folder of `base`, where its distribution is installed."""
    if companion_folder("base") is None or not (companion_folder("base") / "model.safetensors").is_file():
        pytest.skip("base is not installed: make base")
    return companion_folder("base")


@pytest.mark.parametrize("backend", ["onnxruntime", "auto"])
def test_a_companion_that_is_not_installed_says_what_to_install(monkeypatch, backend):
    monkeypatch.setattr(loading, "find_spec", lambda name: None)
    with pytest.raises(SpecError, match=r"^model 'base' is not installed: pip install nlgauge-base$"):
        load("base", backend=backend)


def test_a_companion_is_a_folder_by_its_name(companion):
    model = load("base")
    assert model.name == "base" and model.folder == folder_of("base") == companion
    assert (model[ENCODER].layers, model[ENCODER].width, model.window) == (8, 768, 512)
    assert model[TOKENIZER].digest == load("pocket")[TOKENIZER].digest
    assert load("nlgauge-base/base").digest == model.digest
    assert load("base", "int8").precision == "int8"


@needs_torch
def test_a_companion_on_torch_says_what_its_graphs_say(companion):
    ids = np.array([[101, 1996, 2214, 2958, 2001, 2701, 102, 0], [101, 2048, 7504, 18999, 1012, 102, 0, 0]])
    attend = (ids > 0).astype(np.int64)
    graphs, network = (load("base", backend=backend)[ENCODER] for backend in ("onnxruntime", "torch"))
    one, other = (encoder.hidden(ids, attend, [0, 4, 8])[:, attend == 1] for encoder in (graphs, network))
    np.testing.assert_allclose(one, other, atol=1e-4)


# ---- What is refused


@pytest.mark.parametrize("precision", ["float16", "", "FLOAT32", None])
def test_an_unknown_precision_lists_those_there_are(precision):
    with pytest.raises(SpecError, match="float32, bfloat16, int8"):
        load("pocket", precision)


@pytest.mark.parametrize("backend", ["tensorflow", "", None])
def test_an_unknown_backend_lists_those_there_are(backend):
    with pytest.raises(SpecError, match="auto, onnxruntime, openvino, torch"):
        load("pocket", backend=backend)


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"precision": "bfloat16", "backend": "onnxruntime"}, "for bfloat16 choose backend='openvino' or 'torch'"),
        ({"precision": "int8", "backend": "torch"}, "int8 is for the backends without torch"),
        ({"precision": "int8", "device": "cuda"}, "only torch computes elsewhere"),
        ({"backend": "onnxruntime", "device": "cuda:1"}, "'cuda:1' choose backend='torch'"),
    ],
)
def test_what_does_not_go_together_is_refused(asked, says):
    with pytest.raises(SpecError, match=says):
        load("pocket", **asked)


def test_a_folder_without_a_model_says_what_it_lacks(tmp_path):
    with pytest.raises(SpecError, match=r"lacks model\.safetensors"):
        load(str(tmp_path), backend="onnxruntime")


def test_an_unknown_model_is_refused_whether_or_not_torch_is_there():
    with pytest.raises(nlgauge.NlgaugeError, match="no-such-folder/no-such-model"):
        load("no-such-folder/no-such-model/at-all")


# ---- What packages offer


def large(precision):
    return Model("large", "00", "acme-1.0", precision, {TOKENIZER: SubwordTokenizer(tiny_tokenizer(), None, None)}, 16)


def small_one(precision, device=None, of=None):
    return Model("small", "00", f"{device} {of}", precision, {})


def no_model(precision):
    return precision


def refuses(precision):
    raise InputError("has no licence", remedy="buy one")


def breaks(precision):
    raise KeyError(precision)


@dataclass
class Dist:
    name: str = "acme-metrics"


@pytest.fixture
def offer(monkeypatch):
    """Pretend that an installed package offers a thing of this file."""
    points = []
    monkeypatch.setattr(plugins, "entry_points", lambda *, group: [point for point in points if point.group == group])

    def add(attribute):
        point = EntryPoint(attribute, f"{__name__}:{attribute}", "nlgauge.models")
        vars(point)["dist"] = Dist()
        points.append(point)

    return add


def test_a_model_of_a_package_is_made_for_the_precision(offer):
    offer("large")
    model = load("acme-metrics/large", "bfloat16")
    assert (model.backend, model.precision) == ("acme-1.0", "bfloat16")


def test_a_model_of_a_package_is_told_the_device_and_what_its_name_adds(offer):
    offer("small_one")
    assert load("acme-metrics/small_one:a/folder:x", device="cpu").backend == "cpu a/folder:x"
    assert load("acme-metrics/small_one").backend == "None None"


@pytest.mark.parametrize(
    ("name", "asked", "says"),
    [
        ("large", {"device": "cpu"}, "'acme-metrics/large' does not accept device 'cpu'; leave it out"),
        ("large:folder", {}, "'acme-metrics/large:folder' does not accept of 'folder'; leave it out"),
        ("large", {"backend": "torch"}, "'acme-metrics/large' chooses its backend itself; leave it out"),
    ],
)
def test_what_a_model_of_a_package_does_not_take_is_refused(offer, name, asked, says):
    offer("large")
    with pytest.raises(SpecError, match=says):
        load(f"acme-metrics/{name}", **asked)


@pytest.mark.parametrize(
    ("attribute", "says"),
    [
        ("no_model", "acme-metrics/no_model: the package made 'float32', which is not a Model"),
        ("NO_MAKER", "which is not a function that makes a model"),
        ("breaks", "acme-metrics/breaks cannot be made: KeyError: 'float32'"),
        ("absent", "acme-metrics/absent cannot be loaded: AttributeError"),
    ],
)
def test_what_is_no_model_is_refused(offer, attribute, says):
    offer(attribute)
    with pytest.raises(SpecError, match=says):
        load(f"acme-metrics/{attribute}")


def test_what_a_package_says_itself_is_passed_on(offer):
    offer("refuses")
    with pytest.raises(InputError, match="has no licence"):
        load("acme-metrics/refuses")


# ---- Folders that torch runs


def save(folder, net):
    net.save_pretrained(folder)
    save_tokenizer(folder)
    return str(folder)


@needs_torch
def test_an_encoder_has_vectors_and_its_head(tmp_path):
    import transformers

    shape = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    config = transformers.BertConfig(vocab_size=len(WORDS), **shape)
    assert parts(load(save(tmp_path / "body", transformers.BertModel(config)))) == {"encoder"}
    assert parts(load(save(tmp_path / "head", transformers.BertForMaskedLM(config)))) == {"encoder", "masked_lm"}


@needs_torch
def test_a_configuration_that_has_no_language_model_is_an_encoder(tmp_path):
    import transformers

    config = transformers.CLIPTextConfig(
        vocab_size=len(WORDS), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32
    )
    assert type(config) not in transformers.MODEL_FOR_MASKED_LM_MAPPING
    assert type(config) not in transformers.MODEL_FOR_CAUSAL_LM_MAPPING
    assert parts(load(save(tmp_path, transformers.CLIPTextModel(config)))) == {"encoder"}


@needs_torch
def test_an_encoder_with_a_decoder_writes_one_text_from_another(tmp_path):
    import transformers

    shape = {"d_model": 16, "d_kv": 8, "d_ff": 32, "num_layers": 1, "num_heads": 2, "decoder_start_token_id": 0}
    net = transformers.T5ForConditionalGeneration(transformers.T5Config(vocab_size=len(WORDS), **shape))
    assert parts(load(save(tmp_path, net))) == {"encoder", "seq2seq_lm"}


@needs_torch
def test_the_embedded_model_comes_with_what_was_adapted_from_it():
    model = load("pocket", "bfloat16", backend="torch")
    assert model.backend.startswith("torch") and parts(model) == {"encoder", "masked_lm", "masked_pairs", "aligner"}


@needs_torch
def test_a_device_that_is_not_there_is_refused_and_asks_for_torch():
    with pytest.raises(SpecError, match="device 'cuda:99' is not there; choose cpu"):
        load("pocket", device="cuda:99")


@needs_torch
def test_what_is_no_model_is_said_in_one_line(tmp_path):
    with pytest.raises(SpecError, match="cannot load model"):
        load(str(tmp_path))


@pytest.mark.parametrize("name", ["/no/folder", "./run/model", "runs/first/model", "~/model"])
def test_a_path_is_not_asked_of_a_hub(name):
    with pytest.raises(SpecError, match=f"model '{name}': there is no such folder"):
        load(name)


@needs_torch
def test_what_may_be_a_folder_or_a_hub_s_name_is_told_as_both(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(SpecError, match="'run/model': there is no such folder here, and as a Hugging Face name: "):
        load("run/model")


def test_companions_are_those_that_are_installed(monkeypatch):
    for found, names in ((None, []), (Path("somewhere"), ["base"])):
        monkeypatch.setattr(loading, "companion_folder", lambda name, found=found: found)
        assert loading.companions() == names

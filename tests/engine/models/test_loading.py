"""Names become models: what is embedded, folders of each kind, what packages offer, and what is refused."""

import shutil
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from importlib.util import find_spec

import pytest

from nlgauge import _plugins as plugins
from nlgauge.engine.models import loading
from nlgauge.engine.models.capabilities import ENCODER, TOKENIZER, Model
from nlgauge.engine.models.loading import companion_folder, folder_of, load
from nlgauge.engine.tokens import SubwordTokenizer
from nlgauge.errors import SpecError
from nlgauge.options import RunOptions
from tests.engine.fake import WORDS, save_tokenizer, tiny_tokenizer

needs_torch = pytest.mark.skipif(find_spec("transformers") is None, reason="the torch backend needs nlgauge[torch]")
NO_MAKER = "a name"


@pytest.mark.parametrize("backend", ["onnxruntime", "auto"])
def test_a_companion_that_is_not_installed_says_what_to_install(monkeypatch, backend):
    monkeypatch.setattr(loading, "find_spec", lambda name: None)
    remedy = "pip install nlgauge-base, or pip install ./packages/nlgauge-base from a clone"
    with pytest.raises(SpecError, match=f"^model 'base' is not installed: {remedy}$"):
        load("base", backend=backend)


def test_a_companion_is_a_folder_by_its_name():
    companion = companion_folder("base")
    if companion is None or not (companion / "model.safetensors").is_file():
        pytest.skip("base is not installed: make base")
    model = load("base")
    assert model.name == "base" and model.folder == folder_of("base") == companion
    assert (model[ENCODER].layers, model[ENCODER].width, model.window) == (8, 768, 512)
    assert model[TOKENIZER].digest == load("pocket")[TOKENIZER].digest
    assert load("nlgauge-base/base").digest == model.digest
    assert load("base", "int8").precision == "int8"


def test_the_last_installed_model_stays_loaded_and_a_folder_is_read_again(tmp_path):
    options = RunOptions()
    first = options.load("pocket")
    assert options.load("pocket") is first and RunOptions(precision="int8").load("pocket") is not first
    shutil.copytree(folder_of("pocket"), tmp_path / "own")
    own = options.load(str(tmp_path / "own"))
    assert options.load(str(tmp_path / "own")) is not own


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


def large(precision):
    return Model("large", "00", "acme-1.0", precision, {TOKENIZER: SubwordTokenizer(tiny_tokenizer(), None, None)}, 16)


def no_model(precision):
    return precision


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


@needs_torch
def test_a_configuration_that_has_no_language_model_is_an_encoder(tmp_path):
    import transformers

    config = transformers.CLIPTextConfig(
        vocab_size=len(WORDS), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32
    )
    assert type(config) not in transformers.MODEL_FOR_MASKED_LM_MAPPING
    assert type(config) not in transformers.MODEL_FOR_CAUSAL_LM_MAPPING
    transformers.CLIPTextModel(config).save_pretrained(tmp_path)
    save_tokenizer(tmp_path)
    model = load(str(tmp_path))
    assert {one for one in model.abilities if one in model} == {ENCODER, TOKENIZER}

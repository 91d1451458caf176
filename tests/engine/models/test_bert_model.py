"""Folders of ours on torch, against the graphs of the same folder: whole, and with what was adapted from it."""

import json
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the torch backend needs nlgauge[torch]")
pytest.importorskip("onnx", reason="writing graphs needs nlgauge-lab[train]")
pytest.importorskip("nlgauge_lab", reason="writing graphs needs nlgauge-lab[train]")

from nlgauge.engine.models.bert_model import open_bert  # noqa: E402
from nlgauge.engine.models.capabilities import ALIGNER, ENCODER, MASKED_LM, MASKED_PAIRS  # noqa: E402
from nlgauge.engine.models.folder import BUCKETS, model_digest  # noqa: E402
from nlgauge.engine.models.loading import load  # noqa: E402
from nlgauge.errors import MissingExtraError, SpecError  # noqa: E402
from tests.engine.models.small_bert import CONFIG, written  # noqa: E402

IDS = np.array([[2, 9, 4, 12, 30, 4, 3, 0, 0, 0], [2, 4, 7, 8, 4, 11, 13, 15, 40, 3]])
ATTEND = (IDS != 0).astype(np.int64)
AT = np.array([2, 5, 11, 14])
SIDE = np.array([[0, 0, 0, 1, 1, 1, 1, 0, 0, 0], [0, 0, 0, 0, 0, 0, 1, 1, 1, 1]])
POSITIONS = "bert.embeddings.position_embeddings.weight"
OTHER = np.array([2, 21, 9, 12, 33, 34, 35, 3])


@pytest.fixture(scope="module", params=["relative", "absolute"])
def folder(request, tmp_path_factory):
    return written(tmp_path_factory.mktemp(request.param) / "small", relative=request.param == "relative")


def told(model):
    """All that a model says of the rows, by what was asked."""
    hidden = model[ENCODER].hidden(IDS, ATTEND, [0, 1, 2, 3])
    seen = model[MASKED_PAIRS].other_text(OTHER)
    states = model[MASKED_PAIRS].pair_states(IDS, ATTEND, seen)
    logits, share, text, _ = model[ALIGNER].align(IDS, ATTEND, SIDE)
    return {
        "hidden": hidden[:, ATTEND == 1],
        "static": model[ENCODER].static(np.array([5, 9], np.int32)),
        "masked": model[MASKED_LM].masked_logits(IDS, ATTEND, AT),
        "pairs": model[MASKED_PAIRS].pair_logits(IDS, ATTEND, AT, seen),
        "states": states[ATTEND == 1],
        "labels": logits[ATTEND == 1],
        "share": share,
        "text": text,
    }


def test_both_backends_say_the_same(folder):
    graphs, networks = (load(str(folder), backend=backend) for backend in ("onnxruntime", "torch"))
    assert graphs.digest == networks.digest == model_digest(folder) and networks.backend.startswith("torch")
    assert (networks[ENCODER].layers, networks.window, networks.card.aligner_threshold) == (3, 64, pytest.approx(0.4))
    assert networks.mask_id == 4
    one, other = told(graphs), told(networks)
    for name, value in one.items():
        np.testing.assert_allclose(other[name], value, atol=1e-4, err_msg=name)


def test_rows_do_not_depend_on_their_company(folder):
    model = load(str(folder))
    alone = model[MASKED_LM].masked_logits(IDS[:1, :7], ATTEND[:1, :7], AT[:2])
    np.testing.assert_allclose(model[MASKED_LM].masked_logits(IDS, ATTEND, AT)[:2], alone, atol=1e-4)
    seen = model[MASKED_PAIRS].other_text(OTHER)
    alone = model[MASKED_PAIRS].pair_logits(IDS[:1, :7], ATTEND[:1, :7], AT[:2], seen)
    np.testing.assert_allclose(model[MASKED_PAIRS].pair_logits(IDS, ATTEND, AT, seen)[:2], alone, atol=1e-4)


def test_narrow_and_8_bit_products_stay_near(folder):
    exact = told(load(str(folder)))
    for precision, backend in (("bfloat16", "torch"), ("int8", "onnxruntime")):
        rough = told(load(str(folder), precision, backend))
        np.testing.assert_array_equal(rough["static"], exact["static"])
        for name in ("hidden", "masked", "pairs", "states"):
            error = np.linalg.norm(rough[name] - exact[name]) / np.linalg.norm(exact[name])
            assert 0 < error < 0.1, (precision, name, error)


def test_relative_positions_count(folder, tmp_path):
    """Two rows of the same words, absolute positions being nothing: only where relative ones count do they differ."""
    from safetensors.numpy import load_file, save_file

    for file in folder.iterdir():
        (tmp_path / file.name).symlink_to(file)
    weights = load_file(folder / "model.safetensors")
    weights[POSITIONS] = np.zeros_like(weights[POSITIONS])
    (tmp_path / "model.safetensors").unlink()
    save_file(weights, tmp_path / "model.safetensors")
    ids = np.array([[2, 9, 12, 30, 3], [2, 12, 9, 30, 3]])
    hidden = load(str(tmp_path), backend="torch")[ENCODER].hidden(ids, np.ones_like(ids), [2])[0]
    counted = BUCKETS in json.loads((folder / "config.json").read_text())
    assert (np.abs(hidden[0, 3] - hidden[1, 3]).max() > 1e-3) == counted


def test_a_folder_that_cannot_be_read_says_so(tmp_path):
    (tmp_path / "encoder.onnx").write_bytes(b"")
    with pytest.raises(SpecError, match="cannot load model"):
        load(str(tmp_path), backend="torch")
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    with pytest.raises(SpecError, match=r"cannot load model .*model\.safetensors"):
        load(str(tmp_path), backend="torch")


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ({"device": "cuda"}, "model 'pocket' on device 'cuda'"),
        ({"precision": "bfloat16"}, "model 'pocket' in bfloat16"),
    ],
)
def test_without_torch_the_error_names_what_needs_it(monkeypatch, tmp_path, wish, said):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=f"{said} needs an optional library"):
        open_bert(tmp_path, "pocket", **wish)

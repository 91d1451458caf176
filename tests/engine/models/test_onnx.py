"""The torch-free backend: which parts a folder has, graphs that are loaded late, graphs in 8 bits."""

import os
from importlib.metadata import PackageNotFoundError

import numpy as np
import pytest

from nlgauge.engine.models import onnx
from nlgauge.engine.models.capabilities import ALIGNER, ENCODER, MASKED_LM, MASKED_PAIRS
from nlgauge.engine.models.loading import pocket_folder
from nlgauge.engine.models.onnx import open_onnx, threads
from nlgauge.errors import SpecError

IDS = np.array([[101, 2009, 103, 2012, 102]])
ATTEND = np.ones_like(IDS)
OF_A_MODEL = ("model.safetensors", "config.json", "tokenizer.json")


def linked(folder, *names):
    """A folder with links to some files of the embedded model."""
    for name in names:
        (folder / name).symlink_to(pocket_folder() / name)
    return folder


@pytest.mark.parametrize("precision", ["float32", "int8"])
def test_no_part_looks_at_what_pads_a_row(precision):
    model = open_onnx(pocket_folder(), "pocket", precision)
    wide = np.concatenate([IDS, np.full((1, 4), 2054)], axis=1)  # a word, so that one who looks sees something
    attend = (np.arange(wide.shape[1]) < IDS.shape[1]).astype(np.int64)[None]
    at, side, wide_side = np.array([2]), np.array([[0, 0, 0, 1, 1]]), np.array([[0, 0, 0, 1, 1, 0, 0, 0, 0]])
    seen = model[MASKED_PAIRS].other_text(IDS[0])
    alone = [
        model[ENCODER].hidden(IDS, ATTEND, [6])[0],
        model[MASKED_LM].masked_logits(IDS, ATTEND, at),
        model[MASKED_PAIRS].pair_logits(IDS, ATTEND, at, seen),
        model[MASKED_PAIRS].pair_states(IDS, ATTEND, seen),
        *model[ALIGNER].align(IDS, ATTEND, side),
    ]
    beside = [
        model[ENCODER].hidden(wide, attend, [6])[0][:, :5],
        model[MASKED_LM].masked_logits(wide, attend, at),
        model[MASKED_PAIRS].pair_logits(wide, attend, at, seen),
        model[MASKED_PAIRS].pair_states(wide, attend, seen)[:, :5],
        *(
            numbers[:, :5] if numbers.ndim == 2 else numbers
            for numbers in model[ALIGNER].align(wide, attend, wide_side)
        ),
    ]
    for one, other in zip(alone, beside, strict=True):
        np.testing.assert_allclose(other, one, atol=2e-4)


def test_a_folder_without_graphs_is_for_torch(tmp_path):
    linked(tmp_path, *OF_A_MODEL)
    with pytest.raises(SpecError, match=r"no graph in float32, such as masked\.onnx; choose backend='torch'"):
        open_onnx(tmp_path, "none")


def test_the_backend_is_what_runs_the_graphs(monkeypatch):
    import onnxruntime

    def unknown(name):
        raise PackageNotFoundError(name)

    named = open_onnx(pocket_folder(), "pocket").backend
    monkeypatch.setattr(onnx, "version", unknown)
    assert named == open_onnx(pocket_folder(), "pocket").backend == f"onnxruntime-{onnxruntime.__version__}"


@pytest.mark.parametrize(("wanted", "given"), [("3", 3), ("0", None), ("", None), ("many", None), ("-2", None)])
def test_threads_are_those_of_the_environment_or_of_the_machine(monkeypatch, wanted, given):
    monkeypatch.setenv("NLGAUGE_THREADS", wanted)
    assert threads() == (given or len(os.sched_getaffinity(0)))

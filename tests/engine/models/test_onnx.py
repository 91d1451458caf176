"""The torch-free backend: which parts a folder has, graphs that are loaded late, graphs in 8 bits."""

import os
from importlib.metadata import PackageNotFoundError

import numpy as np
import pytest

from nlgauge.engine.models import onnx
from nlgauge.engine.models.capabilities import (
    ALIGNER,
    CAUSAL_LM,
    ENCODER,
    GAP_FILLER,
    MASKED_LM,
    MASKED_PAIRS,
    SEQ2SEQ_LM,
)
from nlgauge.engine.models.loading import pocket_folder
from nlgauge.engine.models.onnx import OnnxGraph, open_onnx, threads
from nlgauge.errors import SpecError

IDS = np.array([[101, 2009, 103, 2012, 102]])
ATTEND = np.ones_like(IDS)
OF_A_MODEL = ("model.safetensors", "config.json", "tokenizer.json")


def linked(folder, *names):
    """A folder with links to some files of the embedded model."""
    for name in names:
        (folder / name).symlink_to(pocket_folder() / name)
    return folder


def test_the_embedded_model_can_do_all_that_has_graphs():
    model = open_onnx(pocket_folder(), "pocket")
    assert model.backend.startswith("onnxruntime-") and (model.window, model.room) == (512, 510)
    assert (model[ENCODER].layers, model[ENCODER].width) == (6, 384)
    assert not any(one in model for one in (GAP_FILLER, CAUSAL_LM, SEQ2SEQ_LM))
    assert len({model.digest, model[MASKED_PAIRS].digest, model[ALIGNER].digest}) == 3
    hidden = model[ENCODER].hidden(IDS, ATTEND, [0, 6])
    assert hidden.shape == (2, 1, 5, 384) and hidden.dtype == np.float32
    np.testing.assert_array_equal(model[ENCODER].hidden(IDS, ATTEND, [6, 0])[::-1], hidden)
    assert model[MASKED_LM].masked_logits(IDS, ATTEND, np.array([2])).shape == (1, 30522)
    seen = model[MASKED_PAIRS].other_text(IDS[0])
    assert model[MASKED_PAIRS].pair_logits(IDS, ATTEND, np.array([2]), seen).shape == (1, 30522)
    assert model[MASKED_PAIRS].pair_states(IDS, ATTEND, seen).shape == (1, 5, 384)
    logits, share, text, against = model[ALIGNER].align(IDS, ATTEND, np.array([[0, 0, 0, 1, 1]]))
    assert logits.shape == (1, 5) and 0 < share[0] < 1 and text.shape == (1,) and np.isfinite(against).all()


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


@pytest.mark.parametrize(
    ("files", "parts"),
    [
        (["masked.onnx"], {"masked_lm"}),
        (["encoder.onnx"], {"encoder"}),
        (["masked.onnx", "pairs.onnx", "pairs.safetensors"], {"masked_lm"}),
        (["masked.onnx", "pairs.onnx", "pairs_other.onnx", "pairs.safetensors"], {"masked_lm", "masked_pairs"}),
        (["masked.onnx", "aligner.safetensors"], {"masked_lm"}),
        (["encoder.onnx", "aligner.onnx"], {"encoder"}),
        (["encoder.onnx", "aligner.onnx", "aligner.safetensors"], {"encoder", "aligner"}),
    ],
)
def test_a_model_has_the_parts_that_its_folder_has_files_for(tmp_path, files, parts):
    model = open_onnx(linked(tmp_path, *OF_A_MODEL, *files), "some")
    assert {one.name for one in model.abilities if one in model} == {*parts, "tokenizer"}


@pytest.mark.parametrize("missing", OF_A_MODEL)
def test_a_folder_without_a_model_says_what_it_lacks(tmp_path, missing):
    linked(tmp_path, "masked.onnx", *(name for name in OF_A_MODEL if name != missing))
    with pytest.raises(SpecError, match=f"lacks {missing}$"):
        open_onnx(tmp_path, "none")


def test_a_folder_without_graphs_is_for_torch(tmp_path):
    linked(tmp_path, *OF_A_MODEL)
    with pytest.raises(SpecError, match=r"no graph in float32, such as masked\.onnx; choose backend='torch'"):
        open_onnx(tmp_path, "none")


def test_int8_reads_the_graphs_of_that_name_alone(tmp_path):
    linked(tmp_path, *OF_A_MODEL, "masked.onnx", "encoder.onnx")
    with pytest.raises(SpecError, match=r"no graph in int8, such as masked\.int8\.onnx; choose precision='float32'"):
        open_onnx(tmp_path, "some", "int8")
    (tmp_path / "masked.int8.onnx").symlink_to(pocket_folder() / "masked.onnx")
    model = open_onnx(tmp_path, "some", "int8")
    assert model.precision == "int8" and ENCODER not in model
    assert model[MASKED_LM].masked_logits(IDS, ATTEND, np.array([2])).shape == (1, 30522)


def test_a_graph_is_loaded_when_it_is_first_run(tmp_path):
    graph = OnnxGraph(tmp_path / "absent.onnx")
    with pytest.raises(Exception, match=r"absent\.onnx"):
        graph.run(["logits"], ids=IDS)


def test_padding_and_company_change_no_logits():
    model = open_onnx(pocket_folder(), "pocket")
    ids = np.array([[101, 2009, 103, 2012, 102, 0, 0], [101, 2009, 2001, 103, 2012, 2305, 102]])
    attend = (ids != 0).astype(np.int64)
    together = model[MASKED_LM].masked_logits(ids, attend, np.array([2, 10]))
    alone = model[MASKED_LM].masked_logits(ids[:1, :5], attend[:1, :5], np.array([2]))
    np.testing.assert_allclose(together[:1], alone, atol=1e-4)
    hidden, short = (
        model[ENCODER].hidden(ids, attend, [0, 6]),
        model[ENCODER].hidden(ids[:1, :5], attend[:1, :5], [0, 6]),
    )
    np.testing.assert_allclose(hidden[:, :1, :5], short, atol=1e-4)


def test_several_masks_in_a_row_are_answered_row_after_row():
    masked = open_onnx(pocket_folder(), "pocket")[MASKED_LM]
    ids = np.array([[101, 103, 2001, 103, 102], [101, 2009, 103, 103, 102]])
    attend = np.ones_like(ids)
    both = masked.masked_logits(ids, attend, np.array([1, 3, 7, 8]))
    for row, (at, part) in enumerate((([1, 3], both[:2]), ([2, 3], both[2:]))):
        np.testing.assert_allclose(part, masked.masked_logits(ids[[row]], attend[[row]], np.array(at)), atol=1e-4)


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


@pytest.mark.parametrize(("threads", "tokens"), [("1", 512), ("3", 1536), ("64", 4096)])
def test_a_batch_grows_with_the_threads_and_holds_a_whole_window(
    monkeypatch: pytest.MonkeyPatch, threads: str, tokens: int
) -> None:
    monkeypatch.setenv("NLGAUGE_THREADS", threads)
    assert open_onnx(pocket_folder(), "pocket").batch_tokens == tokens

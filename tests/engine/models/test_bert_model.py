"""Folders of ours on torch, against the graphs of the same folder: whole, and with what was adapted from it."""

import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the torch backend needs nlgauge[torch]")
pytest.importorskip("onnx", reason="writing graphs needs nlgauge-lab[train]")
pytest.importorskip("nlgauge_lab", reason="writing graphs needs nlgauge-lab[train]")

from nlgauge.engine.models.bert_model import open_bert  # noqa: E402
from nlgauge.engine.models.capabilities import ALIGNER, ENCODER, MASKED_LM, MASKED_PAIRS  # noqa: E402
from nlgauge.errors import MissingExtraError  # noqa: E402
from tests.engine.models.small_bert import written  # noqa: E402

IDS = np.array([[2, 9, 4, 12, 30, 4, 3, 0, 0, 0], [2, 4, 7, 8, 4, 11, 13, 15, 40, 3]])
ATTEND = (IDS != 0).astype(np.int64)
AT = np.array([2, 5, 11, 14])
SIDE = np.array([[0, 0, 0, 1, 1, 1, 1, 0, 0, 0], [0, 0, 0, 0, 0, 0, 1, 1, 1, 1]])
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

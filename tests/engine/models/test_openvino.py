"""The graphs by OpenVINO: the numbers of onnxruntime, and bfloat16 only where the processor has units for it."""

import os
import subprocess
import sys
from importlib.metadata import PackageNotFoundError

import numpy as np
import pytest

from nlgauge.engine.models import openvino
from nlgauge.engine.models.capabilities import ALIGNER, ENCODER, MASKED_LM, MASKED_PAIRS
from nlgauge.engine.models.loading import load
from nlgauge.errors import MissingExtraError, SpecError

IDS = np.array([[101, 2009, 103, 2012, 102], [101, 2009, 2012, 102, 0]])
ATTEND = (IDS > 0).astype(np.int64)


@pytest.fixture(scope="module")
def models():
    pytest.importorskip("openvino", reason="needs nlgauge[openvino]")
    return load("pocket", backend="onnxruntime"), load("pocket", backend="openvino")


def test_vectors_masked_words_pairs_and_aligner_are_those_of_onnxruntime(models):
    at, side, seen = np.array([2, 6]), np.array([[0, 0, 0, 1, 1], [0, 0, 1, 1, 0]]), ATTEND == 1
    found = []
    for model in models:
        other = model[MASKED_PAIRS].other_text(IDS[0])
        logits, share, *_ = model[ALIGNER].align(IDS, ATTEND, side)
        found.append(
            [
                model[ENCODER].hidden(IDS, ATTEND, [6, 0])[:, seen],
                model[MASKED_LM].masked_logits(IDS, ATTEND, at),
                model[MASKED_PAIRS].pair_logits(IDS, ATTEND, at, other),
                model[MASKED_PAIRS].pair_states(IDS, ATTEND, other)[seen],
                logits[seen & (side == 0)],
                share,
            ]
        )
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(theirs, ours, atol=2e-4)


def test_nothing_is_sent_and_nothing_is_written_at_home(models, tmp_path):
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "def refuse(event, given):\n"
        "    assert not event.startswith('socket'), (event, given)\n"
        "sys.addaudithook(refuse)\n"
        "from nlgauge.engine.models.openvino import OpenVinoGraph\n"
        "from nlgauge.engine.models.loading import pocket_folder\n"
        "OpenVinoGraph(pocket_folder() / 'encoder.onnx', 'float32').load()\n"
        "assert 'openvino' in sys.modules and 'openvino_telemetry' not in sys.modules\n"
    )
    environment = {**os.environ, "HOME": str(tmp_path), "USERPROFILE": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not list(tmp_path.iterdir())


def test_bfloat16_is_refused_where_it_would_be_float32(models, monkeypatch):
    monkeypatch.setattr(openvino, "has_bfloat16", lambda: False)
    with pytest.raises(SpecError, match="OpenVINO does not support bfloat16 on this processor"):
        load("pocket", "bfloat16", "openvino")


def test_bfloat16_moves_vectors_a_little(models):
    if not openvino.has_bfloat16():
        pytest.skip("this processor has no units for bfloat16")
    small = load("pocket", "bfloat16", "openvino")
    gap = np.abs(small[ENCODER].hidden(IDS, ATTEND, [6]) - models[0][ENCODER].hidden(IDS, ATTEND, [6]))[0][ATTEND == 1]
    assert 0 < gap.max() < 0.5 and load("pocket", "bfloat16", device="cpu").backend == small.backend


def test_in_8_bits_vectors_are_as_near_to_float32_as_those_of_onnxruntime(models):
    small = [load("pocket", "int8", backend=backend) for backend in ("onnxruntime", "openvino")]
    full, ours, theirs = (model[ENCODER].hidden(IDS, ATTEND, [6])[0][ATTEND == 1] for model in (models[0], *small))
    away, apart = np.abs(ours - full).mean(), np.abs(theirs - ours).mean()
    assert 0 < np.abs(theirs - full).mean() < 1.5 * away and apart < 1.5 * away


def test_without_the_extra_it_is_named(monkeypatch):
    def absent(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(openvino, "version", absent)
    with pytest.raises(MissingExtraError, match=r"nlgauge\[openvino\]"):
        load("pocket", backend="openvino")

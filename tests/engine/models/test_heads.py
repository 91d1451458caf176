"""Weights for pairs and the aligner on torch, against the torch-free backend."""

import shutil

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

torch = pytest.importorskip("torch", reason="the torch backend needs nlgauge[torch]")
pytest.importorskip("transformers", reason="the torch backend needs nlgauge[torch]")

from nlgauge import Corpus, Row, evaluate  # noqa: E402
from nlgauge.engine.features.alignment import AlignmentRequest  # noqa: E402
from nlgauge.engine.features.masked_words import MaskedWordsRequest  # noqa: E402
from nlgauge.engine.features.pair_states import PairStatesRequest  # noqa: E402
from nlgauge.engine.models.capabilities import ALIGNER, ENCODER, MASKED_PAIRS  # noqa: E402
from nlgauge.engine.models.card import ALIGNER_FILE  # noqa: E402
from nlgauge.engine.models.folder import PAIRS_FILE  # noqa: E402
from nlgauge.engine.models.loading import load, pocket_folder  # noqa: E402
from nlgauge.errors import SpecError  # noqa: E402
from tests.engine.fake import answers  # noqa: E402

SOURCE = "The old bridge over the river was closed for a week, because two of its beams had rusted through."
TEXTS = ["The bridge was closed.", "Two beams of the old bridge had rusted through, so it was closed for a week.", "雨"]


def identity(model):
    return model.digest, model[MASKED_PAIRS].digest, model[ALIGNER].digest, model.card.aligner_threshold


@pytest.fixture(scope="module")
def both():
    return tuple(load("pocket", backend=backend) for backend in ("onnxruntime", "torch"))


@pytest.mark.parametrize("stride", [1, 4])
def test_masked_words_agree(both, stride):
    """Texts of several lengths share batches, so that rows are padded, and asked at several places."""
    needs = [MaskedWordsRequest(text, SOURCE, stride=stride) for text in TEXTS]
    needs += [MaskedWordsRequest(SOURCE, text, False, stride=stride) for text in TEXTS]
    for one, two in zip(*(answers(model, *needs) for model in both), strict=True):
        np.testing.assert_array_equal(one.hits, two.hits)
        assert one.predicted == two.predicted
        np.testing.assert_allclose(one.log_probabilities, two.log_probabilities, atol=2e-3)


def test_states_of_pairs_and_alignments_agree(both):
    needs = [PairStatesRequest(text, SOURCE) for text in TEXTS]
    for one, two in zip(*(answers(model, *needs) for model in both), strict=True):
        np.testing.assert_allclose(one.states, two.states, atol=2e-4)
    needs = [AlignmentRequest(text, (SOURCE,)) for text in TEXTS]
    for one, two in zip(*(answers(model, *needs) for model in both), strict=True):
        np.testing.assert_allclose(one.logits, two.logits, atol=2e-3)
        np.testing.assert_allclose(one.aggregate, two.aggregate, atol=1e-4)
        whole = [[stretch.logit for stretch in alignment.stretches] for alignment in (one, two)]
        np.testing.assert_allclose(*whole, atol=2e-3)


def test_bfloat16_keeps_both():
    """The metric stays the same one: the same weights, nearly the same score."""
    rows = Corpus(tuple(Row(text, source=SOURCE, item=str(i)) for i, text in enumerate(TEXTS[:2])))
    specs = ["MaskEval(scoring='probability')", "Consistency(aligner='D')"]
    exact, low = (evaluate(rows, metrics=specs, precision=kind, backend="torch") for kind in ("float32", "bfloat16"))
    for one, two in zip(exact.columns.values(), low.columns.values(), strict=True):
        np.testing.assert_allclose(one.values, two.values, atol=0.03)
        assert not np.array_equal(one.values, two.values)


def test_bfloat16_leaves_the_vocabulary_and_the_digests_as_they_are(both):
    """The decoder of masked words shares the vocabulary's table: narrowing the one must not narrow the other."""
    low, ids = load("pocket", precision="bfloat16", backend="torch"), np.arange(5, 400, dtype=np.int32)
    np.testing.assert_array_equal(low[ENCODER].static(ids), both[1][ENCODER].static(ids))
    assert identity(low) == identity(both[1])


def test_weights_that_do_not_fit_are_refused(tmp_path):
    folder = tmp_path / "folder"
    shutil.copytree(pocket_folder(), folder)
    for file in (PAIRS_FILE, ALIGNER_FILE):
        save_file({**load_file(folder / file), "bert.encoder.layer.99.bias": np.ones(2, np.float32)}, folder / file)
    strange, ones = load(str(folder), backend="torch"), np.ones((3, 1, 2), np.int64)
    for call in (lambda: strange[MASKED_PAIRS].other_text(ones[0, 0]), lambda: strange[ALIGNER].align(*ones)):
        with pytest.raises(SpecError, match=r"adapted weights do not fit: .*layer\.99"):
            call()

"""Weights for pairs and the aligner on torch, against the torch-free backend."""

import shutil

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

torch = pytest.importorskip("torch", reason="the torch backend needs nlgauge[torch]")
pytest.importorskip("transformers", reason="the torch backend needs nlgauge[torch]")

from nlgauge import Corpus, Row, evaluate  # noqa: E402
from nlgauge.engine.engine import Engine  # noqa: E402
from nlgauge.engine.features import AlignmentRequest, MaskedWordsRequest, PairStatesRequest  # noqa: E402
from nlgauge.engine.folder import ALIGNER_FILE, PAIRS_FILE  # noqa: E402
from nlgauge.engine.kinds import open_model  # noqa: E402
from nlgauge.engine.torch_model import TorchModel  # noqa: E402
from nlgauge.errors import SpecError  # noqa: E402
from nlgauge.registry import model, pocket_folder  # noqa: E402

SOURCE = "The old bridge over the river was closed for a week, because two of its beams had rusted through."
TEXTS = ["The bridge was closed.", "Two beams of the old bridge had rusted through, so it was closed for a week.", "雨"]


@pytest.fixture(scope="module")
def both():
    return tuple(model("pocket", backend=backend) for backend in ("onnx", "torch"))


def test_both_backends_are_the_same_model(both):
    for name in ("digest", "pairs_digest", "aligner_digest", "aligner_threshold"):
        assert getattr(both[0], name) == getattr(both[1], name) is not None


@pytest.mark.parametrize("stride", [1, 4])
def test_masked_words_agree(both, stride):
    """Texts of several lengths share batches, so that rows are padded, and asked at several places."""
    needs = [(text, MaskedWordsRequest(SOURCE, stride=stride)) for text in TEXTS]
    needs += [(SOURCE, MaskedWordsRequest(text, False, stride=stride)) for text in TEXTS]
    for one, two in zip(*(Engine(each).features(needs) for each in both), strict=True):
        np.testing.assert_array_equal(one.hits, two.hits)
        assert one.predicted == two.predicted
        np.testing.assert_allclose(one.log_probabilities, two.log_probabilities, atol=2e-3)


def test_states_of_pairs_agree(both):
    needs = [(text, PairStatesRequest(SOURCE)) for text in TEXTS]
    for one, two in zip(*(Engine(each).features(needs) for each in both), strict=True):
        np.testing.assert_allclose(one.vectors, two.vectors, atol=2e-4)


def test_alignments_agree(both):
    needs = [(text, AlignmentRequest((SOURCE,))) for text in TEXTS]
    for one, two in zip(*(Engine(each).features(needs) for each in both), strict=True):
        np.testing.assert_allclose(one.logits, two.logits, atol=2e-3)
        np.testing.assert_allclose(one.aggregate, two.aggregate, atol=1e-4)


def test_another_text_changes_what_is_said(both):
    text = TEXTS[1]
    needs = [(text, MaskedWordsRequest(other)) for other in (SOURCE, "Apples and pears are sold by the pound.")]
    seen, unseen = Engine(both[1]).features(needs)
    assert seen.log_probabilities.sum() > unseen.log_probabilities.sum() + 1


def test_bfloat16_keeps_both():
    """The metric stays the same one: the same weights, nearly the same score."""
    rows = Corpus(tuple(Row(text, source=SOURCE, item=str(i)) for i, text in enumerate(TEXTS[:2])))
    specs = ["MaskEval(scoring='probability')", "Consistency(aligner='D')"]
    exact, low = (evaluate(rows, metrics=specs, precision=kind) for kind in ("float32", "bfloat16"))
    for one, two in zip(exact.columns.values(), low.columns.values(), strict=True):
        np.testing.assert_allclose(one.values, two.values, atol=0.03)
        assert not np.array_equal(one.values, two.values)


def test_bfloat16_leaves_the_vocabulary_and_the_digests_as_they_are(both):
    """The decoder of masked words shares the vocabulary's table: narrowing the one must not narrow the other."""
    low, ids = model("pocket", precision="bfloat16"), np.arange(5, 400, dtype=np.int32)
    np.testing.assert_array_equal(low.static(ids), both[1].static(ids))
    for name in ("digest", "pairs_digest", "aligner_digest", "aligner_threshold"):
        assert getattr(low, name) == getattr(both[1], name)


def test_weights_narrowed_once_are_those_that_every_batch_narrowed(monkeypatch):
    needs = [(TEXTS[1], MaskedWordsRequest(SOURCE)), (TEXTS[0], AlignmentRequest((SOURCE,)))]
    found = []
    for _ in range(2):
        answers = Engine(open_model(str(pocket_folder()), "pocket", "bfloat16")).features(needs)
        found.append((answers[0].log_probabilities, answers[1].logits))
        monkeypatch.setattr(TorchModel, "_narrow", lambda *_: None)
    for once, always in zip(*found, strict=True):
        np.testing.assert_array_equal(once, always)


def test_weights_that_do_not_fit_are_refused(tmp_path):
    folder = tmp_path / "folder"
    shutil.copytree(pocket_folder(), folder)
    for file in (PAIRS_FILE, ALIGNER_FILE):
        save_file({**load_file(folder / file), "bert.encoder.layer.99.bias": np.ones(2, np.float32)}, folder / file)
    strange = model(str(folder), backend="torch")
    for call in (lambda: strange.other_text(np.array([2, 7, 3])), lambda: strange.align(*np.ones((3, 1, 2), np.int64))):
        with pytest.raises(SpecError, match=r"adapted weights do not fit: .*layer\.99"):
            call()


@pytest.mark.parametrize("missing", [PAIRS_FILE, ALIGNER_FILE])
def test_one_without_the_other(tmp_path, missing):
    folder = tmp_path / "folder"
    shutil.copytree(pocket_folder(), folder)
    (folder / missing).unlink()
    ours = model(str(folder), backend="torch")
    if missing == PAIRS_FILE:
        assert ours.pairs_digest is None and ours.aligner_digest is not None
        with pytest.raises(SpecError, match="no weights for pairs"):
            ours.other_text(np.array([2, 7, 3]))
    else:
        assert ours.aligner_digest is None and ours.aligner_threshold == 0.5
        with pytest.raises(SpecError, match="no aligner"):
            ours.align(*np.ones((3, 1, 2), np.int64))

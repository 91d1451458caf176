"""Adaptation to pairs on a body of two layers and forty words: data, rows, resumption, and what it writes."""

import json
from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs nlgauge-lab[train]")
pytest.importorskip("onnx", reason="training needs nlgauge-lab[train]")

from safetensors.numpy import load_file  # noqa: E402

from lab.training.aligner_world import write_body  # noqa: E402
from nlgauge.engine.models.adaptation import read_delta  # noqa: E402
from nlgauge.engine.models.capabilities import MASKED_PAIRS  # noqa: E402
from nlgauge.engine.models.loading import load  # noqa: E402
from nlgauge.errors import InputError  # noqa: E402
from nlgauge_lab.training.pair_rows import make_row  # noqa: E402
from nlgauge_lab.training.pairs import PairsTrainer, train  # noqa: E402
from nlgauge_lab.training.recipe import PairsConfig, Stage  # noqa: E402
from tests.engine.models.small_bert import written  # noqa: E402

SIZES = ((16, 8), (32, 4))


@pytest.fixture(scope="module")
def body(tmp_path_factory):
    return write_body(tmp_path_factory.mktemp("body"))


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    """The candidate says the words of the other text backwards."""
    folder = tmp_path_factory.mktemp("pairs")
    generator = np.random.default_rng(3)
    texts = [[f"w{i}" for i in generator.integers(0, 40, size)] for size in generator.integers(4, 14, 400)]
    records = [{"candidate": " ".join(words[::-1]), "source": " ".join(words), "origin": "own:1"} for words in texts]
    (folder / "a.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    (folder / "notes.txt").write_text("not a pair\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def config(body):
    return PairsConfig(
        body=str(body),
        groups={"a:*": 1.0},
        seed=4,
        held_out_every=10,
        words=0.3,
        stretch=12,
        sizes=SIZES,
        steps=10,
        stages=(Stage(0.5, (1.0, 0.0)), Stage(1.0, (0.5, 0.5), copied=0.5)),
        rate=5e-3,
        warmup_steps=2,
    )


@pytest.fixture(scope="module")
def trained(config, pairs, tmp_path_factory):
    """A trainer after a few steps and the folder that it wrote."""
    trainer = PairsTrainer(config, pairs, tmp_path_factory.mktemp("run"))
    trainer.run(evaluate_every=100, save_every=100)
    return trainer, trainer.finish()


def test_what_nothing_can_be_trained_on_is_refused(config, pairs, tmp_path):
    with pytest.raises(InputError, match="no pair is left"):
        PairsTrainer(replace(config, least_overlap=1.01), pairs, tmp_path / "out")
    with pytest.raises(InputError, match="no model in"):
        PairsTrainer(replace(config, body=str(tmp_path)), pairs, tmp_path / "out")
    with pytest.raises(InputError, match="does not exist"):
        train(tmp_path / "absent", tmp_path / "out")


def test_a_run_can_go_on_from_the_weights_for_pairs(trained, config, pairs, body, tmp_path):
    first, folder = trained
    begun = replace(config, body=str(folder), start="pairs")
    further = PairsTrainer(begun, pairs, tmp_path / "further")
    stored = read_delta(folder / "pairs.safetensors", load_file(folder / "model.safetensors"))
    for name, parameter in further.model.named_parameters():
        if name in stored:
            np.testing.assert_array_equal(parameter.detach().numpy(), stored[name])
    assert further.evaluate()["a"]["perplexity"] == pytest.approx(first.evaluate()["a"]["perplexity"], rel=1e-2)
    with pytest.raises(InputError, match="no weights for pairs"):
        PairsTrainer(replace(config, start="pairs"), pairs, tmp_path / "none")
    with pytest.raises(InputError, match="start 'middle' is none"):
        PairsTrainer(replace(config, start="middle"), pairs, tmp_path / "middle")


def test_it_learns_in_low_rank_from_a_masked_lm_that_counts_relative_positions(config, pairs, tmp_path):
    body = written(tmp_path / "body")
    low = replace(config, body=str(body), rank=4)
    first = PairsTrainer(low, pairs, tmp_path / "first")
    first.run(evaluate_every=100, save_every=100)
    folder = first.finish()
    stored = load_file(folder / "pairs.safetensors")
    matrices = [value for name, value in stored.items() if value.ndim == 2 and not name.endswith(".scale")]
    assert matrices and all(value.dtype == np.int8 for value in matrices)
    for name in ("model.safetensors", "masked.safetensors", "masked.onnx"):
        assert (folder / name).read_bytes() == (body / name).read_bytes()
    assert_alike(PairsTrainer(replace(low, body=str(folder), start="pairs"), pairs, tmp_path / "again"), folder)


def assert_alike(trainer, folder):
    """Rows that see the other text through its keys and values, against one row in which attention is masked."""
    model = load(str(folder))[MASKED_PAIRS]
    example = trainer.train.rows[32][3]
    row = make_row(trainer.train, example, 32, trainer.frame, trainer.config, np.random.default_rng(5))
    with torch.no_grad():
        wanted = trainer._logits(row).numpy()
    own, other = (row.masked[0][row.part[0] == part] for part in (0, 1))
    seen = model.other_text(other)
    at = np.flatnonzero(own == trainer.frame.mask)
    # Beside a longer row, padded.
    ids = np.zeros((2, len(own) + 3), np.int64)
    ids[0, : len(own)], ids[1] = own, [2, *[7] * (len(own) + 1), 3]
    attend = (ids != 0).astype(np.int64)
    attend[1] = 1
    got = model.pair_logits(ids, attend, np.concatenate([at, ids.shape[1] + at]), seen)
    np.testing.assert_allclose(got[: len(at)], wanted, atol=1e-4)
    states = model.pair_states(own[None], np.ones((1, len(own)), np.int64), seen)
    assert states.shape[:2] == (1, len(own))

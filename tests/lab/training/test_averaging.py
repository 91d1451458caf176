"""The mean of aligners is the mean of their weights, and is a model's folder."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs nlgauge[train]")
pytest.importorskip("onnx", reason="training needs nlgauge[train]")

from safetensors.numpy import load_file, save_file  # noqa: E402

from nlgauge.engine.models.adaptation import read_delta, write_delta  # noqa: E402
from nlgauge.engine.models.capabilities import ALIGNER  # noqa: E402
from nlgauge.engine.models.folder import read_weights  # noqa: E402
from nlgauge.engine.models.loading import load  # noqa: E402
from nlgauge.errors import InputError  # noqa: E402
from nlgauge.lab.training.aligner import AlignerConfig  # noqa: E402
from nlgauge.lab.training.aligner_run import start, write_aligner  # noqa: E402
from nlgauge.lab.training.averaging import average  # noqa: E402
from tests.lab.training.aligner_world import write_body  # noqa: E402

FILE = "aligner.safetensors"


@pytest.fixture(scope="module")
def body(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_body(tmp_path_factory.mktemp("body"))


def aligner(body: Path, folder: Path, seed: int, rank: int = 0) -> Path:
    """The body with an aligner that has moved away from it, by the seed."""
    net = start(body, AlignerConfig(rank=rank))
    torch.manual_seed(seed)
    with torch.no_grad():
        for parameter in net.parameters():
            if parameter.requires_grad:
                parameter.add_(torch.randn_like(parameter) * 0.02)
    shutil.copytree(body, folder)
    write_aligner(folder, net, 0.4 + seed / 10, 1.0 + seed)
    return folder


@pytest.mark.parametrize("rank", [0, 4])
def test_every_weight_is_the_mean_and_the_folder_is_a_model(body: Path, tmp_path: Path, rank: int) -> None:
    one, two = (aligner(body, tmp_path / str(seed), seed, rank) for seed in (1, 2))
    out = average([one, two], tmp_path / "mean")
    stored, (first, second) = load_file(out / FILE), (load_file(folder / FILE) for folder in (one, two))
    assert stored.keys() == first.keys()
    assert stored["aligner.threshold"] == pytest.approx(0.55) and stored["aligner.temperature"] == pytest.approx(2.5)
    if rank:
        ends = (".down", ".up")
        for name in (name for name in stored if name.endswith(ends)):
            np.testing.assert_allclose(stored[name], (first[name] + second[name]) / 2, atol=1e-4)
        assert any(name.endswith(".up") for name in stored)
    else:
        base = read_weights(body / "model.safetensors")
        mean, left, right = (read_delta(folder / FILE, base) for folder in (out, one, two))
        for name in mean:
            # A step of the stored difference is its row's largest entry by 127.
            np.testing.assert_allclose(mean[name], (left[name] + right[name]) / 2, atol=0.1 / 127)
    assert ALIGNER in load(str(out))


def test_weights_count_and_what_one_has_alone_is_kept_but_no_question(body: Path, tmp_path: Path) -> None:
    one, two = (aligner(body, tmp_path / str(seed), seed) for seed in (1, 2))
    stored = load_file(one / FILE)
    heads = {name for name in stored if "against" in name}
    save_file({name: value for name, value in stored.items() if name not in {*heads, "aligner.question"}}, one / FILE)
    out = load_file(average([one, two], tmp_path / "mean", [0.25, 0.75]) / FILE)
    assert heads and out.keys() == stored.keys() - {"aligner.question"}
    assert out["aligner.threshold"] == pytest.approx(0.25 * 0.5 + 0.75 * 0.6)
    for name in heads:
        np.testing.assert_array_equal(out[name], load_file(two / FILE)[name])
    assert ALIGNER in load(str(tmp_path / "mean"))


def test_a_mean_of_one_is_itself_and_what_does_not_fit_is_refused(body: Path, tmp_path: Path) -> None:
    one = aligner(body, tmp_path / "one", 1)
    same = average([one, one], tmp_path / "same")
    base = read_weights(body / "model.safetensors")
    for name, value in read_delta(same / FILE, base).items():
        np.testing.assert_allclose(value, read_delta(one / FILE, base)[name], atol=1e-6)
    with pytest.raises(InputError, match="give two folders"):
        average([one], tmp_path / "no")
    with pytest.raises(InputError, match=f"has no {FILE}"):
        average([one, body], tmp_path / "no")
    with pytest.raises(InputError, match="other weights"):
        average([one, aligner(body, tmp_path / "low", 1, rank=4)], tmp_path / "no")
    other = shutil.copytree(one, tmp_path / "other")
    moved = {name: value + 1 for name, value in read_weights(body / "model.safetensors").items()}
    write_delta(other / "model.safetensors", {}, moved)
    with pytest.raises(InputError, match="another"):
        average([one, other], tmp_path / "no")
    assert not (tmp_path / "no").exists()

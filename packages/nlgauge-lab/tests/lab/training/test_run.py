"""A run of anything: log, curve, checkpoints, and one step by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from nlgauge.errors import InputError

torch = pytest.importorskip("torch", reason="training needs nlgauge-lab[train]")

from nlgauge_lab.training.run import Run  # noqa: E402


class Line(Run):
    """Brings one number to 3."""

    losses = ("square", "distance")
    measured_first = True

    def __init__(self, out: Path, held_out: bool = True, precision: str = "float32") -> None:
        super().__init__(out, precision)
        self.model = torch.nn.Linear(1, 1, bias=False).to(self.device)
        torch.nn.init.zeros_(self.model.weight)
        self.optimizer = torch.optim.SGD([{"params": list(self.model.parameters()), "rate": 0.25}], lr=9.0)
        self.steps, self.held_out = 50, held_out

    def train_step(self) -> tuple[float, float]:
        distance = self.model.weight.squeeze() - 3
        self.learn(distance**2, 1.0 if self.step else 0.5)
        return distance.item() ** 2, abs(distance.item())

    def evaluate(self) -> dict[str, float] | None:
        return {"step": self.step, "at": round(self.model.weight.item(), 4)} if self.held_out else None


class Pair(Run):
    """Two layers, of which the second one and the first one's bias learn."""

    def __init__(self, out: Path, seed: int = 0) -> None:
        super().__init__(out)
        torch.manual_seed(seed)
        self.model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(4, 1)).to(self.device)
        self.model[0].weight.requires_grad_(False)
        self.optimizer, self.steps = self.adamw(lambda name: 0.1, 0.01), 9

    def train_step(self) -> tuple[float]:
        loss = self.model(self.tensor(np.full((2, 3), 0.1 * (self.step + 1), np.float32))).square().sum()
        self.learn(loss, 1.0)
        return (loss.item(),)

    def evaluate(self) -> None:
        return None


def test_a_step_goes_down_the_clipped_gradient_at_its_share_of_the_rate(tmp_path: Path) -> None:
    run = Line(tmp_path)
    assert run.train_step() == (9.0, 3.0)
    # The gradient, -6, is clipped to -1; half the rate for the first step.
    assert run.model.weight.item() == pytest.approx(0.125)
    run.train_step()
    assert run.model.weight.item() == pytest.approx(0.375)
    assert run.step == 2


def test_without_held_out_data_there_is_no_curve(tmp_path: Path) -> None:
    run = Line(tmp_path, held_out=False)
    assert not run.resume()
    run.run(evaluate_every=10, save_every=100)
    assert run.curve == [] and not (tmp_path / "curve.jsonl").exists()
    assert (tmp_path / "checkpoint.safetensors").exists()


def test_another_precision_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"precision 'float16' is none \(give float32 or bfloat16\)"):
        Line(tmp_path / "new", precision="float16")
    assert not (tmp_path / "new").exists()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_a_run_on_a_gpu_goes_on_where_it_was(tmp_path: Path) -> None:
    run = Line(tmp_path)
    assert run.device.type == "cuda"
    run.run(evaluate_every=10, save_every=10)
    again = Line(tmp_path)
    assert again.resume() and again.step == 50
    again.train_step()


def test_what_was_saved_goes_on_as_if_never_stopped(tmp_path: Path) -> None:
    run, other = Pair(tmp_path), Pair(tmp_path)
    assert not run.resume()
    for _ in range(3):
        run.train_step()
    run.curve = [{"step": 3, "loss": 0.5}]
    run.save()
    assert other.resume() and (other.step, other.curve) == (3, run.curve)
    for _ in range(2):
        run.train_step()
        other.train_step()
    for ours, theirs in zip(run.model.parameters(), other.model.parameters(), strict=True):
        assert torch.equal(ours, theirs)

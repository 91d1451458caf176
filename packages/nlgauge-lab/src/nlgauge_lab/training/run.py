"""A training run of any kind of model: steps, a log of them, a curve of held-out results, and checkpoints."""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor, nn
from tqdm import tqdm

from nlgauge.errors import InputError

_CHECKPOINT = "checkpoint.safetensors"
_LOG_EVERY = 20
_PRECISIONS = ("float32", "bfloat16")


class Run(ABC):
    """Training in a folder, which gets train.jsonl, curve.jsonl and a checkpoint to resume from.

    A subclass sets `model`, `optimizer` (its groups hold the highest learning rate as `rate`) and `steps`.
    """

    losses: ClassVar[tuple[str, ...]] = ("loss",)
    """Names of the losses that `train_step` returns"""
    measured_first: ClassVar[bool] = False
    """Whether the curve begins with the model before training"""

    out: Path
    model: nn.Module
    optimizer: torch.optim.Optimizer
    steps: int

    def __init__(self, out: Path, precision: str = "float32") -> None:
        """Make a run in a folder.

        Args:
            out: the folder.
            precision: number type of matrix products, 'float32' or 'bfloat16'. Weights and sums stay in float32.

        Raises:
            InputError: another precision.
        """
        if precision not in _PRECISIONS:
            raise InputError(f"the recipe's precision {precision!r} is none", remedy=f"give {' or '.join(_PRECISIONS)}")
        out.mkdir(parents=True, exist_ok=True)
        self.out, self.step, self.precision = out, 0, precision
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.curve: list[dict[str, Any]] = []
        self.at_point: Callable[[], object] = lambda: None
        """Called after each point of the curve"""

    @abstractmethod
    def train_step(self) -> tuple[float, ...]:
        """Make one optimizer step, and return the losses."""

    @abstractmethod
    def evaluate(self) -> dict[str, Any] | None:
        """Return a point of the curve; None if nothing is held out."""

    def tensor(self, values: NDArray[Any]) -> Tensor:
        """Return an array as a tensor on the device of the model."""
        return torch.from_numpy(values).to(self.device)

    def computing(self) -> AbstractContextManager[Any]:
        """Return the context in which the network is called, with the precision of the run."""
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.precision == "bfloat16")

    @property
    def narrow(self) -> torch.dtype:
        """The number type of frozen weights."""
        return torch.bfloat16 if self.precision == "bfloat16" else torch.float32

    def adamw(
        self,
        rate: Callable[[str], float],
        decay: float,
        undecayed: Callable[[str], bool] = lambda name: False,
        second_beta: float = 0.98,
    ) -> torch.optim.Optimizer:
        """Return the optimizer of the weights that learn. Only matrices have weight decay.

        Args:
            rate: the highest learning rate, by a parameter's name.
            decay: the weight decay.
            undecayed: whether a parameter has no decay, by its name.
            second_beta: decay rate for the mean of squared gradients.
        """
        groups: dict[tuple[float, float], list[nn.Parameter]] = {}
        for name, parameter in self._learning():
            own = decay if parameter.ndim > 1 and not undecayed(name) else 0.0
            groups.setdefault((rate(name), own), []).append(parameter)
        made = [{"params": some, "rate": rate, "weight_decay": own} for (rate, own), some in groups.items()]
        return torch.optim.AdamW(made, betas=(0.9, second_beta), fused=True)

    def learn(self, loss: Tensor, factor: float) -> None:
        """Step along the gradient of `loss`, clipped to norm 1, at `factor` times the highest rates."""
        torch.autograd.backward(loss)
        nn.utils.clip_grad_norm_([parameter for _, parameter in self._learning()], 1.0)
        for group in self.optimizer.param_groups:
            group["lr"] = group["rate"] * factor
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.step += 1

    def save(self) -> None:
        """Write weights that learn, optimizer state, step and curve.

        If the process is killed, the file is the old or the new one.
        """
        tensors = {}
        for name, parameter in self._learning():
            tensors[f"model.{name}"] = parameter.detach().contiguous()
            for key, value in self.optimizer.state.get(parameter, {}).items():
                tensors[f"{key}.{name}"] = value.detach().clone(memory_format=torch.contiguous_format)
        partial = self.out / "checkpoint.partial"
        save_file(tensors, partial, metadata={"step": str(self.step), "curve": json.dumps(self.curve)})
        partial.replace(self.out / _CHECKPOINT)

    def resume(self) -> bool:
        """Load the folder's checkpoint, and return whether there is one."""
        if not (self.out / _CHECKPOINT).exists():
            return False
        with safe_open(self.out / _CHECKPOINT, "pt") as file, torch.no_grad():
            stored = frozenset(file.keys())
            for name, parameter in self._learning():
                parameter.copy_(file.get_tensor(f"model.{name}"))
                keys = [key for key in ("step", "exp_avg", "exp_avg_sq") if f"{key}.{name}" in stored]
                if keys:
                    state = {key: file.get_tensor(f"{key}.{name}").to(parameter.device) for key in keys}
                    self.optimizer.state[parameter] = state
            self.step, self.curve = int(file.metadata()["step"]), json.loads(file.metadata()["curve"])
        return True

    def _learning(self) -> list[tuple[str, nn.Parameter]]:
        return [(name, parameter) for name, parameter in self.model.named_parameters() if parameter.requires_grad]

    def run(self, evaluate_every: int, save_every: int = 100) -> None:
        """Train to the last step, from the folder's checkpoint if there is one, with a progress bar."""
        self.resume()
        bar = tqdm(total=self.steps, initial=self.step, unit="step", disable=None)
        began, recent = time.monotonic(), []
        if self.measured_first and not self.step:
            self._measure()
        while self.step < self.steps:
            recent.append(self.train_step())
            bar.update()
            last = self.step == self.steps
            if self.step % _LOG_EVERY == 0 or last:
                means = np.mean(recent[-_LOG_EVERY:], axis=0)
                point = {name: round(float(value), 5) for name, value in zip(self.losses, means, strict=True)}
                bar.set_postfix(point)
                seconds = round(time.monotonic() - began, 1)
                with (self.out / "train.jsonl").open("a", encoding="utf-8") as log:
                    log.write(json.dumps({"step": self.step, **point, "seconds": seconds}) + "\n")
            if self.step % evaluate_every == 0 or last:
                self._measure()
            if self.step % save_every == 0 or last:
                self.save()
        bar.close()

    def _measure(self) -> None:
        if (point := self.evaluate()) is None:
            return
        self.curve.append(point)
        lines = "".join(json.dumps(point) + "\n" for point in self.curve)
        (self.out / "curve.jsonl").write_text(lines, encoding="utf-8")
        self.at_point()


@contextmanager
def torch_threads(number: int) -> Iterator[None]:
    """Let torch use this number of threads within the context; afterwards it uses as many as before."""
    before = torch.get_num_threads()
    torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)

"""Train an aligner on weakly labelled examples (Deng et al. 2021, section 3.5 and appendix A).

The loss of a batch is the cross-entropy of the words' labels plus the squared error of the share of supported words.
Words without letter or digit have no label: they do not count when an aspect is computed. The vocabulary table is
frozen, so that what is learnt is a small difference to the body.

Everything random in step ``i`` follows from ``(seed, i)``: a resumed run sees the batches that an unbroken one sees.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.numpy import load_file
from torch import Tensor, nn
from transformers import BertConfig

from nlgauge.engine.models.adaptation import write_delta
from nlgauge.engine.models.aligner_net import Aligner
from nlgauge.engine.models.card import ALIGNER_FILE, ALIGNER_THRESHOLD
from nlgauge.engine.models.folder import WEIGHTS_FILE
from nlgauge.engine.models.loading import folder_of, load
from nlgauge.engine.models.onnx import threads
from nlgauge.engine.tokens import SubwordTokenizer
from nlgauge.errors import InputError, SpecError
from nlgauge.training.aligner_rows import Encoded, encode
from nlgauge.training.body import read_body
from nlgauge.training.detection import detection
from nlgauge.training.export import write_graph
from nlgauge.training.recipe import read_recipe
from nlgauge.training.run import Run
from nlgauge.training.threads import torch_threads
from nlgauge.training.weak_labels.examples import Example, read_examples
from nlgauge.training.weak_labels.production import Files, Order, produce
from nlgauge.training.weak_labels.settings import Settings

_LENGTHS = (96, 160, 256, 384, 512, sys.maxsize)


@dataclass(frozen=True)
class AlignerConfig:
    """How an aligner is trained."""

    seed: int = 0
    epochs: int = 1
    batch_tokens: int = 4096
    """Of a step, padding counted"""
    body_rate: float = 2e-4
    head_rate: float = 1e-3
    weight_decay: float = 0.01
    warmup_share: float = 0.06
    share_weight: float = 1.0
    """Of the squared error of the share of supported words, beside the words' cross-entropy"""
    precision: str = "float32"
    """Of the products: 'float32' or 'bfloat16'"""


class Trainer(Run):
    """The run that trains an aligner."""

    losses = ("loss", "share")
    model: Aligner

    def __init__(
        self, config: AlignerConfig, body: Path, train: Iterable[Example], held: Iterable[Example], out: Path
    ) -> None:
        super().__init__(out, config.precision)
        self.config = config
        self.tokenizer = SubwordTokenizer.read(str(body / "tokenizer.json"))
        settings = BertConfig.from_pretrained(body)
        settings.hidden_dropout_prob = settings.attention_probs_dropout_prob = 0.0
        torch.manual_seed(config.seed)  # of the heads' first weights
        self.model = Aligner(read_body(body, settings)).to(self.device)
        self.model.body.embeddings.word_embeddings.weight.requires_grad_(False)
        self.window = window = int(settings.max_position_embeddings)
        self.train = [row for row in (encode(one, self.tokenizer, window) for one in train) if row is not None]
        self.held = [row for row in (encode(one, self.tokenizer, window) for one in held) if row is not None]
        self.steps = len(self._epoch(0)) * config.epochs
        self.optimizer = torch.optim.AdamW(self._groups(), betas=(0.9, 0.98), fused=True)

    def _groups(self) -> list[dict[str, Any]]:
        groups: dict[tuple[float, float], list[nn.Parameter]] = {}
        for name, parameter in self.model.named_parameters():
            if parameter.requires_grad:
                rate = self.config.body_rate if name.startswith("body.") else self.config.head_rate
                decay = self.config.weight_decay if parameter.ndim > 1 else 0.0
                groups.setdefault((rate, decay), []).append(parameter)
        return [{"params": some, "rate": rate, "weight_decay": decay} for (rate, decay), some in groups.items()]

    def _epoch(self, epoch: int) -> list[NDArray[np.intp]]:
        """The batches of an epoch: rows of like length together, the batches in random order."""
        rng = np.random.default_rng([self.config.seed, 2, epoch])
        lengths = np.array([self._padded(len(row.ids)) for row in self.train])
        found: list[NDArray[np.intp]] = []
        for length in np.unique(lengths):
            rows = rng.permutation(np.flatnonzero(lengths == length))
            size = max(1, self.config.batch_tokens // length)
            found += [rows[at : at + size] for at in range(0, len(rows), size)]
        return [found[i] for i in rng.permutation(len(found))]

    def _padded(self, length: int) -> int:
        """One of a few lengths: the CPU backend keeps what it prepared for every shape that it has seen."""
        return next(min(size, self.window) for size in _LENGTHS if length <= min(size, self.window))

    def rate(self, step: int) -> float:
        """The factor on both learning rates: warm-up, then a linear fall to zero."""
        warm = max(1, round(self.steps * self.config.warmup_share))
        return min((step + 1) / warm, (self.steps - step) / max(1, self.steps - warm))

    def loss(self, rows: Sequence[Encoded]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Loss of the words and of the share; the words' log-odds and labels."""
        length = self._padded(max(len(row.ids) for row in rows))
        ids = np.full((len(rows), length), self.tokenizer.pad_id)
        attend, side = np.zeros((2, len(rows), length), np.int64)
        word = np.full((len(rows), length), -1)
        first = 0
        for i, row in enumerate(rows):
            size = len(row.ids)
            ids[i, :size], side[i, :size], attend[i, :size] = row.ids, row.side, 1
            word[i, :size] = np.where(row.word >= 0, row.word + first, -1)
            first += len(row.labels)
        pieces_at = np.flatnonzero(word.ravel() >= 0)
        number = self.tensor(word.ravel()[pieces_at])
        with self.computing():
            logits, share = (out.float() for out in self.model(*map(self.tensor, (ids, attend, side))))
        own = logits.reshape(-1)[self.tensor(pieces_at)]
        sums = torch.zeros(first, device=self.device).index_add(0, number, own)
        pieces = torch.zeros(first, device=self.device).index_add(0, number, torch.ones_like(own))
        truth = self.tensor(np.concatenate([row.labels for row in rows]))
        counted = truth >= 0
        per_word = (sums / pieces)[counted]
        prediction = nn.functional.binary_cross_entropy_with_logits(per_word, truth[counted].float())
        target = torch.tensor([float(row.labels[row.labels >= 0].mean()) for row in rows], device=self.device)
        return prediction, nn.functional.mse_loss(share, target), per_word, truth[counted]

    def train_step(self) -> tuple[float, float]:
        """One optimizer step; returns the losses of words (nats) and share (squared)."""
        per_epoch = self.steps // self.config.epochs
        epoch, at = divmod(self.step, per_epoch)
        if at == 0 or not hasattr(self, "_batches"):
            self._batches = self._epoch(epoch)
        self.model.train()
        prediction, share, _, _ = self.loss([self.train[i] for i in self._batches[at]])
        self.learn(prediction + self.config.share_weight * share, self.rate(self.step))
        return prediction.item(), share.item()

    @torch.no_grad()
    def evaluate(self) -> dict[str, Any] | None:
        """Held-out losses, and how well unsupported words are found (see `detection`)."""
        if not self.held:
            return None
        self.model.eval()
        losses: list[tuple[float, float]] = []
        logits: list[NDArray[np.float32]] = []
        labels: list[NDArray[np.int64]] = []
        for at in range(0, len(self.held), 16):
            prediction, share, odds, truth = self.loss(self.held[at : at + 16])
            losses.append((prediction.item(), share.item()))
            logits.append(odds.cpu().numpy())
            labels.append(truth.cpu().numpy())
        supported = (1 + np.tanh(np.concatenate(logits).astype(np.float64) / 2)) / 2
        found = {"step": self.step, **detection(supported, np.concatenate(labels))}
        words_loss, share_loss = np.mean(losses, axis=0)
        return {**found, "loss": round(float(words_loss), 4), "share": round(float(share_loss), 5)}

    def card(self, made: Path, held: Path) -> str:
        """The training card: what was trained on what, and how well held-out examples are told apart."""
        last, config = self.curve[-1] if self.curve else {}, vars(self.config)
        lines = [
            "# Aligner",
            "",
            f"Trained by `nlgauge train aligner` on {len(self.train)} weakly labelled examples, {self.step} steps.",
            "What they are made from and how: the data cards below. No human judgement was used.",
            "",
            "| held-out figure | value |",
            "|---|---|",
            *(f"| {name} | {value} |" for name, value in last.items()),
            "",
            f"Settings: {json.dumps(config)}",
            "",
        ]
        sides = (("Trained on", made), ("Held out", held))
        cards = [(side, (folder / "README.md").read_text(encoding="utf-8")) for side, folder in sides]
        return "\n".join([*lines, *(card.replace("# Weakly", f"## {side}: weakly", 1) for side, card in cards)])

    def finish(self, body: Path) -> Path:
        """Write the finished model: the body's folder with the aligner in it."""
        folder = self.out / "model"
        folder.mkdir(exist_ok=True)
        for file in sorted(body.iterdir()):
            if file.is_file() and not file.name.startswith(("aligner.", "README")):
                shutil.copyfile(file, folder / file.name)
        # Nothing to choose by without held-out examples, or with words of one kind alone.
        found = self.curve[-1]["threshold"] if self.curve else np.nan
        write_aligner(folder, self.model, 0.5 if np.isnan(found) else found)
        return folder


def write_aligner(folder: Path, model: Aligner, threshold: float) -> None:
    """Put an aligner into a model's folder: what its body differs by from the folder's, its heads, and the graph.

    threshold: the alignment under which a word is taken to be unsupported.
    """
    tuned = {
        f"bert.{name.removeprefix('body.')}" if name.startswith("body.") else f"aligner.{name}": value
        for name, value in ((name, p.detach().cpu().numpy()) for name, p in model.named_parameters() if p.requires_grad)
    }
    tuned[ALIGNER_THRESHOLD] = np.array([threshold], np.float32)
    write_delta(folder / ALIGNER_FILE, load_file(folder / WEIGHTS_FILE), tuned)
    write_graph(folder, "aligner.onnx")


def train(
    pairs: Sequence[Path], out: Path, *, tasks: Sequence[str] = (), config: Path | None = None,
    body: str | None = None, attempts: int | None = None, seed: int | None = None, examples_only: bool = False,
) -> Path:  # fmt: skip
    """Make examples and train an aligner on them, going on where an earlier run in `out` stopped.

    pairs, tasks: a file or folder for each task; or no tasks and one folder for the recipe's patterns.
    Returns the finished model's folder, or that of the examples under examples_only.
    Raises InputError for files or a recipe that cannot be read, SpecError for tasks that do not fit the files.
    """
    tree = read_recipe(config or Path(__file__).with_name("aligner.toml"))
    wanted = tree["examples"]
    order = Order(
        _files(pairs, tasks, tree["source"]),
        attempts or int(wanted["attempts"]),
        round((attempts or wanted["attempts"]) * wanted["held_out_attempts"] / wanted["attempts"]),
        float(wanted["held_out"]),
        tuple(wanted.get("held_out_origins", ())),
        int(tree["seed"] if seed is None else seed),
        Settings(**tree.get("settings", {})),
    )
    name = body or tree["body"]
    made, held = produce(order, load(name), out / "examples", progress=True)
    if examples_only:
        return made.parent
    settings, folder = AlignerConfig(seed=order.seed, **tree.get("training", {})), folder_of(name)
    with torch_threads(threads()):
        trainer = Trainer(settings, folder, read_examples(made), read_examples(held), out)
        trainer.resume()
        trainer.run(evaluate_every=200, save_every=50)
        finished = trainer.finish(folder)
    (finished / "ALIGNER.md").write_text(trainer.card(made, held), encoding="utf-8")
    return finished


def _files(pairs: Sequence[Path], tasks: Sequence[str], sources: Sequence[Mapping[str, Any]]) -> tuple[Files, ...]:
    if tasks:
        if len(tasks) != len(pairs):
            raise SpecError(f"{len(pairs)} --pairs and {len(tasks)} --task: give a task for each")
        return tuple(Files((path,), task) for path, task in zip(pairs, tasks, strict=True))
    if len(pairs) != 1 or not pairs[0].is_dir():
        raise SpecError("give a --task for each --pairs, or one folder with the recipe's files")
    found = []
    for source in sources:
        paths = tuple(sorted(pairs[0].glob(source["files"])))
        if not paths:
            raise InputError(f"no file {source['files']}", file=pairs[0], remedy="give a --task for each --pairs")
        found.append(Files(paths, source["task"], source["share"], tuple(source.get("leave_out", ()))))
    return tuple(found)

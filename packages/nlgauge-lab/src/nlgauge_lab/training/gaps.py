"""Teach an encoder-decoder (T5) to fill the gap of a word from the words around it and another text.

MaskEval, section 3.2 and appendix A: one text of each pair is drawn, and one of its words, which is replaced by a
sentinel. The network writes the word between two sentinels. The loss is the cross-entropy of the written tokens. Rows
are made as in scoring. The weights with the lowest loss on held-out pairs are written to the folder.

Everything random in step ``i`` follows from ``(seed, i)``: a resumed run sees the batches that an unbroken one sees.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file

from nlgauge.engine.batching import padded
from nlgauge.engine.masking import MaskingLimits, gap_row, passes
from nlgauge.engine.models.capabilities import GAP_FILLER, TOKENIZER, Model
from nlgauge.engine.models.torch_model import Checkpoint
from nlgauge.engine.windows import pair_room, paired_row
from nlgauge.errors import InputError
from nlgauge_lab.reproduce.markdown import table
from nlgauge_lab.training.pair_rows import Pairs, read_pairs
from nlgauge_lab.training.recipe import PairsConfig
from nlgauge_lab.training.run import Run

_BEST = "best.safetensors"
_IGNORED = -100
"""The label of padding, which transformers ignores"""


class Gap(NamedTuple):
    """A row with a gap (`ids`), and the tokens that the network has to write (`target`)."""

    ids: list[int]
    target: list[int]


class GapsTrainer(Run):
    """A training run that teaches an encoder-decoder to fill gaps of words."""

    measured_first = True

    def __init__(self, config: PairsConfig, pairs: Path, out: Path, model: Model) -> None:
        super().__init__(out, config.precision)
        self.config, self._tokenizer = config, model[TOKENIZER]
        if GAP_FILLER not in model:
            raise InputError(
                f"model {model.name!r} fills no gaps", remedy="give T5, or pocket, base or a folder of ours"
            )
        self._checkpoint = Checkpoint(config.body, model.name, device="cpu")
        self.model = self._checkpoint.network("AutoModelForSeq2SeqLM").to(self.device)
        self._gap, self._after = model[GAP_FILLER].sentinels
        train, held = read_pairs(pairs, config)
        self.train = Pairs.of(train, config, self._tokenizer)
        self.held = {kind: Pairs.of(some, config, self._tokenizer) for kind, some in held.items()}
        self._numbers = self.train.numbers
        if not len(self._numbers):
            raise InputError(f"{pairs}: no pair is left", remedy="lower least_overlap in the recipe")
        length, self._size = config.sizes[-1]
        self._room = pair_room(min(length, model.window), self._tokenizer)
        self._limits = MaskingLimits.of(self._room, 1)
        self.epoch = -(-len(self._numbers) // self._size)
        """Number of steps in an epoch"""
        self.steps = config.epochs * self.epoch if config.epochs else config.steps
        self.optimizer = self.adamw(lambda name: config.rate, config.weight_decay, second_beta=0.999)

    def row(self, pairs: Pairs, pair: int, rng: np.random.Generator) -> Gap:
        """Return a row with a gap in place of a random word of one of the pair's texts."""
        side = int(rng.integers(2))
        (ids, numbers), (other, _) = pairs.sides[side][pair], pairs.sides[1 - side][pair]
        starts = np.append(np.flatnonzero(np.diff(numbers.astype(np.int64), prepend=-1)), len(ids)).astype(np.intp)
        word = int(rng.integers(len(starts) - 1))
        (one,) = passes(starts, [word], 1, self._limits)
        part = gap_row(ids, starts, one, self._gap)
        row = paired_row(part.ids, other.tolist(), first=side == 0, room=self._room, tokenizer=self._tokenizer).ids
        truth = ids[starts[word] : starts[word + 1]][: self._limits.longest].tolist()
        return Gap(row, [self._gap, *truth, self._after, *self._tokenizer.suffix])

    def batch(self, step: int) -> list[Gap]:
        """Return the rows of a step. Each pair is read once in an epoch, each time with a word that is drawn anew."""
        epoch, at = divmod(step, self.epoch)
        order = np.random.default_rng([self.config.seed, 2, epoch]).permutation(self._numbers)
        rng = np.random.default_rng([self.config.seed, 1, step])
        return [self.row(self.train, int(pair), rng) for pair in order[at * self._size : (at + 1) * self._size]]

    def loss(self, rows: Sequence[Gap]) -> torch.Tensor:
        """Return the mean cross-entropy of the target tokens, in nats."""
        ids, attend = padded([row.ids for row in rows], self._tokenizer.pad_id)
        labels, written = padded([row.target for row in rows], 0)
        labels[written == 0] = _IGNORED
        inputs: dict[str, NDArray[Any]] = {"input_ids": ids, "attention_mask": attend, "labels": labels}
        with self.computing():
            found: torch.Tensor = self.model(**{name: self.tensor(value) for name, value in inputs.items()}).loss
        return found.float()

    def train_step(self) -> tuple[float]:
        """Make one optimizer step, and return the loss in nats."""
        self.model.train()
        torch.manual_seed(self.config.seed * 1_000_003 + self.step)  # of the dropout
        loss = self.loss(self.batch(self.step))
        self.learn(loss, self.config.factor(self.step))
        return (float(loss.item()),)

    @torch.no_grad()
    def evaluate(self) -> dict[str, Any] | None:
        """Return the loss on one word of each held-out pair, over all pairs and by file; None if nothing is held out.

        The weights are stored if their loss is the lowest so far.
        """
        self.model.eval()
        by_kind: dict[str, list[float]] = {}
        for kind, pairs in sorted(self.held.items()):
            rng = np.random.default_rng([self.config.seed, 3])
            chosen = rng.permutation(pairs.numbers)[: self.config.held_rows or None]
            for at in range(0, len(chosen), self._size):
                rows = [self.row(pairs, int(pair), rng) for pair in chosen[at : at + self._size]]
                by_kind.setdefault(kind, []).extend([self.loss(rows).item()] * len(rows))
        if not by_kind:
            return None
        loss = float(np.mean([one for some in by_kind.values() for one in some]))
        if all(loss < point["loss"] for point in self.curve):
            learned = {name: value.detach().contiguous() for name, value in self._learning()}
            save_file(learned, self.out / _BEST)
        kinds = {kind: {"loss": round(float(np.mean(some)), 5), "words": len(some)} for kind, some in by_kind.items()}
        return {"step": self.step, "loss": loss, **kinds}

    def finish(self) -> Path:
        """Write the best weights as a folder for transformers, and return the folder."""
        folder = self.out / "model"
        if (self.out / _BEST).is_file():
            best = load_file(self.out / _BEST)
            with torch.no_grad():
                for name, value in self._learning():
                    value.copy_(best[name])
        net: Any = self.model
        net.save_pretrained(folder)
        self._checkpoint.splitter.save_pretrained(folder)
        (folder / "PAIRS.md").write_text(self._card(), encoding="utf-8")
        return folder

    def _card(self) -> str:
        """Return the text of the training card."""
        best = min(self.curve, key=lambda point: point["loss"], default={"step": self.step})
        measured = [
            [point["step"], kind, *found.values()]
            for point in self.curve
            for kind, found in point.items()
            if isinstance(found, dict)
        ]
        lines = [
            *("# Gaps of words", ""),
            f"Trained by `nlgauge train masked-lm --pairs` on {len(self._numbers)} pairs, {self.step} steps; the "
            f"weights are those of step {best['step']}.",
            "",
            "Loss at words of held-out pairs:",
            "",
            *table(["step", "pairs", "loss", "words"], "llll", measured),
        ]
        return "\n".join([*lines, "", f"Settings: {json.dumps(asdict(self.config))}", ""])

"""Adapt a masked LM to pairs of texts: [CLS] candidate [SEP] other text [SEP], words of one side masked.

This is the recipe of the embedded model's weights for pairs (MaskEval, section 3.2). A row has a stretch of one side,
chosen at random, with some of its words masked whole, and as much of the other side as fits. Layers and head learn, and
the vocabulary table does not, so a small difference from the model is stored (`nlgauge.engine.models.adaptation`). The
paper masks one word in a row. Several masks at a distance teach as much each, and make better use of a row.

Everything random in step ``i`` follows from ``(seed, i)``: a resumed run sees the batches that an unbroken one sees.
"""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from nlgauge.engine.models.adaptation import write_delta
from nlgauge.engine.models.bert import MaskedBert
from nlgauge.engine.models.folder import PAIRS_FILE, WEIGHTS_FILE, copy_folder, read_weights
from nlgauge.engine.models.loading import folder_of, is_ours, load
from nlgauge.engine.models.onnx import threads
from nlgauge.engine.tokens import SubwordTokenizer
from nlgauge.errors import InputError
from nlgauge_lab.reproduce.markdown import table
from nlgauge_lab.training.body import start_model
from nlgauge_lab.training.export import write_graph
from nlgauge_lab.training.gaps import GapsTrainer
from nlgauge_lab.training.low_rank import learned, load_learned
from nlgauge_lab.training.pair_rows import Pairs, Rows, make_row, read_pairs
from nlgauge_lab.training.passages import open_tokenizer
from nlgauge_lab.training.recipe import PairsConfig
from nlgauge_lab.training.run import Run, torch_threads

_HELD_OUT_ROWS = 48
_STARTS = ("body", "pairs")


class PairsTrainer(Run):
    """A training run that adapts a masked LM to pairs."""

    measured_first = True
    model: MaskedBert

    def __init__(self, config: PairsConfig, pairs: Path, out: Path) -> None:
        super().__init__(out, config.precision)
        self.config = config
        self.folder = folder_of(config.body)
        if not (self.folder / WEIGHTS_FILE).is_file():
            raise InputError(f"no model in {self.folder}", remedy="give 'pocket' or the folder of a trained model")
        split, self.frame = open_tokenizer(self.folder)
        self.model = self._start(split.get_vocab_size()).to(self.device)
        tokenizer = SubwordTokenizer(split, "[MASK]", "[PAD]")
        train, held = read_pairs(pairs, config)
        self.train = Pairs.of(train, config, tokenizer)
        self.held = {kind: Pairs.of(some, config, tokenizer) for kind, some in held.items()}
        if not any(len(rows) for rows in self.train.rows.values()):
            raise InputError(f"{pairs}: no pair is left", remedy="lower least_overlap in the recipe")
        for name, parameter in self.model.named_parameters():
            if not learns(name):
                parameter.requires_grad_(False)
        self.optimizer = self.adamw(lambda name: config.rate, config.weight_decay)
        self.steps = config.steps

    def _start(self, vocabulary: int) -> MaskedBert:
        """Return the body with its head. If the recipe says so, it has the folder's weights for pairs."""
        if self.config.start not in _STARTS:
            raise InputError(f"the recipe's start {self.config.start!r} is none", remedy=f"give {' or '.join(_STARTS)}")
        model = start_model(self.folder, np.ones(vocabulary), self.config.rank, self.narrow)
        if self.config.start == "pairs":
            if not (self.folder / PAIRS_FILE).is_file():
                raise InputError(f"{self.folder} has no weights for pairs", remedy="give start = 'body' in the recipe")
            load_learned(model, self.folder / PAIRS_FILE, read_weights(self.folder / WEIGHTS_FILE))
        return model

    def batch(self, step: int) -> Rows:
        """Return the rows of ``step``. All have one length, which is drawn among the lengths that pairs have."""
        config, rng = self.config, np.random.default_rng([self.config.seed, 1, step])
        stage = config.stage(step)
        shares = np.array(stage.shares, float)
        there = np.array([len(self.train.rows[length]) > 0 for length, _ in config.sizes], float)
        shares = shares * there if (shares * there).any() else there
        length, rows = config.sizes[int(rng.choice(len(shares), p=shares / shares.sum()))]
        examples = self.train.rows[length]
        chosen = rng.choice(len(examples), size=rows, replace=len(examples) < rows)
        return Rows.of(
            [
                make_row(self.train, examples[i], length=length, frame=self.frame, config=config, rng=rng, stage=stage)
                for i in chosen
            ]
        )

    def _logits(self, rows: Rows, alone: bool = False) -> torch.Tensor:
        """Return the logits at the masks, row after row: [masks, vocabulary].

        alone: whether the other text is hidden from the masked one.
        """
        part = self.tensor(rows.part)
        own, other = part == 0, part == 1
        sees = own[:, :, None] & (own if alone else own | other)[:, None] | other[:, :, None] & other[:, None]
        sees |= torch.eye(part.shape[1], dtype=torch.bool, device=self.device)  # padding has to see something
        ids, positions = self.tensor(rows.masked), self.tensor(rows.positions)
        with self.computing():
            hidden = self.model.bert(ids, sees, other.long(), positions, part)[-1]
            at = self.tensor(np.flatnonzero(rows.masked == self.frame.mask))
            return self.model.logits(hidden.reshape(-1, hidden.shape[-1])[at]).float()

    def _truth(self, rows: Rows) -> torch.Tensor:
        return self.tensor(rows.whole[rows.masked == self.frame.mask])

    def train_step(self) -> tuple[float]:
        """Make one optimizer step, and return the loss in nats."""
        rows = self.batch(self.step)
        loss = nn.functional.cross_entropy(self._logits(rows), self._truth(rows))
        self.learn(loss, self.config.factor(self.step))
        return (float(loss.item()),)

    @torch.no_grad()
    def evaluate(self) -> dict[str, Any]:
        """Return the perplexity and the accuracy of held-out pairs, by file.

        The accuracy is also measured with the other text hidden. The difference is what reading in pairs adds.
        """
        out: dict[str, Any] = {"step": self.step}
        for kind, pairs in sorted(self.held.items()):
            shown, hidden, losses = [], [], []
            examples = [(length, row) for length, rows in sorted(pairs.rows.items()) for row in rows]
            order = np.random.default_rng(7).permutation(len(examples))[:_HELD_OUT_ROWS]
            for number in sorted(order, key=lambda i: examples[i][0]):
                length, example = examples[number]
                rng = np.random.default_rng([8, int(number)])
                row = make_row(pairs, example, length=length, frame=self.frame, config=self.config, rng=rng)
                truth, logits = self._truth(row), self._logits(row)
                losses.append(nn.functional.cross_entropy(logits, truth, reduction="none"))
                shown.append(logits.argmax(-1) == truth)
                hidden.append(self._logits(row, alone=True).argmax(-1) == truth)
            if losses:
                out[kind] = {
                    "perplexity": round(float(torch.cat(losses).mean().exp()), 3),
                    "top1": round(float(torch.cat(shown).double().mean()), 4),
                    "top1_alone": round(float(torch.cat(hidden).double().mean()), 4),
                    "masks": int(sum(map(len, losses))),
                }
        return out

    def finish(self) -> Path:
        """Write the model's folder with the weights for pairs in it, and return the folder."""
        folder = self.out / "model"
        copy_folder(self.folder, folder)
        whole, low_rank = learned(self.model)
        base = read_weights(folder / WEIGHTS_FILE)
        # The bias over the vocabulary does not learn: a body without a head of its own has none to fall back on.
        head = {f"cls.{name}": value.cpu().numpy() for name, value in self.model.cls.state_dict().items()}
        whole |= {name: value for name, value in head.items() if name not in base}
        write_delta(folder / PAIRS_FILE, base, whole, low_rank, in_8_bits=True)
        for graph in ("pairs.onnx", "pairs_other.onnx"):
            write_graph(folder, graph)
        (folder / "PAIRS.md").write_text(self.card(), encoding="utf-8")
        return folder

    def card(self) -> str:
        """Return the text of the training card: numbers of rows, held-out results, and settings."""
        rows = {length: len(rows) for length, rows in self.train.rows.items()}
        measured = [
            [point["step"], kind, *found.values()]
            for point in self.curve
            for kind, found in point.items()
            if isinstance(found, dict)
        ]
        lines = [
            *("# Weights for pairs", ""),
            f"Trained by `nlgauge train masked-lm --pairs`, {self.step} steps. Rows at hand by length: {rows}.",
            "",
            "Held-out masked words: perplexity and top-1 accuracy, and the latter with the other text hidden.",
            "",
            *table(["step", "pairs", "perplexity", "top-1", "other text hidden", "masks"], "llllll", measured),
        ]
        return "\n".join([*lines, "", f"Settings: {json.dumps(asdict(self.config))}", ""])


def learns(name: str) -> bool:
    """Return whether a weight of a masked LM is adapted. Layers and head are, and the vocabulary table is not."""
    return name.startswith(("bert.encoder.layer.", "cls.predictions.transform."))


def train(
    pairs: Path, out: Path, config: Path | None = None, steps: int | None = None, body: str | None = None
) -> Path:
    """Run a recipe to its end, and return the folder of the finished model. A run that was stopped in `out` is resumed.

    Args:
        pairs: a file of JSON Lines, or a folder of them.
        out: folder of the run.
        config: the recipe; by default the one of the body.
        steps: in place of the recipe's.
        body: in place of the recipe's: pocket, base, a folder of ours, or an encoder-decoder with T5's sentinels.

    Raises:
        InputError: the pairs, the recipe or the model cannot be read.
    """
    if not pairs.exists():
        raise InputError("does not exist", file=pairs, remedy="give JSON Lines of pairs, or a folder of them")
    ours = body is None or is_ours(folder_of(body))
    recipe = PairsConfig.read(config or Path(__file__).with_name("pairs.toml" if ours else "pairs_t5.toml"))
    recipe = replace(recipe, body=body or recipe.body)
    recipe = replace(recipe, steps=steps, epochs=0) if steps else recipe
    with torch_threads(threads()):
        if is_ours(folder_of(recipe.body)):
            trainer: PairsTrainer | GapsTrainer = PairsTrainer(recipe, pairs, out)
            trainer.run(evaluate_every=300)
        else:
            trainer = GapsTrainer(recipe, pairs, out, load(recipe.body))
            trainer.run(evaluate_every=trainer.epoch)
        return trainer.finish()

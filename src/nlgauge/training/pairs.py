"""Adapt a masked LM to pairs of texts: [CLS] candidate [SEP] other text [SEP], words of one side masked.

The recipe behind the embedded model's weights for pairs (MaskEval, section 3.2). A row reads a stretch of one side,
chosen at random, with some of its words masked whole, and as much of the other side as fits. Layers and head learn,
the vocabulary table does not, so that a small difference from the model is stored (`nlgauge.engine.models.adaptation`).
The paper masks one word a row; several far apart teach as much each and make a row worth its pass.

Everything random in step ``i`` follows from ``(seed, i)``: a resumed run sees the batches that an unbroken one sees.
"""

from __future__ import annotations

import fnmatch
import json
import re
import shutil
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import torch
from safetensors.numpy import load_file
from tokenizers import Tokenizer
from torch import nn
from transformers import BertForMaskedLM

from nlgauge.engine.models.adaptation import read_delta, write_delta
from nlgauge.engine.models.folder import PAIRS_FILE, WEIGHTS_FILE
from nlgauge.engine.models.loading import folder_of
from nlgauge.engine.models.onnx import threads
from nlgauge.engine.segmentation import Segmenter, segmenter
from nlgauge.errors import InputError
from nlgauge.training.export import write_graph
from nlgauge.training.masked_lm import read_lines, start_model
from nlgauge.training.recipe import read_recipe
from nlgauge.training.run import Run
from nlgauge.training.threads import torch_threads

SIDES = (("candidate", "source"), ("summary", "doc"), ("target", "source"), ("response", "knowledge"), ("a", "b"))
"""Names under which a record may hold its pair"""
_HELD_OUT_ROWS = 48
_CANDIDATE, _OTHER = 0, 1
_STARTS = ("body", "pairs")
_JSON_LINES = re.compile(r"\.jsonl(\.xz|\.gz)?$")

Pair: TypeAlias = tuple[str, str]
"""Candidate and other text"""


@dataclass(frozen=True)
class Stage:
    """What the steps of a part of the run read."""

    until: float
    """Share of the run's steps at which it ends"""
    shares: tuple[float, ...]
    """Of its steps, at each length"""
    copied: float = 0.0
    """Share of the rows whose masked side is made of excerpts of the other text itself"""
    runs: int = 1
    """Of how many runs of words such excerpts are made at most"""


@dataclass(frozen=True)
class PairsConfig:
    """The values of a recipe file; see ``pairs.toml`` for what each one means."""

    body: str
    groups: dict[str, float]
    start: str = "body"
    seed: int = 0
    segmentation: str = "plain"
    held_out_every: int = 50
    longest: int = 4000
    least_overlap: float = 0.0
    words: float = 0.25
    stretch: int = 96
    sizes: tuple[tuple[int, int], ...] = ((64, 32), (128, 16), (256, 8), (512, 4))
    stages: tuple[Stage, ...] = ()
    rate: float = 4e-4
    weight_decay: float = 0.01
    warmup_steps: int = 30
    decay_share: float = 0.8
    steps: int = 800
    precision: str = "float32"

    @classmethod
    def read(cls, path: Path) -> PairsConfig:
        """Read a TOML recipe. Raises InputError for a file that is none, or an unknown or missing key."""
        tree = read_recipe(path)
        data = tree.pop("data", {})
        flat: dict[str, Any] = {"groups": data.pop("groups", {"*": 1.0}), **data}
        for section in ("masking", "batches", "optimizer"):
            flat.update(tree.pop(section, {}))
        flat.update(tree)
        if "sizes" in flat:
            flat["sizes"] = tuple((int(length), int(rows)) for length, rows in flat["sizes"])
        try:
            stages = [Stage(**{**stage, "shares": tuple(stage["shares"])}) for stage in flat.pop("stage", [])]
            return cls(**flat, stages=tuple(stages))
        except (TypeError, KeyError) as error:
            raise InputError(str(error), file=path, remedy="compare with the recipe pairs.toml") from None

    def stage(self, step: int) -> Stage:
        """The stage of a step; all lengths alike where the recipe has none."""
        found = (stage for stage in self.stages if step < round(self.steps * stage.until))
        return next(found, self.stages[-1] if self.stages else Stage(1.0, (1.0,) * len(self.sizes)))

    def factor(self, step: int) -> float:
        """The factor on the learning rate at ``step``: warm-up, constant, linear fall to zero."""
        fall = max(1, round(self.steps * self.decay_share))
        return min(1.0, (step + 1) / self.warmup_steps, (self.steps - step) / fall)


@dataclass
class Side:
    """Token ids and word numbers of one side of many pairs, one after another.

    ids: uint16 [tokens]; words: uint16 [tokens], counted from 0 in each text; starts: int64 [texts + 1].
    """

    ids: np.ndarray
    words: np.ndarray
    starts: np.ndarray

    def __getitem__(self, text: Any) -> tuple[np.ndarray, np.ndarray]:
        own = slice(self.starts[text], self.starts[text + 1])
        return self.ids[own], self.words[own]

    @property
    def sizes(self) -> np.ndarray:
        return np.diff(self.starts)

    @classmethod
    def of(cls, texts: Sequence[str], tokenizer: Tokenizer, words: Segmenter) -> Side:
        ids: list[np.ndarray] = []
        numbers: list[np.ndarray] = []
        for at in range(0, len(texts), 1000):
            part = list(texts[at : at + 1000])
            for text, encoding in zip(part, tokenizer.encode_batch(part, add_special_tokens=False), strict=True):
                ids.append(np.array(encoding.ids, np.uint16))
                offsets = np.array(encoding.offsets, np.int32).reshape(-1, 2)
                numbers.append(words(text, offsets).astype(np.uint16))
        sizes = [len(one) for one in ids]
        empty = [np.empty(0, np.uint16)]
        return cls(np.concatenate(ids or empty), np.concatenate(numbers or empty), np.cumsum([0, *sizes]))


@dataclass
class Pairs:
    """Pairs of texts and the rows that they can be read as: pair and masked side of each, by length of row."""

    sides: tuple[Side, Side]
    rows: dict[int, np.ndarray]
    """{length: int64 [rows, 2]}"""

    @classmethod
    def of(cls, pairs: Sequence[Pair], config: PairsConfig, tokenizer: Tokenizer) -> Pairs:
        words = segmenter(config.segmentation)
        candidates, others = zip(*pairs, strict=True) if pairs else ((), ())
        sides = Side.of(candidates, tokenizer, words), Side.of(others, tokenizer, words)
        return cls(sides, _rows_by_length(sides, config))


def _rows_by_length(sides: tuple[Side, Side], config: PairsConfig) -> dict[int, np.ndarray]:
    """Both readings of every pair that has words on both sides, in the shortest rows that hold them."""
    sizes = np.stack([side.sizes for side in sides], axis=1)
    pairs = np.flatnonzero((sizes > 0).all(axis=1))
    if config.least_overlap > 0:
        kept = [_overlap(sides[_CANDIDATE][pair][0], sides[_OTHER][pair][0]) >= config.least_overlap for pair in pairs]
        pairs = pairs[np.array(kept, bool)]
    examples = np.array([(pair, side) for pair in pairs for side in (_CANDIDATE, _OTHER)], np.int64).reshape(-1, 2)
    masked = sizes[examples[:, 0], examples[:, 1]]
    needed = 3 + np.minimum(masked, config.stretch) + sizes[examples[:, 0], 1 - examples[:, 1]]
    lengths = np.array([length for length, _ in config.sizes])
    place = np.minimum(np.searchsorted(lengths, needed), len(lengths) - 1)
    return {int(length): examples[place == i] for i, length in enumerate(lengths)}


def _overlap(candidate: np.ndarray, other: np.ndarray) -> float:
    return float(np.isin(np.unique(candidate), other).mean())


def read_pairs(path: Path, config: PairsConfig) -> tuple[list[Pair], dict[str, list[Pair]]]:
    """Training pairs, and held-out ones by file, from JSON Lines (plain, .gz or .xz) or a folder of them.

    A record holds its pair under one of the names of `SIDES`, and may say its `origin`. Pairs with the same other text
    are held out together. Raises InputError for a record that is no pair, and where nothing is left to train on.
    """
    files = sorted(p for p in path.iterdir() if _JSON_LINES.search(p.name)) if path.is_dir() else [path]
    train: list[Pair] = []
    held: dict[str, list[Pair]] = {}
    for file in files:
        kind = file.name.split(".")[0]
        for pair in _shared_out(file, kind, config):
            if zlib.crc32(pair[_OTHER].encode()) % config.held_out_every == 0:
                held.setdefault(kind, []).append(pair)
            else:
                train.append(pair)
    if not train:
        raise InputError(
            f"{path}: no pairs to train on", remedy="give JSON Lines with candidate and source, plain, .gz or .xz"
        )
    return train, held


def _shared_out(path: Path, kind: str, config: PairsConfig) -> Iterator[Pair]:
    """The pairs of a file that the recipe's groups ask for, texts cut to the longest that is read."""
    for number, line in enumerate(read_lines(path), start=1):
        try:
            record = json.loads(line)
            name = f"{kind}:{record.get('origin', '')}"
            share = next((share for pattern, share in config.groups.items() if fnmatch.fnmatch(name, pattern)), 0.0)
            if not number * share % 1 < share:
                continue
            names = next(names for names in SIDES if all(isinstance(record.get(name), str) for name in names))
        except (ValueError, AttributeError, StopIteration):
            wanted = ", or ".join(" and ".join(names) for names in SIDES)
            raise InputError("is no pair", file=path, row=number, remedy=f"give JSON records with {wanted}") from None
        candidate, other = (record[name][: config.longest] for name in names)
        if candidate.strip() and other.strip():
            yield candidate, other


@dataclass(frozen=True)
class Frame:
    """Ids of the tokens that a row needs besides its texts'."""

    cls: int
    sep: int
    pad: int
    mask: int


@dataclass
class Rows:
    """Rows of a batch: int64 [rows, length] each.

    Every row is two framed texts, [CLS] stretch [SEP] and [CLS] other [SEP], each with positions of its own.
    """

    masked: np.ndarray
    whole: np.ndarray
    """Differs from `masked` where a mask is"""
    positions: np.ndarray
    part: np.ndarray
    """0 in the stretch, 1 in the other text, -1 in padding"""

    @classmethod
    def of(cls, rows: Sequence[Rows]) -> Rows:
        names = ("masked", "whole", "positions", "part")
        return cls(*(np.concatenate([getattr(row, name) for row in rows]) for name in names))


Text: TypeAlias = tuple[np.ndarray, np.ndarray]
"""Token ids and word numbers of a text: [tokens] each"""


_AS_THEY_ARE = Stage(1.0, ())


def make_row(
    pairs: Pairs, example: np.ndarray, length: int, frame: Frame, config: PairsConfig, rng: np.random.Generator,
    stage: Stage = _AS_THEY_ARE,
) -> Rows:  # fmt: skip
    """One reading of a pair, or, by the stage's chance, of its other text and excerpts of what is seen of it."""
    pair, side = map(int, example)
    text, other = pairs.sides[side][pair], pairs.sides[1 - side][pair]
    if stage.copied and rng.random() < stage.copied:
        seen = max(1, length - 4 - min(config.stretch, len(other[0])))
        text = excerpts((other[0][:seen], other[1][:seen]), config.stretch, stage.runs, rng)
    return _row(text, other[0], length, frame, config, rng)


def excerpts(text: Text, size: int, runs: int, rng: np.random.Generator) -> Text:
    """Up to so many runs of a text's whole words, in their order, `size` sub-words together at most.

    An extractive summary is such a text: at its joints the words on one side alone tell where to look.
    """
    ids, words = text
    zones = np.array_split(np.arange(len(ids)), min(size, int(rng.integers(1, runs + 1))))
    run = max(1, size // len(zones))
    kept = []
    for zone in zones:
        begin = int(rng.integers(max(1, len(zone) - run + 1)))
        kept.append(zone[begin : begin + run])
    places = np.concatenate(kept)
    split = ~np.isin(np.arange(len(ids)), places)
    whole = places[~np.isin(words[places], words[split])]
    places = whole if len(whole) else places
    return ids[places], words[places]


def _row(
    text: Text, other: np.ndarray, length: int, frame: Frame, config: PairsConfig, rng: np.random.Generator
) -> Rows:
    """One row: a stretch of a text with masks in it, and as much of the other text's beginning as fits."""
    ids, words = text
    begin = int(rng.integers(len(ids) - config.stretch + 1)) if len(ids) > config.stretch else 0
    own = slice(begin, begin + min(config.stretch, len(ids), length - 5))
    size = own.stop - own.start
    rest = other[: length - 4 - size]
    used = np.concatenate([[frame.cls], ids[own], [frame.sep, frame.cls], rest, [frame.sep]]).astype(np.int64)
    whole = np.full(length, frame.pad, np.int64)
    whole[: len(used)] = used
    masked = whole.copy()
    masked[1 + _chosen(ids, words, own, config.words, rng)] = frame.mask
    positions = np.zeros(length, np.int64)
    positions[: len(used)] = [*range(size + 2), *range(len(rest) + 2)]
    part = np.repeat([0, 1, -1], [size + 2, len(rest) + 2, length - len(used)])
    return Rows(masked[None], whole[None], positions[None], part[None])


def _chosen(ids: np.ndarray, words: np.ndarray, own: slice, share: float, rng: np.random.Generator) -> np.ndarray:
    """Where in the stretch the masks go: some of the words that it holds whole, or of all where it holds none."""
    inside = words[own]
    present = np.unique(inside)
    cut = {int(words[at]) for at in (own.start - 1, own.stop) if 0 <= at < len(ids)}
    whole = np.array([word for word in present if int(word) not in cut], dtype=words.dtype)
    if not len(whole):
        whole = present
    number = max(1, round(len(whole) * share))
    return np.flatnonzero(np.isin(inside, rng.choice(whole, size=number, replace=False)))


class PairsTrainer(Run):
    """The run that adapts a masked LM to pairs."""

    measured_first = True
    model: BertForMaskedLM

    def __init__(self, config: PairsConfig, pairs: Path, out: Path) -> None:
        super().__init__(out, config.precision)
        self.config = config
        self.folder = folder_of(config.body)
        if not (self.folder / WEIGHTS_FILE).is_file():
            raise InputError(f"no model in {self.folder}", remedy="give 'pocket' or the folder of a trained model")
        tokenizer = Tokenizer.from_file(str(self.folder / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        tokenizer.encode_special_tokens = True
        known = tokenizer.get_vocab()
        self.frame = Frame(*(known[token] for token in ("[CLS]", "[SEP]", "[PAD]", "[MASK]")))
        self.model = self._start(tokenizer.get_vocab_size()).to(self.device)
        train, held = read_pairs(pairs, config)
        self.train = Pairs.of(train, config, tokenizer)
        self.held = {kind: Pairs.of(some, config, tokenizer) for kind, some in held.items()}
        if not any(len(rows) for rows in self.train.rows.values()):
            raise InputError(f"{pairs}: no pair is left", remedy="lower least_overlap in the recipe")
        for name, parameter in self.model.named_parameters():
            parameter.requires_grad_(learns(name))
        matrices = [p for p in self.model.parameters() if p.requires_grad and p.ndim > 1]
        vectors = [p for p in self.model.parameters() if p.requires_grad and p.ndim < 2]
        decays = ((matrices, config.weight_decay), (vectors, 0.0))
        groups = [{"params": some, "rate": config.rate, "weight_decay": decay} for some, decay in decays]
        self.optimizer = torch.optim.AdamW(groups, betas=(0.9, 0.98), fused=True)
        self.steps = config.steps

    def _start(self, vocabulary: int) -> Any:
        """The body with its head, or, where the recipe says so, with its own weights for pairs."""
        if self.config.start not in _STARTS:
            raise InputError(f"the recipe's start {self.config.start!r} is none", remedy=f"give {' or '.join(_STARTS)}")
        model = start_model(self.folder, np.ones(vocabulary))
        if self.config.start == "pairs":
            if not (self.folder / PAIRS_FILE).is_file():
                raise InputError(f"{self.folder} has no weights for pairs", remedy="give start = 'body' in the recipe")
            adapted = read_delta(self.folder / PAIRS_FILE, load_file(self.folder / WEIGHTS_FILE))
            model.load_state_dict({name: torch.from_numpy(value) for name, value in adapted.items()}, strict=False)
        return model

    def batch(self, step: int) -> Rows:
        """The rows of ``step``. A length that no pair has is not drawn."""
        config, rng = self.config, np.random.default_rng([self.config.seed, 1, step])
        stage = config.stage(step)
        shares = np.array(stage.shares, float)
        there = np.array([len(self.train.rows[length]) > 0 for length, _ in config.sizes], float)
        shares = shares * there if (shares * there).any() else there
        length, rows = config.sizes[int(rng.choice(len(shares), p=shares / shares.sum()))]
        examples = self.train.rows[length]
        chosen = rng.choice(len(examples), size=rows, replace=len(examples) < rows)
        return Rows.of([make_row(self.train, examples[i], length, self.frame, config, rng, stage) for i in chosen])

    def _logits(self, rows: Rows, alone: bool = False) -> torch.Tensor:
        """Logits at the masks, row after row: [masks, vocabulary]. alone: the stretch does not see the other text."""
        part = self.tensor(rows.part)
        own, other = part == 0, part == 1
        sees = own[:, :, None] & (own if alone else own | other)[:, None] | other[:, :, None] & other[:, None]
        sees |= torch.eye(part.shape[1], dtype=torch.bool, device=self.device)  # padding has to see something
        with self.computing():
            hidden = self.model.bert(
                input_ids=self.tensor(rows.masked),
                attention_mask=torch.where(sees, 0.0, torch.finfo(torch.float32).min)[:, None],
                token_type_ids=other.long(),
                position_ids=self.tensor(rows.positions),
            ).last_hidden_state
            at = self.tensor(np.flatnonzero(rows.masked == self.frame.mask))
            logits: torch.Tensor = self.model.cls(hidden.reshape(-1, hidden.shape[-1])[at])
        return logits.float()

    def _truth(self, rows: Rows) -> torch.Tensor:
        return self.tensor(rows.whole[rows.masked == self.frame.mask])

    def train_step(self) -> tuple[float]:
        """One optimizer step; returns the loss in nats."""
        rows = self.batch(self.step)
        loss = nn.functional.cross_entropy(self._logits(rows), self._truth(rows))
        self.learn(loss, self.config.factor(self.step))
        return (float(loss.item()),)

    @torch.no_grad()
    def evaluate(self) -> dict[str, Any]:
        """Held-out perplexity and top-1 by file, and top-1 where the other side is hidden: what pairs add."""
        out: dict[str, Any] = {"step": self.step}
        for kind, pairs in sorted(self.held.items()):
            shown, hidden, losses = [], [], []
            examples = [(length, row) for length, rows in sorted(pairs.rows.items()) for row in rows]
            order = np.random.default_rng(7).permutation(len(examples))[:_HELD_OUT_ROWS]
            for number in sorted(order, key=lambda i: examples[i][0]):
                length, example = examples[number]
                rng = np.random.default_rng([8, int(number)])
                row = make_row(pairs, example, length, self.frame, self.config, rng)
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
        """Write the model's folder with the weights for pairs beside the others."""
        folder = self.out / "model"
        folder.mkdir(exist_ok=True)
        for file in self.folder.iterdir():
            if file.is_file():
                shutil.copyfile(file, folder / file.name)
        learned = {name: p.detach().cpu().numpy() for name, p in self.model.named_parameters() if p.requires_grad}
        write_delta(folder / PAIRS_FILE, load_file(self.folder / WEIGHTS_FILE), learned)
        for graph in ("pairs.onnx", "pairs_other.onnx"):
            write_graph(folder, graph)
        (folder / "PAIRS.md").write_text(self.card(), encoding="utf-8")
        return folder

    def card(self) -> str:
        """The training card: on how many pairs, by which values, and what held-out words say."""
        rows = {length: len(rows) for length, rows in self.train.rows.items()}
        lines = [
            "# Weights for pairs",
            "",
            f"Trained by `nlgauge train masked-lm --pairs`, {self.step} steps. Rows at hand by length: {rows}.",
            "",
            "Held-out masked words: perplexity and top-1 accuracy, and the latter with the other text hidden.",
            "",
            "| step | pairs | perplexity | top-1 | other text hidden | masks |",
            "|---|---|---|---|---|---|",
        ]
        for point in self.curve:
            lines += [
                f"| {point['step']} | {kind} | " + " | ".join(str(value) for value in found.values()) + " |"
                for kind, found in point.items()
                if isinstance(found, dict)
            ]
        return "\n".join([*lines, "", f"Settings: {json.dumps(asdict(self.config))}", ""])


def learns(name: str) -> bool:
    """Whether a weight of a BertForMaskedLM is adapted: the layers' and the head's, the vocabulary's not."""
    return name.startswith(("bert.encoder.", "cls.predictions.transform."))


def train(pairs: Path, out: Path, config: Path | None = None, steps: int | None = None) -> Path:
    """Run a recipe to its end, resuming where an earlier run in `out` stopped; returns the finished model's folder.

    Raises InputError for pairs, a recipe or a model that cannot be read.
    """
    if not pairs.exists():
        raise InputError("does not exist", file=pairs, remedy="give JSON Lines of pairs, or a folder of them")
    recipe = PairsConfig.read(config or Path(__file__).with_name("pairs.toml"))
    with torch_threads(threads()):
        trainer = PairsTrainer(replace(recipe, steps=steps) if steps else recipe, pairs, out)
        trainer.resume()
        trainer.run(evaluate_every=300, save_every=100)
        return trainer.finish()

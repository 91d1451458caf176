"""Train a masked-LM head and body on plain text, while sentence embeddings stay close to those of the original body.

This is the recipe of the embedded model ``pocket``. The loss of a batch is

    cross-entropy at the masked positions  +  w * (1 - cos(mean-pooled student(masked), mean-pooled original(whole)))

A body that is trained on the first term alone loses its sentence embeddings. The second term preserves them at no cost
in perplexity, because it uses the same masked pass.

Everything random in step ``i`` follows from ``(seed, i)``: a resumed run sees the batches that an unbroken one sees.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from nlgauge.engine.engine import Engine
from nlgauge.engine.models.adaptation import write_delta
from nlgauge.engine.models.bert import Bert, MaskedBert
from nlgauge.engine.models.card import DocumentFrequencies, write_facts
from nlgauge.engine.models.folder import MASKED_FILE, WEIGHTS_FILE, copy_folder, read_weights
from nlgauge.engine.models.onnx import open_onnx, threads
from nlgauge.errors import InputError
from nlgauge.metrics.model_settings import document_frequencies
from nlgauge_lab.training.baseline import write_baseline
from nlgauge_lab.training.body import body_folder, read_body, start_model
from nlgauge_lab.training.export import write_folder, write_graphs
from nlgauge_lab.training.low_rank import learned
from nlgauge_lab.training.passages import Frame, load_texts, open_tokenizer
from nlgauge_lab.training.recipe import MaskedLMConfig
from nlgauge_lab.training.run import Run, torch_threads

_HELD_OUT_ROWS = 384
_KEPT = (
    *("hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "hidden_act", "vocab_size"),
    *("max_position_embeddings", "type_vocab_size", "layer_norm_eps", "initializer_range", "pad_token_id"),
)
_ADDED = {"architectures": ["BertForMaskedLM"], "model_type": "bert", "tie_word_embeddings": True}


def mask_rows(rows: np.ndarray, share: float, frame: Frame, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return rows with a share of their ordinary tokens masked, and the flat positions of the masks.

    Every chosen token becomes the mask. BERT replaces a tenth of them by random tokens, which has no use here, because
    scoring always masks.
    """
    free = np.flatnonzero(~np.isin(rows, [frame.cls, frame.sep, frame.pad]))
    chosen = np.sort(rng.choice(free, size=max(1, round(len(free) * share)), replace=False))
    masked = rows.copy()
    masked.reshape(-1)[chosen] = frame.mask
    return masked, chosen


def mean_pool(hidden: Tensor, attend: Tensor) -> Tensor:
    """Return the mean over the attended positions: [rows, length, width] -> [rows, width]."""
    weight = attend.unsqueeze(-1).to(hidden.dtype)
    return (hidden * weight).sum(1) / weight.sum(1)


class Trainer(Run):
    """A training run of a masked LM."""

    losses = ("loss", "sentence")
    model: MaskedBert

    def __init__(self, config: MaskedLMConfig, texts: Path, out: Path) -> None:
        super().__init__(out, config.precision)
        self.config = config
        folder = body_folder(config.body)
        self.tokenizer, self.frame = open_tokenizer(folder)
        self.train, self.held = load_texts(texts, config, self.tokenizer)
        counts = np.bincount(self.train[config.short[0]].ids, minlength=self.tokenizer.get_vocab_size())
        torch.manual_seed(config.seed)  # of the head's first weights
        self.model = start_model(folder, counts, config.rank, self.narrow).to(self.device)
        if config.rank:
            self.model.bert.embeddings.requires_grad_(False)
        if (relative := self.model.bert.encoder.relative_attention_bias) is not None:
            relative.requires_grad_(False)
        self.folder = folder
        self.original = read_body(body_folder(config.original or config.body), adapted=True).to(self.device)
        self.original.requires_grad_(False)

        def head(name: str) -> bool:
            """Return whether a weight learns at the head's rate.

            The vocabulary table does, because it has to become an output table as well.
            """
            return name.startswith("cls.") or "word_embeddings" in name

        rates = config.body_rate, config.head_rate
        self.optimizer = self.adamw(lambda name: rates[head(name)], config.weight_decay, head)
        self.steps = config.steps

    def batch(self, step: int) -> tuple[np.ndarray, np.random.Generator]:
        """Return the rows of ``step``, and the generator for its masks."""
        config = self.config
        long = step % config.long_every == config.long_every - 1
        length, rows = config.long if long else config.short
        passages = self.train[length]
        turn = step // config.long_every if long else step - step // config.long_every
        per_epoch = len(passages) // rows
        epoch, at = divmod(turn, max(1, per_epoch))
        order = np.random.default_rng([config.seed, length, epoch]).permutation(len(passages))
        index = order[at * rows : (at + 1) * rows]
        return passages.rows(index, length, self.frame), np.random.default_rng([config.seed, 1, step])

    def train_step(self) -> tuple[float, float]:
        """Make one optimizer step, and return (masked-LM loss in nats, sentence loss)."""
        config = self.config
        rows, rng = self.batch(self.step)
        masked, at = mask_rows(rows, config.masked_share, self.frame, rng)
        whole, attend = self.tensor(rows), self._attend(rows)
        places = self.tensor(at)
        hidden = self._states(self.model.bert, self.tensor(masked), attend)
        logits = self._logits(hidden, places)
        prediction = nn.functional.cross_entropy(logits, whole.reshape(-1)[places])
        sentence = torch.zeros(())
        if config.sentence_weight:
            held = max(1, round(len(rows) * config.sentence_rows))
            with torch.no_grad():
                sentences = mean_pool(self._states(self.original, whole[:held], attend[:held]), attend[:held])
            sentence = 1 - nn.functional.cosine_similarity(mean_pool(hidden[:held], attend[:held]), sentences).mean()
        self.learn(prediction + config.sentence_weight * sentence, config.factor(self.step))
        return prediction.item(), sentence.item()

    def _attend(self, rows: np.ndarray) -> Tensor:
        return self.tensor((rows != self.frame.pad).astype(np.int64))

    def _states(self, body: Bert, ids: Tensor, attend: Tensor) -> Tensor:
        with self.computing():
            return body(ids, attend)[-1].float()  # type: ignore[no-any-return]

    def _logits(self, hidden: Tensor, places: Tensor) -> Tensor:
        with self.computing():
            return self.model.logits(hidden.reshape(-1, hidden.shape[-1])[places]).float()

    @torch.no_grad()
    def evaluate(self) -> dict[str, Any]:
        """Return held-out results: perplexity and top-1 accuracy by kind of text, and the sentence cosine.

        The last is the mean cosine of sentence embeddings with those of the original body.
        """
        out: dict[str, Any] = {"step": self.step}
        kept: list[Tensor] = []
        for kind, passages in sorted(self.held.items()):
            index = np.random.default_rng(7).permutation(len(passages))[: _HELD_OUT_ROWS // 2]
            rows = passages.rows(index, self.config.short[0], self.frame)
            masked, at = mask_rows(rows, 0.15, self.frame, np.random.default_rng(8))
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
        """Write the finished model as a folder that both backends read, and return the folder.

        With a rank, the folder has the body's own files, and the learned difference in a separate file.
        """
        folder = self.out / "model"
        if self.config.rank:
            copy_folder(self.folder, folder)
            whole, low_rank = learned(self.model)
            write_delta(folder / MASKED_FILE, read_weights(folder / WEIGHTS_FILE), whole, low_rank)
            write_graphs(folder)
        else:
            passages = self.train[self.config.short[0]]
            documents = np.split(passages.ids, passages.starts[1:-1])
            counts, number = document_frequencies(documents, self.tokenizer.get_vocab_size())
            tensors = {name: parameter.detach().cpu().numpy() for name, parameter in self.model.named_parameters()}
            own = self.model.bert.config
            config = {**_ADDED, **{name: own[name] for name in _KEPT if name in own}}
            write_folder(
                folder,
                tensors,
                config=config,
                tokenizer=self.tokenizer,
                frequencies=DocumentFrequencies(counts, number),
            )
        write_facts(folder, temperature=self.config.temperature)
        return folder


def train(texts: Path, out: Path, config: Path | None = None, steps: int | None = None) -> Path:
    """Run a recipe to its end, and return the folder of the finished model. A run that was stopped in `out` is resumed.

    Raises:
        InputError: a folder has no texts, or a recipe or body cannot be read.
    """
    if not texts.is_dir():
        raise InputError("is not a folder", file=texts, remedy="give the folder that holds the texts")
    recipe = MaskedLMConfig.read(config or Path(__file__).with_name("pocket.toml"))
    with torch_threads(threads()):
        trainer = Trainer(replace(recipe, steps=steps) if steps else recipe, texts, out)
        trainer.run(evaluate_every=500)
        folder = trainer.finish()
    # Texts without sentences leave no baseline, and BERTScore(rescale=True) then says that there is none.
    with suppress(InputError):
        write_baseline(folder, texts, Engine(open_onnx(folder, folder.name)))
    return folder

"""CTC's aligners D and R on any encoder of transformers (Deng et al. 2021, section 3.5 and appendix A).

D is a linear layer on the sum of the states of a word's sub-words. Its loss is the cross-entropy, averaged over the
words of a text and then over the texts. R gives one number for a text. Its loss is the squared error against the share
of supported words, or against their number ('R-sum', for dialogue, where stop-words do not count). Rows have the pair
format of the body's tokenizer. All else is as for our own bodies (`nlgauge_lab.training.aligner`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from nlgauge.engine.models.capabilities import Model
from nlgauge.engine.models.card import write_facts
from nlgauge.engine.models.detector import WINDOW
from nlgauge.engine.models.general import general_frequencies
from nlgauge.engine.models.packing import FAMILY, PackedPairing, Packer, meant
from nlgauge.engine.models.torch_model import Checkpoint
from nlgauge.engine.sentence_search import OTHER, OWN, rarity
from nlgauge.errors import InputError, SpecError
from nlgauge_lab.training.aligner import AlignerConfig, AlignerTrainer
from nlgauge_lab.training.aligner_rows import UNKNOWN, Batch, Encoded, Shape

_LABELS = {"D": ("supported", "unsupported"), "R": ("share",), "R-sum": ("number",)}
"""By aligner, the names of its outputs in the configuration of its folder"""


class EncoderAligner(nn.Module):
    """The network: ids, attend, side [rows, length] -> log-odds of tokens [rows, length] for D, one number a row for R.

    net: a network of transformers that classifies tokens for D, and whole texts for R. second_type: the token type of a
    pair's second text.
    """

    def __init__(self, net: Any, packer: Packer, second_type: int) -> None:
        super().__init__()
        self.body, self.net = net.base_model, net
        self.packer, self.second_type = packer, second_type

    @property
    def bias(self) -> Tensor:
        """The classifier's bias in the log-odds that a word is supported, for an aligner D: a scalar tensor, [].

        It is added once for each word, and not for each of its sub-words.
        """
        bias: Tensor = self.net.classifier.bias
        return bias[0] - bias[1]

    def forward(self, ids: Tensor, attend: Tensor, side: Tensor) -> Tensor:
        packing = self.packer.packing
        types = {}
        if self.second_type:
            second = side == (OTHER if packing.text_first else OWN)
            types["token_type_ids"] = second.long() * self.second_type * attend
        logits: Tensor = self.net(input_ids=ids, attention_mask=attend, **types).logits
        return logits[:, 0] if packing.regression else logits[..., 0] - logits[..., 1]


class EncoderAlignerTrainer(AlignerTrainer):
    """A training run of D or R on an encoder of transformers."""

    model: EncoderAligner

    @property
    def weights(self) -> tuple[float, ...]:
        """The weights of the losses: D learns from words alone, and R from shares alone."""
        learned = "share" if self.model.packer.packing.regression else "words"
        return tuple(float(name == learned) for name in self.losses)

    def train_step(self) -> tuple[float, ...]:
        torch.manual_seed(self.config.seed * 1_000_003 + self.step)  # of the dropout
        return super().train_step()

    def batch(self, rows: Sequence[Encoded]) -> Batch:
        """Return rows as one batch, in which all texts have the same weight, whatever their number of words."""
        batch = super().batch(rows)
        known = (batch.labels != UNKNOWN).float()
        counted = torch.zeros(len(rows), device=self.device).index_add(0, batch.row, known)
        return replace(batch, weight=1 / counted[batch.row].clamp(min=1))

    def wanted(self, right: Tensor, counted: Tensor) -> Tensor:
        return right if self.model.packer.packing.head == "number" else super().wanted(right, counted)

    def predictions(self, batch: Batch, model: Any = None) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return predictions in the form of `AlignerTrainer.predictions`.

        With D, the log-odds of a text are those of its least supported word. With R they come from the predicted share.
        """
        with self.computing():
            found = self.model(batch.ids, batch.attend, batch.side).float()
        rows, known = len(batch.text), batch.labels != UNKNOWN
        counted = torch.zeros(rows, device=self.device).index_add(0, batch.row, known.float())
        if self.model.packer.packing.regression:
            share = found
            part = found / counted.clamp(min=1) if self.model.packer.packing.head == "number" else found
            text = torch.logit(part, eps=1e-6)
            return text[batch.row], share, text, torch.zeros_like(text)
        own = found.reshape(-1)[self.tensor(batch.pieces)] - self.model.bias
        words = torch.zeros(len(batch.labels), device=self.device).index_add(0, batch.word, own) + self.model.bias
        share = torch.zeros_like(counted).index_add(0, batch.row, torch.sigmoid(words) * known) / counted.clamp(min=1)
        judged = torch.where(known | (counted[batch.row] == 0), words, torch.inf)  # no punctuation
        text = torch.full_like(share, torch.inf).scatter_reduce(0, batch.row, judged, "amin")
        return words, share, text, torch.zeros_like(text)


class EncoderBody:
    """An encoder of transformers to train on: its checkpoint, and the format of its rows.

    Raises SpecError for a checkpoint that cannot be loaded, that is no encoder, or whose tokenizer joins no pairs.
    """

    def __init__(self, model: Model, source: str, shape: Shape, config: AlignerConfig, start: str) -> None:
        if config.aligner not in _LABELS:
            raise SpecError(f"the recipe's aligner {config.aligner!r} is none: give {', '.join(_LABELS)}")
        if config.rank:
            raise SpecError("the recipe's rank is for pocket and base: leave it out")
        self.checkpoint = Checkpoint(source, model.name, device="cpu")
        if not self.checkpoint.is_kind("MODEL_FOR_MASKED_LM_MAPPING"):
            raise SpecError(f"model {model.name!r} is no encoder: an aligner has to see the source from every word")
        self._model, self._seed, self._start, self._aligner = model, config.seed, start, config.aligner
        self.stopwords = config.aligner != "R-sum"
        kind = "ForTokenClassification" if config.aligner == "D" else "ForSequenceClassification"
        told = {FAMILY: "ctc", "architectures": [kind], "id2label": dict(enumerate(_LABELS[config.aligner]))}
        self.packer = Packer(meant("ctc", told, model.name), self.checkpoint.tokenizer, min(shape.row, model.window))
        frequencies = general_frequencies(model)
        self.pairing = PackedPairing(self.packer, rarity(frequencies.counts, frequencies.documents))

    def network(self) -> EncoderAligner:
        """Return the network to train: with a new head, or with start='aligner' with the folder's head."""
        if self._start not in ("body", "aligner"):
            raise InputError(f"the recipe's start {self._start!r} is none", remedy="give body or aligner")
        regression = self.packer.packing.regression
        auto = f"AutoModelFor{'Sequence' if regression else 'Token'}Classification"
        torch.manual_seed(self._seed)
        with self.checkpoint.reading():
            net, missing = self.checkpoint.read(
                auto, num_labels=1 if regression else 2, ignore_mismatched_sizes=self._start == "body"
            )
            body = f"{net.base_model_prefix}."
            self.checkpoint.refuse_lacking(name for name in missing if name.startswith(body))
            if self._start == "aligner" and missing:
                raise InputError(
                    f"model {self.checkpoint.name!r} has no aligner", remedy="give start = 'body' in the recipe"
                )
            if not regression and not isinstance(getattr(net, "classifier", None), nn.Linear):
                raise SpecError(f"model {self.checkpoint.name!r} has no plain classifier of tokens in transformers")
            if self._start == "body":
                torch.manual_seed(self._seed)
                fresh = type(net)(net.config)
                fresh.base_model.load_state_dict(net.base_model.state_dict())
                net = fresh
        return EncoderAligner(net, self.packer, self._model.second_type)

    def write(self, folder: Path, model: Any, threshold: float, divisor: float) -> None:
        """Write a finished aligner as a checkpoint of transformers, which `--model FOLDER` reads."""
        net, labels = model.net, _LABELS[self._aligner]
        names = {"id2label": dict(enumerate(labels)), "label2id": {name: at for at, name in enumerate(labels)}}
        net.config.update({**names, FAMILY: "ctc", WINDOW: self.packer.longest})
        net.save_pretrained(folder)
        self.checkpoint.splitter.save_pretrained(folder)
        write_facts(folder, aligner={"threshold": threshold, "temperature": divisor})

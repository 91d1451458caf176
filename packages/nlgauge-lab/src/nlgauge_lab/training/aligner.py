"""Train an aligner on labelled texts and on constructed examples (Deng et al. 2021, section 3.5 and appendix A).

A row is a stretch of a text with its source. The loss of a batch is a weighted sum of seven losses:

    words   cross-entropy of the words whose labels are known
    text    cross-entropy of whether the whole stretch is supported
    least   for texts with something unsupported at an unknown place: cross-entropy of whether the least supported words
            (by a soft minimum) are unsupported
    share   squared error of the share of supported words, among the words whose labels are known
    against for stretches that are not supported: cross-entropy of whether the source contradicts them
    order   for pairs of twins, of which one row is supported: minus the log-probability that this row is the better
            supported one
    teacher if there is a teacher (another aligner): cross-entropy with its answers on words, texts and contradictions

A row with twins may have a bias: the log-odds that its text gives without the source. The bias is added to the
predicted log-odds before they are compared with the label (a product of experts: Clark et al. 2019, "Don't take the
easy way out"). So the network learns what the text alone does not tell.

Words without letter or digit have no label, because they do not count when an aspect is computed. The vocabulary table
is frozen, so that the model differs little from its body. With a `rank` the layers' matrices are frozen too, and learn
a difference of that rank (`nlgauge_lab.training.low_rank`).

Everything random in step ``i`` follows from ``(seed, i)``: a resumed run sees the batches that an unbroken one sees.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from nlgauge.engine.models.aligner_net import AlignerNet
from nlgauge.maths.alignment import logistic
from nlgauge_lab.maths.detection import detection
from nlgauge_lab.training.aligner_rows import UNKNOWN, Batch, Encoded, padded, side_by_side, twin_pairs
from nlgauge_lab.training.calibration import word_threshold
from nlgauge_lab.training.low_rank import make_low_rank
from nlgauge_lab.training.run import Run

_EVALUATED = 16


@dataclass(frozen=True)
class AlignerConfig:
    """The settings of an aligner's training."""

    seed: int = 0
    steps: int = 1000
    batch_tokens: int = 4096
    """Tokens of a step, including padding"""
    rank: int = 0
    """Rank of the difference that the layers' matrices learn. With 0 the matrices themselves learn"""
    body_rate: float = 2e-4
    head_rate: float = 1e-3
    weight_decay: float = 0.01
    warmup: int = 150
    """Number of steps in which the learning rates rise"""
    second_beta: float = 0.98
    """The optimizer's decay rate for the mean of squared gradients"""
    aligner: str = "D"
    """The aligner that a body of transformers learns (`encoder_aligner`): 'D', 'R' or 'R-sum'. Our bodies learn D and R
    together
    """
    told_weight: float = 0.3
    """Weight of a word's label where only the whole text was labelled as supported, and no words were marked"""
    text_weight: float = 1.0
    least_weight: float = 0.5
    share_weight: float = 1.0
    against_weight: float = 0.5
    order_weight: float = 1.0
    teacher_weight: float = 1.0
    sharpness: float = 2.0
    """Sharpness of the soft minimum over a text's words, a factor on their log-odds"""
    precision: str = "float32"
    """Number type of matrix products: 'float32' or 'bfloat16'"""


Told: TypeAlias = tuple[NDArray[np.float64], NDArray[np.int64]]
"""Log-odds [n] and labels [n] of 1 or 0. Values without a label are left out"""


class Judged(NamedTuple):
    """The predictions of the network for rows, and the labels of the rows."""

    words: Told
    """For words: the log-odds that the source supports the word, and the labels"""
    texts: Told
    """For stretches: the log-odds that the source supports the whole stretch, and the labels"""
    against: Told
    """For stretches that are not supported: the log-odds that the source contradicts the stretch, and the labels"""
    order: float
    """Share of the pairs of twins in which the supported row has the higher log-odds; NaN without twins"""


class AlignerTrainer(Run):
    """A training run of an aligner.

    model: as `prepared` makes it. held: held-out rows, by the name of their set. pad: the token that fills rows up.
    teacher: an aligner with the same sub-words, whose answers are learned in addition to the labels.
    """

    losses = ("words", "text", "least", "share", "against", "order", "teacher")

    def __init__(
        self,
        config: AlignerConfig,
        model: nn.Module,
        rows: Sequence[Encoded],
        held: Mapping[str, Sequence[Encoded]],
        pad: int,
        out: Path,
        teacher: AlignerNet | None = None,
    ) -> None:
        super().__init__(out, config.precision)
        self._teacher = None if teacher is None else teacher.to(self.device).eval()
        self.config, self.rows, self.held, self._pad = config, rows, held, pad
        self.model, self.steps = model.to(self.device), config.steps
        rates = config.head_rate, config.body_rate
        self.optimizer = self.adamw(
            lambda name: rates[name.startswith("body.")], config.weight_decay, second_beta=config.second_beta
        )
        self.epoch = lru_cache(2)(self._epoch)
        """Returns the batches of an epoch, by its number"""
        self._judged: tuple[int, dict[str, Judged]] | None = None

    def _epoch(self, number: int) -> list[NDArray[np.intp]]:
        """Return the batches of an epoch in random order, each as the indices of its rows.

        A batch has rows of similar length. Rows with twins are in one batch with their whole group.

        Args:
            number: the number of the epoch, from 0.
        """
        rng = np.random.default_rng([self.config.seed, 2, number])
        lengths = np.array([padded(len(row.ids)) for row in self.rows])
        groups = np.array([UNKNOWN if row.twins is None else row.twins.group for row in self.rows])
        found: list[NDArray[np.intp]] = []
        for length in np.unique(lengths):
            rows = rng.permutation(np.flatnonzero((lengths == length) & (groups == UNKNOWN)))
            size = max(1, self.config.batch_tokens // length)
            # Only whole batches: the CPU backend keeps what it prepared for every shape that it has seen.
            if len(rows):
                found += [rows[at : at + size] for at in range(0, max(1, len(rows) - size + 1), size)]
        found += _whole_groups(groups, lengths, self.config.batch_tokens, rng)
        return [found[i] for i in rng.permutation(len(found))]

    @property
    def weights(self) -> tuple[float, ...]:
        """The weights of the losses, in the order of `losses`."""
        config = self.config
        return (
            1.0,
            config.text_weight,
            config.least_weight,
            config.share_weight,
            config.against_weight,
            config.order_weight,
            config.teacher_weight,
        )

    def wanted(self, right: Tensor, counted: Tensor) -> Tensor:
        """Return the target of the loss `share` for each text, which is the share of supported words: [texts].

        Args:
            right: the number of supported words of each text: [texts].
            counted: the number of words of each text whose labels are known: [texts].
        """
        return right / counted

    def rate(self, step: int) -> float:
        """Return the factor on all learning rates. It rises during warm-up, and then falls linearly to zero."""
        warm = max(1, min(self.config.warmup, self.steps // 2))
        return min((step + 1) / warm, (self.steps - step) / max(1, self.steps - warm))

    def batch(self, rows: Sequence[Encoded]) -> Batch:
        """Return rows as one batch, filled up to one of a few lengths."""
        return side_by_side(rows, self._pad, self.config.told_weight, self.tensor)

    def predictions(self, batch: Batch, model: AlignerNet | None = None) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return the predictions of a network for a batch.

        Args:
            batch: the batch.
            model: the network; by default the one that is trained.

        Returns:
            The log-odds that each word is supported [words]. For each row the predicted share of supported words, the
            log-odds that the whole text is supported, and the log-odds that the source contradicts it: [rows] each.
        """
        with self.computing():
            read = (model or self.model)(batch.ids, batch.attend, batch.side)
            logits, share, text, against = (out.float() for out in read)
        own = logits.reshape(-1)[self.tensor(batch.pieces)]
        sums, pieces = (
            torch.zeros(len(batch.labels), device=self.device).index_add(0, batch.word, part)
            for part in (own, torch.ones_like(own))
        )
        return sums / pieces.clamp(min=1), share, text, against

    def loss(self, batch: Batch) -> list[Tensor]:
        """Return the losses of a batch, in the order of `losses`.

        A loss is 0 if no row of the batch has a label for it. The loss `teacher` is 0 if there is no teacher.
        """
        config = self.config
        words, share, text, against = self.predictions(batch)
        known, nothing = batch.labels != UNKNOWN, words.sum() * 0
        by_word = _cross_entropy(words[known], batch.labels[known], batch.weight[known]) if known.any() else nothing
        told = batch.text != UNKNOWN
        whole = _cross_entropy((text + batch.bias)[told], batch.text[told]) if told.any() else nothing
        counted = torch.zeros(len(text), device=self.device).index_add(0, batch.row, known.float())
        lost = (batch.text == 0) & (counted == 0)
        least = nothing
        if lost.any():
            # The log of the mean over a text's words of exp(log-odds of being unsupported), by the text's row. Of the
            # mean and not of the sum: many words that are each a little doubtful are no unsupported word.
            high = config.sharpness * -words
            peak = torch.full_like(text, -torch.inf).scatter_reduce(0, batch.row, high, "amax").detach()
            sums, size = (
                torch.zeros_like(text).index_add(0, batch.row, part)
                for part in (torch.exp(high - peak[batch.row]), torch.ones_like(high))
            )
            soft = ((torch.log(sums / size) + peak) / config.sharpness)[lost]
            least = nn.functional.softplus(-soft).mean()
        right = torch.zeros_like(counted).index_add(0, batch.row[known], batch.labels[known].float())
        full = counted > 0
        shares = nn.functional.mse_loss(share[full], self.wanted(right[full], counted[full])) if full.any() else nothing
        denied = batch.against != UNKNOWN
        kinds = _cross_entropy(against[denied], batch.against[denied]) if denied.any() else nothing
        good, bad = self.tensor(batch.pairs).unbind(1)
        order = nn.functional.softplus(text[bad] - text[good]).mean() if len(good) else nothing
        taught = nothing
        if self._teacher is not None:
            with torch.no_grad():
                their_words, _, *theirs = self.predictions(batch, self._teacher)
            pairs = zip((words, text, against), (their_words, *theirs), strict=True)
            taught = torch.stack([_cross_entropy(mine, torch.sigmoid(other)) for mine, other in pairs]).sum()
        return [by_word, whole, least, shares, kinds, order, taught]

    def read(self, steps: int) -> int:
        """Return the number of tokens in the batches of the first steps, without padding."""
        sizes = np.array([len(row.ids) for row in self.rows])
        total, epoch = 0, 0
        while steps > 0:
            batches = self.epoch(epoch)[:steps]
            total += int(sum(sizes[some].sum() for some in batches))
            steps, epoch = steps - len(batches), epoch + 1
        return total

    def train_step(self) -> tuple[float, ...]:
        """Make one optimizer step, and return the losses in the order of `losses`."""
        epoch, at = divmod(self.step, len(self.epoch(0)))
        self.model.train()
        parts = self.loss(self.batch([self.rows[i] for i in self.epoch(epoch)[at]]))
        total = torch.stack([weight * part for weight, part in zip(self.weights, parts, strict=True)]).sum()
        self.learn(total, self.rate(self.step))
        return tuple(part.item() for part in parts)

    @torch.no_grad()
    def mix(self, other: AlignerNet, share: float, parts: Collection[str]) -> None:
        """Replace the weights by their mean with the weights of another network, and evaluate the result.

        This is the method of Wortsman et al. 2022, "Robust fine-tuning of zero-shot models".

        Args:
            other: the other network.
            share: weight of the other network in the mean, from 0 to 1.
            parts: names of the weights that are averaged. The others stay.
        """
        theirs = dict(other.named_parameters())
        for name, mine in self.model.named_parameters():
            if name in parts:
                mine.lerp_(theirs[name].to(mine), share)
        self._judged = None
        self._measure()

    @torch.no_grad()
    def judge(self, rows: Sequence[Encoded]) -> Judged:
        """Return the predictions of the network for rows, with the labels of the rows."""
        self.model.eval()
        said: list[tuple[Tensor, ...]] = []
        known: list[tuple[Tensor, ...]] = []
        ordered = sorted(rows, key=lambda row: len(row.ids))
        for at in range(0, len(ordered), _EVALUATED):
            batch = self.batch(ordered[at : at + _EVALUATED])
            by_word, _, by_text, by_kind = self.predictions(batch)
            said.append((by_word, by_text, by_kind))
            known.append((batch.labels, batch.text, batch.against))
        parts = zip(zip(*said, strict=True), zip(*known, strict=True), strict=True)
        words, texts, against = (_told(torch.cat(logits), torch.cat(labels)) for logits, labels in parts)
        whole = torch.cat([by_text for _, by_text, _ in said]).double().cpu().numpy()
        good, bad = whole[twin_pairs(ordered)].T
        order = float(((good > bad) + 0.5 * (good == bad)).mean()) if len(good) else float("nan")
        return Judged(words, texts, against, order)

    def judged(self) -> dict[str, Judged]:
        """Return the predictions for the held-out rows at this step, by set."""
        if self._judged is None or self._judged[0] != self.step:
            self._judged = (self.step, {name: self.judge(rows) for name, rows in self.held.items() if rows})
        return self._judged[1]

    def evaluate(self) -> dict[str, Any] | None:
        """Return how well unsupported words and texts are detected in each held-out set (see `detection`).

        It is None if no set is held out.
        """
        if not any(self.held.values()):
            return None
        found = self.judged()
        point: dict[str, Any] = {"step": self.step, "tokens": self.read(self.step)}
        for name, judged in found.items():
            words, texts, kinds = (detection(logistic(logits), labels) for logits, labels in judged[:3])
            texts = {key: texts[key] for key in ("auc", "best_f1")}
            said, labels = judged.words
            words["accuracy"] = round(float(((said > 0) == labels).mean()), 4) if len(labels) else float("nan")
            point[name] = {"words": words, "texts": texts, "contradicted": kinds["auc"], "order": judged.order}
        sets = [(logistic(logits), labels) for (logits, labels), *_ in found.values()]
        return {**point, "threshold": word_threshold(sets)}


def _whole_groups(
    groups: NDArray[np.int64], lengths: NDArray[np.int64], tokens: int, rng: np.random.Generator
) -> list[NDArray[np.intp]]:
    """Return batches of whole groups, each as the indices of its rows.

    Groups with rows of similar length are in the same batch. Among these, the order of the groups is random.

    Args:
        groups: the number of each row's group, or UNKNOWN for a row without twins, which is left out: [rows].
        lengths: the number of tokens of each row: [rows].
        tokens: the largest number of tokens of a batch, with padding. A single group may have more.
        rng: draws the order.
    """
    order = np.argsort(groups, kind="stable")
    order = order[groups[order] != UNKNOWN]
    members = np.split(order, np.flatnonzero(np.diff(groups[order])) + 1) if len(order) else []
    longest = np.array([int(lengths[rows].max()) for rows in members], np.int64)
    drawn = rng.permutation(len(members))
    found: list[list[NDArray[np.intp]]] = []
    rows = before = 0
    for number in drawn[np.argsort(longest[drawn], kind="stable")]:
        size, length = len(members[number]), int(longest[number])
        rows += size
        if length != before or rows * length > tokens:
            found.append([])
            rows, before = size, length
        found[-1].append(members[number])
    return [np.concatenate(some) for some in found]


def prepared(model: AlignerNet, config: AlignerConfig) -> AlignerNet:
    """Return the network after a change in place: the tables of words and of relative positions no longer learn.

    If the recipe has a rank, positions do not learn either, and the body's linear layers learn a difference of this
    rank.
    """
    for table in (model.body.embeddings.word_embeddings, model.body.encoder.relative_attention_bias):
        if table is not None:
            table.weight.requires_grad_(False)
    if config.rank:
        model.body.embeddings.position_embeddings.weight.requires_grad_(False)
        narrow = torch.bfloat16 if config.precision == "bfloat16" else torch.float32
        make_low_rank(model.body.encoder, config.rank, narrow)
    return model


def stored_name(name: str) -> str:
    """Return the name that a weight of the network has in a folder."""
    return f"bert.{name.removeprefix('body.')}" if name.startswith("body.") else f"aligner.{name}"


def _cross_entropy(logits: Tensor, labels: Tensor, weight: Tensor | None = None) -> Tensor:
    """Return the mean cross-entropy over the labels, weighted if weights are given."""
    if weight is None:
        return nn.functional.binary_cross_entropy_with_logits(logits, labels.float())
    total = nn.functional.binary_cross_entropy_with_logits(logits, labels.float(), weight, reduction="sum")
    return total / weight.sum().clamp(min=1e-6)


def _told(logits: Tensor, labels: Tensor) -> Told:
    known = labels != UNKNOWN
    return logits[known].double().cpu().numpy(), labels[known].cpu().numpy()

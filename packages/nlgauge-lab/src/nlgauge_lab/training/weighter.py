"""Learn which words MaskEval should listen to for one quality, from people's ratings (section 3.3.1).

One linear layer on the frozen states of both texts gives every sub-word a number. A softmax over each text's sub-words
makes these numbers weights, and a learned share weighs the candidate against the source. The loss is the squared error
against the ratings, after scores are mapped to ratings by the straight line that fits best. For weights of words cannot
tell how high a quality is rated on average, or how far ratings are apart. `calibrated=False` leaves the line out, as
the paper does. Uneven weights have a penalty, because a few dozen items are easily overfitted (docs/maskeval.md has
figures). `ridge=0` and `share_ridge=0` leave the penalty out, as the paper does.

`WeighterConfig.published` is the recipe of the paper's appendix: 100 epochs of Adam at a constant 1e-5 from a random
layer, one fifth of the rows held out, and the weights of the lowest loss on these. A step reads one row, as in the
authors' code. The paper names no other batch size. It does not say where the candidate's share begins, which is 1/2
here.

Items are split into folds. Each fold in turn is held out to decide when to stop, and the weighter is the mean over the
folds. States and scores of words are computed once for all aspects, and stored.
"""

from __future__ import annotations

import hashlib
import json
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor

from nlgauge._version import __version__
from nlgauge.contract.base import POCKET, Setup
from nlgauge.data.corpus import Corpus, Row
from nlgauge.data.source_digest import source_digest
from nlgauge.engine.engine import Engine
from nlgauge.engine.features.masked_words import MaskedWordsRequest
from nlgauge.engine.features.pair_states import PairStatesRequest, states_digest
from nlgauge.engine.features.request import AnyRequest, Features
from nlgauge.engine.models.capabilities import TOKENIZER
from nlgauge.engine.models.loading import load
from nlgauge.engine.models.onnx import threads
from nlgauge.engine.weighter import Weighter, write_weighter
from nlgauge.errors import InputError, SpecError
from nlgauge.metrics.maskeval import MaskEval
from nlgauge.run.block import BlockScorer, CacheLookup
from nlgauge_lab.training.run import torch_threads

_LEAST_ITEMS = 10
_KEPT = "words.safetensors"


@dataclass(frozen=True)
class WeighterConfig:
    """The settings of a weighter's training."""

    seed: int = 0
    folds: int = 5
    epochs: int = 400
    patience: int = 40
    """Training stops after this many epochs without a better loss on the held-out fold"""
    rate: float = 3e-3
    share_rate: float = 0.03
    """Learning rate of the candidate's share (its log-odds), which has to change more than the layer's weights"""
    ridge: float = 1e-3
    """Penalty of weights whose logarithms have a variance of 1, as a fraction of the ratings' variance. In place of the
    logarithms' variance its upper bound is used: the states' total variance times the layer's squared length
    """
    share_ridge: float = 1e-3
    """Penalty of a candidate's share with log-odds of 1, as a fraction of the ratings' variance"""
    calibrated: bool = True
    batch: int = 0
    """Number of rows in a step; 0 for all"""
    rows_apart: bool = False
    """Whether only one fold is held out, and folds are of rows instead of items"""
    random_start: bool = False
    """Whether the layer begins at random instead of at uniform weights"""

    @classmethod
    def published(cls, seed: int = 0) -> WeighterConfig:
        """Return the recipe of the paper."""
        return cls(
            seed,
            epochs=100,
            patience=100,
            rate=1e-5,
            share_rate=1e-5,
            ridge=0.0,
            share_ridge=0.0,
            calibrated=False,
            batch=1,
            rows_apart=True,
            random_start=True,
        )


@dataclass
class Words:
    """The sub-words of all rows' texts, one text after another.

    states: float32 [tokens, width]; segment: int64 [tokens], 2 * row for the candidate, 2 * row + 1 for the source;
    scores: float32 [tokens], the score of the word that a sub-word belongs to; rows: number of rows.
    """

    states: Tensor
    segment: Tensor
    scores: Tensor
    rows: int

    def of(self, rows: NDArray[np.intp]) -> Words:
        """Return the sub-words of some rows, which are renumbered in the given order."""
        edges = torch.searchsorted(
            self.segment, torch.stack([2 * torch.from_numpy(rows), 2 * torch.from_numpy(rows) + 2])
        )
        mine = torch.cat([torch.arange(begin, end) for begin, end in edges.T.tolist()])
        segment = self.segment[mine] % 2 + 2 * torch.arange(len(rows)).repeat_interleave(edges[1] - edges[0])
        return Words(self.states[mine], segment, self.scores[mine], len(rows))

    def values(self, weight: Tensor, share: Tensor) -> Tensor:
        """Return the MaskEval score of each row.

        Args:
            weight: the learned weights of a token's state: [width].
            share: the log-odds of the candidate's share in the score: [].

        Returns:
            The scores: [rows].
        """
        logits = self.states @ weight
        top = torch.full((2 * self.rows,), -torch.inf).scatter_reduce(0, self.segment, logits.detach(), "amax")
        shares = torch.exp(logits - top[self.segment])
        empty = torch.zeros(2 * self.rows)
        means = empty.index_add(0, self.segment, shares * self.scores) / empty.index_add(0, self.segment, shares)
        sides = means.reshape(-1, 2)
        part = torch.sigmoid(share)
        return part * sides[:, 0] + (1 - part) * sides[:, 1]

    def numbers(self, weight: NDArray[np.float32], share: float) -> NDArray[np.float64]:
        """Return the MaskEval score of each row: [rows].

        Args:
            weight: learned weights: [width].
            share: the candidate's share, from 0 to 1.
        """
        return self.values(torch.from_numpy(weight), torch.logit(torch.tensor(share))).double().numpy()


class _WordCollector:
    """A `Collector` of the states and scores of words, by the requests of a text."""

    def __init__(self, metric: MaskEval) -> None:
        self._metric = metric
        self.found: dict[tuple[AnyRequest, ...], tuple[NDArray[np.float32], NDArray[np.float64]]] = {}

    def sides(self, row: Row) -> list[tuple[MaskedWordsRequest, PairStatesRequest]]:
        """Return the requests for the candidate of a row, and for its source."""
        return [(self._metric.masked(row, side), self._metric.states(row, side)) for side in (0, 1)]

    def apart(self) -> _WordCollector:
        return _WordCollector(self._metric)

    def requests(self, row: Row) -> list[AnyRequest]:
        return [request for side in self.sides(row) for request in side]

    def lacks(self, request: AnyRequest) -> bool:
        return True  # a text's states may be asked for beside other words of it

    def take(self, requests: Sequence[AnyRequest], features: Features) -> None:
        for words, states in zip(requests[::2], requests[1::2], strict=True):
            read, answer = features[states], features[words]
            assert read is not None and answer is not None  # such rows were refused
            scores = np.repeat(self._metric.word_scores(answer), np.diff(read.starts, append=len(read.states)))
            self.found[words, states] = read.states, scores


def measure(corpus: Corpus, metric: MaskEval, engine: Engine) -> Words:
    """Return the states and scores of all words. Every row must have a value by `metric`.

    Raises:
        InputError: a row has no value.
    """
    metric.prepare(Setup(corpus, engine))
    _refuse_rows_without_value(corpus, engine)
    gathered = _WordCollector(metric)
    with closing(engine):
        scorer = BlockScorer({}, {str(metric): gathered}, engine=engine)
        deque(scorer.blocks(corpus.rows, range(len(corpus)), CacheLookup({})), maxlen=0)
    found = [gathered.found[side] for row in corpus for side in gathered.sides(row)]
    return Words(
        torch.from_numpy(np.concatenate([states for states, _ in found])),
        torch.from_numpy(np.repeat(np.arange(len(found)), [len(scores) for _, scores in found])),
        torch.from_numpy(np.concatenate([scores for _, scores in found]).astype(np.float32)),
        len(corpus),
    )


def _refuse_rows_without_value(corpus: Corpus, engine: Engine) -> None:
    columns = {"candidate": [row.candidate for row in corpus], "source": [row.source or "" for row in corpus]}
    for name, texts in columns.items():
        for number, ids in enumerate(engine.model[TOKENIZER].ids_of(texts), start=1):
            if not len(ids):
                missing = name == "source" and corpus[number - 1].source is None
                why = "no source" if missing else f"the {name} has no words"
                raise InputError(f"has no value: {why}", row=number, remedy="leave it out")


def kept(corpus: Corpus, metric: MaskEval, engine: Engine, folder: Path) -> Words:
    """Return the result of `measure`, or the stored result of an equal call in `folder`.

    States are stored as float16.
    """
    source = source_digest((*metric.scored_by, *engine.scored_by))
    said: list[object] = [str(metric), states_digest(engine.model), engine.facts, source]
    said += [text for row in corpus for text in (row.candidate, row.source or "")]
    key = hashlib.sha256(json.dumps(said).encode()).hexdigest()
    path = folder / _KEPT
    if path.exists():
        with safe_open(path, "pt") as file:
            if (file.metadata() or {}).get("key") == key:
                states, segment, scores = (file.get_tensor(name) for name in ("states", "segment", "scores"))
                return Words(states.float(), segment, scores, len(corpus))
    words = measure(corpus, metric, engine)
    half = words.states.half()
    save_file({"states": half, "segment": words.segment, "scores": words.scores}, path, metadata={"key": key})
    return Words(half.float(), words.segment, words.scores, words.rows)


def fit(
    words: Words, ratings: NDArray[np.float64], items: Sequence[str], config: WeighterConfig
) -> tuple[NDArray[np.float32], float, list[dict[str, float]]]:
    """Fit learned weights to ratings.

    Args:
        words: the words of the rows.
        ratings: ratings, scaled to the range from 0 to 1: [rows].
        items: the item of each row.
        config: the settings.

    Returns:
        The weights [width], the candidate's share, and the results of each fold.

    Raises:
        InputError: there are fewer than ten items.
    """
    items = [str(row) for row in range(len(items))] if config.rows_apart else items
    distinct = sorted(set(items))
    if len(distinct) < _LEAST_ITEMS:
        raise InputError(
            f"{len(distinct)} items are rated; folds of items need at least {_LEAST_ITEMS}",
            remedy="rate more items, or give each row its own item",
        )
    order = np.random.default_rng(config.seed).permutation(len(distinct))
    fold_of = {distinct[item]: place % config.folds for place, item in enumerate(order)}
    folds = np.array([fold_of[item] for item in items])
    weights, shares, facts = [], [], []
    for fold in range(1 if config.rows_apart else config.folds):
        weight, share, fact = _fit_fold(words, ratings, folds == fold, config)
        weights.append(weight)
        shares.append(share)
        facts.append(fact)
    mean: NDArray[np.float32] = torch.stack(weights).mean(0).numpy()
    return mean, float(torch.sigmoid(torch.stack(shares).mean())), facts


def _fit_fold(
    words: Words, ratings: NDArray[np.float64], held: NDArray[np.bool_], config: WeighterConfig
) -> tuple[Tensor, Tensor, dict[str, float]]:
    own, other = words.of(np.flatnonzero(~held)), words.of(np.flatnonzero(held))
    truth, unseen = (torch.from_numpy(ratings[part]).float() for part in (~held, held))
    weight, share = torch.zeros(words.states.shape[1]), torch.zeros((), requires_grad=True)
    if config.random_start:  # as a linear layer of torch begins
        generator = torch.Generator().manual_seed(config.seed)
        weight = (2 * torch.rand(len(weight), generator=generator) - 1) / len(weight) ** 0.5
    weight.requires_grad_(True)
    rates = ((weight, config.rate), (share, config.share_rate))
    optimizer = torch.optim.Adam([{"params": [learned], "lr": rate} for learned, rate in rates])
    variance, spread = float(truth.var()), float(own.states.var(0).sum())
    best: tuple[float, Tensor, Tensor] | None = None
    fact: dict[str, float] = {}
    for epoch in range(config.epochs + 1):
        with torch.no_grad():
            values = other.values(weight, share)
            loss = float(_loss(values, unseen, config.calibrated))
        if best is None or loss < best[0]:
            best = (loss, weight.detach().clone(), share.detach().clone())
            fact = {**({} if fact else {"uniform": _pearson(values, unseen)}), **fact}
            fact.update(epoch=epoch, pearson=_pearson(values, unseen), rows=int(held.sum()))
        elif epoch - fact["epoch"] >= config.patience:
            break
        for part, wanted in _steps(own, truth, config, epoch):
            optimizer.zero_grad()
            uneven = config.ridge * spread * (weight @ weight) + config.share_ridge * share**2
            torch.autograd.backward(_loss(part.values(weight, share), wanted, config.calibrated) + variance * uneven)
            optimizer.step()
    assert best is not None
    return best[1], best[2], fact


def _steps(words: Words, ratings: Tensor, config: WeighterConfig, epoch: int) -> Iterator[tuple[Words, Tensor]]:
    """Yield the words and the ratings for each step of an epoch, in random order."""
    if not config.batch:
        yield words, ratings
        return
    order = np.random.default_rng([config.seed, 1, epoch]).permutation(words.rows)
    for at in range(0, words.rows, config.batch):
        rows = order[at : at + config.batch]
        yield words.of(rows), ratings[torch.from_numpy(rows)]


def _loss(values: Tensor, ratings: Tensor, calibrated: bool) -> Tensor:
    """Return the mean squared error of values against ratings.

    With `calibrated`, values are first mapped to ratings by the rising straight line that fits best.
    """
    if not calibrated:
        return ((values - ratings) ** 2).mean()
    x, y = values - values.mean(), ratings - ratings.mean()
    slope = (x @ y / (x @ x).clamp(min=1e-12)).clamp(min=0)
    return ((y - slope * x) ** 2).mean()


def _pearson(values: Tensor, ratings: Tensor) -> float:
    x, y = values - values.mean(), ratings - ratings.mean()
    return round(float(x @ y / (x.norm() * y.norm()).clamp(min=1e-12)), 4)


def train(
    corpus: Corpus,
    aspects: Sequence[str],
    out: Path,
    metric: MaskEval | None = None,
    scale: tuple[float, float] | None = None,
    config: WeighterConfig | None = None,
    engine: Engine | None = None,
) -> list[Path]:
    """Train a weighter for each aspect of rated rows, and return the files. Each has a card of the same name.

    Rows without a rating for any of the aspects are left out.

    Args:
        corpus: rated rows.
        aspects: the aspects.
        out: folder for the files.
        metric: how words are masked and scored. Its weights must be 'uniform'.
        scale: the least and the greatest possible rating; by default those that each aspect has.
        config: the settings.
        engine: scores and reads the texts.

    Raises:
        InputError: rows cannot be used.
        SpecError: the metric has learned weights.
    """
    metric, config = metric or MaskEval(stride=8), config or WeighterConfig()
    if metric.weights != "uniform":
        raise SpecError(f"{metric}: weights are what is learned; leave them at 'uniform'")
    rated = Corpus(tuple(row for row in corpus if any(aspect in row.scores for aspect in aspects)))
    known = sorted({aspect for row in corpus for aspect in row.scores})
    for aspect in aspects:
        if not any(aspect in row.scores for row in corpus):
            raise InputError(f"no row is rated for {aspect!r}", remedy=f"there are {', '.join(known) or 'no ratings'}")
    engine = engine or Engine(load(metric.reads or POCKET), progress=True)
    out.mkdir(parents=True, exist_ok=True)
    words = kept(rated, metric, engine, out)
    written = []
    for aspect in aspects:
        rows = np.array([i for i, row in enumerate(rated) if aspect in row.scores])
        ratings = np.array([rated[i].scores[aspect] for i in rows], np.float64)
        low, high = scale or (float(ratings.min()), float(ratings.max()))
        if not low < high:
            raise InputError(f"all ratings for {aspect!r} are {low:g}", remedy="nothing can be learned from them")
        items = [rated[i].item for i in rows]
        with torch_threads(threads()):
            weight, share, folds = fit(words.of(rows), (ratings - low) / (high - low), items, config)
        path = out / f"{aspect}.safetensors"
        write_weighter(path, Weighter(weight, share, states_digest(engine.model), aspect))
        card = {
            "aspect": aspect,
            "trained_on": {"rows": len(rows), "items": len(set(items)), "scale": [low, high]},
            "metric": str(metric),
            "model": engine.model.name,
            "states": states_digest(engine.model),
            "candidate_share": round(share, 4),
            "settings": vars(config),
            "folds": folds,
            "nlgauge": __version__,
        }
        path.with_suffix(".json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
        written.append(path)
    return written

"""MaskEval: how well the words of candidate and source can be predicted from the other text.

Liu, Bawden, Scialom, Sagot and Cheung, "MaskEval: Weighted MLM-Based Evaluation for Text Summarization and
Simplification", 2022 (arXiv:2205.12394). Every word of both texts is masked and predicted from the words around it and
the other text. s_i (candidate) and t_j (source) say whether it was predicted; the weights w and v of each text's words
have the sum one (section 3.3):

    MaskEval = w_c sum_i w_i s_i + (1 - w_c) sum_j v_j t_j

w_c, from 0 to 1, is the candidate's share. If only some words were masked (section 6.2), sums are over these words and
divided by their weight. No reference is needed. With learned token weights w and v and a learned share w_c it measures
one aspect (`nlgauge train weighter`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.contract.base import SHARE, Cost, Limits, Prepared, Reading, RowMetric, Scored, Setup, Value
from nlgauge.contract.parameters import param
from nlgauge.data.corpus import Row
from nlgauge.data.corpus.place import shown
from nlgauge.data.evidence import Evidence, EvidenceText, EvidenceWord, Item
from nlgauge.engine.features.masked_words import MaskedWords, MaskedWordsRequest, way_of
from nlgauge.engine.features.pair_states import PairStates, PairStatesRequest, states_digest
from nlgauge.engine.features.request import AnyRequest, Features
from nlgauge.engine.masking import DECODINGS
from nlgauge.engine.segmentation import PLAIN, segmenter
from nlgauge.engine.weighter import Weighter, read_weighter
from nlgauge.errors import SpecError

Array = NDArray[np.float64]

_ROUNDING = 1e-9


def word_weights(logits: NDArray[np.floating], starts: NDArray[np.intp]) -> Array:
    """Return the weights of a text's words: the softmax over sub-words, summed for each word (equation 6).

    Args:
        logits: the logit of each sub-word: [tokens].
        starts: the first token of each word: [words].

    Returns:
        The weights: [words], with sum 1.
    """
    shares = np.exp(logits.astype(np.float64) - logits.max())
    sums: Array = np.add.reduceat(shares / shares.sum(), starts)
    return sums


def uniform(words: int) -> Array:
    """Return the same weight for every word: [words], with sum one."""
    return np.full(words, 1 / words)


def heaviest(weights: Array, keep: float) -> NDArray[np.intp]:
    """Return the smallest set of words, heaviest first, with at least a share of the weight.

    Args:
        weights: the weights of the words: [words].
        keep: the share, above 0 and up to 1. With 1 all words are returned, also those without weight.

    Returns:
        The indexes of the words. Words of equal weight are in text order.
    """
    order = np.argsort(-weights, kind="stable")
    if keep >= 1:
        return order
    reached = np.cumsum(weights[order]) >= keep * weights.sum() * (1 - _ROUNDING)
    return order[: int(np.argmax(reached)) + 1]


def kept_words(weights: tuple[Array, Array], share: float, keep: float, per_text: bool) -> tuple[list[int], list[int]]:
    """Return the words of candidate and source that are masked.

    Args:
        weights: the weights of the words of both texts: [words] each.
        share: the candidate's share of the score, from 0 to 1.
        keep: the share of the weight whose words are masked, as in `heaviest`.
        per_text: whether `keep` applies to the weight of each text separately, and not to the weight of both texts
            together in the score.

    Returns:
        The indexes of the words of both texts, in text order.
    """
    if per_text:
        chosen = [heaviest(of_text, keep) for of_text in weights]
        return sorted(chosen[0].tolist()), sorted(chosen[1].tolist())
    both = np.concatenate(shared(weights, share))
    numbers = sorted(heaviest(both, keep).tolist())
    first = len(weights[0])
    return [n for n in numbers if n < first], [n - first for n in numbers if n >= first]


def shared(weights: tuple[Array, Array], share: float) -> tuple[Array, Array]:
    """Return the weights of the words of candidate and source in the score: [words] each, with sum one over both."""
    return share * weights[0], (1 - share) * weights[1]


def weighted_score(scores: Sequence[Array], weights: Sequence[Array], share: float, per_text: bool = False) -> float:
    """Return the score (equation 5), divided by the weight of the masked words.

    Args:
        scores: the scores of the masked words of candidate and source: [masked] each.
        weights: the weights of these words: [masked] each.
        share: the candidate's share of the score, from 0 to 1.
        per_text: whether to divide by the weight of each text separately.

    Returns:
        The score; NaN if the weight is 0.
    """
    if per_text:
        sides = [_mean(s, w) if part else 0.0 for s, w, part in zip(scores, weights, (share, 1 - share), strict=True)]
        return share * sides[0] + (1 - share) * sides[1]
    both = shared((weights[0], weights[1]), share)
    return _mean(np.concatenate([*scores]), np.concatenate([*both]))


def _mean(scores: Array, weights: Array) -> float:
    total = float(weights.sum())
    return float(weights @ scores) / total if total > 0 else float("nan")


_UNIFORM, _CANDIDATE = "uniform", "candidate"
_NAMES = ("candidate", "source")
_NO_WORDS = "the {} has no words"
_WEAK = 0.5


@dataclass(frozen=True, kw_only=True)
class MaskEvalPrepared(Prepared):
    share: float
    """The candidate's share of the score"""
    weighter: Weighter | None = None
    """The model of the learned token weights; None if all words of a text have the same weight"""


class MaskedTexts(NamedTuple):
    """The masked words of a row's candidate and source, and their weights."""

    requests: tuple[MaskedWordsRequest | None, MaskedWordsRequest | None]
    """The requests for candidate and source; None for a text without masked words"""
    weights: tuple[Array, Array]
    """The weights of the masked words of candidate and source: [masked] each"""
    cut: tuple[bool, bool]
    """For candidate and source, whether only the beginning was read, because the text is longer than the window"""


@dataclass(frozen=True)
class MaskEval(RowMetric):
    """Weighted share of the words of candidate and source that are predicted when masked, given the other text."""

    columns: ClassVar[tuple[str, ...]] = _NAMES
    cost: ClassVar[Cost] = "masked pairs"
    short: ClassVar[str] = "weights"
    citation: ClassVar[str] = "Liu et al. 2022, arXiv:2205.12394"

    weights: str = param(
        _UNIFORM,
        help="'uniform', equal weights within a text; 'candidate', the same with only the candidate's words; else "
        "learned token weights: 'coherence', 'consistency', 'fluency' or 'relevance' of the embedded model, or a file "
        "or folder that `nlgauge train weighter` wrote",
    )
    keep: float = param(
        1.0,
        help="mask only the words of largest weight, with this share of all learned weight, and divide by that weight",
    )
    per_text: bool = param(False, help="apply `keep` to each text separately")
    scoring: str = param(
        "hit",
        choices=("hit", "probability", "log_probability"),
        help="'hit', whether the word itself was predicted; or the 'probability' or 'log_probability' of the word",
    )
    decoding: str = param(
        "joint",
        choices=DECODINGS,
        help="how a word of several sub-words is predicted. 'joint' predicts all at once and 'stepwise' one after "
        "another; with both, the model sees their number. 'single' has one mask and never predicts such a word.",
    )
    segmentation: str = param(
        PLAIN,
        help="a word ends where both a sub-word of the model and a word of the language end, by 'plain' rules or by "
        "spaCy's ('spacy', 'spacy-de', ...; needs nlgauge[maskeval])",
    )
    stride: int = param(
        1,
        minimum=1,
        help="how many words, far apart, are masked in one pass. 1 is exact; 8 takes an eighth of the time.",
    )
    model: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.weights:
            raise SpecError(
                f"{self.name}: weights={shown(self.weights)} is not 'uniform', 'candidate' or learned weights"
            )
        if not 0 < self.keep <= 1:
            raise SpecError(f"{self.name}: keep={shown(self.keep)} is not a number above 0 and up to 1")
        if self.keep < 1 and not self._learned:
            raise SpecError(f"{self.name}: weights={self.weights!r} has no learned weights for keep; name some")
        if self.per_text and self.keep == 1:
            raise SpecError(f"{self.name}: per_text is about keep; set keep below 1")

    @property
    def limits(self) -> Mapping[str, Limits]:
        return {"score": (-math.inf, 0.0) if self.scoring == "log_probability" else SHARE}

    @property
    def libraries(self) -> tuple[str, ...]:  # type: ignore[override]
        return () if self.segmentation == PLAIN else ("spacy",)

    @property
    def _learned(self) -> bool:
        return self.weights not in (_UNIFORM, _CANDIDATE)

    def prepare(self, setup: Setup) -> MaskEvalPrepared:
        segmenter(self.segmentation)
        way = way_of(setup.model)
        facts: dict[str, object] = {"words": way if way != "pairs" else f"pairs@{states_digest(setup.model)[:8]}"}
        if not self._learned:
            return MaskEvalPrepared(share=1.0 if self.weights == _CANDIDATE else 0.5, facts=facts)
        weighter = read_weighter(self.weights, setup.model)
        facts["weighter"] = weighter.digest[:8]
        return MaskEvalPrepared(share=weighter.share, weighter=weighter, facts=facts)

    def read_row(self, row: Row, prepared: MaskEvalPrepared) -> Reading:
        return MaskEvalReading(self, row, prepared)

    def masked(self, row: Row, side: int, words: tuple[int, ...] | None = None) -> MaskedWordsRequest:
        """Return the request for masked words of a text.

        Args:
            row: the row.
            side: 0 for the candidate, 1 for the source.
            words: the indexes of the words that are masked; None for all.

        Returns:
            The request.
        """
        texts = _texts(row, side)
        return MaskedWordsRequest(
            *texts,
            first=side == 0,
            segmentation=self.segmentation,
            decoding=self.decoding,
            stride=self.stride,
            words=words,
        )

    def states(self, row: Row, side: int) -> PairStatesRequest:
        """Return the request for the states of candidate (side 0) or source (side 1), for learned token weights."""
        return PairStatesRequest(*_texts(row, side), side == 0, self.segmentation)

    def word_scores(self, answer: MaskedWords) -> Array:
        """Return the score of each masked word: [words]."""
        if self.scoring == "hit":
            return answer.hits.astype(np.float64)
        logs = answer.log_probabilities
        return np.exp(logs) if self.scoring == "probability" else logs


class MaskEvalReading(Reading):
    """The reading of a row by MaskEval: the words that are masked, the requests for them, and the score."""

    def __init__(self, metric: MaskEval, row: Row, prepared: MaskEvalPrepared) -> None:
        self.metric, self._row, self.prepared = metric, row, prepared
        self._known: MaskedTexts | str | None = "no source" if row.source is None else None
        sides = () if row.source is None else (0, 1) if prepared.weighter or prepared.share < 1 else (0,)
        self._masked = [] if prepared.weighter else [metric.masked(row, side) for side in sides]
        self._states = [metric.states(row, side) for side in sides] if prepared.weighter else []
        self.requests = self._masked or self._states

    def followup(self, features: Features) -> list[AnyRequest]:
        plan = self.plan(features) if self._states else None
        return [request for request in plan.requests if request] if isinstance(plan, MaskedTexts) else []

    def plan(self, features: Features) -> MaskedTexts | str:
        """Return the words of the row's texts that are masked, or the reason why there is no score.

        Args:
            features: the features that the first requests of the row asked for.

        Returns:
            The masked words with their requests and weights, or the reason.
        """
        if self._known is None:
            self._known = self._weighted(features) if self._states else _alike(self._masked, features)
        return self._known

    def _weighted(self, features: Features) -> MaskedTexts | str:
        """Return the words that are masked, chosen by learned weights, or the reason why there is no score."""
        metric, prepared = self.metric, self.prepared
        candidate, source = (features[request] for request in self._states)
        if candidate is None or source is None:
            return _NO_WORDS.format(_NAMES[candidate is not None])
        assert prepared.weighter is not None
        weights = _weights(candidate, prepared.weighter), _weights(source, prepared.weighter)
        kept = kept_words(weights, prepared.share, metric.keep, metric.per_text)
        requests = [self._kept(side, kept[side], len(weights[side])) for side in (0, 1)]
        return MaskedTexts(
            (requests[0], requests[1]), (weights[0][kept[0]], weights[1][kept[1]]), (source.cut, candidate.cut)
        )

    def _kept(self, side: int, kept: Sequence[int], words: int) -> MaskedWordsRequest | None:
        """Return the request for the masked words of a text; None if no word is masked.

        If all words are masked, all MaskEval metrics share the request.

        Args:
            side: 0 for the candidate, 1 for the source.
            kept: the indexes of the masked words.
            words: the number of words in the text.
        """
        if not kept:
            return None
        return self.metric.masked(self._row, side, tuple(kept) if len(kept) < words else None)

    def score(self, features: Features) -> Scored:
        plan, metric = self.plan(features), self.metric
        if isinstance(plan, str):
            return Scored(Value((np.nan,), plan))
        answers = _answers(plan, features)
        scores = [np.zeros(0) if answer is None else metric.word_scores(answer) for answer in answers]
        value = weighted_score(scores, plan.weights, self.prepared.share, metric.per_text)
        cut = [name for name, is_cut in zip(_NAMES, plan.cut, strict=True) if is_cut]
        notes = tuple(f"{name} longer than the window: only its beginning is read" for name in cut)
        return Scored(Value((value,), None, notes), partial(self._shown, plan, answers))

    def _shown(self, plan: MaskedTexts, answers: Sequence[MaskedWords | None]) -> Evidence:
        """Return the masked words of each text: whether they were predicted, what was predicted, and their weights."""
        share = self.prepared.share
        sides = zip(_NAMES, _NAMES[::-1], answers, shared(plan.weights, share), strict=True)
        texts = [_shown(name, other, answer, of_side) for name, other, answer, of_side in sides if answer is not None]
        items = [Item(name, {"share": part}) for name, part in zip(_NAMES, (share, 1 - share), strict=True)]
        return Evidence(texts=texts, items=items)


def _texts(row: Row, side: int) -> tuple[str, str]:
    """Return the text of a side (0: candidate, 1: source), and the other text."""
    texts = row.candidate, row.source or ""
    return texts[side], texts[1 - side]


def _weights(states: PairStates, weighter: Weighter) -> Array:
    return word_weights(weighter.logits(states.states), states.starts)


def _alike(requests: Sequence[MaskedWordsRequest], features: Features) -> MaskedTexts | str:
    """Return all words of the requested texts with equal weights, or the reason why there is no score."""
    answers = [features[request] for request in requests]
    candidate, source = answers[0], answers[1] if len(answers) > 1 else None
    if candidate is None or not len(candidate.words):
        return _NO_WORDS.format(_NAMES[candidate is not None])
    weights = uniform(len(candidate.words)), np.zeros(0) if source is None else uniform(len(source.words))
    cut = source is not None and source.cut, candidate.cut
    return MaskedTexts((requests[0], requests[1] if len(requests) > 1 else None), weights, cut)


def _answers(plan: MaskedTexts, features: Features) -> list[MaskedWords | None]:
    return [None if request is None else features[request] for request in plan.requests]


def _shown(name: str, against: str, answer: MaskedWords, weights: Array) -> EvidenceText:
    text = answer.text
    places, hits, logs = answer.spans.tolist(), answer.hits.tolist(), answer.log_probabilities.tolist()
    words = [
        EvidenceWord(
            text=text[begin:end],
            begin=begin,
            end=end,
            alignment=float(hit),
            weight=weight,
            predicted=predicted,
            log_probability=log,
        )
        for (begin, end), hit, weight, predicted, log in zip(
            places, hits, weights.tolist(), answer.predicted, logs, strict=True
        )
    ]
    return EvidenceText(name=name, against=against, text=text, words=words, weak=_WEAK)

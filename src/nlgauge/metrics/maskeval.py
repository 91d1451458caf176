"""MaskEval: how well the words of candidate and source can be told from the other text.

Liu, Bawden, Scialom, Sagot and Cheung, "MaskEval: Weighted MLM-Based Evaluation for Text Summarization and
Simplification", 2022 (arXiv:2205.12394). Every word of both texts is masked and predicted from the words around it and
the other text; s_i and t_j, of candidate and source, say whether it was found:

    MaskEval = w_c sum_i w_i s_i + (1 - w_c) sum_j v_j t_j

No reference is needed. Learned weights w, v and share w_c make it a metric of one quality (`nlgauge train weighter`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.corpus import Corpus, Row
from nlgauge.engine.engine import Features, Need
from nlgauge.engine.features import MaskedWords, MaskedWordsRequest, PairStatesRequest, TokenVectors
from nlgauge.engine.gaps import predictor
from nlgauge.engine.masking import DECODINGS
from nlgauge.engine.segmentation import library, segmenter
from nlgauge.engine.weighter import Weighter, read_weighter, states_digest
from nlgauge.errors import SpecError
from nlgauge.maths import masked_words as maths
from nlgauge.metrics.base import RowMetric, Scorer, Texts, Value

Array = NDArray[np.float64]

_UNIFORM, _CANDIDATE = "uniform", "candidate"
_WEAK = 0.5


@dataclass(frozen=True)
class MaskEval(RowMetric):
    """Weighted share of the words of candidate and source that are predicted when masked, the other text in sight.

    weights: 'uniform', the same for every word of a text; 'candidate', that and the candidate's words alone; else a
        weighter: of the embedded model 'coherence', 'consistency', 'fluency' or 'relevance', or the file or folder that
        `nlgauge train weighter` wrote.
    keep: mask only the heaviest words, which have this share of all learned weight, and divide by it.
    per_text: apply `keep` to each text by itself.
    scoring: 'hit', the word itself was predicted; 'probability' or 'log_probability' of the word.
    decoding: how a word of several pieces is predicted. 'joint', all pieces at once, tells the model their number, and
        so does 'stepwise', piece after piece; 'single' tells nothing and never finds such a word.
    segmentation: a word ends where both a sub-word of the model and a word of the language ends, by 'plain' rules or
        spaCy's ('spacy', 'spacy-de', ...; needs nlgauge[maskeval]).
    stride: words masked in one pass, far apart; 1 is exact, 8 takes an eighth of the time.
    """

    citation: ClassVar[str] = "Liu et al. 2022, arXiv:2205.12394"
    choices: ClassVar[Mapping[str, Sequence[object]]] = {
        "scoring": ("hit", "probability", "log_probability"),
        "decoding": DECODINGS,
        "per_text": (False, True),
    }

    weights: str = _UNIFORM
    keep: float = 1.0
    per_text: bool = False
    scoring: str = "hit"
    decoding: str = "joint"
    segmentation: str = "plain"
    stride: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_whole(stride=1)
        if not (isinstance(self.weights, str) and self.weights):
            raise SpecError(f"MaskEval: weights={self.weights!r} is not 'uniform', 'candidate' or a weighter")
        if isinstance(self.keep, bool) or not isinstance(self.keep, int | float) or not 0 < self.keep <= 1:
            raise SpecError(f"MaskEval: keep={self.keep!r} is not a number above 0 and up to 1")
        if self.keep < 1 and self.weights in (_UNIFORM, _CANDIDATE):
            raise SpecError(f"MaskEval: weights={self.weights!r} has no heaviest words to keep; name a weighter")
        if self.per_text and self.keep == 1:
            raise SpecError("MaskEval: per_text is about keep; set keep below 1")
        if not isinstance(self.segmentation, str):
            raise SpecError(f"MaskEval: segmentation={self.segmentation!r} is not a name")

    def scorer(self, corpus: Corpus, texts: Texts) -> MaskEvalScorer:
        return MaskEvalScorer(self, corpus, texts)


class Plan(NamedTuple):
    """What is masked in a pair of texts, and what it weighs: of candidate and source each."""

    words: tuple[tuple[int, ...], tuple[int, ...]]
    """Numbers of the words to mask"""
    weights: tuple[Array, Array]
    """Of those words: [words]"""


class MaskEvalScorer(Scorer):
    """Weighs the words of all rows first, so that only those that are kept are masked."""

    def __init__(self, metric: MaskEval, corpus: Corpus, texts: Texts) -> None:
        self.metric, self._texts = metric, texts
        segmenter(metric.segmentation)
        way = predictor(texts.model)
        self._weighter: Weighter | None = None
        facts: dict[str, object] = {"words": way if way != "pairs" else f"pairs@{states_digest(texts.model)[:8]}"}
        if (rules := library(metric.segmentation)) is not None:
            facts["segmentation"] = rules
        if metric.weights not in (_UNIFORM, _CANDIDATE):
            self._weighter = read_weighter(metric.weights, texts.model)
            facts["weighter"] = self._weighter.digest[:8]
        self.signature = facts
        self._share = self._weighter.share if self._weighter else 1.0 if metric.weights == _CANDIDATE else 0.5
        self._plans: dict[tuple[str, str], Plan] = {}
        usable = [row for row in corpus if self._missing(row) is None]
        if self._weighter is None:
            for row in usable:
                self._plans[_pair(row)] = self._alike(row)
            return
        pairs = list(dict.fromkeys(map(_pair, usable)))
        for indices, features in texts.stream([_states(*pair) for pair in pairs]):
            for index in indices:
                self._plans[pairs[index]] = self._planned(pairs[index], features, self._weighter)

    def _missing(self, row: Row) -> str | None:
        """Why a row has no value."""
        if row.source is None:
            return "no source"
        for name, text in (("candidate", row.candidate), ("source", row.source)):
            if not len(self._texts.tokens([text])[0]):
                return f"the {name} has no words"
        return None

    def _alike(self, row: Row) -> Plan:
        starts = [self._texts.word_starts(text, self.metric.segmentation)[0] for text in _pair(row)]
        own, other = len(starts[0]) - 1, len(starts[1]) - 1 if self._share < 1 else 0
        weights = maths.uniform(own), maths.uniform(other) if other else np.zeros(0)
        return Plan((tuple(range(own)), tuple(range(other))), weights)

    def _planned(self, pair: tuple[str, str], features: Features, weighter: Weighter) -> Plan:
        weights = []
        for text, need in zip(pair, _states(*pair), strict=True):
            states = features[need]
            assert isinstance(states, TokenVectors)
            starts, _ = self._texts.word_starts(text, self.metric.segmentation)
            weights.append(maths.word_weights(weighter.logits(states.vectors[0]), starts[:-1]))
        both = weights[0], weights[1]
        own, other = maths.kept_words(both, self._share, self.metric.keep, self.metric.per_text)
        return Plan((tuple(own), tuple(other)), (both[0][own], both[1][other]))

    def needs(self, row: Row) -> list[Need]:
        plan = self._plans.get(_pair(row))
        if plan is None:
            return []
        texts = _pair(row)
        chosen = zip(texts, texts[::-1], plan.words, (True, False), strict=True)
        return [(text, self._request(other, first, words)) for text, other, words, first in chosen if words]

    def _request(self, other: str, first: bool, words: tuple[int, ...]) -> MaskedWordsRequest:
        metric = self.metric
        return MaskedWordsRequest(other, first, metric.segmentation, metric.decoding, metric.stride, words)

    def score(self, rows: Sequence[Row], features: Features) -> list[Value]:
        return [self._value(row, features) for row in rows]

    def _value(self, row: Row, features: Features) -> Value:
        plan = self._plans.get(_pair(row))
        if plan is None:
            return Value((np.nan,), self._missing(row))
        scores = [np.zeros(0) if found is None else self.word_scores(found) for found in self._found(row, features)]
        value = maths.weighted_score(scores, plan.weights, self._share, self.metric.per_text)
        return Value((value,), None, self._notes(row))

    def _found(self, row: Row, features: Features) -> list[MaskedWords | None]:
        """Answers for candidate and source; None for a text of which no word was masked."""
        plan, answers = self._plans[_pair(row)], iter(self.needs(row))
        found: list[MaskedWords | None] = []
        for words in plan.words:
            answer = features[next(answers)] if words else None
            assert answer is None or isinstance(answer, MaskedWords)
            found.append(answer)
        return found

    def word_scores(self, found: MaskedWords) -> Array:
        """The score of each masked word."""
        if self.metric.scoring == "hit":
            return found.hits.astype(np.float64)
        logs = found.log_probabilities
        return np.exp(logs) if self.metric.scoring == "probability" else logs

    def _notes(self, row: Row) -> tuple[str, ...]:
        """The other text is read from its beginning, as far as the model's window goes."""
        model = self._texts.model
        room = model.window - model.tokenizer.frame
        sizes = zip(("candidate", "source"), self._texts.tokens(list(_pair(row))), strict=True)
        return tuple(f"{name} longer than the window: only its beginning is seen" for name, t in sizes if len(t) > room)

    def evidence(self, row: Row, features: Features) -> dict[str, Any]:
        """The masked words of each text: whether each was found, what was predicted, and its weight in the score."""
        plan = self._plans.get(_pair(row))
        if plan is None:
            return {}
        weights = maths.shared(plan.weights, self._share)
        names = ("candidate", "source")
        texts = [
            {
                "name": name,
                "against": other,
                "text": found.text,
                "weak": _WEAK,
                "words": [
                    {
                        "text": found.text[begin:end],
                        "begin": begin,
                        "end": end,
                        "alignment": float(hit),
                        "predicted": predicted,
                        "log_probability": float(log),
                        "weight": float(weight),
                    }
                    for (begin, end), hit, predicted, log, weight in zip(
                        found.spans.tolist(), found.hits, found.predicted, found.log_probabilities, own, strict=True
                    )
                ],
            }
            for name, other, found, own in zip(names, names[::-1], self._found(row, features), weights, strict=True)
            if found is not None
        ]
        return {"texts": texts, "candidate_share": self._share}


def _pair(row: Row) -> tuple[str, str]:
    return row.candidate, row.source or ""


def _states(candidate: str, source: str) -> list[Need]:
    return [(candidate, PairStatesRequest(source, True)), (source, PairStatesRequest(candidate, False))]

"""BARTScore: how likely a model that writes one text from another finds the candidate.

Yuan, Neubig and Liu, "BARTScore: Evaluating Generated Text as Text Generation", NeurIPS 2021: the mean log-probability
of a text's tokens, each after those before it, where the model reads another text (equation 3, all weights equal).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from nlgauge.corpus import Corpus, Row
from nlgauge.engine.engine import Features, Need
from nlgauge.engine.features import Likelihood, WrittenRequest
from nlgauge.errors import SpecError
from nlgauge.metrics.base import ReferenceMetric, Scorer, Texts, Value


@dataclass(frozen=True)
class BARTScore(ReferenceMetric):
    """Mean log-probability of a text's tokens where another one is read; at most 0, and 0 is best.

    The model has an encoder and a decoder, such as BART or T5, and is run by torch; the embedded one has none. The
    special tokens around the text count as tokens, as in the published code. Of a text that does not fit the encoder
    its beginning is read.

    direction: 'faithfulness' asks for the candidate from the source, 'precision' for the candidate from a reference,
        'recall' for a reference from the candidate, 'f' for the mean of the two. references: is not read by the first.
    """

    choices: ClassVar[dict[str, Sequence[object]]] = {
        **ReferenceMetric.choices,
        "direction": ("faithfulness", "precision", "recall", "f"),
    }
    citation: ClassVar[str] = "Yuan et al. 2021, NeurIPS, arXiv:2106.11520"

    direction: str = "faithfulness"

    def scorer(self, corpus: Corpus, texts: Texts) -> BARTScoreScorer:
        if texts.model.writes != "from another text":
            raise SpecError(
                f"BARTScore needs a model with an encoder and a decoder, which {texts.model.name!r} is not: choose a "
                "checkpoint such as model='facebook/bart-large-cnn'"
            )
        return BARTScoreScorer(self, texts)


class BARTScoreScorer(Scorer):
    """BARTScore with its direction."""

    def __init__(self, metric: BARTScore, texts: Texts) -> None:
        self._metric, self._texts = metric, texts

    def needs(self, row: Row) -> list[Need]:
        return [need for pair in self._asked(row) for need in pair]

    def score(self, rows: Sequence[Row], features: Features) -> list[Value]:
        return [self._value(row, features) for row in rows]

    def _asked(self, row: Row) -> list[tuple[tuple[str, WrittenRequest], ...]]:
        """What is read for each text that the candidate is compared with."""
        if self._metric.direction == "faithfulness":
            return [] if row.source is None else [((row.candidate, WrittenRequest(row.source)),)]
        precision = [(row.candidate, WrittenRequest(reference)) for reference in row.references]
        recall = [(reference, WrittenRequest(row.candidate)) for reference in row.references]
        both = {"precision": zip(precision, strict=True), "recall": zip(recall, strict=True)}
        return list(both.get(self._metric.direction, zip(precision, recall, strict=True)))

    def _value(self, row: Row, features: Features) -> Value:
        asked = self._asked(row)
        against = "source" if self._metric.direction == "faithfulness" else "reference"
        if not asked:
            return Value((np.nan,), f"no {against}")
        found = [[features[need] for need in pair] for pair in asked]
        means = [
            np.mean([one.log_probabilities.mean() for one in pair if isinstance(one, Likelihood)])
            for pair in found
            if all(isinstance(one, Likelihood) for one in pair)
        ]
        if not means:
            return Value((np.nan,), f"the candidate or every {against} has no words")
        notes = ("references without words left out",) if len(means) < len(asked) else ()
        if self._cut([request.given or "" for pair in asked for _, request in pair]):
            notes = (*notes, "a text to write from is longer than the window: only its beginning is read")
        best = self._metric.references == "best"
        return Value((float(max(means) if best else np.mean(means)),), notes=notes)

    def _cut(self, texts: Sequence[str]) -> bool:
        model = self._texts.model
        room = model.window - model.tokenizer.frame
        return any(len(tokens) > room for tokens in self._texts.tokens(texts))

    def evidence(self, row: Row, features: Features) -> dict[str, Any]:
        """The log-probability of each token of what is asked for, with its place."""
        found = [features[need] for pair in self._asked(row) for need in pair]
        asked = [one for one in found if isinstance(one, Likelihood)]
        return {"written": [{"text": one.text, "tokens": one.evidence()} for one in asked]}

"""BARTScore: the log-probability of a candidate under a model that generates one text from another.

Yuan, Neubig and Liu, "BARTScore: Evaluating Generated Text as Text Generation", NeurIPS 2021: the mean log-probability
of a text's tokens given another text and the tokens before each (equation 3, equal weights).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from nlgauge.contract.base import Cost, Limits, Prepared, RowMetric, Setup, Value
from nlgauge.contract.parameters import param
from nlgauge.data.corpus import Row
from nlgauge.data.evidence import Evidence
from nlgauge.engine.features.likelihood import Likelihood, Seq2SeqRequest
from nlgauge.engine.features.request import Features
from nlgauge.engine.models.capabilities import SEQ2SEQ_LM
from nlgauge.metrics.evidence import likely_words
from nlgauge.metrics.references import LEFT_OUT

_CUT = "a text that the model reads is longer than the window: only its beginning is read"


class _AskedText(NamedTuple):
    """A text whose probability is computed given another text, with the request for it."""

    name: str
    against: str
    request: Seq2SeqRequest


@dataclass(frozen=True)
class BARTScore(RowMetric):
    """Mean log-probability of a text's tokens given another text; at most 0, and 0 is best.

    The model needs an encoder and a decoder, such as BART or T5, and is run by torch; the embedded model has no
    decoder. The special tokens around the text count as tokens, as in the published code. If a text does not fit the
    encoder, only its beginning is read.
    """

    cost: ClassVar[Cost] = "pairs"
    limits: ClassVar[Mapping[str, Limits]] = {"score": (-math.inf, 0.0)}
    citation: ClassVar[str] = "Yuan et al. 2021, NeurIPS, arXiv:2106.11520"

    references: str = param(
        "best",
        choices=("best", "mean"),
        help="the 'best' reference, or the 'mean' over references; not used with 'faithfulness'",
    )
    direction: str = param(
        "faithfulness",
        choices=("faithfulness", "precision", "recall", "f"),
        help="'faithfulness' scores the candidate given the source, 'precision' the candidate given a reference, "
        "'recall' a reference given the candidate, and 'f' is the mean of the last two",
    )
    model: str | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        return ("candidate", self._against)

    @property
    def _against(self) -> str:
        return "source" if self.direction == "faithfulness" else "references"

    def prepare(self, setup: Setup) -> Prepared:
        setup.model[SEQ2SEQ_LM]
        return Prepared()

    def requests(self, row: Row, prepared: Prepared) -> list[Seq2SeqRequest]:
        return [asked.request for together in self._asked(row) for asked in together]

    def _asked(self, row: Row) -> list[list[_AskedText]]:
        """Return, for each text that the candidate is compared with, one or two requests; empty without such a text."""
        if self.direction == "faithfulness":
            has_source = row.source is not None
            return (
                [[_AskedText("candidate", "source", Seq2SeqRequest(row.candidate, row.source or ""))]]
                if has_source
                else []
            )
        asked = []
        for reference in row.references:
            precision = _AskedText("candidate", "reference", Seq2SeqRequest(row.candidate, reference))
            recall = _AskedText("reference", "candidate", Seq2SeqRequest(reference, row.candidate))
            asked.append({"precision": [precision], "recall": [recall]}.get(self.direction, [precision, recall]))
        return asked

    def score_rows(self, rows: Sequence[Row], prepared: Prepared, features: Features) -> list[Value]:
        return [self._value(row, features) for row in rows]

    def _value(self, row: Row, features: Features) -> Value:
        asked, read = self._asked(row), self._read(row, features)
        against = self._against.removesuffix("s")
        if not asked:
            return Value((np.nan,), f"no {against}")
        if not read:
            return Value((np.nan,), f"the candidate or every {against} has no words")
        notes = [LEFT_OUT] if len(read) < len(asked) else []
        if any(likelihood.cut for together in read.values() for likelihood in together):
            notes.append(_CUT)
        means = list(map(_mean, read.values()))
        return Value((max(means) if self.references == "best" else float(np.mean(means)),), None, tuple(notes))

    def _read(self, row: Row, features: Features) -> dict[int, list[Likelihood]]:
        """Return the likelihoods for each text that the candidate can be compared with, by the index of the text."""
        read = {}
        for number, together in enumerate(self._asked(row)):
            likelihoods = [likelihood for asked in together if (likelihood := features[asked.request]) is not None]
            if len(likelihoods) == len(together):
                read[number] = likelihoods
        return read

    def evidence(self, row: Row, prepared: Prepared, features: Features) -> Evidence:
        """Return the probability and position of each scored token, for the best reference or for all references."""
        asked, read = self._asked(row), self._read(row, features)
        best = None
        if read and self.references == "best" and self.direction != "faithfulness":
            best = max(read, key=lambda number: _mean(read[number]))
        shown = read if best is None else {best: read[best]}
        pairs = [pair for number, likelihoods in shown.items() for pair in zip(asked[number], likelihoods, strict=True)]
        return Evidence(
            best, [likely_words(asked_text.name, asked_text.against, likelihood) for asked_text, likelihood in pairs]
        )


def _mean(likelihoods: Sequence[Likelihood]) -> float:
    return float(np.mean([likelihood.log_probabilities.mean() for likelihood in likelihoods]))

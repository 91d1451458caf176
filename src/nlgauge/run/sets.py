"""A metric of sets in a run: gathers points as texts come by, and compares each system's with the other side's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.corpus import Corpus, Row
from nlgauge.engine.features.request import Features, Request
from nlgauge.metrics.base import Value
from nlgauge.metrics.evidence import Json
from nlgauge.metrics.sets import SetMetric, SetPrepared, SetText

_AT_ONCE = 256


class SetPoints:
    """The points of all texts that a metric of sets compares.

    facts: what its numbers depend on. against: the corpus whose candidates outputs are compared with, instead of the
    references of their rows.
    """

    def __init__(
        self,
        metric: SetMetric,
        prepared: SetPrepared,
        facts: Mapping[str, object],
        rows: Corpus,
        against: Corpus | None,
    ) -> None:
        self._metric, self._prepared, self._rows, self._against = metric, prepared, rows, against
        self.facts = facts
        self._points: dict[str, NDArray[np.float32]] = {}
        self._read: set[str] = set()
        self._longer: set[str] = set()

    @property
    def metric(self) -> SetMetric:
        """Whose points these are."""
        return self._metric

    @property
    def read(self) -> tuple[int, int]:
        """How many of the texts are longer than the model's window, and how many there are."""
        return len(self._longer), len(self._read)

    def requests(self, rows: Sequence[Row]) -> list[Request[Any]]:
        """What the points of some rows' texts are made of, where they are not known yet."""
        texts = dict.fromkeys(text for row in rows for text in self._texts_of(row) if text not in self._points)
        return [self._metric.request(text, self._prepared) for text in texts]

    def others(self) -> Iterator[list[Request[Any]]]:
        """The same of the corpus that is compared with, some texts at a time."""
        texts = [row.candidate for row in self._against or ()]
        texts = [text for text in dict.fromkeys(texts) if text not in self._points]
        for at in range(0, len(texts), _AT_ONCE):
            yield [self._metric.request(text, self._prepared) for text in texts[at : at + _AT_ONCE]]

    def take(self, requests: Sequence[Request[Any]], features: Features) -> None:
        """Make the points of some texts."""
        for request in requests:
            feature, text = features[request], request.texts[0]
            self._read.add(text)
            if text in features.longer:
                self._longer.add(text)
            if feature is not None:
                self._points[text] = self._metric.points(feature)

    def scores(self, evidence: bool) -> list[tuple[Value, Json]]:
        """A value for each system, in the corpus's order, and what it rests on."""
        other = self._texts(self._against, "candidate") if self._against is not None else None
        scores: list[tuple[Value, Json]] = []
        for system in self._rows.systems:
            rows = Corpus(tuple(row for row in self._rows if row.system == system))
            evaluated = self._texts(rows, "candidate")
            reference = other if other is not None else self._texts(rows, "references")
            shown = None
            if evidence and evaluated and reference:
                shown = self._metric.evidence(evaluated, reference).record() or None
            scores.append((self._compared(evaluated, reference), shown))
        return scores

    def _texts_of(self, row: Row) -> list[str]:
        return [row.candidate, *(() if self._against is not None else row.references)]

    def _texts(self, rows: Corpus, side: str) -> list[SetText]:
        """The texts of one side that have points."""
        texts = [
            (row.item, text) for row in rows for text in ([row.candidate] if side == "candidate" else row.references)
        ]
        known = [SetText(item, text, self._points[text]) for item, text in texts if text in self._points]
        return [one for one in known if len(one.points)]

    def _compared(self, evaluated: Sequence[SetText], reference: Sequence[SetText]) -> Value:
        for side, texts in (("output", evaluated), ("reference", reference)):
            if not texts:
                return Value((np.nan,) * len(self._metric.parts), f"no {side} has words")
        return self._metric.compare(
            np.concatenate([one.points for one in evaluated]), np.concatenate([one.points for one in reference])
        )

"""A metric of sets in a run: gathers points as texts come by, and compares each system's with the other side's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from nlgauge.corpus import Corpus, Row
from nlgauge.engine.features.request import AnyRequest, Features
from nlgauge.metrics.base import Value
from nlgauge.metrics.sets import SetMetric, SetPrepared, SetText
from nlgauge.run.scored import Scored

_AT_ONCE = 256


class SetPoints:
    """The points of all texts that a metric of sets compares, and what the store has of whole systems.

    facts: what its numbers depend on. against: the corpus whose candidates outputs are compared with, instead of the
    references of their rows. key: what the store knows the metric by.
    """

    def __init__(
        self,
        metric: SetMetric,
        prepared: SetPrepared,
        facts: Mapping[str, object],
        rows: Corpus,
        against: Corpus | None,
        evidence: bool,
        key: str,
    ) -> None:
        self.metric, self.facts = metric, facts
        self._prepared, self._rows, self._against, self._evidence = prepared, rows, against, evidence
        self._key = key
        self._kept: dict[str, Scored] = {}
        self._points: dict[str, NDArray[np.float32]] = {}
        self._longer: set[str] = set()

    @cached_property
    def systems(self) -> Mapping[str, Corpus]:
        """The rows of each system."""
        rows: dict[str, list[Row]] = {}
        for row in self._rows:
            rows.setdefault(row.system, []).append(row)
        return {system: Corpus(tuple(some)) for system, some in rows.items()}

    @cached_property
    def keys(self) -> Mapping[str, str]:
        """Under which key the store has the score of each system."""
        digests = {}
        for system, rows in self.systems.items():
            texts = repr([(row.item, row.candidate, self._against is None and row.references) for row in rows])
            digests[system] = blake2b(texts.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        return {system: f"set|{self._key}|{digest}" for system, digest in digests.items()}

    def recall(self, kept: Mapping[str, Scored]) -> None:
        """Take what the store has, by key."""
        self._kept = {system: kept[key] for system, key in self.keys.items() if key in kept}

    @property
    def missing(self) -> list[str]:
        """The systems that the store has nothing of."""
        return [system for system in self.systems if system not in self._kept]

    @property
    def read(self) -> tuple[int, int]:
        """How many of the texts are longer than the model's window, and how many there are."""
        texts = {system: self._all_texts(rows) for system, rows in self.systems.items()}
        longer = {texts[system][n] for system, one in self._kept.items() for n in one.longer}
        return len(longer | self._longer), len({text for some in texts.values() for text in some})

    def requests(self, rows: Sequence[Row]) -> list[AnyRequest]:
        """What the points of some rows' texts are made of, where neither they nor their system's score are known."""
        wanted = [row for row in rows if row.system not in self._kept]
        texts = dict.fromkeys(text for row in wanted for text in self._texts_of(row) if text not in self._points)
        return [self.metric.request(text, self._prepared) for text in texts]

    def others(self) -> Iterator[list[AnyRequest]]:
        """The same of the corpus that is compared with, some texts at a time."""
        texts = [row.candidate for row in self._against or ()] if self.missing else []
        texts = [text for text in dict.fromkeys(texts) if text not in self._points]
        for at in range(0, len(texts), _AT_ONCE):
            yield [self.metric.request(text, self._prepared) for text in texts[at : at + _AT_ONCE]]

    def take(self, requests: Sequence[AnyRequest], features: Features) -> None:
        """Make the points of some texts."""
        for request in requests:
            feature, text = features[request], request.texts[0]
            if text in features.longer:
                self._longer.add(text)
            if feature is not None:
                self._points[text] = self.metric.points(feature)

    def scores(self) -> dict[str, Scored]:
        """A score for each system, in the corpus's order: what the store has, the others compared now."""
        other = self._texts(self._against, "candidate") if self._against is not None else None
        return {system: self._kept.get(system) or self._scored(rows, other) for system, rows in self.systems.items()}

    def _scored(self, rows: Corpus, other: Sequence[SetText] | None) -> Scored:
        evaluated = self._texts(rows, "candidate")
        reference = other if other is not None else self._texts(rows, "references")
        shown = None
        if self._evidence and evaluated and reference:
            shown = self.metric.evidence(evaluated, reference).record() or None
        longer = tuple(n for n, text in enumerate(self._all_texts(rows)) if text in self._longer)
        return Scored(self._compared(evaluated, reference), longer, shown)

    def _texts_of(self, row: Row) -> list[str]:
        return [row.candidate, *(() if self._against is not None else row.references)]

    def _all_texts(self, rows: Corpus) -> list[str]:
        """The distinct texts that a system's score is made of."""
        others = [row.candidate for row in self._against or ()]
        return list(dict.fromkeys([*(text for row in rows for text in self._texts_of(row)), *others]))

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
                return Value((np.nan,) * len(self.metric.parts), f"no {side} has words")
        return self.metric.compare(
            np.concatenate([one.points for one in evaluated]), np.concatenate([one.points for one in reference])
        )

"""A corpus-level metric in a run: it collects points of texts, then compares systems with references or a corpus."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from nlgauge.contract.base import Value
from nlgauge.data.corpus import Corpus, Row
from nlgauge.engine.features.request import AnyRequest, Features
from nlgauge.metrics.sets import SetMetric, SetPrepared, SetText
from nlgauge.run.results import MOST_UNKNOWN, UNKNOWN, Distinct, RowResult, checked, unpacker

_AT_ONCE = 256


class PointCollector:
    """A collector of the points (vectors) of texts that a corpus-level metric compares.

    Args:
        metric: the metric.
        prepared: the metric's result of `prepare`.
        against: whether outputs are compared with another corpus and not with the references of their rows.
        skipped: the systems whose score is known already.
    """

    def __init__(
        self, metric: SetMetric, prepared: SetPrepared, against: bool, skipped: Collection[str] = frozenset()
    ) -> None:
        self.metric = metric
        self.points: dict[str, NDArray[np.float32]] = {}
        """The points of each text, [points, dimensions]"""
        self.longer: set[str] = set()
        """The texts that are longer than the model's window"""
        self.unknown: dict[str, float] = {}
        """The share of unknown sub-words, from 0 to 1, by text, for texts that have some. A text without a known
        sub-word has no points"""
        self.skipped = skipped
        self._prepared, self._with_references = prepared, not against

    def apart(self) -> PointCollector:
        """Return an empty collector for a part of the rows, which another process may fill."""
        return PointCollector(self.metric, self._prepared, not self._with_references, frozenset(self.skipped))

    def requests(self, row: Row) -> list[AnyRequest]:
        """Return requests for the features of a row's texts; empty if the score of the row's system is cached."""
        texts = [] if row.system in self.skipped else self.texts_of(row)
        return [self.metric.request(text, self._prepared) for text in dict.fromkeys(texts)]

    def lacks(self, request: AnyRequest) -> bool:
        """Return whether the points of the request's text have not been made yet."""
        return request.texts[0] not in self.points

    def take(self, requests: Sequence[AnyRequest], features: Features) -> None:
        """Make the points of the texts of requests, from their features."""
        for request in filter(self.lacks, requests):
            feature, text = features[request], request.texts[0]
            if text in features.longer:
                self.longer.add(text)
            if (share := features.unknown.get(text)) is not None:
                self.unknown[text] = share
            if feature is not None and share != 1:
                self.points[text] = self.metric.points(feature)

    def join(self, other: PointCollector) -> None:
        """Add the points that another collector has collected."""
        self.points.update(other.points)
        self.longer.update(other.longer)
        self.unknown.update(other.unknown)

    def texts_of(self, row: Row) -> list[str]:
        """Return the texts of a row that are compared: the candidate, and the references without another corpus."""
        return [row.candidate, *(row.references if self._with_references else ())]


class SetScorer(PointCollector):
    """The scorer of systems by a corpus-level metric, from the points of all texts and from cached scores.

    Args:
        metric: the metric.
        prepared: the metric's result of `prepare`.
        facts: all that its numbers depend on besides its spec and the texts.
        rows: the corpus.
        against: the corpus whose candidates outputs are compared with, instead of the references of their rows.
        evidence: whether evidence is wanted.
        key: the metric's key in the cache; None where it is not cached.
    """

    def __init__(
        self,
        metric: SetMetric,
        prepared: SetPrepared,
        facts: Mapping[str, object],
        rows: Corpus,
        against: Corpus | None,
        evidence: bool,
        key: str | None,
    ) -> None:
        super().__init__(metric, prepared, against is not None)
        self.facts = facts
        self._rows, self._against, self._evidence = rows, against, evidence
        self._key = key
        self._kept: dict[str, RowResult] = {}

    @cached_property
    def systems(self) -> Mapping[str, Sequence[int]]:
        """The numbers of each system's rows, by the name of the system."""
        numbers: dict[str, array[int]] = {}
        for number, row in enumerate(self._rows):
            numbers.setdefault(row.system, array("Q")).append(number)
        return numbers

    @cached_property
    def keys(self) -> Mapping[str, str]:
        """The cache key of each system's score, by the name of the system; empty where nothing is cached."""
        digests: dict[str, str] = {}
        if self._key is None:
            return digests
        for system in self.systems:
            digest, between = blake2b(digest_size=16), "["
            for row in self._of(system):
                texts = repr((row.item, row.candidate, self._against is None and row.references))
                digest.update((between + texts).encode("utf-8", "surrogatepass"))
                between = ", "
            digest.update(b"]")
            digests[system] = digest.hexdigest()
        return {system: f"set|{self._key}|{digest}" for system, digest in digests.items()}

    def recall(self, cached: Mapping[str, bytes]) -> None:
        """Take the cached scores of systems from entries by key. Entries that are not a system's score are ignored."""
        self._kept = {}
        self.skipped = self._kept.keys()
        for system, key in self.keys.items():
            result = unpacker(len(self.metric.parts))(cached[key]) if key in cached else None
            if result is not None and (not result.longer or result.can_be_of(self._all_texts(system))):
                self._kept[system] = result

    @property
    def missing(self) -> list[str]:
        """The systems whose score is not in the cache."""
        return [system for system in self.systems if system not in self._kept]

    @property
    def read(self) -> tuple[int, int]:
        """The number of distinct texts longer than the model's window, and the number of all distinct texts."""
        longer, distinct = set(self.longer), Distinct()
        for system in self.systems:
            texts = self._all_texts(system)
            distinct.add(texts)
            if system in self._kept:
                longer.update(texts[n] for n in self._kept[system].longer)
        return len(longer), len(distinct)

    def others(self) -> Iterator[list[AnyRequest]]:
        """Yield requests for the texts of the corpus `against` that have no points yet, some texts at a time."""
        texts = [row.candidate for row in self._against or ()] if self.missing else []
        texts = [text for text in dict.fromkeys(texts) if text not in self.points]
        for at in range(0, len(texts), _AT_ONCE):
            yield [self.metric.request(text, self._prepared) for text in texts[at : at + _AT_ONCE]]

    def scores(self) -> Iterator[tuple[str, RowResult]]:
        """Yield each system with its result, in the corpus's order. Results that were not cached are computed."""
        other = self._texts(self._against, "candidate") if self._against is not None else None
        for system in self.systems:
            yield system, self._kept.get(system) or self._scored(system, other)

    def _of(self, system: str) -> Iterator[Row]:
        return (self._rows[number] for number in self.systems[system])

    def _scored(self, system: str, other: Sequence[SetText] | None) -> RowResult:
        evaluated = self._texts(self._of(system), "candidate")
        reference = other if other is not None else self._texts(self._of(system), "references")
        longer = tuple(n for n, text in enumerate(self._all_texts(system)) if text in self.longer)
        if not (evaluated and reference):
            why = f"no {'reference' if evaluated else 'output'} has words"
            if any(self.unknown.get(text) == 1 for text in self._all_texts(system)):
                why += " that the model's tokenizer knows"
            return RowResult(Value((np.nan,) * len(self.metric.parts), why), longer)
        value = self.metric.compare(
            *(np.concatenate([text.points for text in texts]) for texts in (evaluated, reference))
        )
        shown = self.metric.evidence(evaluated, reference).record() or None if self._evidence else None
        (value,) = checked(self.metric, [value], 1)
        if any(self.unknown.get(text, 0.0) > MOST_UNKNOWN for text in self._all_texts(system)):
            value = replace(value, notes=(*value.notes, UNKNOWN))
        return RowResult(value, longer, shown)

    def _all_texts(self, system: str) -> list[str]:
        """Return the distinct texts that a system's score is made of."""
        others = [row.candidate for row in self._against or ()]
        return list(dict.fromkeys([*(text for row in self._of(system) for text in self.texts_of(row)), *others]))

    def _texts(self, rows: Iterable[Row], side: str) -> list[SetText]:
        """Return the texts of one side, "candidate" or "references", that have points, with these points."""
        texts = (
            (row.item, text) for row in rows for text in ([row.candidate] if side == "candidate" else row.references)
        )
        with_points = [SetText(item, text, self.points[text]) for item, text in texts if text in self.points]
        return [text for text in with_points if len(text.points)]

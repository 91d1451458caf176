"""Metrics tried on a small deterministic model, without a run; and token vectors by hand."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from nlgauge.contract.base import RowMetric, ScoredRows, Setup, Value
from nlgauge.data.corpus import Corpus, Row
from nlgauge.engine.engine import Engine
from nlgauge.engine.features.vectors import TokenVectors
from tests.engine.fake import FakeModel


def pieces(text: str, vectors, ids=None, frame: bool = False) -> TokenVectors:
    """'lib|rary opens .' is a text of three words, the first of two pieces.

    vectors: [tokens, width] or [layers, tokens, width]. frame: the first and the last are those of special tokens.
    """
    offsets, at = [], 0
    for word in text.split():
        for piece in word.split("|"):
            offsets.append((at, at + len(piece)))
            at += len(piece)
        at += 1
    plain = text.replace("|", "")
    if frame:
        offsets = [(0, 0), *offsets, (len(plain), len(plain))]
    special = np.array([frame and i in (0, len(offsets) - 1) for i in range(len(offsets))])
    vectors = np.asarray(vectors, np.float32)
    vectors = vectors[None] if vectors.ndim == 2 else vectors
    assert vectors.shape[1] == len(offsets)
    ids = np.arange(5, 5 + len(offsets)) if ids is None else np.asarray(ids)
    return TokenVectors(plain, vectors, ids.astype(np.int32), np.array(offsets, np.int32), special)


def row(candidate: str, *references: str, **more: Any) -> Row:
    """A row of one system; more: its other fields."""
    return Row(**{"candidate": candidate, "references": references, **more})


def prepared(metric: RowMetric, rows: Corpus | Iterable[Row] = (), model: Any = None) -> Any:
    """What the metric prepares of some rows and a model, a `FakeModel()` if none is given."""
    return metric.prepare(Setup(_corpus(rows), Engine(model or FakeModel())))


def scored(metric: RowMetric, rows: Corpus | Iterable[Row], model: Any = None) -> list[Value]:
    """Values, with reasons and notes, of rows scored together."""
    return list(_scored(metric, rows, model).values)


def shown(metric: RowMetric, one: Row, model: Any = None) -> dict[str, Any]:
    """The evidence of a row that is scored alone, ready for JSON."""
    record: dict[str, Any] = _scored(metric, [one], model).evidence(0).record()
    return record


def _corpus(rows: Corpus | Iterable[Row]) -> Corpus:
    return rows if isinstance(rows, Corpus) else Corpus(tuple(rows))


def _scored(metric: RowMetric, rows: Corpus | Iterable[Row], model: Any) -> ScoredRows:
    corpus, engine = _corpus(rows), Engine(model or FakeModel())
    known = metric.prepare(Setup(corpus, engine))
    readings = [metric.read_row(one, known) for one in corpus.rows]
    features = engine.features([request for one in readings for request in one.requests])
    while further := [one for reading in readings for one in reading.followup(features) if one not in features]:
        features = features.joined(engine.features(further))
    return type(readings[0]).score_all(readings, features)

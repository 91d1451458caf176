"""Metrics tried on a small deterministic model, without a run; and token vectors by hand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from nlgauge.contract.base import RowMetric, Setup, Value
from nlgauge.data.corpus import Corpus, Row
from nlgauge.engine.engine import Engine
from nlgauge.engine.features.request import Features
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
    corpus = _corpus(rows)
    engine = Engine(model or FakeModel())
    known = metric.prepare(Setup(corpus, engine))
    return metric.score_rows(corpus.rows, known, _features(metric, corpus.rows, known, engine))


def shown(metric: RowMetric, one: Row, model: Any = None) -> dict[str, Any]:
    """The evidence of a row that is scored alone, ready for JSON."""
    engine = Engine(model or FakeModel())
    known = metric.prepare(Setup(_corpus([one]), engine))
    record: dict[str, Any] = metric.evidence(one, known, _features(metric, [one], known, engine)).record()
    return record


def _corpus(rows: Corpus | Iterable[Row]) -> Corpus:
    return rows if isinstance(rows, Corpus) else Corpus(tuple(rows))


def _features(metric: RowMetric, rows: Sequence[Row], known: Any, engine: Engine) -> Features:
    """All that the metric asks of the rows, what it asks second included."""
    first = engine.features([request for one in rows for request in metric.requests(one, known)])
    second = [request for one in rows for request in metric.followup_requests(one, known, first)]
    return first.joined(engine.features(second)) if second else first

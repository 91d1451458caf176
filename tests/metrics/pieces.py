"""Token vectors by hand."""

from __future__ import annotations

import numpy as np

from nlgauge.corpus import Corpus
from nlgauge.engine.engine import Engine
from nlgauge.engine.features import TokenVectors
from nlgauge.metrics.base import ReferenceMetric, ReferenceScorer
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


def scorer(metric: ReferenceMetric, candidates=("w1",), references=("w2",), model=None) -> ReferenceScorer:
    """The metric bound to a few texts and a small deterministic model."""
    return metric.scorer(Corpus.from_texts(list(candidates), list(references)), Engine(model or FakeModel()))


def scored(metric: ReferenceMetric, candidates, references, model=None):
    """Values, reasons and notes of rows scored on a small deterministic model."""
    corpus = Corpus.from_texts(candidates, references)
    engine = Engine(model or FakeModel())
    bound = metric.scorer(corpus, engine)
    found = {}
    for indices, features in engine.stream([bound.needs(row) for row in corpus]):
        found.update(zip(indices, bound.score([corpus[i] for i in indices], features), strict=True))
    return [found[i] for i in range(len(corpus))]


def shown(metric: ReferenceMetric, candidate: str, references: list[str], model=None):
    """The evidence for one row."""
    corpus = Corpus.from_texts([candidate], [references])
    engine = Engine(model or FakeModel())
    bound = metric.scorer(corpus, engine)
    ((_, features),) = engine.stream([bound.needs(corpus[0])])
    return bound.evidence(corpus[0], features)

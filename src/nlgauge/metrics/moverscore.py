"""MoverScore: the cost of moving the words of one text to those of another, with contextual vectors.

Zhao, Peyrard, Liu, Gao, Meyer and Eger, "MoverScore: Text Generation Evaluating with Contextualized Embeddings and
Earth Mover Distance", EMNLP 2019.

The vector of a word is that of its first sub-word, from several layers. These are scaled to length 1, then either their
minimum, mean and maximum are concatenated (power means, section 3.2) or they are averaged. The vector of an n-gram is
the idf-weighted mean of its words' vectors, scaled to length 1, and its weight is the sum of their idf (section 3.1).
The score is 1 minus the transport cost with Euclidean distance between n-grams, as in the paper and the authors' second
program; their first program squares the distance. Special tokens, punctuation and further sub-words are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.features.masked import TokenWeights
from nlgauge.engine.features.vectors import TokenVectors, VectorsRequest
from nlgauge.maths.vectors import unit
from nlgauge.metrics.base import Cost, Prepared, Setup
from nlgauge.metrics.model_settings import OF_THE_CORPUS, check_layers, idf_fact, idf_table, layers_read
from nlgauge.metrics.moving import Moved, MovingMetric, word_pieces
from nlgauge.metrics.parameters import param

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class MoverScorePrepared(Prepared):
    """The layers, and the weights of the tokens."""

    layers: tuple[int, ...]
    table: TokenWeights | None


@dataclass(frozen=True)
class MoverScore(MovingMetric):
    """1 minus the word mover's distance with contextual vectors; 1 is best, -1 is worst."""

    cost: ClassVar[Cost] = "encoding"
    citation: ClassVar[str] = "Zhao et al. 2019, EMNLP, arXiv:1909.02622"

    ngram: int = param(
        1, choices=(1, 2), help="1 or 2 adjacent words are moved together. A shorter text is moved as a whole."
    )
    layers: int | tuple[int, ...] = param(
        5,
        help="how many layers are used, up to the one that the model's card names for MoverScore, else the last one; "
        "or a tuple of layers (0: the embeddings)",
    )  # fmt: skip
    aggregate: str = param(
        "power_means", choices=("power_means", "mean"),
        help="how layers are joined: 'power_means' (minimum, mean and maximum of the layers, concatenated) or 'mean'",
    )  # fmt: skip
    idf: str = param(
        "general", choices=("general", "references", "none"),
        help="weights of the words. 'general' (from a large general text), 'references' (from the run's distinct "
        "references) or 'none'.",
    )  # fmt: skip
    model: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_layers(self)

    @property
    def uses_corpus(self) -> bool:
        return self.idf in OF_THE_CORPUS

    def prepare(self, setup: Setup) -> MoverScorePrepared:
        layers, named = layers_read(self.layers, "MoverScore", setup.model)
        table = idf_table(self.idf, setup)
        facts = {**named, "idf": idf_fact(self.idf, setup, table)}
        return MoverScorePrepared(layers=layers, table=table, facts=facts)

    def request(self, text: str, prepared: MoverScorePrepared, reference: bool) -> VectorsRequest:
        return VectorsRequest(text, prepared.layers)

    def unusable(self, side: TokenVectors) -> str | None:
        return None if len(_words(side)[0]) else "nothing but punctuation"

    def pair_note(self, candidate: TokenVectors, reference: TokenVectors, prepared: MoverScorePrepared) -> str | None:
        alike = any(not _weights(text, _words(text)[0], prepared.table).any() for text in (candidate, reference))
        return "all idf weights of a text are 0: its words have equal weights" if alike else None

    def from_cost(self, cost: float) -> float:
        return 1.0 - cost

    def moved(self, feature: TokenVectors, prepared: MoverScorePrepared) -> Moved:
        first, spans = _words(feature)
        layers = unit(feature.vectors[:, first])
        means = [layers.min(axis=0), layers.mean(axis=0), layers.max(axis=0)]
        vectors = np.concatenate(means, axis=1) if self.aggregate == "power_means" else means[1]
        weights = _weights(feature, first, prepared.table)
        if not weights.any():
            weights = np.ones(len(first))
        size = min(self.ngram, len(first))
        within = np.arange(len(first) - size + 1)[:, None] + np.arange(size)
        sums = weights[within].sum(axis=1)
        # The mean's denominator is not needed, because vectors are scaled to length 1.
        joined = unit((weights[within][..., None] * vectors[within]).sum(axis=1))
        return Moved(joined, sums, np.stack([spans[: len(sums), 0], spans[size - 1 :, 1]], axis=1))


def _weights(feature: TokenVectors, first: NDArray[np.intp], table: TokenWeights | None) -> Array:
    """The weights of words, from their first sub-words."""
    return table.values[feature.ids[first]] if table else np.ones(len(first))


def _words(feature: TokenVectors) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
    """First sub-word and position of each word of a text, without punctuation."""
    kept, starts, spans = word_pieces(feature)
    return np.flatnonzero(~feature.special)[starts[kept]], spans

"""Study of how BaryScore merges layers and weighs tokens, by agreement with people.

The authors compare Wasserstein barycenters of layers with their Euclidean mean, which MoverScore takes. They also
published scores without stop-words, and with the weights of a language model. They do not say which weights these are.
Here the weight of a token is its surprisal: the negative log-probability that the model's own masked LM gives it when
it is masked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import product
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nlgauge import registry
from nlgauge.contract.base import Cost, Setup
from nlgauge.contract.parameters import param
from nlgauge.data.corpus import Corpus
from nlgauge.engine.features.masked import MaskedLikelihoodRequest, TokenWeights, masked_passes, read_masked
from nlgauge.engine.features.request import ModelPasses, Reader, TextRequest, tokens_about
from nlgauge.engine.features.vectors import TokenVectors, VectorsRequest, read_vectors
from nlgauge.engine.models.capabilities import ENCODER, MASKED_LM, TOKENIZER, Model
from nlgauge.engine.text_block import TextBlock
from nlgauge.errors import SpecError
from nlgauge.maths.barycenters import Barycenter
from nlgauge.metrics.baryscore import Array, BaryScore, BaryScorePrepared
from nlgauge_lab.studies.sweep import Setting, Sweep, sweep

MEANS = ("wasserstein", "euclidean")
WEIGHTS = ("idf", "none", "lm")


@dataclass(frozen=True, eq=False)
class SurprisalVectors(TokenVectors):
    """The vectors of a text's tokens, and the surprisal of each token."""

    surprisals: NDArray[np.float64]
    """[tokens], in nats; 0 for special tokens"""


def read_surprisal_vectors(
    requests: Sequence[SurprisalVectorsRequest], block: TextBlock
) -> dict[SurprisalVectorsRequest, SurprisalVectors | None]:
    """Return the vectors and the surprisals of each text's tokens.

    The vectors come from the whole text. For the surprisals, the tokens of the text are masked in turn.

    Args:
        requests: the requests.
        block: the texts with the model that reads them.

    Returns:
        The result by request; None for a text that cannot be read.
    """
    vectors = read_vectors([VectorsRequest(one.text, one.layers) for one in requests], block)
    logs = read_masked([MaskedLikelihoodRequest(one.text, one.stride) for one in requests], block)
    out: dict[SurprisalVectorsRequest, SurprisalVectors | None] = {}
    for one in requests:
        read, masked = (
            vectors[VectorsRequest(one.text, one.layers)],
            logs[MaskedLikelihoodRequest(one.text, one.stride)],
        )
        if read is None or masked is None:
            out[one] = None
            continue
        surprisals = np.zeros(len(read.ids))
        surprisals[~read.special] = -masked.log_probabilities
        out[one] = SurprisalVectors(
            text=read.text,
            vectors=read.vectors,
            ids=read.ids,
            offsets=read.offsets,
            special=read.special,
            surprisals=surprisals,
        )
    return out


@dataclass(frozen=True)
class SurprisalVectorsRequest(TextRequest[SurprisalVectors]):
    """A request for the hidden states of a text's tokens at chosen layers, and for the surprisal of each token."""

    capability = MASKED_LM
    reader: ClassVar[Reader] = staticmethod(read_surprisal_vectors)

    layers: tuple[int, ...]
    stride: int = 1
    """How many tokens, at a distance from each other, are masked in one pass; 1 is exact"""

    @property
    def passes(self) -> ModelPasses:
        return masked_passes(self.text, self.stride)

    def size(self, model: Model) -> int:
        return 4 * len(self.layers) * (tokens_about(self.text) + model[TOKENIZER].frame) * model[ENCODER].width


@dataclass(frozen=True)
class BaryScoreVariants(BaryScore):
    """BaryScore with another mean of layers, or with the weights of a language model."""

    mean: str = param("wasserstein", choices=MEANS, help="the barycenter of layers, or their 'euclidean' mean by token")
    lm: bool = param(False, help="whether a token weighs its surprisal, in place of idf")
    stride: int = param(1, minimum=1, help="with lm, masks per pass; 1 is exact")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.lm and self.idf != "none":
            raise SpecError(f"{self.name}: lm is in place of idf; set idf='none'")

    @property
    def cost(self) -> Cost:  # type: ignore[override]  # depends on the parameters
        return "masking" if self.lm else "encoding"

    def prepare(self, setup: Setup) -> BaryScorePrepared:
        if self.lm:
            setup.model[MASKED_LM]
        return super().prepare(setup)

    def request(self, text: str, prepared: BaryScorePrepared, reference: bool) -> Any:
        if self.lm:
            return SurprisalVectorsRequest(text, prepared.layers, self.stride)
        return super().request(text, prepared, reference)

    def masses(self, feature: TokenVectors, tokens: NDArray[np.intp], table: TokenWeights | None) -> Array:
        if isinstance(feature, SurprisalVectors):
            return feature.surprisals[tokens]
        return super().masses(feature, tokens, table)

    def barycenters(self, layers: Sequence[Array], weights: Sequence[Array]) -> list[tuple[Barycenter, Array]]:
        if self.mean == "wasserstein":
            return super().barycenters(layers, weights)
        return [(Barycenter(one.mean(axis=0), True, 0), mass) for one, mass in zip(layers, weights, strict=True)]


def barycenters(
    corpus: Corpus,
    metric: str | BaryScore = "BaryScore",
    means: Sequence[str] = MEANS,
    weights: Sequence[str] = ("idf", "none"),
    stopwords: Sequence[bool] = (True, False),
    *,
    model: str | None = None,
    level: str = "pooled",
    **how: Any,
) -> Sweep:
    """Return the agreement of BaryScore with people for each mean of layers, weight, and use of stop-words.

    Args:
        corpus: rated outputs.
        metric: BaryScore, with any other parameters.
        means: 'wasserstein', 'euclidean'.
        weights: 'idf' (the metric's own), 'none', 'lm'.
        stopwords: whether stop-words are included; both by default.
        model: for a metric that names none.
        level: as in `nlgauge.correlate`.
        how: what `nlgauge_lab.studies.sweep.sweep` takes.

    Raises:
        SpecError: another metric, or unknown means or weights.
    """
    base = registry.metric(metric, model=model)
    if type(base) is not BaryScore:
        raise SpecError(f"{base} is not BaryScore")
    if wrong := [one for one in weights if one not in WEIGHTS]:
        raise SpecError(f"weights {wrong[0]!r} are none of {', '.join(WEIGHTS)}")
    given = {field.name: getattr(base, field.name) for field in fields(base)}
    settings = []
    for mean, weighed, kept in product(means, weights, stopwords):
        own = {**given, "stopwords": kept, "idf": base.idf if weighed == "idf" else "none"}
        made = BaryScoreVariants(**own, mean=mean, lm=weighed == "lm")
        line = f"{base}, {weighed}{'' if kept else ', no stop-words'}"
        settings.append(Setting(line, {"mean": mean}, made))
    return sweep(corpus, settings, ("mean",), level=level, **how)

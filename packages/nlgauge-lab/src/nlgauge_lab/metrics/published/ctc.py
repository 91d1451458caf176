"""CTC's metrics as in their published code.

The embedding aligner (E) counts sub-words and punctuation, may match a sub-word with a special token, and allows
negative alignments. The trained aligners D and R are checkpoints of CTC, and read pairs as the released package does
(`ctc_rows.py`). If a text has no words, the mean and the sum are 0. The published Preservation can also be rescaled as
a whole, or follow equation 4 as it is printed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nlgauge.contract.base import ANY, COSINE, Limits
from nlgauge.contract.parameters import param
from nlgauge.data.corpus import Row
from nlgauge.engine.aligners import Aligned, Direction, EmbeddingAligner, Units
from nlgauge.engine.english import is_stopword
from nlgauge.engine.features.vectors import TokenVectors
from nlgauge.engine.models.capabilities import Model
from nlgauge.engine.words import words
from nlgauge.errors import SpecError
from nlgauge.maths import alignment as aspects
from nlgauge.maths.alignment import Array
from nlgauge.metrics import ctc
from nlgauge.metrics.ctc import AspectPrepared
from nlgauge_lab.metrics.published.ctc_rows import ROW, PublishedAligner, joined


@dataclass(frozen=True)
class PieceAligner(EmbeddingAligner):
    """The aligner E of the published code, over sub-words."""

    def units(self, text: str, offsets: NDArray[np.int32]) -> Units:
        counted = np.ones(len(offsets), np.bool_)
        if not self.stopwords:
            # A sub-word inside a word is never a stopword.
            inside = np.diff(words(text, offsets), prepend=-1) == 0
            counted = inside | np.array([not is_stopword(text[begin:end]) for begin, end in offsets.tolist()])
        return Units(np.arange(len(offsets)), offsets, counted, "nothing but stop-words")

    def matched(self, other: TokenVectors) -> NDArray[np.float32]:
        vectors: NDArray[np.float32] = other.vectors[0]
        return vectors

    def bounded(self, alignment: Array) -> Array:
        return alignment

    def nothing(self, reason: str) -> Aligned | str:
        return Aligned(np.zeros((1, 2), np.int32), np.zeros(1))


def _aligner() -> Any:
    return param(
        "E",
        choices=("E", "D", "R"),
        help="'E' compares embeddings; 'D' and 'R' are checkpoints of CTC, as in model='ctc:FOLDER', and read texts as "
        "the released package does",
    )


if TYPE_CHECKING:
    _Aspect = ctc.CTCAspect
else:
    _Aspect = object
    """The fields of a metric are those of its family: a base of the same kind would bring its defaults again"""


class _Published(_Aspect):
    embeddings: ClassVar[type[EmbeddingAligner]] = PieceAligner
    of_alignments: ClassVar[Limits] = ANY
    """The least and the greatest possible score with the aligners E and D"""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.reading != "search":
            raise SpecError(f"{self.name}: the published code cuts a long source; leave reading out")

    @property
    def limits(self) -> Mapping[str, Limits]:
        low, high = ANY if self.aligner == "R" else self.of_alignments
        return {"score": (low if self.rescale == "none" else -math.inf, high)}

    @property
    def lists_differences(self) -> bool:  # type: ignore[override]  # as in its base
        return False

    def _trained(self, model: Model) -> tuple[Any, dict[str, object]]:
        trained, facts = super()._trained(model)
        if trained.packing is None or trained.packing.name != "ctc":
            remedy = "convert a released checkpoint with nlgauge export, and name it model='ctc:FOLDER'"
            raise SpecError(f"{self.name}: model {model.name!r} is no aligner of CTC: {remedy}")
        aligner = PublishedAligner(self.aligner == "R", self.stopwords)
        return aligner, {"aligner": facts["aligner"], "rows": f"as published@{ROW}"}


@dataclass(frozen=True)
class Consistency(_Published, ctc.Consistency):
    """Consistency as in the published code.

    The aligner E counts sub-words and punctuation, may match special tokens, and allows negative alignments. A text
    without words gets 0. For D, a word is what stands between white space, with its punctuation, and a text is cut
    after 255 sub-words. With R, the one number of the model is the score of every aspect.
    """

    of_alignments: ClassVar[Limits] = COSINE

    aligner: str = _aligner()


@dataclass(frozen=True)
class Relevance(_Published, ctc.Relevance):
    """Relevance with the published code's aligners."""

    aligner: str = _aligner()

    @property
    def limits(self) -> Mapping[str, Limits]:
        # The product of two numbers below 0 is above 0.
        return {"score": COSINE if self.rescale == "none" and self.aligner != "R" else ANY}


@dataclass(frozen=True)
class Preservation(_Published, ctc.Preservation):
    """Preservation with the published code's aligners."""

    aligner: str = _aligner()
    rescale: str = param(
        "none",
        choices=("none", "token", "score"),
        help="'token' rescales every alignment, 'score' the harmonic mean",
    )
    harmonic_factor: int = param(
        2, choices=(2, 1), help="1 computes equation 4 as it is printed, half the harmonic mean"
    )

    def values(self, alignments: Sequence[Array], prepared: AspectPrepared) -> tuple[float, ...]:
        value = aspects.preservation(alignments[0], alignments[1], self.harmonic_factor)
        return (aspects.rescaled(value, prepared.baseline) if self.rescale == "score" else value,)


@dataclass(frozen=True)
class Groundedness(_Published, ctc.Groundedness):
    """Groundedness with the published code's aligners."""

    aligner: str = _aligner()


@dataclass(frozen=True)
class Engagingness(_Published, ctc.Engagingness):
    """Engagingness with the published code's aligners: history and knowledge are joined to one text."""

    aligner: str = _aligner()

    def directions(self, row: Row) -> list[Direction]:
        (direction,) = super().directions(row)
        return [replace(direction, others=(joined(row),))]


@dataclass(frozen=True)
class MeanAlignment(Engagingness):
    """MeanAlignment with the published code's aligners; texts are joined as in published/Engagingness."""

    of_alignments: ClassVar[Limits] = COSINE

    def values(self, alignments: Sequence[Array], prepared: AspectPrepared) -> tuple[float, ...]:
        return (aspects.mean_alignment(alignments[0]),)

"""The base class of metrics that compare all outputs of a system with a set of texts, as points."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.contract.base import Cost, Metric, Prepared, Setup, Value
from nlgauge.contract.parameters import param
from nlgauge.data.evidence import Evidence, Item
from nlgauge.engine.words import is_word, words
from nlgauge.errors import SpecError

if TYPE_CHECKING:
    from nlgauge.engine.features.request import Request
    from nlgauge.engine.features.vectors import TokenVectors


UNITS = ("sentence", "token")


def layers_of(unit: str, layers: int, top: int) -> tuple[int, ...]:
    """Return the hidden layers that the points of a unit come from.

    Args:
        unit: 'sentence' for the last layer, 'token' for the last `layers` layers.
        layers: the number of layers for 'token'.
        top: the number of the model's last layer. Layer 0 (embeddings) has no context and is not used.

    Returns:
        The numbers of the layers.

    Raises:
        ValueError: the model has fewer than `layers` layers.
    """
    if unit == "sentence":
        return (top,)
    if layers > top:
        raise ValueError(f"layers={layers} are asked for, the model has {top}")
    return tuple(range(top - layers + 1, top + 1))


def text_points(
    unit: str,
    vectors: NDArray[np.float32],
    special: NDArray[np.bool_],
    words: NDArray[np.int64],
    wordlike: NDArray[np.bool_],
    normalize: bool,
) -> NDArray[np.float32]:
    """Return the points of one text.

    - 'sentence' gives one point: the mean of the last layer's vectors, special tokens included, as sentence encoders do
      (Reimers and Gurevych 2019).
    - 'token' gives a point for each word and layer: the vector of the word's first sub-word, without punctuation and
      special tokens. MoverScore does the same (Zhao et al. 2019), and Mark-Evaluate's paper uses MoverScore's models.

    Args:
        unit: 'sentence' or 'token'.
        vectors: [layers, tokens, width].
        special: whether each token is special: [tokens].
        words: the number of each token's word: [tokens].
        wordlike: whether each token has a letter or a digit: [tokens].
        normalize: whether to scale points to unit length. A zero vector stays zero.

    Returns:
        The points: [points, width].
    """
    points: NDArray[np.float64]
    if unit == "sentence":
        points = vectors[-1].mean(axis=0, dtype=np.float64)[None]
    else:
        first = word_starts(special, words, wordlike)
        points = vectors[:, first].reshape(-1, vectors.shape[2]).astype(np.float64)
    if normalize:
        lengths = np.sqrt(np.square(points).sum(axis=1, keepdims=True))
        points = points / np.where(lengths > 0, lengths, 1)
    return points.astype(np.float32)


def word_starts(special: NDArray[np.bool_], words: NDArray[np.int64], wordlike: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the index of the first token of each word that is not punctuation: [words].

    Args:
        special: whether each token is special: [tokens].
        words: the number of each token's word: [tokens].
        wordlike: whether each token has a letter or a digit: [tokens].

    Returns:
        The indexes, ascending.
    """
    text = np.flatnonzero(~special)
    first: NDArray[np.intp] = text[np.diff(words[text], prepend=-1) != 0]
    return first[wordlike[first]]


_LISTED = 20


class SetText(NamedTuple):
    """One text of a set."""

    item: str
    text: str
    points: NDArray[np.float32]
    """The points of the text: [points, width]"""


@dataclass(frozen=True, kw_only=True)
class SetPrepared(Prepared):
    """The layers that are read."""

    layers: tuple[int, ...]


@dataclass(frozen=True)
class SetMetric(Metric):
    """The base class of metrics that compare all outputs of a system with a set of texts.

    The set has the references of the system's rows, or the texts of another corpus. A text in several rows counts
    several times.
    """

    uses_corpus: ClassVar[bool] = True
    cost: ClassVar[Cost] = "encoding"

    unit: str = param(
        "sentence",
        choices=UNITS,
        help="'sentence', a point a text, of its vectors at the model's last layer. 'token', a point for every word "
        "at each of the last `layers` layers",
    )
    pooling: str = param(
        "mean",
        choices=("mean", "max"),
        help="how unit='sentence' makes one vector of a text's: 'mean', or 'max', the largest number of each dimension",
    )
    layers: int = param(5, minimum=1, help="how many of the model's last layers give points to unit='token'")
    normalize: bool = param(True, help="scale points to unit length")
    model: str | None = None

    def prepare(self, setup: Setup) -> SetPrepared:
        """Return the layers that are read. Raises SpecError if the model has fewer layers."""
        from nlgauge.engine.models.capabilities import ENCODER

        model = setup.model
        try:
            layers = layers_of(self.unit, self.layers, model[ENCODER].layers)
        except ValueError as error:
            raise SpecError(f"{self.name}: {error}") from None
        return SetPrepared(layers=layers, facts={"layers": f"{layers[0]}-{layers[-1]}"})

    def request(self, text: str, prepared: SetPrepared) -> Request[TokenVectors]:
        """Return the request for the feature that the points of a text come from."""
        from nlgauge.engine.features.vectors import SentenceVectors, VectorsRequest

        if self.unit == "sentence":
            return SentenceVectors(text, prepared.layers, self.pooling)
        return VectorsRequest(text, prepared.layers)

    def points(self, feature: TokenVectors) -> NDArray[np.float32]:
        """Return the points of a text: [points, width]; none for a text without words."""
        return text_points(self.unit, feature.vectors, *_marks(feature), self.normalize)

    def points_of_words(self, feature: TokenVectors, item: str) -> list[SetText]:
        """Return the words of a text, each with one point for each layer, for unit='token'.

        Args:
            feature: the vectors of the text.
            item: the name that each word gets as its item.

        Returns:
            The words in the order of the text.
        """
        special, numbers, wordlike = _marks(feature)
        starts = word_starts(special, numbers, wordlike)
        by_word = self.points(feature).reshape(len(feature.vectors), len(starts), -1).swapaxes(0, 1)
        ends = [feature.offsets[(numbers == numbers[start]) & ~special, 1].max() for start in starts]
        spans = zip(feature.offsets[starts, 0].tolist(), ends, strict=True)
        return [
            SetText(item, feature.text[begin:end], point) for (begin, end), point in zip(spans, by_word, strict=True)
        ]

    @abstractmethod
    def compare(self, evaluated: NDArray[np.float32], reference: NDArray[np.float32]) -> Value:
        """Return the score of the outputs' points [m, width] against other points [n, width], m and n at least 1."""

    def evidence(self, evaluated: Sequence[SetText], reference: Sequence[SetText]) -> Evidence:
        """Return the evidence for a score from the texts of both sets; empty if the metric has nothing to show."""
        return Evidence()


def _marks(feature: TokenVectors) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.bool_]]:
    """Return the arguments special, words and wordlike of `text_points` for a text: [tokens] each."""
    wordlike = np.array([is_word(feature.text[begin:end]) for begin, end in feature.offsets])
    return feature.special, words(feature.text, feature.offsets), wordlike


def covered_texts(evaluated: Sequence[SetText], reference: Sequence[SetText], k: int) -> Evidence:
    """Return the texts of both sides, each with the nearest text of the other side.

    Texts with a point outside the balls of the other side come first, the farthest first. Then come covered texts, the
    nearest first. A ball reaches to the k-th nearest neighbour.

    Args:
        evaluated: the outputs.
        reference: the texts that the outputs are compared with.
        k: the number of the neighbour.

    Returns:
        The texts as items of evidence, at most 20 of each kind and side.
    """
    from nlgauge.maths.neighbours import coverage

    outputs, references = (np.concatenate([text.points for text in texts]) for texts in (evaluated, reference))
    by_reference, by_output = coverage(references, outputs, (k,))
    items = _beside("output", evaluated, reference, by_reference.points == 0)
    items += _beside("reference", reference, evaluated, by_output.points == 0)
    return Evidence(items=items, left_out=len(evaluated) + len(reference) - len(items))


def _beside(side: str, texts: Sequence[SetText], others: Sequence[SetText], covered: NDArray[np.bool_]) -> list[Item]:
    """Return the texts of one side as items, each with its nearest text of the other side.

    The nearest text is the one that is nearest to the point of the text that is farthest from the other side.

    Args:
        side: the name of the side.
        texts: the texts of the side.
        others: the texts of the other side.
        covered: whether each point of the side is in a ball of the other side: [points].

    Returns:
        At most 20 texts that are not fully covered, the farthest first, and then at most 20 covered texts.
    """
    from nlgauge.maths.neighbours import nearest

    points, other_points = (np.concatenate([text.points for text in side]) for side in (texts, others))
    where, squares = nearest(points, other_points)
    owner = np.repeat(np.arange(len(others)), [len(other.points) for other in others])
    missed: list[tuple[float, Item]] = []
    caught: list[tuple[float, Item]] = []
    begin = 0
    for text in texts:
        end = begin + len(text.points)
        farthest = begin + int(squares[begin:end].argmax())
        other, distance = others[int(owner[where[farthest]])], float(np.sqrt(squares[farthest]))
        share = float(covered[begin:end].mean())
        facts = {"side": side, "item": text.item, "covered": share, "distance": distance}
        item = Item(text.text, {**facts, "nearest": other.text, "nearest_item": other.item})
        (caught if share == 1 else missed).append((distance, item))
        begin = end
    missed.sort(key=lambda pair: -pair[0])
    caught.sort(key=lambda pair: pair[0])
    return [item for _, item in (*missed[:_LISTED], *caught[:_LISTED])]

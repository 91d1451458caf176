"""A sequence classifier as a metric, in one file: how probable a class is for the source and the candidate together.

The model is any folder or name of Hugging Face's with a head for sequence classification, by its own tokenizer:
``--model acme-classifier/checkpoint:FOLDER``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol

from nlgauge.data.corpus import Row
from nlgauge.engine.features.request import Features, Reader, Request
from nlgauge.engine.models.capabilities import Capability, Floats, Model
from nlgauge.engine.models.torch_model import Checkpoint, Net
from nlgauge.engine.text_block import TextBlock
from nlgauge.errors import InputError, SpecError
from nlgauge.metrics.base import Cost, Prepared, RowMetric, Setup, Value

Ids = Mapping[str, list[int]]
"""What a network is given of a pair of texts: input_ids, and whatever else its tokenizer makes"""


class Classifier(Protocol):
    """Says which class a pair of texts belongs to."""

    labels: tuple[str, ...]

    def split(self, pair: tuple[str, str]) -> tuple[Ids, bool]:
        """What stands for a pair, and whether the end of its first text was left out to fit the window."""
        ...

    def probabilities(self, pairs: Sequence[Ids]) -> Floats:
        """The probability of each class for each pair: [pairs, classes]."""
        ...


CLASSIFIER = Capability[Classifier](
    "acme-classifier/classifier", "tells no classes of texts; choose model='acme-classifier/checkpoint:FOLDER'"
)


class Classes(NamedTuple):
    """What is said of a pair."""

    probabilities: Floats
    cut: bool


def read_classes(requests: Sequence[ClassRequest], block: TextBlock) -> Iterator[tuple[ClassRequest, Classes]]:
    """Pairs of like length together."""
    classifier = block.model[CLASSIFIER]
    pairs = [classifier.split(request.texts) for request in requests]
    for index in block.batches([len(ids["input_ids"]) for ids, _ in pairs]):
        found = classifier.probabilities([pairs[i][0] for i in index])
        yield from ((requests[i], Classes(row, pairs[i][1])) for i, row in zip(index, found, strict=True))


@dataclass(frozen=True)
class ClassRequest(Request[Classes]):
    """The classes of a pair of texts."""

    capability: ClassVar[Capability[Any]] = CLASSIFIER
    reader: ClassVar[Reader] = staticmethod(read_classes)

    first: str
    second: str

    @property
    def texts(self) -> tuple[str, str]:
        return (self.first, self.second)

    def size(self, model: Model) -> int:
        return 4 * len(model[CLASSIFIER].labels)

    def check(self, block: TextBlock) -> None:
        if block.window == "error" and block.model[CLASSIFIER].split(self.texts)[1]:
            raise InputError("the texts do not fit the model's window", remedy="shorten them, or choose window='cut'")


@dataclass(frozen=True)
class ClassProbability(RowMetric):
    """The probability that a classifier gives to a class of the source with the candidate; 0 to 1.

    label: the class, as the checkpoint names it.
    """

    columns: ClassVar[tuple[str, ...]] = ("candidate", "source")
    cost: ClassVar[Cost] = "pairs"

    label: str = "entailment"
    model: str | None = None

    def prepare(self, setup: Setup) -> Prepared:
        labels = setup.model[CLASSIFIER].labels
        if self.label not in labels:
            raise SpecError(f"{self.name}: label={self.label!r} is not one of {', '.join(map(repr, labels))}")
        return Prepared(facts={"class": labels.index(self.label)})

    def requests(self, row: Row, prepared: Prepared) -> list[ClassRequest]:
        return [ClassRequest(row.source, row.candidate)] if row.source and row.candidate.strip() else []

    def score_rows(self, rows: Sequence[Row], prepared: Prepared, features: Features) -> list[Value]:
        return [self._value(self.requests(row, prepared), prepared, features) for row in rows]

    def _value(self, asked: Sequence[ClassRequest], prepared: Prepared, features: Features) -> Value:
        found = features[asked[0]] if asked else None
        if found is None:
            return Value((math.nan,), "no source, or a candidate without words")
        notes = ("a source is longer than the window: only its beginning is read",) if found.cut else ()
        return Value((float(found.probabilities[int(str(prepared.facts["class"]))]),), None, notes)


class TorchClassifier:
    """`Classifier` of a network of transformers."""

    def __init__(self, checkpoint: Checkpoint, net: Net, window: int) -> None:
        self.labels = tuple(net.config.id2label[number] for number in range(net.config.num_labels))
        self._runtime, self._net, self._splitter, self._window = checkpoint.runtime, net, checkpoint.splitter, window

    def split(self, pair: tuple[str, str]) -> tuple[Ids, bool]:
        whole = self._split(pair)
        cut = len(whole["input_ids"]) > self._window
        return self._split(pair, truncation="only_first", max_length=self._window) if cut else whole, cut

    def _split(self, pair: tuple[str, str], **options: Any) -> Ids:
        # A "[SEP]" that is written in a text is text.
        return dict(self._splitter(*pair, split_special_tokens=True, verbose=False, **options))

    def probabilities(self, pairs: Sequence[Ids]) -> Floats:
        padded = self._splitter.pad(list(pairs), return_tensors="pt").to(self._runtime.device)
        with self._runtime.computing():
            return self._runtime.numbers(self._net(**padded).logits.float().softmax(-1))


def checkpoint(precision: str, device: str | None = None, of: str | None = None) -> Model:
    """The model of a folder or name of Hugging Face's. Raises SpecError for one that is no classifier."""
    if of is None:
        raise SpecError("name the checkpoint: acme-classifier/checkpoint:FOLDER")
    opened = Checkpoint(of, f"acme-classifier/checkpoint:{of}", precision, device)
    net = opened.network("AutoModelForSequenceClassification", pooled=True)
    return opened.model(net, {CLASSIFIER: TorchClassifier(opened, net, opened.window(net))})

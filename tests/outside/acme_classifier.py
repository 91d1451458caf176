"""A sequence classifier as a metric, in one file: how probable a class is for the source and the candidate together.

The model is any folder or name of Hugging Face's with a head for sequence classification, by its own tokenizer. Two
packings say how source and candidate become a row:

    --model acme-classifier/checkpoint:FOLDER   the tokenizer's own pair, with its separators and token types
    --model acme-classifier/minicheck:FOLDER    MiniCheck's: one text, [first] source [end of text] candidate [last]

MiniCheck reads the sentences of a long source in chunks of 400 sub-words. The largest probability of each class counts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from nlgauge import InputError, SpecError
from nlgauge.metrics import Cost, Features, Prepared, Reader, Request, Row, RowMetric, Setup, Value
from nlgauge.models import Capability, Checkpoint, Floats, Model, Net, TextBlock, Tokens, sentences

Ids = Mapping[str, list[int]]
"""What a network is given of a pair of texts: input_ids, and whatever else its tokenizer makes"""


class Classifier(Protocol):
    """Says which class a pair of texts belongs to."""

    labels: tuple[str, ...]

    def split(self, pair: tuple[str, str]) -> tuple[list[Ids], bool]:
        """The rows that stand for a pair, and whether the end of a text was left out to fit the window."""
        ...

    def probabilities(self, rows: Sequence[Ids]) -> Floats:
        """The probability of each class for each row: [rows, classes]."""
        ...


CLASSIFIER = Capability[Classifier](
    "acme-classifier/classifier", "tells no classes of texts; choose model='acme-classifier/checkpoint:FOLDER'"
)


class Classes(NamedTuple):
    """What is said of a pair."""

    probabilities: Floats
    cut: bool


def read_classes(requests: Sequence[ClassRequest], block: TextBlock) -> dict[ClassRequest, Classes]:
    """Rows of like length together; of the rows of a pair, the largest probability of each class."""
    classifier = block.model[CLASSIFIER]
    pairs = [classifier.split(request.texts) for request in requests]
    rows = [(number, ids) for number, (some, _) in enumerate(pairs) for ids in some]
    best = np.zeros((len(pairs), len(classifier.labels)), np.float32)
    for index in block.batches([len(ids["input_ids"]) for _, ids in rows]):
        found = classifier.probabilities([rows[i][1] for i in index])
        np.maximum.at(best, [rows[i][0] for i in index], found)
    return {request: Classes(row, cut) for request, row, (_, cut) in zip(requests, best, pairs, strict=True)}


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

    label: the class, as the checkpoint's `id2label` names it, in upper or lower case.
    """

    columns: ClassVar[tuple[str, ...]] = ("candidate", "source")
    cost: ClassVar[Cost] = "pairs"

    label: str = "entailment"
    model: str | None = None

    def prepare(self, setup: Setup) -> Prepared:
        labels = setup.model[CLASSIFIER].labels
        named = [number for number, label in enumerate(labels) if label.lower() == self.label.lower()]
        if len(named) != 1:
            raise SpecError(f"{self.name}: label={self.label!r} is not one of {', '.join(map(repr, labels))}")
        return Prepared(facts={"class": named[0]})

    def requests(self, row: Row, prepared: Prepared) -> list[ClassRequest]:
        return (
            [ClassRequest(row.source, row.candidate)]
            if row.source and row.source.strip() and row.candidate.strip()
            else []
        )

    def score_rows(self, rows: Sequence[Row], prepared: Prepared, features: Features) -> list[Value]:
        return [self._value(self.requests(row, prepared), prepared, features) for row in rows]

    def _value(self, asked: Sequence[ClassRequest], prepared: Prepared, features: Features) -> Value:
        found = features[asked[0]] if asked else None
        if found is None:
            return Value((math.nan,), "no source, or a candidate without words")
        notes = ("the texts are longer than the window: only the beginning is read",) if found.cut else ()
        return Value((float(found.probabilities[int(str(prepared.facts["class"]))]),), None, notes)


class TorchClassifier:
    """`Classifier` of a network of transformers, by its tokenizer's own pairs."""

    def __init__(self, checkpoint: Checkpoint, net: Net, window: int) -> None:
        config = net.config
        self.labels = tuple(str(config.id2label[number]) for number in range(config.num_labels))
        # One logit is that of yes against no: a softmax over it would always be 1.
        self._apart = config.num_labels == 1 or config.problem_type == "multi_label_classification"
        self._runtime, self._net, self._splitter, self._window = checkpoint.runtime, net, checkpoint.splitter, window

    def split(self, pair: tuple[str, str]) -> tuple[list[Ids], bool]:
        whole = self._split(pair)
        cut = len(whole["input_ids"]) > self._window
        return [self._split(pair, truncation="only_first", max_length=self._window) if cut else whole], cut

    def _split(self, pair: tuple[str, str], **options: Any) -> Ids:
        # A "[SEP]" that is written in a text is text.
        return dict(self._splitter(*pair, split_special_tokens=True, verbose=False, **options))

    def probabilities(self, rows: Sequence[Ids]) -> Floats:
        padded = self._splitter.pad(list(rows), return_tensors="pt").to(self._runtime.device)
        with self._runtime.computing():
            logits = self._net(**padded).logits.float()
            return self._runtime.numbers(logits.sigmoid() if self._apart else logits.softmax(-1))


class MiniCheckClassifier(TorchClassifier):
    """`Classifier` that reads source and candidate as one text, with one separator between them."""

    chunk: ClassVar[int] = 400
    """Sub-words of a source in a row"""

    def __init__(self, checkpoint: Checkpoint, net: Net, window: int) -> None:
        super().__init__(checkpoint, net, window)
        self._tokenizer = checkpoint.tokenizer
        between = self._splitter.eos_token or self._splitter.sep_token
        if between is None:
            raise SpecError(f"model {checkpoint.name!r} has no token for the end of a text, which separates the two")
        self._between = self._splitter.convert_tokens_to_ids(between)

    def split(self, pair: tuple[str, str]) -> tuple[list[Ids], bool]:
        tokenizer = self._tokenizer
        whole, claim = tokenizer.encode(pair)
        room = self._window - tokenizer.frame - 1
        own = claim.ids[: max(room - 1, 0)].tolist()
        chunks = self._chunks(pair[0], whole, min(self.chunk, room - len(own)))
        rows = [[*tokenizer.prefix, *ids, self._between, *own, *tokenizer.suffix] for ids in chunks]
        return [{"input_ids": row, "attention_mask": [1] * len(row)} for row in rows], len(own) < len(claim)

    def _chunks(self, text: str, tokens: Tokens, most: int) -> list[list[int]]:
        """The sub-words of consecutive sentences, at most `most` together.

        A chunk is split anew, because its first word is no longer behind a space. So that it begins with a word, its
        place in the text has to be that of the word, without the space.
        """
        parts: list[list[int]] = []
        for begin, end in sentences(text, tokens, most):
            if parts and end - parts[-1][0] <= most:
                parts[-1][1] = end
            else:
                parts.append([begin, end])
        places = [(int(tokens.offsets[begin, 0]), int(tokens.offsets[end - 1, 1])) for begin, end in parts]
        return [found.ids[:most].tolist() for found in self._tokenizer.encode([text[a:b] for a, b in places])] or [[]]


def checkpoint(precision: str, device: str | None = None, of: str | None = None) -> Model:
    """Return the model of a folder or name of Hugging Face's, which reads pairs as its tokenizer packs them."""
    return _opened("checkpoint", TorchClassifier, precision, device, of)


def minicheck(precision: str, device: str | None = None, of: str | None = None) -> Model:
    """Return the model of a folder or name of Hugging Face's, which reads pairs as MiniCheck packs them."""
    return _opened("minicheck", MiniCheckClassifier, precision, device, of)


def _opened(way: str, kind: type[TorchClassifier], precision: str, device: str | None, of: str | None) -> Model:
    """The model of a checkpoint. Raises SpecError for one that is no classifier of sequences."""
    if of is None:
        raise SpecError(f"name the checkpoint: acme-classifier/{way}:FOLDER")
    opened = Checkpoint(of, f"acme-classifier/{way}:{of}", precision, device)
    built = opened.config.architectures or ["network without a name"]
    if not any(name.endswith("ForSequenceClassification") for name in built):
        # A classifier of tokens has weights of the same names and shapes.
        raise SpecError(f"model {opened.name!r} is a {built[0]}, not a ...ForSequenceClassification")
    net = opened.network("AutoModelForSequenceClassification", pooled=True)
    return opened.model(net, {CLASSIFIER: kind(opened, net, opened.window(net))})

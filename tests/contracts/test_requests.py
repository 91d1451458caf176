"""Every field of every request moves its answer and its key; and answers are those of the definition, on any model."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from importlib import import_module
from inspect import isabstract
from typing import Any

import numpy as np
import pytest
from tokenizers import processors

from nlgauge.engine import features as room
from nlgauge.engine.engine import Engine
from nlgauge.engine.features.alignment import AlignmentRequest
from nlgauge.engine.features.likelihood import CausalRequest, Seq2SeqRequest
from nlgauge.engine.features.masked import BagRequest, MaskedLikelihoodRequest, TokenWeights
from nlgauge.engine.features.masked_words import MaskedWordsRequest
from nlgauge.engine.features.pair_states import PairStatesRequest
from nlgauge.engine.features.request import AnyRequest, Request
from nlgauge.engine.features.vectors import SentenceVectors, StaticRequest, VectorsRequest
from nlgauge.engine.models.capabilities import TOKENIZER
from nlgauge.engine.models.card import DocumentFrequencies, ModelCard
from nlgauge.engine.tokens import SubwordTokenizer
from tests.engine.fake import WORDS, CausalModel, FakeModel, PairsModel, Seq2SeqModel, answers, tiny_tokenizer

TEXT, OTHER = "w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11", "w3 w4"
LONG = " ".join(WORDS[10:40])
CARD = ModelCard(document_frequencies=DocumentFrequencies(np.arange(len(WORDS)) % 3, 9))


def weights(seed: int) -> TokenWeights:
    return TokenWeights(f"{seed}", np.random.default_rng(seed).random(len(WORDS)))


@dataclass(frozen=True)
class Tried:
    """A request, a model that answers it, and another value of each field."""

    request: AnyRequest
    model: type[FakeModel]
    others: Mapping[str, object]


TRIED = [
    Tried(
        BagRequest(TEXT, 1.0, weights(1)),
        FakeModel,
        {"text": OTHER, "temperature": 2.0, "weights": weights(2), "stride": 2},
    ),
    Tried(BagRequest(TEXT, 1.0), FakeModel, {"text": OTHER, "temperature": 2.0, "weights": weights(2), "stride": 3}),
    Tried(MaskedLikelihoodRequest(TEXT), FakeModel, {"text": OTHER, "stride": 2}),
    Tried(VectorsRequest(TEXT, (1, 2)), FakeModel, {"text": OTHER, "layers": (2, 1)}),
    Tried(SentenceVectors(TEXT, (1, 2)), FakeModel, {"text": OTHER, "layers": (2, 1), "pooling": "max"}),
    Tried(StaticRequest(TEXT), FakeModel, {"text": OTHER}),
    Tried(
        AlignmentRequest("w9 w2", (f"w9 \n {LONG}",)),
        FakeModel,
        {"text": "w2 w9", "against": ("w2",), "reading": "windows", "question": "w2", "claims": (3, 5)},
    ),
    Tried(CausalRequest(TEXT), CausalModel, {"text": OTHER}),
    Tried(Seq2SeqRequest(TEXT, OTHER), Seq2SeqModel, {"text": OTHER, "other": "w7"}),
    Tried(
        MaskedWordsRequest(TEXT, OTHER),
        FakeModel,
        {"text": OTHER, "against": "w7", "first": False, "stride": 3, "words": (2,)},
    ),
    Tried(PairStatesRequest(TEXT, OTHER), FakeModel, {"text": OTHER, "against": "w7", "first": False}),
]

ELSEWHERE: Mapping[str, str] = {
    "MaskedWordsRequest.segmentation": "needs a text that the tiny tokenizer does not split: test_keys.py",
    "MaskedWordsRequest.decoding": "needs a word of several sub-words: test_keys.py",
    "MaskedWordsRequest.likeliest": "costs something with sentinels alone: packages/nlgauge-lab has a test on T5",
    "PairStatesRequest.segmentation": "needs a text that the tiny tokenizer does not split: test_keys.py",
    "AlignmentRequest.question": "the tiny aligner does not read it: tests/metrics/test_ctc.py",
    "ByModel.model": "is taken off before it is asked: tests/engine/test_engine.py",
    "ByModel.request": "is a request of its own",
}
"""Fields that are not tried here, with the reason"""


def kinds(base: type = Request) -> Iterator[type]:
    """All requests that there are."""
    for module in pkgutil.iter_modules(room.__path__):
        import_module(f"{room.__name__}.{module.name}")
    for kind in base.__subclasses__():
        yield from kinds(kind)
        if not isabstract(kind):
            yield kind


def alike(one: Any, other: Any, atol: float = 0.0) -> bool:
    """Whether two answers are equal to the bit, or but for rounding."""
    if is_dataclass(one) and type(one) is type(other):
        return all(alike(getattr(one, part.name), getattr(other, part.name), atol) for part in fields(one))
    if isinstance(one, np.ndarray | float):
        same = np.shape(one) == np.shape(other)
        return same and np.allclose(one, other, rtol=0.0, atol=atol, equal_nan=True)  # type: ignore[arg-type]
    return bool(one == other)


def varied(one: Tried) -> dict[str, AnyRequest]:
    return {name: replace(one.request, **{name: value}) for name, value in one.others.items()}  # type: ignore[type-var]


def test_every_field_of_every_request_is_tried_or_its_reason_is_given() -> None:
    tried = {f"{type(one.request).__name__}.{name}" for one in TRIED for name in one.others}
    there = {
        f"{kind.__name__}.{part.name}"
        for kind in kinds()
        if kind.__module__.startswith("nlgauge.")
        for part in fields(kind)
    }
    assert tried | ELSEWHERE.keys() == there


@pytest.mark.parametrize("one", TRIED, ids=lambda one: type(one.request).__name__)
def test_every_field_moves_the_answer_and_the_key(one: Tried) -> None:
    (answer,) = answers(one.model(card=CARD), one.request)
    engine = Engine(one.model(card=CARD))
    assert answer is not None
    for name, request in varied(one).items():
        assert request != one.request, name
        if one.request.key is not None:
            assert request.key != one.request.key, name
            assert engine._key(request) != engine._key(one.request), name
        if f"{type(one.request).__name__}.{name}" not in ELSEWHERE:
            assert not alike(answers(one.model(card=CARD), request)[0], answer), f"{name} does nothing"


@pytest.mark.parametrize("one", TRIED, ids=lambda one: type(one.request).__name__)
def test_requests_that_differ_in_one_field_are_answered_together_as_alone(one: Tried) -> None:
    nothing = replace(one.request, text="")  # type: ignore[type-var]
    some = [nothing, one.request, *varied(one).values(), nothing]
    for asked in (some, some[::-1]):
        for batch_tokens in (1, 40, 4000):
            features = Engine(one.model(card=CARD), batch_tokens=batch_tokens).features(asked)
            for request in asked:
                assert alike(features[request], answers(one.model(card=CARD), request)[0], 1e-5), request


# ---- Models with other special tokens than one before and one after a text


def framed(kind: type[FakeModel], before: int, after: int) -> FakeModel:
    """A model whose rows begin and end with so many special tokens."""
    tokenizer = tiny_tokenizer()
    frame = " ".join([*["[CLS]"] * before, "$A", *["[SEP]"] * after])
    special = [("[CLS]", 2), ("[SEP]", 3)]
    tokenizer.post_processor = processors.TemplateProcessing(single=frame, special_tokens=special)
    model = kind(64, CARD)
    model.tokenizer = model.abilities[TOKENIZER] = SubwordTokenizer(tokenizer, "[MASK]", "[PAD]")
    assert (len(model.tokenizer.prefix), len(model.tokenizer.suffix)) == (before, after)
    return model


FRAMES = pytest.mark.parametrize(("before", "after"), [(0, 1), (1, 1), (2, 1), (1, 2)])
SHORT = "w1 w2 w3 w4 w5"


def row_of(model: FakeModel, text: str, mask: int | None = None) -> np.ndarray:
    """The row of a text, and the place of its masked token."""
    ids = [WORDS.index(word) for word in text.split()]
    if mask is not None:
        ids[mask] = WORDS.index("[MASK]")
    return np.array([[*model.tokenizer.prefix, *ids, *model.tokenizer.suffix]])


def logs_of(model: FakeModel, text: str, place: int, temperature: float = 1.0) -> np.ndarray:
    """Log-probabilities of the vocabulary where a token of a text is masked."""
    row = row_of(model, text, place)
    at = np.array([len(model.tokenizer.prefix) + place])
    logits = model.masked_logits(row, np.ones_like(row), at)[0].astype(float) / temperature
    return np.asarray(logits - np.log(np.exp(logits).sum()))


@FRAMES
def test_vectors_are_the_states_of_the_whole_row(before: int, after: int) -> None:
    model = framed(FakeModel, before, after)
    row = row_of(model, SHORT)
    (found,) = answers(model, VectorsRequest(SHORT, (0, 2)))
    np.testing.assert_allclose(found.vectors, model.hidden(row, np.ones_like(row), [0, 2])[:, 0], atol=1e-6)
    assert found.special.tolist() == [True] * before + [False] * 5 + [True] * after


@FRAMES
def test_masked_tokens_are_those_of_the_text(before: int, after: int) -> None:
    model = framed(FakeModel, before, after)
    table = weights(1)
    bag, likelihood = answers(model, BagRequest(SHORT, 2.0, table), MaskedLikelihoodRequest(SHORT))
    ids = [WORDS.index(word) for word in SHORT.split()]
    shares = np.exp([logs_of(model, SHORT, n, 2.0) for n in range(5)])
    np.testing.assert_allclose(
        bag.log_probabilities, np.log(np.average(shares, axis=0, weights=table.values[ids])), atol=1e-5
    )
    expected = [logs_of(model, SHORT, n)[token] for n, token in enumerate(ids)]
    np.testing.assert_allclose(likelihood.log_probabilities, expected, atol=1e-5)


@pytest.mark.parametrize(("before", "after"), [(0, 1), (2, 1)])
def test_alignments_are_those_of_the_texts_tokens(before: int, after: int) -> None:
    (found,) = answers(framed(FakeModel, before, after), AlignmentRequest("w1 w2 w3", ("w1 w3 w9",)))
    assert found.logits.tolist() == [2, -2, 2]


@FRAMES
def test_states_and_words_beside_another_text_are_those_of_the_text(before: int, after: int) -> None:
    model: Any = framed(PairsModel, before, after)
    model.other_text = lambda ids: np.asarray(model._words[ids].mean(axis=0))  # whatever stands around the text
    seen = model.other_text(row_of(model, OTHER)[0])
    row = row_of(model, SHORT)
    states, words = answers(model, PairStatesRequest(SHORT, OTHER), MaskedWordsRequest(SHORT, OTHER))
    read = model.pair_states(row, np.ones_like(row), seen)[0]
    np.testing.assert_allclose(states.states, read[before : before + 5], atol=1e-6)
    for place, word in enumerate(SHORT.split()):
        masked, at = row_of(model, SHORT, place), np.array([before + place])
        logits = model.pair_logits(masked, np.ones_like(masked), at, seen)[0].astype(float)
        expected = logits[WORDS.index(word)] - np.log(np.exp(logits).sum())
        np.testing.assert_allclose(words.log_probabilities[place], expected, atol=1e-5)


# ---- Of several readings, the one that says most


@pytest.mark.parametrize("order", [1, -1])
def test_the_share_of_a_segment_is_the_largest_of_its_readings(order: int) -> None:
    """Half of the text stands at one end of a source of many readings, and all of it at the other."""
    source = " ".join(["w1", "w2", "w3", *WORDS[12:44], "w1", "w2"][::order])
    (found,) = answers(FakeModel(card=CARD), AlignmentRequest("w1 w2 w3", (source,), "windows"))
    assert found.aggregate == 1 and found.stretches[0].logit == 3
    several = AlignmentRequest("w1 w2 w3", ("w9 w8", "w1 w2 w3", "w1 w7")[::order])
    (found,) = answers(FakeModel(card=CARD), several)
    assert found.aggregate == 1 and found.stretches[0].logit == 3

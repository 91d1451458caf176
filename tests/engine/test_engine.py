"""The engine: which requests are computed together, kept, derived and refused; what features say: features/."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from nlgauge.engine.engine import Engine, TokenPrefetcher
from nlgauge.engine.features.alignment import AlignmentRequest
from nlgauge.engine.features.masked import Bag, BagRequest, MaskedLikelihoodRequest, TokenWeights
from nlgauge.engine.features.request import ByModel, TextRequest, work_of
from nlgauge.engine.features.vectors import SentenceVectors, StaticRequest, VectorsRequest
from nlgauge.engine.models.capabilities import Capability, Model
from nlgauge.engine.tokens import SubwordTokenizer
from nlgauge.errors import InputError, SpecError
from tests.engine.fake import WORDS, FakeModel, tiny_tokenizer

LONG = " ".join(WORDS[5 + i % 40] for i in range(30))


class Shelf:
    """A store that is a dict."""

    def __init__(self) -> None:
        self.entries: dict[str, bytes] = {}

    def get(self, keys: Sequence[str]) -> dict[str, bytes]:
        return {key: self.entries[key] for key in keys if key in self.entries}

    def put(self, entries: Mapping[str, bytes]) -> None:
        self.entries.update(entries)


def bags(engine: Engine, some: Iterable[str]) -> list[np.ndarray]:
    requests = [BagRequest(text, 1.0) for text in some]
    found = engine.features(requests)
    return [bag.log_probabilities for request in requests if (bag := found[request]) is not None]


def test_what_is_cached_is_not_computed_again_and_is_the_same_to_the_bit():
    shelf, model = Shelf(), FakeModel()
    first = bags(Engine(model, cache=shelf), ["w1 w2", "w3"])
    passes = len(model.rows_seen)
    engine = Engine(model, cache=shelf)
    np.testing.assert_array_equal(bags(engine, ["w3", "w1 w2"]), first[::-1])
    assert len(model.rows_seen) == passes and engine.ledger.stored == 2 and not engine.ledger.features
    again = engine.features([BagRequest("w3", 1.0)], fresh=True)[BagRequest("w3", 1.0)]
    assert isinstance(again, Bag) and len(model.rows_seen) > passes


class Speaker:
    """Says a text backwards, and fails at the word stop."""


SPEAKER = Capability[Speaker]("acme/speaker", "says nothing")
MORE = Capability[FakeModel]("acme/more", "has no more")


def said(requests, block):
    for request in requests:
        if request.text == "stop":
            raise InputError("stopped", remedy="go on")
        yield request, request.text[::-1]


@dataclass(frozen=True)
class Said(TextRequest[str]):
    capability = SPEAKER
    reader = staticmethod(said)

    def size(self, model):
        return 8

    @property
    def key(self):
        return self.text

    def pack(self, feature):
        return None if feature == "ton" else feature.encode()

    def unpack(self, content, model):
        return content.decode()


def speaking(shelf=None, **more):
    return Engine(Model("speaker", "00", "acme", "float32", {SPEAKER: Speaker()}), cache=shelf, **more)


@pytest.mark.parametrize(
    ("name", "digest", "backend", "precision", "more", "shared"),
    [
        ("elsewhere", "00", "acme", "float32", {}, 1),
        ("speaker", "11", "acme", "float32", {}, 0),
        ("speaker", "00", "acme 2", "float32", {}, 0),
        ("speaker", "00", "acme", "bfloat16", {}, 0),
        ("speaker", "00", "acme", "float32", {MORE: FakeModel()}, 0),
    ],
    ids=["name", "digest", "backend", "precision", "code"],
)
def test_a_cached_feature_is_of_one_model_however_it_is_called(name, digest, backend, precision, more, shared):
    shelf = Shelf()
    speaking(shelf).features([Said("w1 w2")])
    engine = Engine(Model(name, digest, backend, precision, {SPEAKER: Speaker(), **more}), cache=shelf)
    engine.features([Said("w1 w2")])
    assert (engine.ledger.stored, len(shelf.entries)) == (shared, 2 - shared)


def test_a_request_may_name_another_model():
    loaded = []
    engine = speaking(load=lambda name: loaded.append(name) or FakeModel())
    vectors = StaticRequest("w1 w2")
    other, one = ByModel("fake", vectors), Said("w1 w2")
    assert engine.size(other) == vectors.size(FakeModel()) and engine.size(one) == 8
    features = engine.features([one, other, ByModel("fake", StaticRequest(LONG))])
    expected = Engine(FakeModel()).features([vectors])[vectors]
    np.testing.assert_array_equal(features[other].vectors, expected.vectors)
    assert features[one] == "2w 1w" and features.longer == {LONG} and loaded == ["fake"]
    assert engine.facts_with(["fake"])["model fake"]["name"] == "fake" and "model fake" not in engine.facts
    with pytest.raises(InputError, match="does not fit"):
        strict = speaking(window="error", load=lambda name: FakeModel())
        strict.check([ByModel("fake", StaticRequest(LONG))], 3)
    with pytest.raises(SpecError, match="model 'fake': a second model cannot be loaded here"):
        speaking().features([other])


def test_work_counts_the_passes_that_requests_share_once():
    alone = BagRequest(LONG, 1.0)
    weighted = BagRequest(LONG, 0.5, TokenWeights("even", np.ones(len(WORDS))))
    shared = [alone, weighted, MaskedLikelihoodRequest(LONG)]
    engine = Engine(FakeModel())
    engine.features(shared)
    assert engine.ledger.passes == len(LONG.split())
    assert work_of(shared) == work_of([alone]) > len(LONG)
    by_threes = BagRequest(LONG, 1.0, stride=3)
    assert work_of([alone, by_threes]) == work_of([alone]) + work_of([by_threes])
    states = [VectorsRequest(LONG, (1,)), SentenceVectors(LONG, (1, 2)), SentenceVectors(LONG, (2,), "max")]
    assert work_of(states) == len(LONG) and work_of([*states, *shared]) == len(LONG) + work_of(shared)
    elsewhere = [ByModel("fake", request) for request in shared]
    assert work_of(elsewhere) == work_of(shared) and work_of([*shared, *elsewhere]) == 2 * work_of(shared)
    assert work_of([StaticRequest(LONG)]) == work_of([]) == 0


def test_a_text_that_the_window_policy_refuses_is_named_by_its_row():
    engine = Engine(FakeModel(), "error")
    engine.check([BagRequest("w1", 1.0), AlignmentRequest("w1", ("w2 w3",))], 1)
    with pytest.raises(InputError, match="row 2: a text of 30 sub-words does not fit"):
        engine.check([BagRequest(LONG, 1.0)], 2)
    with pytest.raises(InputError, match="row 7: texts of 9 and 9 sub-words"):
        engine.check([AlignmentRequest("w1 " * 9, ("w2 " * 9,))], 7)


def test_a_text_without_utf_8_is_refused_where_it_is_asked_for_and_not_before() -> None:
    ahead = TokenPrefetcher(SubwordTokenizer(tiny_tokenizer(), "[MASK]", "[PAD]"))
    ahead.expect(["w1", "\ud800"])
    ahead.expect([])
    assert len(ahead.encode(["w1"])) == 1
    with pytest.raises(InputError, match="surrogate"):
        ahead.encode(["w1", "\ud800"])
    ahead.close()

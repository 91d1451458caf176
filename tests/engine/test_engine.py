"""The engine: which requests are computed together, kept, derived and refused; what features say: features/."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlgauge.engine.engine import Engine, TokenPrefetcher
from nlgauge.engine.features.alignment import AlignmentRequest
from nlgauge.engine.features.masked import Bag, BagRequest, MaskedLikelihoodRequest
from nlgauge.engine.features.request import ByModel, TextRequest
from nlgauge.engine.features.static import StaticRequest
from nlgauge.engine.features.vectors import VectorsRequest
from nlgauge.engine.models.capabilities import ALIGNER, ENCODER, TOKENIZER, Capability, Model
from nlgauge.engine.tokens import SubwordTokenizer, Tokens
from nlgauge.errors import InputError, SpecError
from tests.engine.fake import WORDS, FakeModel, tiny_tokenizer

LONG = " ".join(WORDS[5 + i % 40] for i in range(30))
texts = st.lists(st.sampled_from(WORDS[5:]), max_size=40).map(" ".join)


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


@given(st.lists(texts, min_size=1, max_size=12), st.randoms(), st.integers(16, 400))
@settings(max_examples=25, deadline=None)
def test_features_do_not_depend_on_batch_order_or_company(some, random, batch_tokens):
    """Windows, padding, batches of every size, duplicates and any order give what each text alone gives."""
    model = FakeModel()
    requests = [
        request
        for text in some * 2
        for request in (BagRequest(text, 1.0), BagRequest(text, 0.5, stride=3), VectorsRequest(text, (0, 2)))
    ]
    random.shuffle(requests)
    together = Engine(model, batch_tokens=batch_tokens).features(requests)
    for request in requests:
        alone = Engine(model).features([request])[request]
        if not request.text:
            assert together[request] is None and alone is None
        elif isinstance(request, BagRequest):
            np.testing.assert_allclose(together[request].log_probabilities, alone.log_probabilities, atol=1e-5)
        else:
            np.testing.assert_allclose(together[request].vectors, alone.vectors, atol=1e-5)


def test_equal_requests_are_computed_once_and_requests_of_one_reader_share_passes():
    model = FakeModel()
    engine = Engine(model)
    text = "w1 w2 w3 w4"
    asked = [*(BagRequest(text, t) for t in (0.25, 0.5, 0.5)), MaskedLikelihoodRequest(text), StaticRequest(text)]
    engine.features(asked)
    assert sum(count for count, _ in model.rows_seen) == engine.ledger.passes == 4
    assert engine.ledger.features == {"BagRequest": 2, "MaskedLikelihoodRequest": 1, "StaticRequest": 1}
    assert engine.ledger.texts == 1


def test_what_is_kept_is_not_computed_again_and_is_the_same_to_the_bit():
    shelf, model = Shelf(), FakeModel()
    first = bags(Engine(model, kept=shelf), ["w1 w2", "w3"])
    passes = len(model.rows_seen)
    engine = Engine(model, kept=shelf)
    np.testing.assert_array_equal(bags(engine, ["w3", "w1 w2"]), first[::-1])
    assert len(model.rows_seen) == passes and engine.ledger.stored == 2 and not engine.ledger.features
    again = engine.features([BagRequest("w3", 1.0)], fresh=True)[BagRequest("w3", 1.0)]
    assert isinstance(again, Bag) and len(model.rows_seen) > passes


def test_what_is_kept_and_is_no_such_feature_is_computed_and_replaced():
    shelf, model = Shelf(), FakeModel()
    first = bags(Engine(model, kept=shelf), ["w1 w2", "w3"])
    whole = dict(shelf.entries)
    for wrong in (b"", b"\0", b"\0\0\0", bytes(9)):
        shelf.entries = dict.fromkeys(whole, wrong)
        engine = Engine(model, kept=shelf)
        np.testing.assert_array_equal(bags(engine, ["w1 w2", "w3"]), first)
        assert engine.ledger.stored == 0 and shelf.entries == whole


@pytest.mark.parametrize(
    "change",
    [{"digest": "11" * 32}, {"precision": "bfloat16"}, {"backend": "other"}, {"window": 8}],
    ids=lambda change: next(iter(change)),
)
def test_what_another_model_computed_is_not_taken(change):
    shelf, model, other = Shelf(), FakeModel(), FakeModel(change.get("window", 16))
    bags(Engine(model, kept=shelf), ["w1 w2"])
    for name, value in change.items():
        setattr(other, name, value)
    engine = Engine(other, kept=shelf)
    bags(engine, ["w1 w2"])
    assert engine.ledger.stored == 0
    cut = Engine(model, "cut", kept=shelf)
    bags(cut, ["w1 w2"])
    assert cut.ledger.stored == 0


def test_every_fact_of_a_bag_is_in_its_key():
    requests = [BagRequest("w1", 1.0), BagRequest("w2", 1.0), BagRequest("w1", 2.0), BagRequest("w1", 1.0, stride=2)]
    assert len({request.key for request in requests}) == len(requests)


class Speaker:
    """Says a text backwards, and fails at the word stop."""


SPEAKER = Capability[Speaker]("acme/speaker", "says nothing")


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
    return Engine(Model("speaker", "00", "acme", "float32", {SPEAKER: Speaker()}), kept=shelf, **more)


def test_a_model_without_a_tokenizer_is_asked_for_what_it_can_do():
    engine, one = speaking(window="error"), Said("one")
    engine.check([one], 1)
    engine.prepare([one])
    assert engine.features([one])[one] == "eno" and not engine.facts.keys() & {"tokenizer", "window"}
    with pytest.raises(SpecError, match="'speaker' computes no token vectors"):
        engine.features([StaticRequest("one")])
    with pytest.raises(SpecError, match="'fake' says nothing"):
        Engine(FakeModel()).features([one])


def test_what_was_answered_before_an_error_is_kept_and_what_should_not_be_is_not():
    shelf = Shelf()
    with pytest.raises(InputError, match="stopped"):
        speaking(shelf).features([Said("one"), Said("not"), Said("stop"), Said("two")])
    assert list(shelf.entries.values()) == [b"eno"]
    again = speaking(shelf)
    assert again.features([Said("one"), Said("two")])[Said("one")] == "eno" and again.ledger.stored == 1


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


def test_texts_that_are_longer_than_the_window_are_named():
    engine = Engine(FakeModel())
    assert engine.features([BagRequest(LONG, 1.0, stride=8), BagRequest("w1", 1.0)]).longer == {LONG}
    assert not engine.features([BagRequest("w1", 1.0)]).longer


def test_a_text_that_the_window_policy_refuses_is_named_by_its_row():
    engine = Engine(FakeModel(), "error")
    engine.check([BagRequest("w1", 1.0), AlignmentRequest("w1", ("w2 w3",))], 1)
    with pytest.raises(InputError, match="row 2: a text of 30 sub-words does not fit"):
        engine.check([BagRequest(LONG, 1.0)], 2)
    with pytest.raises(InputError, match="row 7: texts of 9 and 9 sub-words"):
        engine.check([AlignmentRequest("w1 " * 9, ("w2 " * 9,))], 7)


def test_what_a_model_cannot_do_is_one_clear_error():
    model = FakeModel()
    model.abilities[ALIGNER] = None
    with pytest.raises(SpecError, match="model 'fake' has no aligner"):
        Engine(model).features([AlignmentRequest("w1", ("w2",))])
    model.abilities[ENCODER] = None
    with pytest.raises(SpecError, match="model 'fake' computes no token vectors"):
        Engine(model).features([VectorsRequest("w1", (1,))])


def test_nothing_of_a_text_is_held_when_its_features_are_gone():
    engine = Engine(FakeModel())
    engine.features([BagRequest(text, 1.0) for text in ("w1", "w2")])
    assert not any(isinstance(value, dict) and value for value in vars(engine).values())


def test_ids_of_tokens_come_in_order_however_many_there_are():
    engine = Engine(FakeModel())
    ids = [ids.tolist() for ids in engine.model[TOKENIZER].ids_of(f"w{i % 40}" for i in range(2500))]
    assert ids == [[5 + i % 40] for i in range(2500)]
    assert engine.ledger.texts == 0


class Watched(SubwordTokenizer):
    """Notes which texts were split, and whether the thread that asked for them did it."""

    def __init__(self) -> None:
        super().__init__(tiny_tokenizer(), "[MASK]", "[PAD]")
        self.split: list[tuple[str, bool]] = []

    def encode(self, texts: list[str]) -> list[Tokens]:  # type: ignore[override]
        here = threading.current_thread() is threading.main_thread()
        self.split.extend((text, here) for text in texts)
        return super().encode(texts)


def test_what_is_expected_is_split_once_and_in_another_thread() -> None:
    tokenizer = Watched()
    ahead = TokenPrefetcher(tokenizer)
    asked = [["w1 w2", "w3"], ["w4", "w1 w2"], ["w5"]]
    answers = []
    for number, texts in enumerate(asked):
        ahead.expect([text for more in asked[number + 1 : number + 2] for text in [*more, *more]])
        answers.append(ahead.encode(texts))
    ahead.close()
    for texts, found in zip(asked, answers, strict=True):
        for one, other in zip(found, Watched().encode(texts), strict=True):
            np.testing.assert_array_equal(one.ids, other.ids)
            np.testing.assert_array_equal(one.offsets, other.offsets)
    assert sorted(tokenizer.split) == [
        ("w1 w2", False), ("w1 w2", True), ("w3", True), ("w4", False), ("w5", False),
    ]  # fmt: skip


def test_a_text_without_utf_8_is_refused_where_it_is_asked_for_and_not_before() -> None:
    ahead = TokenPrefetcher(SubwordTokenizer(tiny_tokenizer(), "[MASK]", "[PAD]"))
    ahead.expect(["w1", "\ud800"])
    ahead.expect([])
    assert len(ahead.encode(["w1"])) == 1
    with pytest.raises(InputError, match="surrogate"):
        ahead.encode(["w1", "\ud800"])
    ahead.close()


def test_it_serves_again_after_it_was_closed() -> None:
    ahead = TokenPrefetcher(Watched())
    for _ in range(2):
        ahead.expect(["w1"])
        ahead.close()
        assert len(ahead.encode(["w1 w2"])[0]) == 2

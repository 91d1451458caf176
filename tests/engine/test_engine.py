"""The engine: which requests are computed together, kept, derived and refused; what features say: features/."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlgauge.engine.engine import Engine
from nlgauge.engine.features.alignment import AlignmentRequest
from nlgauge.engine.features.masked import Bag, BagRequest, MaskedLikelihoodRequest
from nlgauge.engine.features.request import Derived, Features
from nlgauge.engine.features.static import StaticRequest
from nlgauge.engine.features.vectors import VectorsRequest
from nlgauge.engine.models.capabilities import ALIGNER, ENCODER
from nlgauge.errors import InputError, SpecError
from tests.engine.fake import WORDS, FakeModel

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


@dataclass(frozen=True)
class FirstVector(Derived[np.ndarray]):
    """The vector of a text's first token."""

    text: str

    @property
    def sources(self) -> tuple[VectorsRequest, ...]:
        return (VectorsRequest(self.text, (3,)),)

    def derive(self, features: Features) -> np.ndarray | None:
        vectors = features[self.sources[0]]
        return None if vectors is None else vectors.vectors[0, 0]

    def size(self, model: object) -> int:
        return 32


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


def test_a_derived_feature_shares_the_pass_of_its_sources():
    model = FakeModel()
    engine = Engine(model)
    plain, derived, none = VectorsRequest("w1 w2", (1, 3)), FirstVector("w1 w2"), FirstVector("")
    features = engine.features([plain, derived, none])
    np.testing.assert_array_equal(features[derived], features[plain].vectors[1, 0])
    assert features[none] is None and engine.ledger.passes == 1


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
    with pytest.raises(SpecError, match="model 'fake' gives its tokens no vectors"):
        Engine(model).features([VectorsRequest("w1", (1,))])


def test_nothing_of_a_text_is_held_when_its_features_are_gone():
    engine = Engine(FakeModel())
    engine.features([BagRequest(text, 1.0) for text in ("w1", "w2")])
    assert not any(isinstance(value, dict) and value for value in vars(engine).values())


def test_ids_of_tokens_come_in_order_however_many_there_are():
    engine = Engine(FakeModel())
    ids = [ids.tolist() for ids in engine.token_ids(f"w{i % 40}" for i in range(2500))]
    assert ids == [[5 + i % 40] for i in range(2500)]
    assert engine.ledger.texts == 0
